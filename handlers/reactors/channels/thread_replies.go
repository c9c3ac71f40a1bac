package channels

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	channelmodels "github.com/parley-platform/parley/projections/channels"
)

// carrier carries messages of one kind. It passes adapters/channels/channelstest.
type carrier interface {
	provider
	Limits() channels.Limits
}

// Carriers finds the one of a kind.
func Carriers[C carrier](of map[string]C) func(kind string) (carrier, bool) {
	return func(kind string) (carrier, bool) {
		c, ok := of[kind]
		return c, ok
	}
}

// ThreadReplies brings what is said in sessions to the threads that they answer, whoever says it:
// the agent, later also, and people who have the conversation.
type ThreadReplies struct {
	Store    *eventstore.Store
	Adapters func(kind string) (carrier, bool)
	Now      func() time.Time
}

const threadReplies = "channel-replies"

// Reactor declares it. Each text is queued once.
func (x ThreadReplies) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: threadReplies, Side: reactors.AtLeastOnce, Handle: x.handle, Only: ofThreads,
		Categories: []*event.Category{sessions.Sessions.Category}, Events: []event.Payload{sessions.Said{}, sessions.PersonSaid{}}}
}

func (x ThreadReplies) handle(ctx context.Context, e reactors.Event) error {
	cmd := threads.Queue{SessionID: sessions.Sessions.StreamID(e.Stream), At: x.Now()}
	var thread string
	switch p := e.Payload.(type) {
	case sessions.Said:
		thread, cmd.MessageID, cmd.Text, cmd.Rich = p.Thread, p.MessageID, p.Text, p.Rich
	case sessions.PersonSaid:
		thread, cmd.MessageID, cmd.Text = p.Thread, p.MessageID, p.Text
	}
	if thread == "" {
		return nil
	}
	read, err := eventstore.Read(ctx, x.Store, threads.Threads, thread)
	if err != nil {
		return fmt.Errorf("folding %s: %w", thread, err)
	}
	adapter, ok := x.Adapters(read.State.Kind)
	if !ok {
		return reactors.Poison(fmt.Errorf("nothing is sent by channels of the kind %s", read.State.Kind))
	}
	cmd.Limits = adapter.Limits()
	by := reactors.Because(threadReplies, "queue", e)
	return eventstore.Do(ctx, x.Store, threads.Threads, thread, by, cmd.Decide)
}

// ThreadSender carries the replies of threads to providers, by the accounts of their connections.
type ThreadSender struct {
	Node        string
	Store       *eventstore.Store
	Connections connectionReader
	Adapters    func(kind string) (carrier, bool)
	Now         func() time.Time
	Log         *slog.Logger
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
	if record.Outcome.Status == channels.Unknown && s.Replies[0].Once {
		return nil, fmt.Errorf("handing a reply to the provider of %s: %s", s.Kind, record.Outcome.Reason)
	}
	return record.Decide, nil
}

func (x ThreadSender) ask(ctx context.Context, s threads.State) channels.Outcome {
	adapter, ok := x.Adapters(s.Kind)
	if !ok {
		return channels.Outcome{Status: channels.Refused, Code: "KIND", Reason: "nothing is sent by channels of this kind"}
	}
	c, err := x.Connections.WithID(ctx, s.TenantID, s.ConnectionID)
	switch {
	case fault.Is(err, fault.NotFound):
		return channels.Outcome{Status: channels.Refused, Code: "CONNECTION", Reason: "the connection was deleted"}
	case err != nil:
		x.Log.Warn("a connection cannot be read; the reply waits", "connection", s.ConnectionID, "error", err)
		return channels.Outcome{Status: channels.NotTaken, Code: "CONNECTION", Reason: "the connection cannot be read"}
	case c.Inactive:
		return channels.Outcome{Status: channels.NotTaken, Code: "INACTIVE", Reason: "the connection is not active"}
	}
	return adapter.Send(ctx, c, s.Outbound())
}
