package runtime

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/turns"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/eventstream"
)

// chat is a turn, whole or as it goes on.
func (x ChatAPI) chat(ctx context.Context, in *chatIn) (*huma.StreamResponse, error) {
	t, err := x.talk(ctx, in)
	if err != nil {
		return nil, err
	}
	if rest.Prefers(ctx, eventstream.Format) {
		return rest.ByHand(func(w http.ResponseWriter) { x.stream(ctx, w, t) }), nil
	}
	out, err := x.settle(ctx, t)
	if err != nil {
		return nil, err
	}
	return rest.ByHand(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_ = rest.MarshalPlainly(w, out.Body) // who does not read it is gone
	}), nil
}

// tell tells a turn as it goes on, and gives its answer. An error of told ends the telling, and
// not the turn.
func (x ChatAPI) tell(ctx context.Context, t *talked, told func(driving.News) error) (*chatOut, error) {
	defer t.leave()
	turn, whole := t.turn()
	if whole {
		return answerOf(t.first), told(driving.News{Events: t.first.Events})
	}
	long := rest.LongAnswerOf(ctx)
	long.MayTakeLong()
	heard := x.Turns.Hear(t.stream) // before anybody speaks
	defer heard.Stop()
	x.drive(ctx, t)
	here, cancel := context.WithCancel(ctx)
	defer cancel()
	defer long.EndsWithNode(cancel)()
	ended, err := x.Turns.Tell(here, t.stream, turn, heard, cmp.Or(x.Heartbeat, chatHeartbeat), told)
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, ended), nil
}

// Sent is a message that is on the log, with the turn that it begins, or that it is passed on in.
type Sent struct {
	MessageID string
	Replayed  bool // it was there before

	of  *talked
	api ChatAPI
}

// Asked is the message as a request to chat-send with a key, which is the same message. The caller
// calls the key by the name.
func (m Message) Asked(name, key string) rest.Asked {
	body := map[string]any{"sessionId": m.SessionID}
	if m.Text != "" {
		body["message"] = m.Text
	}
	if len(m.AttachmentIDs) > 0 {
		body["attachmentIds"] = m.AttachmentIDs
	}
	if m.Metadata != nil {
		body["metadata"] = m.Metadata
	}
	if m.Action != nil {
		action := map[string]any{"id": m.Action.ID}
		if m.Action.Value != nil {
			action["value"] = m.Action.Value
		}
		body["action"] = action
	}
	said, _ := json.Marshal(body) // texts, and JSON that was read
	return rest.Asked{Operation: "chat-send", Path: "/api/v1/chat/send", KeyName: name, Key: key, Body: said}
}

// Send puts a message on the log, as chat-send does, once no other turn runs. What comes of it is
// the caller's to ask for, by Go or by Tell, one of which has to be called.
func (x ChatAPI) Send(ctx context.Context, m Message) (Sent, error) {
	t, err := x.sent(ctx, m, "")
	if err != nil {
		return Sent{}, err
	}
	out := Sent{Replayed: t.first.Replayed, of: t, api: x}
	if heard, ok := eventstore.Find[sessions.MessageReceived](*t.first); ok {
		out.MessageID = heard.MessageID
	} else if passed, ok := eventstore.Find[sessions.PassedOn](*t.first); ok {
		out.MessageID = passed.MessageID
	}
	return out, nil
}

// Go has the turn go on, and waits for nothing.
func (s Sent) Go(ctx context.Context) {
	if _, whole := s.of.turn(); whole {
		s.of.leave()
		return
	}
	driven := s.api.drive(ctx, s.of)
	if driven == nil {
		s.of.leave()
		return
	}
	go func() {
		<-driven.Done
		s.of.leave()
	}()
}

// Tell tells the turn as it goes on, and says how it leaves the session. An error of told ends the
// telling, and not the turn.
func (s Sent) Tell(ctx context.Context, told func(driving.News) error) (ChatOutcome, ChatState, error) {
	out, err := s.api.tell(ctx, s.of, told)
	if err != nil {
		return ChatOutcome{}, ChatState{}, err
	}
	return out.Body.Action, out.Body.State, nil
}

// Cancel ends the turn of a session of the caller that runs; it is refused where none does.
func (x ChatAPI) Cancel(ctx context.Context, session string) error {
	if err := x.Mine(ctx, session); err != nil {
		return err
	}
	cmd := sessions.CancelTurn{At: x.Now()}
	_, err := rest.Execute(ctx, x.Commands, sessions.Sessions, sessions.Sessions.Stream(session), cmd.Decide)
	return err
}

// OnBusy is what becomes of a message that meets a turn of its session; empty: it waits.
type OnBusy string

const (
	busyReject    OnBusy = "reject"    // it is refused
	busyInterrupt OnBusy = "interrupt" // the turn is cancelled
)

// What a message met when none of its tries had come yet, where it is no turn.
const (
	anyTurn = 0  // whichever runs: it has no other tries
	noTurn  = -1 // none ran
)

func running(s sessions.State) int {
	if s.Talk.Running == nil {
		return noTurn
	}
	return s.Talk.Turns
}

// enter waits for the session, as a message has it.
func (x ChatAPI) enter(ctx context.Context, stream string, turn *turns.Receive, busy OnBusy, met int) (leave func(), err error) {
	if busy == busyInterrupt && met != noTurn {
		return x.interrupt(ctx, stream, turn, met)
	}
	if leave, is := x.Turns.Lines.EnterFree(stream); is {
		return leave, nil
	}
	if busy == busyReject {
		return nil, turns.ErrRunning
	}
	if err := x.waits(ctx, stream, turn); err != nil {
		return nil, err
	}
	return x.Turns.Lines.Enter(ctx, stream, rest.PrincipalOf(ctx).TenantID)
}

// waits has a message know since when it waits, before it does: a reset drops what was said before it.
func (x ChatAPI) waits(ctx context.Context, stream string, turn *turns.Receive) error {
	if turn.Waited != nil {
		return nil
	}
	read, err := eventstore.Read(ctx, x.Store, sessions.Sessions, stream)
	if err != nil {
		return err
	}
	before := read.State.ResetBefore // that alone is kept while it waits
	turn.Waited = &before
	return nil
}

// dropped tells in the session that a message was dropped by a reset, which its caller is told in any case.
func (x ChatAPI) dropped(ctx context.Context, stream string) {
	drop := sessions.DropMessage{At: x.Now()}
	if _, err := acts.Execute(ctx, x.Turns.Log, x.Caller(ctx).Further(), sessions.Sessions, stream, drop.Decide); err != nil {
		rest.Logger(ctx).Warn("that a message was dropped is not in its session's traces", "session", stream, "error", err)
	}
}

// interrupt cancels what runs, and waits for the session. A message that is refused anyhow interrupts nothing: it has its
// place among those that wait first, and the session takes it behind what it cancels. That is the turn that the message
// met: what runs now may be the message itself, which another try of the request has brought.
func (x ChatAPI) interrupt(ctx context.Context, stream string, turn *turns.Receive, met int) (leave func(), err error) {
	if err := x.waits(ctx, stream, turn); err != nil {
		return nil, err
	}
	place, err := x.Turns.Lines.Join(stream, rest.PrincipalOf(ctx).TenantID)
	if err != nil {
		return nil, err
	}
	cancel := sessions.CancelTurn{Turn: met, At: x.Now()}
	_, err = acts.Execute(ctx, x.Turns.Log, x.Caller(ctx).Further(), sessions.Sessions, stream,
		func(s sessions.State) ([]event.Payload, error) {
			if _, err := driving.OneAfterTheOther(cancel.Decide, turn.Decide)(s); err != nil {
				return nil, err
			}
			return cancel.Decide(s)
		})
	if err != nil && !fault.Is(err, fault.Conflict) { // nothing runs, or the session has ended, which the message is told
		place.GiveUp()
		return nil, err
	}
	return place.Enter(ctx)
}

// stream tells a turn by Server-Sent Events, of which the last is `complete` or `error`.
func (x ChatAPI) stream(ctx context.Context, w http.ResponseWriter, t *talked) {
	s := &turnStream{out: OpenEvents(w)}
	defer s.out.Close()
	turn, _ := t.turn()
	s.out.Event("begun", map[string]any{"sessionId": t.first.State.ID, "turn": turn})
	answer, err := x.tell(ctx, t, s.tell)
	switch {
	case s.out.failed != nil: // nobody reads, and the turn goes on
	case err != nil:
		var f *fault.Error
		if !errors.As(err, &f) {
			f = fault.New(fault.Internal, "an unexpected failure").Because(err)
			rest.Logger(ctx).Error("a turn could not be told to its end", "requestId", rest.CorrelationID(ctx), "error", err)
		}
		s.out.Event("error", map[string]any{"code": f.Code, "error": f.Message})
	default:
		s.out.Event("complete", answer.Body)
	}
}

// turnStream is a turn as it is told.
type turnStream struct {
	out   *EventWriter
	parts Parts
}

func (s *turnStream) tell(news driving.News) error {
	if len(news.Events) == 0 && len(news.Deltas) == 0 {
		s.out.Beat()
	}
	for i, e := range news.Events {
		s.event(e, news.Events[i+1:])
	}
	for _, d := range news.Deltas {
		if s.parts.Tells(d) {
			s.out.Event("delta", map[string]string{"callId": d.CallID, "agentName": d.Agent, "delta": d.Text})
		}
	}
	return s.out.failed
}

func (s *turnStream) event(e eventstore.Recorded, rest []eventstore.Recorded) {
	if shown, ok := TraceOf(e.Payload); ok {
		s.out.Event("trace", shown)
	}
	if said, is := e.Payload.(sessions.Said); is {
		s.out.Event("said", MessageOf(said))
	}
	if call, why := s.parts.TakenBack(e, rest); why != "" {
		s.out.Event("reset", map[string]string{"callId": call, "reason": why})
	}
}

// Why deltas are taken back.
const (
	resetTakenOver = "taken_over" // another process asks the model anew
	resetFailed    = "failed"     // it has no answer
	resetUnsaid    = "not_said"   // its answer is not said
)

// Parts are answers of models that were told in part, before they stand on the log.
type Parts struct {
	told map[string]bool // by call; false: and taken back
}

// Tells is whether a delta is to be told; that of a try that is gone is not.
func (p *Parts) Tells(d driving.Delta) bool {
	if told, is := p.told[d.CallID]; is && !told {
		return false
	}
	if p.told == nil {
		p.told = map[string]bool{}
	}
	p.told[d.CallID] = true
	return true
}

// TakenBack is the answer of which nothing counts that was told, by an event and those behind it,
// and why; empty: none.
func (p *Parts) TakenBack(e eventstore.Recorded, rest []eventstore.Recorded) (call, why string) {
	switch e := e.Payload.(type) {
	case sessions.CallClaimed:
		told := p.told[e.CallID]
		if told {
			p.told[e.CallID] = false // what is still told of that try counts no more
			return e.CallID, resetTakenOver
		}
	case sessions.ModelAnswered:
		told := p.told[e.CallID]
		delete(p.told, e.CallID)
		switch {
		case !told:
		case e.Failed != "":
			return e.CallID, resetFailed
		case !saysNext(rest):
			return e.CallID, resetUnsaid
		}
	}
	return "", ""
}

// saysNext is whether what stands behind an answer of a model is that it is said.
func saysNext(events []eventstore.Recorded) bool {
	for _, e := range events {
		switch e.Payload.(type) {
		case sessions.Said:
			return true
		case sessions.Noticed: // of guardrails and limits
		default:
			return false
		}
	}
	return false
}
