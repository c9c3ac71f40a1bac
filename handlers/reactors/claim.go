package reactors

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v4"
	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Claim puts the start of an attempt on the log, before its effect.
type Claim[S any] struct {
	Store    *eventstore.Store
	Of       *event.Aggregate[S]
	Rules    attempt.Rules[S]
	Node     string
	Now      func() time.Time
	Lease    time.Duration
	Patience time.Duration // for how long the log is asked to take it; 0: once
}

// Take claims the attempt that the stream wants, and has the state that the claim left.
// mine says that this very try claimed it: nobody else may go on. Where claims have ids,
// that is known also of one whose answer was lost.
func (c Claim[S]) Take(ctx context.Context, stream string, cmd eventstore.Command) (res eventstore.Result[S], mine bool, err error) {
	id := uuid.Must(uuid.NewV7()).String()
	start := func(s S) ([]event.Payload, error) {
		now := c.Now()
		return c.Rules.Start(attempt.Claim{ID: id, Node: c.Node, At: now, LeaseUntil: now.Add(c.Lease)})(s)
	}
	err = patiently(ctx, c.Patience, func(ctx context.Context) (err error) {
		res, err = eventstore.Execute(ctx, c.Store, c.Of, stream, cmd, start)
		return err
	})
	is := c.Rules.State(res.State) // what was given up instead is claimed by nobody
	return res, err == nil && len(res.Events) > 0 && is.Claimed() && (!res.Replayed || is.ID == id), err
}

// patiently asks the log once, or for as long as there is patience.
func patiently(ctx context.Context, patience time.Duration, ask func(context.Context) error) error {
	if patience <= 0 {
		return ask(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return acts.Persist(ctx, func() error { return ask(ctx) })
}

// Pause is the pause after an attempt, from 1, that came to nothing. The pauses differ at
// random, so that who comes back is not met by everyone at once.
func Pause(b attempt.Backoff, number int) time.Duration {
	delays := backoff.NewExponentialBackOff(backoff.WithInitialInterval(b.First), backoff.WithMultiplier(b.Factor),
		backoff.WithRandomizationFactor(b.Jitter), backoff.WithMaxInterval(b.Ceiling), backoff.WithMaxElapsedTime(0))
	for range min(number, 16) - 1 { // by then it has long stopped growing
		delays.NextBackOff()
	}
	return delays.NextBackOff()
}
