package channels

import (
	"cmp"
	"context"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/messages"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// Reactor declares it. Two messages about one event, on two nodes, are one attempt.
func (s *TextSender) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "message-sender", Categories: []*event.Category{messages.Messages.Category}, Side: reactors.AtMostOnce,
		Events: []event.Payload{messages.Requested{}, messages.AttemptDue{}},
		Handle: func(ctx context.Context, e reactors.Event) error {
			return s.Wanted(ctx, messages.Messages.StreamID(e.Stream), e.ID)
		}}
}

// TextStreams is the MessageStore on the event store.
type TextStreams struct {
	Store *eventstore.Store
	Actor string // in whose name; empty: reactor:message-sender
}

// Decide implements MessageStore.
func (m TextStreams) Decide(ctx context.Context, messageID, requestID string, decide func(messages.State) ([]event.Payload,
	error)) (accepted []event.Payload, replayed bool, err error) {
	cmd := eventstore.Command{Actor: cmp.Or(m.Actor, "reactor:message-sender")}
	if requestID != "" {
		cmd.RequestID = eventstore.CauseID("message-sender", messageID, requestID)
	}
	res, err := eventstore.Execute(ctx, m.Store, messages.Messages, messages.Messages.Stream(messageID), cmd, decide)
	return res.Payloads(), res.Replayed, err
}
