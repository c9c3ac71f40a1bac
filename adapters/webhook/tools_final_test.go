package webhook_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given a host that no try would ever reach, then it is tried once, and the call says why; where the
// next one might come through, it is tried again.
func TestWhatNeverConnectsIsFinal(t *testing.T) {
	mute := func(s *httptest.Server) string {
		t.Cleanup(s.Close)
		return s.URL + "/"
	}
	quiet := log.New(io.Discard, "", 0)
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = quiet
	untrusted.StartTLS()
	old := httptest.NewUnstartedServer(http.NotFoundHandler())
	old.Config.ErrorLog, old.TLS = quiet, &tls.Config{MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	trusted := x509.NewCertPool()
	trusted.AddCert(old.Certificate())
	plain := httptest.NewServer(http.NotFoundHandler())
	port := func(raw string) string { u, _ := url.Parse(raw); return u.Port() }
	loopback, nobody := resolver(t, "127.0.0.1").resolver, resolver(t, "").resolver

	for name, c := range map[string]struct {
		options webhook.Options
		url     string
		problem string // empty: it may come through the next time
	}{
		"a certificate that nobody trusts": {webhook.Options{}, mute(untrusted), "the certificate is not trusted"},
		"one of another name": {webhook.Options{Resolver: loopback, RootCAs: trusted}, "https://other.example:" + port(untrusted.URL),
			"the certificate is not trusted"},
		"a name that is none":   {webhook.Options{Resolver: nobody}, "https://nobody.example/", "the host name does not resolve"},
		"another TLS":           {webhook.Options{RootCAs: trusted}, mute(old), "the host and we have no way to speak TLS"},
		"no TLS":                {webhook.Options{}, "https://127.0.0.1:" + port(mute(plain)), "the host does not speak TLS"},
		"nobody there, for now": {webhook.Options{}, nowhere(t), ""},
	} {
		t.Run(name, func(t *testing.T) {
			call := reading(c.url)
			call.Timeout, call.Retry = 10*time.Second, 2
			got := tools(t, c.options).Call(t.Context(), call)
			require.Equal(t, []any{sessions.CallFailed, webhook.ToolUnreachable, c.problem}, []any{got.Outcome, got.Code, got.Problem})
			require.Equal(t, map[bool]int{true: 3, false: 1}[c.problem == ""], got.Tries)
			write := writing(c.url)
			write.Timeout = 10 * time.Second
			require.Equal(t, sessions.CallFailed, tools(t, c.options).Call(t.Context(), write).Outcome, "nothing was asked")
		})
	}
}
