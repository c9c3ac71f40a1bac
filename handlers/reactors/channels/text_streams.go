package channels

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Reactor declares it. Two texts about one event, on two nodes, are one attempt.
func (s *TextSender) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "message-sender", Categories: []*event.Category{texts.Texts.Category}, Side: reactors.AtMostOnce,
		Events: []event.Payload{texts.Requested{}, texts.AttemptDue{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			return s.Wanted(ctx, texts.Texts.StreamID(e.Stream), e.ID)
		}}
}

// TextStreams is the TextStore on the event store.
type TextStreams struct {
	Store *eventstore.Store
	Actor string // in whose name; empty: reactor:message-sender
}

// Decide implements TextStore.
func (m TextStreams) Decide(ctx context.Context, textID, requestID string, decide func(texts.State) ([]event.Payload,
	error)) (accepted []event.Payload, replayed bool, err error) {
	cmd := eventstore.Command{Actor: cmp.Or(m.Actor, "reactor:message-sender")}
	if requestID != "" {
		cmd.RequestID = eventstore.CauseID("message-sender", textID, requestID)
	}
	res, err := eventstore.Execute(ctx, m.Store, texts.Texts, texts.Texts.Stream(textID), cmd, decide)
	return res.Payloads(), res.Replayed, err
}
