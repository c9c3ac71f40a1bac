package traces

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
)

// The kinds of spans. Turns are in the session, agents in turns, steps in agents, and calls and
// delegates in steps, or in agents. In a delegate are agents again.
const (
	ofSession = "session"
	ofTurn    = "turn"
	ofAgent   = "agent"
	ofStep    = "step"
	ofTool    = "tool"
	ofWork    = "delegate"
	ofModel   = "model"
)

// span is a part of a session: what lies between its first event and its last.
type span struct {
	id, parent   string
	kind, name   string // name: of the agent, of the step or of the tool; of a turn its number
	begun, ended time.Time
	events       int    // trace events in it and in what is below it
	failed       string // why a turn did not come to its end, or a call failed
}

// happened is one event of a session and where it belongs.
type happened struct {
	id    string
	at    time.Time
	agent string // who was at it; empty: none is named
	span  *span
	was   event.Payload
	shown *runtime.TraceEvent // nil: traces do not show it
}

// story is what happened in a session, oldest first, and the spans of it.
type story struct {
	happened []happened
	spans    []*span // in the order in which they began: what a span is in comes before it
	byID     map[string]*span
}

// threaded is whether the session answers a conversation of a channel, in which its replies are delivered.
func (s story) threaded() bool {
	return slices.ContainsFunc(s.happened, func(h happened) bool {
		opened, is := h.was.(sessions.Opened)
		return is && opened.Thread != ""
	})
}

// storyOf tells what the events of a session say. An event that belongs to no turn is in the
// span of the session; one of a kind that is not known here is where the one before it was.
func storyOf(session string, events []eventstore.Recorded) story {
	talk := &standing{}
	t := telling{story: story{byID: map[string]*span{}}, calls: map[string]*span{}, standing: talk, talk: talk}
	t.session = t.open(nil, session, ofSession, "")
	for _, e := range events {
		t.take(e)
	}
	return t.story
}

// telling is a story so far.
type telling struct {
	story
	session, turn *span
	number        int // of spans within the turn
	calls         map[string]*span
	*standing     // where something happens: in the conversation itself, or in a delegate
	talk          *standing
	works         map[string]*standing // of delegates of the turn, by their ids
}

// standing is where a conversation stands.
type standing struct {
	top, agent, step    *span
	lastAgent, lastStep string // also between turns
}

func (t *telling) take(e eventstore.Recorded) {
	in, ok := e.Payload.(interface{ Of() sessions.InTurn })
	if !ok || in.Of().Turn == 0 {
		if _, reset := e.Payload.(sessions.WasReset); reset {
			t.lastAgent, t.lastStep = "", ""
		}
		h := happened{id: e.ID, at: e.Time, span: t.session, was: e.Payload}
		if shown, ok := runtime.TraceOf(e.Payload); ok {
			h.shown = &shown
			t.touch(h.span, e.Time, true)
		}
		t.happened = append(t.happened, h)
		return
	}
	at := in.Of().At
	h := happened{id: e.ID, at: at, was: e.Payload}
	if counted, late := e.Payload.(sessions.ModelCounted); late { // its turn is over, and another one may have begun
		h.span, h.agent = t.counted(counted), counted.Agent
		t.happened = append(t.happened, h)
		return
	}
	h.span, h.agent = t.place(e.Payload, in.Of().Turn, in.Of().Delegate)
	if shown, ok := runtime.TraceOf(e.Payload); ok {
		h.shown = &shown
	}
	t.touch(h.span, at, h.shown != nil)
	t.happened = append(t.happened, h)
}

// counted is the span of a call of a model that was cut off.
func (t *telling) counted(e sessions.ModelCounted) *span {
	if s := t.calls[e.CallID]; s != nil {
		return s
	}
	if s := t.byID[spanOf(t.session.id, e.Turn)]; s != nil {
		return s
	}
	return t.session
}

// place is the span that an event is in. What begins a span is in it.
func (t *telling) place(p event.Payload, turn int, delegate string) (*span, string) {
	t.goOn(turn)
	if at := t.works[delegate]; at != nil {
		t.standing = at
		defer func() { t.standing = t.talk }()
	}
	if s, agent := t.ofCall(p); s != nil {
		return s, agent
	}
	if s, agent := t.ofTalk(p); s != nil {
		return s, agent
	}
	for _, s := range []*span{t.step, t.agent} {
		if s != nil {
			return s, t.lastAgent
		}
	}
	return t.top, ""
}

// goOn is in a turn from now on; with a new one the conversation stands at no agent yet.
func (t *telling) goOn(turn int) {
	name := strconv.Itoa(turn)
	if t.turn != nil && t.turn.name == name {
		return
	}
	t.turn = t.open(t.session, spanOf(t.session.id, turn), ofTurn, name)
	t.top, t.agent, t.step, t.number = t.turn, nil, nil, 0
	t.works = map[string]*standing{}
}

// ofCall is the span of a call of a tool or of a model, and whose it is; nil: the event is of none that is known.
func (t *telling) ofCall(p event.Payload) (s *span, agent string) {
	switch e := p.(type) {
	case sessions.CallOpened:
		return t.call(e.CallID, t.enter(e.Agent, e.Step), ofTool, e.Tool), e.Agent
	case sessions.ModelAsked:
		return t.call(e.CallID, t.enter(e.Agent, e.Step), ofModel, e.Agent), e.Agent
	case sessions.CallSent:
		return t.calls[e.CallID], t.lastAgent
	case sessions.CallClaimed:
		return t.calls[e.CallID], t.lastAgent
	case sessions.CallEnded:
		if s = t.calls[e.CallID]; s == nil {
			return t.enter(e.Agent, e.Step), e.Agent
		}
		if e.Outcome != sessions.CallOK {
			s.failed = e.Code
		}
		return s, e.Agent
	case sessions.ModelAnswered:
		if s = t.calls[e.CallID]; s == nil {
			return t.enter(e.Agent, e.Step), e.Agent
		}
		s.failed = e.Failed
		return s, e.Agent
	}
	return nil, ""
}

// ofTalk is the span in which an event of the conversation itself is, and who was at it; nil: it names none.
func (t *telling) ofTalk(p event.Payload) (s *span, agent string) {
	switch e := p.(type) {
	case sessions.MessageReceived, sessions.PickedUp, sessions.VariablesSet, sessions.GivenBack:
		return t.top, ""
	case sessions.TurnEnded:
		t.turn.failed = e.Failed
		return t.turn, ""
	case sessions.StepEntered:
		t.enter(e.Agent, "")
		t.step, t.lastAgent, t.lastStep = t.below(t.agent, ofStep, e.Step), e.Agent, e.Step
		return t.step, e.Agent
	case sessions.SlotsFilled:
		return t.enter(e.Agent, t.stepOf(e.Agent)), e.Agent
	case sessions.Said:
		return t.enter(e.Agent, e.Step), e.Agent
	case sessions.MemorySet:
		return t.enter(e.Agent, e.Step), e.Agent
	case sessions.Noticed:
		return t.enter(e.Agent, e.Step), e.Agent
	case sessions.Escalated:
		return t.enter(e.Agent, e.Step), e.Agent
	case sessions.DelegateBegun:
		s = t.below(t.enter(e.From, t.stepOf(e.From)), ofWork, e.Name)
		t.works[e.DelegateID] = &standing{top: s}
		return s, e.From
	case sessions.DelegateEnded:
		if at := t.works[e.DelegateID]; at != nil {
			at.top.failed = e.Code
			return at.top, e.From
		}
	case sessions.HandedOff:
		return t.leave(e.From), e.From
	case sessions.HandedBack:
		return t.leave(e.From), e.From
	}
	return nil, ""
}

// stepOf is the step that the conversation stands at, if an agent is at it.
func (t *telling) stepOf(agent string) string {
	if agent != t.lastAgent {
		return ""
	}
	return t.lastStep
}

// enter is the span of an agent, or of a step of it, in the turn at hand.
func (t *telling) enter(agent, step string) *span {
	if agent == "" {
		return t.top
	}
	if t.agent == nil || t.agent.name != agent {
		t.agent, t.step = t.below(t.top, ofAgent, agent), nil
	}
	if step == "" {
		if t.step != nil {
			return t.step
		}
		return t.agent
	}
	if t.step == nil || t.step.name != step {
		t.step = t.below(t.agent, ofStep, step)
	}
	return t.step
}

// leave is the span in which an agent gives the conversation to another.
func (t *telling) leave(agent string) *span {
	s := t.enter(agent, t.stepOf(agent))
	t.agent, t.step, t.lastAgent, t.lastStep = nil, nil, "", ""
	return s
}

// call opens the span of a call.
func (t *telling) call(id string, parent *span, kind, name string) *span {
	s := t.below(parent, kind, name)
	t.calls[id] = s
	return s
}

// below opens the next span of the turn.
func (t *telling) below(parent *span, kind, name string) *span {
	t.number++
	return t.open(parent, t.turn.id+"."+strconv.Itoa(t.number), kind, name)
}

func (t *telling) open(parent *span, id, kind, name string) *span {
	s := &span{id: id, kind: kind, name: name}
	if parent != nil {
		s.parent = parent.id
	}
	t.spans, t.byID[id] = append(t.spans, s), s
	return s
}

// touch counts an event in a span and in all that this is in.
func (t *telling) touch(s *span, at time.Time, shown bool) {
	for ; s != nil; s = t.byID[s.parent] {
		if s.begun.IsZero() {
			s.begun = at
		}
		s.ended = at
		if shown {
			s.events++
		}
	}
}

// within reports whether a span is another, or is in it.
func (s story) within(is *span, id string) bool {
	for ; is != nil; is = s.byID[is.parent] {
		if is.id == id {
			return true
		}
	}
	return false
}

// turnOf is the turn that a span is in.
func (s story) turnOf(is *span) string {
	for ; is != nil; is = s.byID[is.parent] {
		if is.kind == ofTurn {
			return is.id
		}
	}
	return ""
}

// stepOf is the step that a span is, or is directly below, with nobody else's work between; nil: none.
func (s story) stepOf(is *span) *span {
	for ; is != nil && is.kind != ofWork && is.kind != ofAgent; is = s.byID[is.parent] {
		if is.kind == ofStep {
			return is
		}
	}
	return nil
}

// children are the spans that are directly in one.
func (s story) children(id string) (out []*span) {
	for _, x := range s.spans {
		if x.parent == id {
			out = append(out, x)
		}
	}
	return out
}

// decisions are the kinds of decisions that types of trace events stand for.
var decisions = map[string]string{"step": "routing", "handoff": "handoff", "escalated": "escalation",
	"taken_by_people": "pause", "given_back": "resume", "retry": "retry", "limit": "stop", "constraint": "stop"}

// decision is the kind of decision that an event stands for; empty: it is none.
func (h happened) decision() string {
	if ended, ok := h.was.(sessions.TurnEnded); ok && ended.Action == sessions.EndAction {
		return "completion"
	}
	return decisions[h.shown.Type]
}

// traced is the event as traces show it.
func (h happened) traced() TracedEvent {
	return TracedEvent{ID: h.id, Type: h.shown.Type, DecisionKind: h.decision(), SpanID: h.span.id, ParentSpanID: h.span.parent,
		Timestamp: rest.ISOTime(&h.at), Data: maps.Clone(h.shown.Data)}
}

// traces are the events that traces show, if they are wanted.
func (s story) traces(wanted func(happened) bool) []happened {
	return slices.DeleteFunc(slices.Clone(s.happened), func(h happened) bool { return h.shown == nil || !wanted(h) })
}

func spanOf(session string, turn int) string { return session + "." + strconv.Itoa(turn) }
