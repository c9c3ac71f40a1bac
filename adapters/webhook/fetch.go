package webhook

import (
	"net/http"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
)

// HTTPClient is a plain client behind the guard, for addresses that a tenant gives
// and that are only read, such as key sets. It follows no redirect and has one
// timeout for everything.
func (g Guard) HTTPClient(timeout time.Duration) *http.Client {
	c := New(Options{Guard: g, Timeout: timeout, peer: outgoing.KeySets}).http
	c.Timeout = timeout
	return c
}

// Transport is one with its own connections, for clients that bound the time of an answer
// themselves. They follow no redirect, which would lead elsewhere.
func (g Guard) Transport() http.RoundTripper {
	return g.over(Options{Guard: g, Timeout: defaultTimeout}.transport())
}
