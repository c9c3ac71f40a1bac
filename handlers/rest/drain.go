package rest

import (
	"context"
	"net/http"
)

// Drain says that the node is about to end, before it does: /readyz is 503 from now
// on, so that load balancers look elsewhere, and every answer asks its caller to
// open the next connection, which will be to another node. Requests are answered as
// before until the context of Serve ends.
func (a *API) Drain() { a.draining.Do(func() { close(a.drain) }) }

// Draining is closed when the node that answers this request is about to end. What
// streams without an end stops then, and its caller comes back elsewhere. Outside of
// a request it is nil.
func Draining(ctx context.Context) <-chan struct{} {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok && x.api != nil {
		return x.api.drain
	}
	return nil
}

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
