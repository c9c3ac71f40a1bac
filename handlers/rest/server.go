package rest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// The times that one connection may take. Answers have no limit of the server:
// streams are long, and handlers are bounded by what they wait for.
const (
	headerTimeout = 10 * time.Second
	readTimeout   = 60 * time.Second // headers and body
	idleTimeout   = 2 * time.Minute
	maxHeader     = 1 << 20 // bytes

	// DrainTimeout is how long requests in flight may take after the end was asked for.
	DrainTimeout = 30 * time.Second
)

// Serve answers requests on the listener until the context ends; then it takes no
// new ones, lets those in flight finish within DrainTimeout, and returns nil.
func (a *API) Serve(ctx context.Context, listener net.Listener) error {
	return a.serve(ctx, listener, DrainTimeout)
}

func (a *API) serve(ctx context.Context, listener net.Listener, drain time.Duration) error {
	server := &http.Server{
		Handler:           a,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       readTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	a.endStreams() // they would never end by themselves
	// The requests in flight are not those of the ended context.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), drain)
	defer cancel()
	if err := server.Shutdown(bounded); err != nil {
		a.log.Warn("requests were cut off at shutdown", "cause", err)
		_ = server.Close()
	}
	a.awaitDetached(bounded)
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
