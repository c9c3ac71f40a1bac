package runtime

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
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
		return ByHand(func(w http.ResponseWriter) { x.stream(ctx, w, t) }), nil
	}
	out, err := x.settle(ctx, t)
	if err != nil {
		return nil, err
	}
	return ByHand(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		_ = rest.MarshalPlainly(w, out.Body) // who does not read it is gone
	}), nil
}

// ByHand is an answer that is written by hand, as it may be a stream.
func ByHand(write func(http.ResponseWriter)) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humamux.Unwrap(hc)
		write(w)
	}}
}

// tell tells a turn as it goes on, and gives its answer. An error of told ends the telling, and
// not the turn.
func (x ChatAPI) tell(ctx context.Context, t *talked, told func(acts.News) error) (*chatOut, error) {
	defer t.leave()
	turn, whole := t.turn()
	if whole {
		return answerOf(t.first), told(acts.News{Events: t.first.Events})
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
	return x.answer(ended), nil
}

// stream tells a turn by Server-Sent Events, of which the last is `complete` or `error`.
func (x ChatAPI) stream(ctx context.Context, w http.ResponseWriter, t *talked) {
	s := &turnStream{out: OpenEvents(w), deltas: map[string]bool{}}
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
	out    *EventWriter
	deltas map[string]bool // answers of models that were told in part; false: and taken back
}

// Why deltas are taken back.
const (
	resetTakenOver = "taken_over" // another process asks the model anew
	resetFailed    = "failed"     // it has no answer
	resetUnsaid    = "not_said"   // its answer is not said
)

func (s *turnStream) tell(news acts.News) error {
	if len(news.Events) == 0 && len(news.Deltas) == 0 {
		s.out.beat()
	}
	for i, e := range news.Events {
		s.event(e, news.Events[i+1:])
	}
	for _, d := range news.Deltas {
		if told, is := s.deltas[d.CallID]; is && !told {
			continue // it was taken back
		}
		s.deltas[d.CallID] = true
		s.out.Event("delta", map[string]string{"callId": d.CallID, "agentName": d.Agent, "delta": d.Text})
	}
	return s.out.failed
}

func (s *turnStream) event(e eventstore.Recorded, rest []eventstore.Recorded) {
	if shown, ok := TraceOf(e.Payload); ok {
		s.out.Event("trace", shown)
	}
	switch e := e.Payload.(type) {
	case sessions.Said:
		s.out.Event("said", messageOf(e))
	case sessions.CallClaimed:
		s.reset(e.CallID, resetTakenOver)
	case sessions.ModelAnswered:
		switch {
		case e.Failed != "":
			s.reset(e.CallID, resetFailed)
		case !saysNext(rest):
			s.reset(e.CallID, resetUnsaid)
		}
	}
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

func (s *turnStream) reset(call, why string) {
	if s.deltas[call] {
		s.out.Event("reset", map[string]string{"callId": call, "reason": why})
	}
	if why == resetTakenOver {
		s.deltas[call] = false // what is still told of the try that is gone counts no more
	}
}
