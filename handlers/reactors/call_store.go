package reactors

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// CallStore is what the dialer needs of the event store.
type CallStore interface {
	// Decide appends what decide says to the call's stream, at most once for each
	// requestID (empty: no such promise), and returns when it is visible. accepted
	// are the events of the accepted commit; replayed says that they are those of
	// an earlier call with the same requestID, in which case decide need not have
	// run. decide may run several times and must not keep the state.
	Decide(ctx context.Context, callID, requestID string, decide func(calls.State) ([]event.Payload, error)) (accepted []event.Payload, replayed bool, err error)
}

// worthRepeating reports whether the store may yet take the same command: it was
// away or overloaded, or nobody knows. A refusal stays one.
func worthRepeating(err error) bool {
	switch fault.CodeOf(err) {
	case fault.NotExecuted, fault.OutcomeUnknown, fault.CatchingUp, fault.QueueFull, fault.RateLimit, fault.Unavailable, fault.Internal:
		return true
	}
	return false
}

// persist repeats attempt with growing pauses until it succeeds, is refused, or ctx
// ends; then the last error is returned.
func persist(ctx context.Context, attempt func() error) error {
	pauses := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMaxInterval(2*time.Second), backoff.WithMaxElapsedTime(0))
	for {
		err := attempt()
		if err == nil || !worthRepeating(err) {
			return err
		}
		pause := pauses.NextBackOff()
		var refusal *fault.Error
		if errors.As(err, &refusal) {
			pause = max(pause, min(refusal.Retry, 2*time.Second))
		}
		wait := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			wait.Stop()
			return err
		case <-wait.C:
		}
	}
}
