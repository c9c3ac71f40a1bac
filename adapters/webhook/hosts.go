package webhook

import (
	"net/http"
	"strings"
)

// playing carries requests to hosts that this machine plays to where it does so, without TLS and
// under their own names; all others go where they always went.
type playing struct {
	next  http.RoundTripper
	hosts map[string]string
}

// over puts the hosts that the guard knows before a transport.
func (g Guard) over(next http.RoundTripper) http.RoundTripper {
	if len(g.Hosts) == 0 {
		return next
	}
	return playing{next, g.Hosts}
}

// RoundTrip implements http.RoundTripper.
func (p playing) RoundTrip(r *http.Request) (*http.Response, error) {
	where := p.hosts[strings.ToLower(r.URL.Hostname())]
	if where == "" {
		return p.next.RoundTrip(r)
	}
	to := r.Clone(r.Context())
	to.Host, to.URL.Scheme, to.URL.Host = r.URL.Host, "http", where
	return p.next.RoundTrip(to)
}

// CloseIdleConnections lets http.Client reach those of the transport behind.
func (p playing) CloseIdleConnections() { (&http.Client{Transport: p.next}).CloseIdleConnections() }
