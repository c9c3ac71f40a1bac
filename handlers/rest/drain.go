package rest

import (
	"net/http"
)

// Drain says that the node is about to end, before it does: /readyz is 503 from now
// on, so that load balancers look elsewhere, and every answer asks its caller to
// open the next connection, which will be to another node. Requests are answered as
// before until the context of Serve ends.
func (a *API) Drain() { a.draining.Do(func() { close(a.drain) }) }

func (a *API) isDraining() bool {
	select {
	case <-a.drain:
		return true
	default:
		return false
	}
}

func (a *API) sayGoodbye(h http.Header) {
	if a.isDraining() {
		h.Set("Connection", "close")
	}
}
