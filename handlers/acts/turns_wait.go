package acts

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

const (
	lookAgain = time.Second     // at a turn that another node drives, if no news come
	longest   = 6 * time.Minute // that somebody waits for the end of a turn
)

// Ended waits until a turn has ended or is suspended, whoever drives it, and gives its events and
// what they left.
// A driver in this process says done; nil: there is none here.
func (t *Turns) Ended(ctx context.Context, stream string, turn int, done <-chan struct{}) (eventstore.Result[sessions.State], error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if done != nil {
		select {
		case <-done: // what it wrote is seen here
		case <-ctx.Done():
			return eventstore.Result[sessions.State]{}, stillRuns()
		}
	}
	news, stop, err := t.news(stream)
	if err != nil {
		return eventstore.Result[sessions.State]{}, err
	}
	defer stop()
	for {
		read, err := patiently(ctx, func() (eventstore.Result[sessions.State], error) {
			read, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
			if err != nil || !over(read.State.Talk, turn) {
				return eventstore.Result[sessions.State]{State: read.State}, err
			}
			return t.turn(ctx, stream, turn)
		})
		if err != nil || over(read.State.Talk, turn) {
			return read, err
		}
		select {
		case <-news:
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return eventstore.Result[sessions.State]{}, stillRuns()
		}
	}
}

// patiently reads again while the read models catch up with the log: the turn goes on meanwhile,
// and who waits for it has nothing better to do.
func patiently[T any](ctx context.Context, read func() (T, error)) (T, error) {
	for {
		got, err := read()
		if !fault.Is(err, fault.CatchingUp) {
			return got, err
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return got, err
		}
	}
}

func stillRuns() error {
	return fault.New(fault.OutcomeUnknown, "the turn still runs; its answer is in the transcript, or ask again with the same Idempotency-Key")
}

func (t *Turns) news(stream string) (<-chan struct{}, func(), error) {
	if t.Follow == nil {
		return nil, func() {}, nil
	}
	return t.Follow(stream)
}

// turn is all that stands on the log of a turn, however many commits it was.
func (t *Turns) turn(ctx context.Context, stream string, turn int) (out eventstore.Result[sessions.State], err error) {
	told, err := eventstore.History(ctx, t.Store, sessions.Sessions, stream)
	if err != nil {
		return out, err
	}
	ended := false
	for _, e := range told.Events {
		_, over := e.Payload.(sessions.SessionEnded)
		if ended && !over {
			break
		}
		sessions.Sessions.Fold(&out.State, e.Payload)
		if of, is := e.Payload.(interface{ Of() sessions.InTurn }); is && of.Of().Turn == turn {
			out.Events = append(out.Events, e)
			ended = ended || isEnd(e.Payload)
		}
	}
	return out, nil
}

func isEnd(p event.Payload) bool { _, is := p.(sessions.TurnEnded); return is }

// Free waits until no turn of the session runs.
func (t *Turns) Free(ctx context.Context, stream string) error {
	read, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
	if err != nil || read.State.Talk.Running == nil {
		return err
	}
	_, err = t.Ended(ctx, stream, read.State.Talk.Turns, nil)
	return err
}
