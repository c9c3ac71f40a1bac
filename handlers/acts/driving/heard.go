package driving

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
)

// Delta is something that a model says, as it says it: nothing of it stands until the commit
// that has its answer, and a model that fails, or is asked anew, has not said it.
type Delta struct {
	CallID string
	Agent  string
	Text   string
}

// hearings are who hears what models say on this node, by session.
type hearings struct {
	mu       sync.Mutex
	of       map[string][]*Hearing
	speaking map[string]*spoken // the answer that is on its way, as far as it has come
}

// spoken is what was said of one answer. It comes in pieces, of which there may be hundreds of thousands: none copies those before it.
type spoken struct {
	of   Delta // without its text
	text strings.Builder
}

func (s *spoken) delta() Delta {
	d := s.of
	d.Text = s.text.String()
	return d
}

// Hearing is one who hears. What he has not taken yet is kept for him, so that nobody waits for
// a slow one; it is no more than what was said.
type Hearing struct {
	mu   sync.Mutex
	left []*spoken
	ring func()
	wake chan struct{}
	stop func()
	rest func(call string)
}

// Whole has rest called when an answer is whole, before anything of it is on the log: the turn waits for
// it. It is to be called before anybody speaks.
func (h *Hearing) Whole(rest func(call string)) { h.rest = rest }

// Hear begins to hear what a session's models say on this node, the one that speaks now from its
// beginning. Stop ends it.
func (t *Turns) Hear(stream string) *Hearing {
	x := &t.hearings
	h := &Hearing{wake: make(chan struct{}, 1)}
	h.ring = func() {
		select {
		case h.wake <- struct{}{}:
		default:
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if now := x.speaking[stream]; now != nil && now.text.Len() > 0 {
		h.add(now.delta())
	}
	if x.of == nil {
		x.of = map[string][]*Hearing{}
	}
	x.of[stream] = append(x.of[stream], h)
	h.stop = func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		if left := slices.DeleteFunc(x.of[stream], func(o *Hearing) bool { return o == h }); len(left) > 0 {
			x.of[stream] = left
		} else {
			delete(x.of, stream)
		}
	}
	return h
}

// Stop ends it.
func (h *Hearing) Stop() { h.stop() }

// C gives a value when there may be something to take.
func (h *Hearing) C() <-chan struct{} { return h.wake }

// Calls has ring called where C would give a value, for who has no goroutine that waits for it. It must not wait; behind
// Stop it is called no more.
func (h *Hearing) Calls(ring func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ring, h.wake = ring, nil
}

// Take gives what was said since it was called last; what belongs to one answer is one delta.
func (h *Hearing) Take() []Delta {
	h.mu.Lock()
	defer h.mu.Unlock()
	var left []Delta
	for _, s := range h.left {
		left = append(left, s.delta())
	}
	h.left = nil
	return left
}

func (h *Hearing) add(d Delta) {
	h.mu.Lock()
	if last := len(h.left) - 1; last < 0 || h.left[last].of.CallID != d.CallID {
		h.left = append(h.left, &spoken{of: Delta{CallID: d.CallID, Agent: d.Agent}})
	}
	h.left[len(h.left)-1].text.WriteString(d.Text)
	ring := h.ring
	h.mu.Unlock()
	ring()
}

// speak tells whoever hears a session what a model of it says. done ends the answer.
func (x *hearings) speak(stream string, of Delta) (say func(text string), done func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.speaking == nil {
		x.speaking = map[string]*spoken{}
	}
	whole := &spoken{of: of}
	x.speaking[stream] = whole
	say = func(text string) {
		x.mu.Lock()
		defer x.mu.Unlock()
		whole.text.WriteString(text)
		for _, h := range x.of[stream] {
			h.add(Delta{of.CallID, of.Agent, text})
		}
	}
	return say, func() {
		x.mu.Lock()
		if x.speaking[stream] == whole {
			delete(x.speaking, stream)
		}
		all := slices.Clone(x.of[stream])
		x.mu.Unlock()
		for _, h := range all {
			if h.rest != nil {
				h.rest(of.CallID)
			}
		}
	}
}

// News is what happened in a turn since one was told last.
type News struct {
	Deltas []Delta               // of answers that are not on the log yet
	Events []eventstore.Recorded // that are, behind those of before
}

// Tell tells a turn as it goes on, whoever drives it, until it has ended or is suspended, and
// gives it as Ended does. It tells nothing each time that nothing came for a beat. An error of
// told ends it, and not the turn.
func (t *Turns) Tell(ctx context.Context, stream string, turn int, h *Hearing, beat time.Duration,
	told func(News) error) (*eventstore.Result[sessions.State], error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	fresh, err := t.news(stream)
	if err != nil {
		return nil, err
	}
	defer fresh.stop()
	quiet := time.NewTicker(beat)
	defer quiet.Stop()
	seen, kept := 0, []Delta(nil)
	for {
		whole, err := patiently(ctx, func() (*eventstore.Result[sessions.State], error) { return t.turn(ctx, stream, turn) })
		if err != nil {
			return nil, err
		}
		news := News{Events: whole.Events[min(seen, len(whole.Events)):]}
		seen = len(whole.Events)
		news.Deltas = slices.DeleteFunc(append(kept, h.Take()...), func(d Delta) bool { return answered(whole.Events, d.CallID) })
		kept = nil
		if err := told(news); err != nil {
			return nil, err
		}
		if over(&whole.State.Talk, turn) {
			return whole, nil
		}
		questions := asked(whole.Events) // of what was read, nothing else is kept while nothing happens
		for again := false; !again; {
			select {
			case <-fresh.C:
				again = true
			case <-time.After(fresh.again):
				again = true
			case <-h.wake:
				quiet.Reset(beat)
				if kept = h.Take(); !belong(questions, kept) {
					again = true // what led to the question comes first
					break
				}
				err, kept = told(News{Deltas: kept}), nil
			case <-quiet.C:
				err = told(News{})
			case <-ctx.Done():
				err = stillRuns()
			}
			if err != nil {
				return nil, err
			}
		}
	}
}

// over is whether nobody works on a turn any more.
func over(t *sessions.Talk, turn int) bool {
	return t.Turns > turn || t.Running == nil || t.Suspended() != nil
}

// asked are the questions to models among events, by their calls.
func asked(events []eventstore.Recorded) (calls []string) {
	for _, e := range events {
		if a, is := e.Payload.(sessions.ModelAsked); is {
			calls = append(calls, a.CallID)
		}
	}
	return calls
}

// belong is whether all that was heard is of these calls.
func belong(calls []string, all []Delta) bool {
	return !slices.ContainsFunc(all, func(d Delta) bool { return !slices.Contains(calls, d.CallID) })
}

// answered is whether the answer of a model is among events, and says all that it said.
func answered(events []eventstore.Recorded, call string) bool {
	return slices.ContainsFunc(events, func(e eventstore.Recorded) bool {
		a, is := e.Payload.(sessions.ModelAnswered)
		return is && a.CallID == call
	})
}
