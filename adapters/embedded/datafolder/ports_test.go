package datafolder

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

func TestListenAddress(t *testing.T) {
	const refused = "TLS and SASL"
	for address, want := range map[string]string{
		"127.0.0.1:0":      "",
		"127.0.0.7:0":      "",
		"localhost:0":      "",
		"0.0.0.0:9092":     refused,
		":9092":            refused,
		"192.168.1.5:9092": refused,
		"[::]:9092":        refused,
		"example.org:9092": refused,
		"127.0.0.1":        "HOST:PORT",
		"127.0.0.1:kafka":  "from 0 to 65535",
		"127.0.0.1:70000":  "from 0 to 65535",
	} {
		t.Run(address, func(t *testing.T) {
			l, err := ListenLoopback(t.TempDir(), address, childtest.Log(t))
			if want == "" {
				require.NoError(t, err)
				require.NoError(t, l.Close())
				return
			}
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, address)
		})
	}
}

func TestFolderRemembersItsPort(t *testing.T) {
	dir := t.TempDir()
	first := listen(t, dir, "127.0.0.1:0")
	require.NoError(t, first.Close())

	again := listen(t, dir, "127.0.0.1:0")
	require.Equal(t, first.Addr().String(), again.Addr().String())

	// Taken by another: a free one, remembered in its place.
	other := listen(t, dir, "127.0.0.1:0")
	require.NotEqual(t, again.Addr().String(), other.Addr().String())
	require.Equal(t, PortOf(other), RememberedPort(dir))
}

func TestGivenPortThatIsTakenIsAnError(t *testing.T) {
	taken := listen(t, t.TempDir(), "127.0.0.1:0")
	_, err := ListenLoopback(t.TempDir(), taken.Addr().String(), childtest.Log(t))
	require.ErrorContains(t, err, "choose another port")
}

func listen(t *testing.T, dir, address string) net.Listener {
	t.Helper()
	l, err := ListenLoopback(dir, address, childtest.Log(t))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}
