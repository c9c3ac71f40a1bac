package channels

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
	channelmodels "github.com/parley-platform/parley/projections/channels"
)

// carrier carries messages of one kind. It passes adapters/channels/channelstest.
type carrier interface {
	provider
	Limits() channels.Limits
}

// placed is a carrier whose limits are others where a message goes to another place: a comment has no
// buttons, a chat of the same helpdesk has.
type placed interface {
	LimitsTo(to string) channels.Limits
}

// Carriers finds the one of a kind.
func Carriers[C carrier](of map[string]C) func(kind string) (carrier, bool) {
	return func(kind string) (carrier, bool) {
		c, ok := of[kind]
		return c, ok
	}
}

// ThreadReplies brings what is said in sessions to the threads that they answer, whoever says it:
// the agent, later also, and people who have the conversation. Where somebody asks what became of each
// message, it also brings there that a turn is over, or the session:
// who ends that ends the call of a conversation that is spoken.
type ThreadReplies struct {
	Store    *eventstore.Store
	Adapters func(kind string) (carrier, bool)
	Now      func() time.Time
}

const threadReplies = "channel-replies"

// Reactor declares it. Each text is queued once.
func (x ThreadReplies) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: threadReplies, Side: reactors.AtLeastOnce, Handle: x.handle, Only: ofThreads,
		Categories: []*event.Category{sessions.Sessions.Category}, Events: []event.Payload{sessions.Said{}, sessions.PersonSaid{},
			sessions.TurnEnded{}, sessions.SessionEnded{}}}
}

func (x ThreadReplies) handle(ctx context.Context, e reactors.Event) error {
	cmd := threads.Queue{SessionID: sessions.Sessions.StreamID(e.Stream), At: x.Now()}
	over := threads.TurnOver{SessionID: cmd.SessionID, At: cmd.At}
	thread, isOver := "", true
	switch p := e.Payload.(type) {
	case sessions.Said:
		thread, cmd.Turn, cmd.MessageID, cmd.Text, cmd.Rich = p.Thread, p.Turn, p.MessageID, p.Text, p.Rich
		isOver = false
	case sessions.PersonSaid:
		thread, cmd.MessageID, cmd.Text, isOver = p.Thread, p.MessageID, p.Text, false
	case sessions.TurnEnded:
		thread, over.Turn, over.Action = p.Thread, p.Turn, p.Action
	case sessions.SessionEnded:
		thread = p.Thread
	}
	if thread == "" || cmd.Text == projections.Erased { // whoever writes again is not told that
		return nil
	}
	read, err := eventstore.Read(ctx, x.Store, threads.Threads, thread)
	if err != nil {
		return fmt.Errorf("folding %s: %w", thread, err)
	}
	if cmd.Limits, cmd.Polled, err = x.limits(read.State); err != nil {
		return err
	}
	if read.State.Supposes(cmd.SessionID, cmd.Turn) {
		if cmd.Unasked, err = x.unasked(ctx, e.Stream, cmd.Turn); err != nil {
			return err
		}
	}
	decide := cmd.Decide
	if isOver {
		if !cmd.Limits.Asked {
			return nil
		}
		decide = over.Decide
	}
	return eventstore.Do(ctx, x.Store, threads.Threads, thread, reactors.Because(threadReplies, "queue", e), decide)
}

// unasked is whether no message began a turn.
func (x ThreadReplies) unasked(ctx context.Context, session string, turn int) (bool, error) {
	began := func(p event.Payload) bool { return sessions.Begins(p) == turn }
	told, err := eventstore.Recent(ctx, x.Store, sessions.Sessions, session, eventstore.BackTo(began))
	if err != nil {
		return false, fmt.Errorf("looking for what began a turn of %s: %w", session, err)
	}
	for _, e := range told.Events {
		if _, heard := e.Payload.(sessions.MessageReceived); began(e.Payload) {
			return !heard, nil
		}
	}
	return false, nil
}

// limits are those of what is said in a conversation; polled: who talks looks for it, so it is not cut.
func (x ThreadReplies) limits(s threads.State) (l channels.Limits, polled bool, err error) {
	if connections.Polls(s.Kind) {
		return channels.Limits{Text: wholeText, Unit: channels.Characters}, true, nil
	}
	adapter, ok := x.Adapters(s.Kind)
	if !ok {
		return l, false, reactors.Poison(fmt.Errorf("nothing is sent by channels of the kind %s", s.Kind))
	}
	return limitsAt(adapter, s.ReplyTo), false, nil
}

// limitsAt are those of what goes to an address; empty: nobody knows yet to which.
func limitsAt(by carrier, to string) channels.Limits {
	if places, differ := by.(placed); differ && to != "" {
		return places.LimitsTo(to)
	}
	return by.Limits()
}

// messageOf is the id of what an event of a session says to the person; false: it says nothing.
func messageOf(p event.Payload) (id string, says bool) {
	switch p := p.(type) {
	case sessions.Said:
		return p.MessageID, true
	case sessions.PersonSaid:
		return p.MessageID, true
	}
	return "", false
}

// wholeText is more than a text has, with what can be chosen below it: it is not cut.
const wholeText = 1 << 20

// ThreadSender carries the replies of threads to providers, by the accounts of their connections.
type ThreadSender struct {
	Node        string
	Store       *eventstore.Store
	Connections connectionReader
	Adapters    func(kind string) (carrier, bool)
	Counts      *connected.Counts // nil: nobody counts
	Now         func() time.Time
	Log         *slog.Logger

	// URL is where the provider of a connection calls; nil, or empty: nobody said how the server is reached.
	URL func(kind, external string) string
}

// Attempts declares it. An attempt is claimed before the provider is asked, so that no two nodes
// ask at once; which of those in doubt are made again, the thread decides.
func (x ThreadSender) Attempts() *reactors.Attempts[threads.State] {
	return &reactors.Attempts[threads.State]{Name: "channel-sender", Of: threads.Threads, Timer: channelmodels.ReplyTimer,
		Side: reactors.AtMostOnce, Events: []event.Payload{threads.Queued{}, threads.PartSent{}, threads.Failed{}, threads.Due{},
			threads.Retried{}},
		Rules: threads.Attempts, Do: x.send, Within: sendWithin, Lease: textLease, Patience: textPatience, Store: x.Store, Node: x.Node,
		Now: x.Now, Log: x.Log}
}

func (x ThreadSender) send(ctx context.Context, s threads.State) (attempt.Decision[threads.State], error) {
	record := threads.Record{ID: s.Attempt.ID, Delay: reactors.Pause(threads.Attempts.Backoff, s.Attempt.Number)}
	record.Outcome = x.ask(ctx, s)
	record.At = x.Now()
	x.count(s, record.Outcome.Status, record.At)
	if record.Outcome.Status == channels.Unknown && s.Replies[0].Once {
		return nil, fmt.Errorf("handing a reply to the provider of %s: %s", s.Kind, record.Outcome.Reason)
	}
	return record.Decide, nil
}

// count notes an attempt, and how long after the message its answer was all with the provider.
func (x ThreadSender) count(s threads.State, status channels.Status, at time.Time) {
	x.Counts.Delivered(s.Kind, status)
	head := s.Replies[0]
	if status == channels.Taken && head.Part == len(head.Parts)-1 && head.Round == 0 && !head.AskedAt.IsZero() {
		x.Counts.Answered(s.Kind, at.Sub(head.AskedAt))
	}
}

func (x ThreadSender) ask(ctx context.Context, s threads.State) channels.Outcome {
	adapter, ok := x.Adapters(s.Kind)
	if !ok {
		return channels.Outcome{Status: channels.Refused, Code: "KIND", Reason: "nothing is sent by channels of this kind"}
	}
	c, err := x.Connections.WithID(ctx, s.TenantID, s.ConnectionID)
	switch {
	case fault.Is(err, fault.NotFound):
		return channels.Outcome{Status: channels.Refused, Code: threads.CodeConnection, Reason: "the connection was deleted"}
	case err != nil:
		x.Log.Warn("a connection cannot be read; the reply waits", "connection", s.ConnectionID, "error", err)
		return channels.Outcome{Status: channels.NotTaken, Code: threads.CodeConnection, Reason: "the connection cannot be read"}
	case c.Inactive:
		return channels.Outcome{Status: channels.NotTaken, Code: threads.CodeInactive, Reason: "the connection is not active"}
	}
	m := s.Outbound()
	if x.URL != nil {
		m.ReportTo = x.URL(c.Kind, c.External)
	}
	out := adapter.Send(ctx, c, m)
	x.see(ctx, c, out)
	return out
}

// see shows with the connection that its credentials are not accepted, and that they are again. What
// became of the message does not wait for that.
func (x ThreadSender) see(ctx context.Context, c channels.Connection, out channels.Outcome) {
	seen := connections.Observe{About: connections.Sending, At: x.Now()}
	switch {
	case out.Denied:
		seen.Trouble = &connections.Trouble{Code: out.Code, Reason: out.Reason}
	case out.Status != channels.Taken || !c.Troubled:
		return
	}
	by := eventstore.Command{Tenant: c.TenantID, Actor: "reactor:channel-sender"}
	if err := eventstore.Do(ctx, x.Store, connections.Connections, connections.Stream(c.TenantID, c.ID), by, seen.Decide); err != nil {
		x.Log.Warn("what is wrong with a connection is not noted", "connection", c.ID, "error", err)
	}
}
