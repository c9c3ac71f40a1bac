package runtime

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/people"
	"github.com/parley-platform/parley/handlers/reactors"
)

// SessionPeople makes the transfers that agents want, tells their sessions what became of them, and
// brings what is said to the other side.
type SessionPeople struct{ People people.People }

const sessionPeople = "session-people"

// Reactor declares it. Each step is taken once: the streams know.
func (x SessionPeople) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: sessionPeople, Side: reactors.AtLeastOnce, Handle: x.handle,
		Categories: []*event.Category{sessions.Sessions.Category, transfers.Transfers.Category, conversations.Conversations.Category},
		Events: []event.Payload{sessions.Escalated{}, sessions.TakenByPeople{}, sessions.PassedOn{}, sessions.GivenBack{},
			sessions.MessageTakenBack{}, transfers.Queued{}, transfers.Assigned{}, transfers.Failed{}, transfers.TimedOut{}, transfers.Ended{},
			conversations.MessageReceived{}}}
}

func (x SessionPeople) handle(ctx context.Context, e reactors.Event) error {
	by := acts.Caller{Command: reactors.Because(sessionPeople, "go-on", e)}
	switch p := e.Payload.(type) {
	case conversations.MessageReceived:
		return x.People.Heard(ctx, by, e.Stream, p)
	case sessions.TakenByPeople:
		return x.People.Early(ctx, by, e.Stream, p)
	case sessions.GivenBack:
		return x.People.Release(ctx, by, sessions.Sessions.StreamID(e.Stream), p)
	case sessions.MessageTakenBack:
		return x.People.TakeBack(ctx, by, e.Stream, p)
	case sessions.Escalated, sessions.PassedOn:
		return x.inSession(ctx, by, e)
	}
	loaded, err := eventstore.Read(ctx, x.People.Store, transfers.Transfers, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	if loaded.State.Final() {
		return x.People.Over(ctx, by, loaded.State)
	}
	return x.People.Taken(ctx, by, loaded.State)
}

func (x SessionPeople) inSession(ctx context.Context, by acts.Caller, e reactors.Event) error {
	read, err := eventstore.Read(ctx, x.People.Store, sessions.Sessions, e.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", e.Stream, err)
	}
	switch p := e.Payload.(type) {
	case sessions.Escalated:
		return x.People.Escalate(ctx, by, read.State, p)
	case sessions.PassedOn:
		return x.People.PassOn(ctx, by, read.State, p)
	}
	return nil
}
