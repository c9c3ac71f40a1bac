package wire

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is promised of requests and answers is checked through every adapter, by channelstest.

func TestWhereAProviderIs(t *testing.T) {
	for base, want := range map[string]string{"": "https://api.example.com/v1/x", "http://127.0.0.1:1/": "http://127.0.0.1:1/v1/x",
		"https://proxy.example.com/to": "https://proxy.example.com/to/v1/x"} {
		p, err := At("Example", base, "https://api.example.com")
		require.NoError(t, err)
		req, err := p.Request(http.MethodPost, "/v1/x", "application/json", "{}")
		require.NoError(t, err)
		require.Equal(t, want, req.URL.String())
	}
	for _, base := range []string{"api.example.com", "ftp://x", "https://user:secret@x", "https://", "%"} {
		_, err := At("Example", base, "")
		require.EqualError(t, err, "the base URL of Example must be an absolute http or https URL without a user")
	}
	p, err := At("Example", "", "https://api.example.com")
	require.NoError(t, err)
	_, err = p.Request("GET it", "/%zz", "", "")
	require.EqualError(t, err, "the request to Example cannot be made")
}
