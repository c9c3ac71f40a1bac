package driving

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

const (
	lookAgain  = time.Second      // at a turn that another node drives, where no news of it come
	lookRarely = 30 * time.Second // where they do: a thousand who wait ask nothing of the database meanwhile
	longest    = 6 * time.Minute  // that somebody waits for the end of a turn
)

// Driven is a turn whose calls this process makes.
type Driven struct {
	Done <-chan struct{} // closed when there is nothing more to do here

	told   *eventstore.Result[sessions.State] // of the turn, from the commit on that the driver began with; another one with each
	others bool                               // have written between
}

// take adds what came of a call.
func (d *Driven) take(res *eventstore.Result[sessions.State]) {
	known := len(d.told.Events)
	if known == 0 || len(res.Events) == 0 || res.Events[0].Version != d.told.Events[known-1].Version+1 {
		d.others = true
	}
	d.told = &eventstore.Result[sessions.State]{Events: append(d.told.Events[:known:known], res.Events...), State: res.State}
}

// whole is all of a turn, where the driver wrote it alone to its end; else the log has to be asked.
// It counts when Done is closed.
func (d *Driven) whole(turn int) (out *eventstore.Result[sessions.State], is bool) {
	of, upTo := inTurn(d.told.Events, turn)
	if d.others || upTo < len(d.told.Events) || !over(&d.told.State.Talk, turn) {
		return nil, false
	}
	return &eventstore.Result[sessions.State]{Events: of, State: d.told.State}, true
}

// Ended waits until a turn has ended or is suspended, whoever drives it, and gives its events and
// what they left. driven is what this process makes of it, from its first commit on; nil: nothing.
func (t *Turns) Ended(ctx context.Context, stream string, turn int, driven *Driven) (*eventstore.Result[sessions.State], error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if driven != nil {
		select {
		case <-driven.Done: // what it wrote is seen here
			if whole, is := driven.whole(turn); is {
				return whole, nil
			}
		case <-ctx.Done():
			return nil, stillRuns()
		}
	}
	news, err := t.news(stream)
	if err != nil {
		return nil, err
	}
	defer news.stop()
	for {
		whole, err := patiently(ctx, func() (*eventstore.Result[sessions.State], error) { return t.whole(ctx, stream, turn) })
		if err != nil || whole != nil {
			return whole, err
		}
		select {
		case <-news.C:
		case <-time.After(news.again):
		case <-ctx.Done():
			return nil, stillRuns()
		}
	}
}

// whole is a turn that has ended or is suspended; nil: somebody works on it.
func (t *Turns) whole(ctx context.Context, stream string, turn int) (*eventstore.Result[sessions.State], error) {
	read, err := eventstore.Read(ctx, t.Store, sessions.Sessions, stream)
	if err != nil || !over(&read.State.Talk, turn) {
		return nil, err
	}
	told, err := t.turn(ctx, stream, turn)
	if err != nil || !over(&told.State.Talk, turn) {
		return nil, err
	}
	return told, nil
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

// news are those of a session.
type news struct {
	C     <-chan struct{} // rings when there is more of it; nil: nobody tells
	again time.Duration   // when to look at it, rung for or not
	stop  func()
}

func (t *Turns) news(stream string) (news, error) {
	if t.Follow == nil {
		return news{again: lookAgain, stop: func() {}}, nil
	}
	rings, stop, err := t.Follow(stream)
	if err != nil {
		return news{again: lookAgain}, err
	}
	return news{rings, lookRarely, stop}, nil
}

// turn is all that stands on the log of a turn, however many commits it was.
func (t *Turns) turn(ctx context.Context, stream string, turn int) (*eventstore.Result[sessions.State], error) {
	told, err := eventstore.Recent(ctx, t.Store, sessions.Sessions, stream,
		func(found []eventstore.Recorded) bool { return hasBegun(found, turn) })
	if err != nil {
		return nil, err
	}
	out := &eventstore.Result[sessions.State]{State: told.State}
	of, upTo := inTurn(told.Events, turn)
	if out.Events = of; upTo < len(told.Events) {
		then, err := eventstore.ReadAt(ctx, t.Store, sessions.Sessions, stream, told.Events[upTo].Version-1)
		if err != nil {
			return nil, err
		}
		out.State = then.State
	}
	return out, nil
}

// hasBegun is whether all of a turn is among the newest events of its session: it, or one before it, begins there.
func hasBegun(newest []eventstore.Recorded, turn int) bool {
	for _, e := range newest {
		if e.Commit == newest[0].Commit { // which may have begun before
			continue
		}
		if begins := sessions.Begins(e.Payload); begins > 0 {
			return begins <= turn
		}
	}
	return false
}

// inTurn are those of a turn among events of its session, and how many there are of these to its
// end. A session that ends with it belongs to it.
func inTurn(events []eventstore.Recorded, turn int) (of []eventstore.Recorded, upTo int) {
	ended := false
	for i, e := range events {
		if _, over := e.Payload.(sessions.SessionEnded); ended && !over {
			return of, i
		}
		if in, is := e.Payload.(interface{ Of() sessions.InTurn }); is && in.Of().Turn == turn {
			of = append(of, e)
			ended = ended || isEnd(e.Payload)
		}
	}
	return of, len(events)
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
