package webhook_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
)

// Given a host that this machine plays, then requests to it are answered there, under its name and with all that they say; others
// go where they say, and without --dev the place is no public address.
func TestAHostThatIsPlayed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.URL.RequestURI(), body)
	}))
	defer server.Close()
	at, err := url.Parse(server.URL)
	require.NoError(t, err)
	dev := webhook.Guard{AllowLoopback: true, Hosts: map[string]string{"pay.example.com": at.Host}}
	ask := func(g webhook.Guard, to string) (string, error) {
		client := &http.Client{Transport: g.Transport()}
		defer client.CloseIdleConnections()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, to, http.NoBody)
		require.NoError(t, err)
		res, err := client.Do(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		said, err := io.ReadAll(res.Body)
		return string(said), err
	}
	for to, want := range map[string]string{
		"https://pay.example.com/v2/charges?a=1": "PUT pay.example.com /v2/charges?a=1 ",
		"http://PAY.example.com:8443/":           "PUT PAY.example.com:8443 / ",
		server.URL + "/x":                        "PUT " + at.Host + " /x ",
	} {
		said, err := ask(dev, to)
		require.NoError(t, err, to)
		require.Equal(t, want, said)
	}
	_, err = ask(webhook.Guard{Hosts: dev.Hosts}, "https://pay.example.com/")
	require.ErrorIs(t, err, webhook.ErrRefusedAddress)
	require.NoError(t, dev.CheckURL("https://pay.example.com/"))
}
