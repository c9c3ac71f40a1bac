package acts

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/parley-platform/parley/domain/fault"
)

// WorthRepeating reports whether the store may yet take the same command: it was
// away or overloaded, or nobody knows. A refusal stays one.
func WorthRepeating(err error) bool {
	if errors.Is(err, errSource) {
		return false
	}
	switch fault.CodeOf(err) {
	case fault.NotExecuted, fault.OutcomeUnknown, fault.CatchingUp, fault.QueueFull, fault.RateLimit, fault.Unavailable, fault.Internal:
		return true
	}
	return false
}

// Persist repeats attempt with growing pauses until it succeeds, is refused, or ctx
// ends; then the last error is returned.
func Persist(ctx context.Context, attempt func() error) error {
	pauses := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(20*time.Millisecond), backoff.WithMaxInterval(2*time.Second), backoff.WithMaxElapsedTime(0))
	for {
		err := attempt()
		if err == nil || !WorthRepeating(err) {
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
