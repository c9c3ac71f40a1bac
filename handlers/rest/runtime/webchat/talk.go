package webchat

import (
	"cmp"
	"context"
	"time"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/handlers/rest/runtime/live"
	"github.com/parley-platform/parley/handlers/sockets"
)

// hear takes what the client says. Messages are put on the log in their order, by take.
func (t *talk) hear(ctx context.Context, data []byte) {
	h, err := form.Read(data)
	says := h.Type == "message" || h.Type == "action"
	if err == nil && says {
		err = h.check()
	}
	if err != nil || !says { // a message that can be taken is a request when it is
		_, done, over := rest.LongAnswerOf(ctx).Request(ctx, rest.Asked{})
		done()
		if t.socket.Gone(over) {
			return
		}
		err = cmp.Or(over, err)
	}
	if err != nil {
		t.refuse(ctx, err, cmp.Or(h.ID, idOf(data)))
		return
	}
	switch h.Type {
	case "ping":
		t.say(frame{Type: "pong", ID: h.ID})
	case "message", "action":
		if !t.inbox.Put(ctx, t.socket, h) {
			t.refuse(ctx, fault.New(fault.QueueFull, "%d messages of this socket wait already", mostWaiting).After(time.Second), h.ID)
		}
	}
}

func (t *talk) refuse(ctx context.Context, err error, id string) {
	t.say(failed(rest.RefusalOf(ctx, err), err, id))
}

// take puts a message on the log, and has its turn go on.
func (t *talk) take(ctx context.Context, h heard) {
	m := runtime.Message{SessionID: t.session, Text: h.Text, AttachmentIDs: h.AttachmentIDs, Metadata: h.Metadata}
	if h.Type == "action" {
		m.Action = &runtime.ChosenAction{ID: h.ActionID, Value: h.Value}
	}
	within, done, err := rest.LongAnswerOf(ctx).Request(ctx, m.Asked("id", h.ID))
	defer done()
	if t.socket.Gone(err) { // the client says it again with another token
		return
	}
	if err != nil {
		t.refuse(within, err, h.ID)
		return
	}
	sent, err := t.Chat.Send(within, m)
	if err != nil {
		if ctx.Err() == nil { // else the client comes again, and says it again
			t.refuse(within, err, h.ID)
		}
		return
	}
	t.say(frame{Type: "ack", ID: h.ID, MessageID: sent.MessageID})
	sent.Go(within)
}

// tell tells what goes on in the session until the socket ends, or the session.
func (t *talk) tell(ctx context.Context) (stop func(), err error) {
	from := t.from
	if t.begun.State.Status != sessions.Active {
		from = 0 // how it ended may stand before what was seen last
	}
	return t.Live.Tell(ctx, t.stream, from, live.Listener{Beside: t.socket.Beside,
		News: func(news driving.News) error { return t.told(ctx, news) }, Failed: func(err error) { t.untold(ctx, err) }})
}

func (t *talk) untold(ctx context.Context, err error) {
	if ctx.Err() == nil {
		rest.Logger(ctx).Error("what goes on in a session could not be told", "requestId", rest.CorrelationID(ctx), "error", err)
		t.socket.Close(sockets.Broken, "an unexpected failure")
	}
}

func (t *talk) told(ctx context.Context, news driving.News) error {
	if len(news.Events) == 0 && len(news.Deltas) == 0 { // all was told that there was
		t.caughtUp()
		return nil
	}
	for i, e := range news.Events {
		if _, over := e.Payload.(sessions.SessionEnded); e.Version <= t.from && !over {
			continue
		}
		t.event(e, news.Events[i+1:])
		if err := t.socket.Drained(ctx); err != nil { // a page of a long conversation is more than may wait
			return err
		}
	}
	for _, d := range news.Deltas {
		if t.parts.Tells(d) {
			t.say(frame{Type: "delta", CallID: d.CallID, AgentName: d.Agent, Delta: d.Text})
		}
	}
	return t.socket.Drained(ctx)
}

// caughtUp says what nothing has said that was told until now.
func (t *talk) caughtUp() {
	begun := t.begun
	t.begun = nil // it is not kept for as long as the socket is open
	if s := &begun.State; t.typed == nil && s.Talk.Running != nil && s.Talk.Suspended() == nil {
		t.types(true)
	}
}

// types says that an agent is at it, or is not any more, if that is news: several events may say the same.
func (t *talk) types(active bool) {
	if t.typed == nil || *t.typed != active {
		t.typed = &active
		t.say(typing(active))
	}
}

func (t *talk) event(e eventstore.Recorded, rest []eventstore.Recorded) {
	if call, why := t.parts.TakenBack(e, rest); why != "" {
		t.say(frame{Type: "reset", CallID: call, Reason: why})
	}
	active, works := works(e)
	if works && !active {
		t.types(false)
	}
	if f, ok := shown(e); ok {
		t.say(f)
	}
	if works && active && !ends(rest) {
		t.types(true)
	}
	if _, over := e.Payload.(sessions.SessionEnded); over {
		t.socket.Close(sockets.Done, "the session has ended")
	}
}

// ends is whether the turn is over by what stands behind its beginning: nobody sees it at work.
func ends(rest []eventstore.Recorded) bool {
	for _, e := range rest {
		if active, says := works(e); says && !active {
			return true
		}
	}
	return false
}
