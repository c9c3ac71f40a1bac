package wire

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
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

// Given a provider and where it keeps files, then the credentials are for its own hosts alone, and no
// address is asked that is nobody's.
func TestWhereFilesLie(t *testing.T) {
	p, err := At("Example", "", "https://api.example.com")
	require.NoError(t, err)
	place := Place{Hosts: []string{"files.example.com"}, Beyond: []string{".cdn.example.net"}}
	for address, want := range map[string]string{"https://api.example.com/x": "named", "https://files.example.com/x": "named",
		"https://FILES.example.com:443/x": "named", "https://a.cdn.example.net/x?y=z#f": "led", "https://cdn.example.net/": "refused",
		"http://files.example.com/x": "refused", "https://files.example.com:8443/x": "refused",
		"https://files.example.com@evil.example/": "refused",
		"https://evil-files.example.com/":         "refused", "https://evil.example/": "refused", "https://10.0.0.1/": "refused"} {
		to, _, named, err := p.lies(address, place)
		switch want {
		case "refused":
			require.Error(t, err, address)
		default:
			require.NoError(t, err, address)
			require.Equal(t, want == "named", named, address)
			require.Empty(t, to.Fragment)
		}
	}
	for address, good := range map[string]bool{"https://evil.example/": true, "https://10.0.0.1/": false, "https://localhost/": false,
		"http://evil.example/": false} {
		_, client, named, err := p.lies(address, Place{Beyond: []string{Anywhere}})
		require.Equal(t, good, err == nil, address)
		require.False(t, named)
		require.True(t, !good || client == p.public, address)
	}
}

// Given an address that turns out to lead inward when it is dialled, whatever its name was, then nobody
// is asked there, and that stays as it is.
func TestAnAddressThatLeadsInwardIsNotAsked(t *testing.T) {
	asked := false
	within := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer within.Close()
	p, err := At("Example", "", "https://api.example.com")
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, within.URL, nil)
	require.NoError(t, err)
	_, err = p.public.Do(req)
	require.Error(t, err)
	require.False(t, asked)
	var why *channels.Unfetched
	require.ErrorAs(t, p.silence(err), &why)
	require.Equal(t, channels.Unfetched{Code: channels.FileElsewhere, Reason: "the file is not where the provider keeps files"}, *why)
}
