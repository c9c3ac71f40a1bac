package webhook_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
)

func TestOnlyPublicAddressesAreAllowed(t *testing.T) {
	refused := []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.8.8.8", "169.254.169.254",
		"172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
		"198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
		"::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "3fff::1", "2001::1", "2001:2::1",
		"::ffff:10.0.0.1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1", // IPv4 in IPv6
		"64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::8.8.8.8", // NAT64
		"2002:a00:1::1", "2002:7f00:1::", "2002:808:808::1", // 6to4
		"2606:4700::1%eth0", "100::1", "5f00::1",
	}
	for _, a := range refused {
		require.False(t, webhook.Guard{}.Allows(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.0.1.1",
		"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2606:4700:4700::1111", "2a00:1450::1"} {
		require.True(t, webhook.Guard{}.Allows(netip.MustParseAddr(a)), a)
	}
	require.False(t, webhook.Guard{}.Allows(netip.Addr{}), "no address")
}

func TestLoopbackCanBeAllowedAndNothingElse(t *testing.T) {
	dev := webhook.Guard{AllowLoopback: true}
	for _, a := range []string{"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1", "8.8.8.8"} {
		require.True(t, dev.Allows(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"0.0.0.0", "10.0.0.1", "192.168.0.1", "169.254.169.254", "fe80::1", "fc00::1", "64:ff9b::7f00:1"} {
		require.False(t, dev.Allows(netip.MustParseAddr(a)), a)
	}
}

func TestTheDialedAddressIsJudgedNotTheName(t *testing.T) {
	require.NoError(t, webhook.Guard{}.Control("tcp4", "8.8.8.8:443", nil))
	require.NoError(t, webhook.Guard{}.Control("tcp6", "[2606:4700::1]:8080", nil))
	for _, address := range []string{"10.0.0.1:443", "[::1]:80", "[fe80::1%eth0]:80", "example.com:80", ""} {
		require.ErrorIs(t, webhook.Guard{}.Control("tcp", address, nil), webhook.ErrRefusedAddress, address)
	}
}

func TestCheckURL(t *testing.T) {
	for _, raw := range []string{"https://example.com", "http://example.com:8080/a?b=c", "https://8.8.8.8/x", "https://[2606:4700::1]/",
		"https://example.com./", "https://bücher.example/", "HTTPS://EXAMPLE.COM/", "https://face.b00c.example"} {
		require.NoError(t, webhook.Guard{}.CheckURL(raw), raw)
	}
	for raw, why := range map[string]string{
		"":                                    "absolute",
		"example.com/hook":                    "absolute",
		"/hook":                               "absolute",
		"ftp://example.com":                   "absolute",
		"file:///etc/passwd":                  "absolute",
		"gopher://example.com":                "absolute",
		"javascript:alert(1)":                 "absolute",
		"http:example.com":                    "host",
		"https:///hook":                       "host",
		"https://:443/":                       "host",
		"https://user:pw@example.com":         "password",
		"https://user@example.com":            "password",
		"https://example.com:0/":              "port",
		"https://example.com:65536/":          "port",
		"https://example.com:/":               "port",
		"https://example.com:http/":           "URL",
		"https://exa mple.com/":               "URL",
		"https://example.com/\r\nX: y":        "URL",
		"http://10.0.0.1/":                    "private",
		"http://127.0.0.1:8080/":              "private",
		"http://169.254.169.254/meta":         "private",
		"http://[::1]/":                       "private",
		"http://[::ffff:10.0.0.1]/":           "private",
		"http://[fe80::1%25eth0]/":            "private",
		"http://[64:ff9b::a00:1]/":            "private",
		"http://localhost:3000/":              "private",
		"http://LOCALHOST./":                  "private",
		"http://a.localhost/":                 "private",
		"http://127.1/":                       "plain IP",
		"http://2130706433/":                  "plain IP",
		"http://0x7f000001/":                  "plain IP",
		"http://0177.0.0.1/":                  "plain IP",
		"http://0x7f.1/":                      "plain IP",
		"https://e.example/" + longPath(2048): "at most",
	} {
		require.ErrorContains(t, webhook.Guard{}.CheckURL(raw), why, raw)
	}
}

func TestCheckURLInDevelopment(t *testing.T) {
	dev := webhook.Guard{AllowLoopback: true}
	for _, raw := range []string{"http://localhost:3000/", "http://127.0.0.1/", "http://[::1]:9/"} {
		require.NoError(t, dev.CheckURL(raw), raw)
	}
	for _, raw := range []string{"http://10.0.0.1/", "http://0.0.0.0:80/", "http://127.1/"} {
		require.Error(t, dev.CheckURL(raw), raw)
	}
}

func longPath(n int) string { return strings.Repeat("a", n) }
