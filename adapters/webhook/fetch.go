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
