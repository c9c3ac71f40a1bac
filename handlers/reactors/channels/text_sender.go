package channels

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	channelmodels "github.com/parley-platform/parley/projections/channels"
)

// The times of one attempt. Claim, attempt and record together are less than a handler's
// 30 s, and than the lease, so that an attempt that goes well is never in doubt.
const (
	sendWithin   = 10 * time.Second
	textPatience = 8 * time.Second
	textLease    = 40 * time.Second
)

// TextSender hands requested texts to a provider. It errs on the side of at most
// once: an accepted attempt-started event precedes the asking, and only the very try
// that wrote it asks. Of an attempt whose outcome is in doubt the provider is asked when
// its lease is over; one that was certainly not taken is followed by another, at its timer.
type TextSender struct {
	Node     string // recorded with every attempt
	Store    *eventstore.Store
	Delivery Delivery // by the server's own account
	Now      func() time.Time
	Log      *slog.Logger
}

// Attempts declares it. Two texts about one event, on two nodes, are one attempt.
func (x TextSender) Attempts() *reactors.Attempts[texts.State] {
	return &reactors.Attempts[texts.State]{Name: "message-sender", Of: texts.Texts, Timer: channelmodels.TextTimer, Side: reactors.AtMostOnce,
		Events: []event.Payload{texts.Requested{}, texts.AttemptDue{}}, Rules: texts.Attempts(x.Delivery.Provider.Name()),
		Do: x.send, Ask: x.ask, Within: sendWithin, Lease: textLease, Patience: textPatience, Command: textCommand,
		Store: x.Store, Node: x.Node, Now: x.Now, Log: x.Log}
}

// textCommand names the steps of an attempt as they were before there was one machine.
func textCommand(e reactors.Event, step reactors.Step, s texts.State) eventstore.Command {
	of := e.ID
	if step == reactors.StepOutcome {
		of = s.Attempt.ID
	}
	return eventstore.Command{Actor: "reactor:message-sender",
		RequestID: eventstore.CauseID("message-sender", texts.Texts.StreamID(e.Stream), fmt.Sprintf("%s/%s", step, of))}
}

func (x TextSender) send(ctx context.Context, s texts.State) (attempt.Decision[texts.State], error) {
	o := x.Delivery.Provider.Send(ctx, x.Delivery.Connection, s.Outbound())
	if o.Status == channels.Unknown {
		return nil, fmt.Errorf("handing it to %s: %s", s.Started.Provider, o.Reason)
	}
	return texts.RecordOutcome{AttemptID: s.Attempt.ID, Outcome: o, Delay: x.pause(s), At: x.Now()}.Decide, nil
}

// ask asks the provider that made an attempt what became of it. The operator may have
// chosen another since, which cannot know.
func (x TextSender) ask(ctx context.Context, s texts.State, now time.Time) (attempt.Decision[texts.State], error) {
	if s.Started.Provider != x.Delivery.Provider.Name() {
		return nil, nil
	}
	o, err := x.Delivery.Provider.Lookup(ctx, x.Delivery.Connection, s.Doubt())
	if err != nil || o.Status == channels.Unknown {
		return nil, err
	}
	return texts.Expire{At: now, Outcome: o, Delay: x.pause(s)}.Decide, nil
}

func (x TextSender) pause(s texts.State) time.Duration {
	return reactors.Pause(texts.Attempts(s.Started.Provider).Backoff, s.Attempt.Number)
}
