package channels

import (
	"context"
	"fmt"
	"strconv"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
)

// noting is by whom it is noted what became of the message: the session has taken it by the other
// request.
func (g *giving) noting() acts.Caller {
	by := g.by
	by.RequestID = eventstore.CauseID(threadTurns, g.stream, "noted/"+strconv.Itoa(g.message.Number))
	return by
}

// hearOut queues what the session that takes no more has said, as far as nobody has done it yet: what
// the next one says comes behind that, though their streams are read at the same time.
func (g *giving) hearOut(ctx context.Context, session string) error {
	if session == "" {
		return nil
	}
	told, err := eventstore.Recent(ctx, g.Turns.Store, sessions.Sessions, sessions.Sessions.Stream(session),
		eventstore.BackTo(func(p event.Payload) bool {
			id, says := messageOf(p)
			return says && id == g.thread.Latest
		}))
	if err != nil {
		return fmt.Errorf("reading what the session %s has said: %w", session, err)
	}
	var left []reactors.Event
	for _, e := range told.Events {
		switch id, says := messageOf(e.Payload); {
		case !says:
		case id == g.thread.Latest: // they are queued in their order
			left = nil
		default:
			left = append(left, reactors.Event{Stream: e.Stream, Tenant: e.Tenant, CorrelationID: e.CorrelationID, ID: e.ID, Payload: e.Payload})
		}
	}
	replies := ThreadReplies{Store: g.Turns.Store, Adapters: g.Adapters, Now: g.Turns.Now}
	for _, e := range left {
		if err := replies.handle(ctx, e); err != nil {
			return err
		}
	}
	return nil
}
