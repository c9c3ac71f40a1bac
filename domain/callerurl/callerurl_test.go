package callerurl_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/callerurl"
)

func TestWhatMayBeASecretIsNotShown(t *testing.T) {
	for raw, bare := range map[string]string{
		"https://dialer.example/hook?token=s3cret":             "https://dialer.example/hook",
		"https://dialer.example:8443?token=s3cret":             "https://dialer.example:8443",
		"https://me:s3cret@dialer.example/hook":                "https://dialer.example/hook",
		"https://s3cret@dialer.example/hook":                   "https://dialer.example/hook",
		"https://dialer.example/hook#s3cret":                   "https://dialer.example/hook",
		"https://me:s3cret@dialer.example/a%2Fb?s3cret#s3cret": "https://dialer.example/a%2Fb",
		"https://dialer.example/hook?":                         "https://dialer.example/hook", // sent as it was given
		"https://dialer.example/hook?a=%zz&s3cret":             "https://dialer.example/hook",
		"http://[::1]:80/hook?s3cret":                          "http://[::1]:80/hook",
		"https:s3cret":                                         "https:",
		"https://dialer.example/%zz?s3cret":                    "", // no URL: nothing of it is shown
		"https://dialer.example:s3cret/":                       "",
	} {
		got, secret := callerurl.Bare(raw)
		require.True(t, secret, raw)
		require.Equal(t, bare, got, raw)
		require.NotEmpty(t, callerurl.Unsealed(raw))
		require.NotContains(t, callerurl.Unsealed(raw), "s3cret")
	}
}

func TestAURLWithoutASecretStaysAsItIsWritten(t *testing.T) {
	for _, raw := range []string{"", "https://dialer.example", "HTTPS://Dialer.Example:8443/a//b/%41/ü",
		"http://127.0.0.1:8080/hook", "https://[2001:db8::1]/"} {
		got, secret := callerurl.Bare(raw)
		require.False(t, secret, raw)
		require.Equal(t, raw, got)
		require.Empty(t, callerurl.Unsealed(raw))
	}
}

func TestWhatIsShownHidesNothingMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bare, _ := callerurl.Bare(rapid.String().Draw(t, "raw"))
		again, secret := callerurl.Bare(bare)
		if secret || again != bare {
			t.Fatalf("%q becomes %q, %v", bare, again, secret)
		}
	})
}
