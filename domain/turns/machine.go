package turns

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/expr"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// machine is one turn under way: the state as the events so far have left it.
type machine struct {
	Receive
	s    sessions.State
	out  []event.Payload
	turn int

	steps, transfers int
	acted            bool           // what was chosen has been used
	barring          bool           // what is said is said by the ON_FAIL of a constraint that kept something else from being said
	ended            bool           // the session has
	failed           string         // the turn has, why
	asks             bool           // the turn goes on when a call has ended
	escalated        bool           // people have the conversation from now on
	kept             *sessions.Kept // what follows when those give it back who have it already
	alarmed          *dsl.Guardrail // that has something to escalate against what is being said
	heard            string         // the text, as the guardrails left it
	result           any            // `result` in scope: of a call, or of the agent that gave the conversation back
	answered         bool           // there is one
	jumped           string         // the step that comes next
	back             string         // who has just given it back, and does not get it again in this turn by a WHEN
	slotAsked        string         // that the turn has begun with
	yields           map[string]any // of a delegate that has ended: its result
	confirmed        string         // the wish of the model that the user said yes to
	user             map[string]any // context.session.UserSession, once somebody wants it

	drafts map[string][]sessions.MemoryValue // what a SET puts into stores, by store

	sifted  *sifted // what a model found in what the user said; nil: none was asked, or it failed
	learned bool    // values of slots were found in what was said, beside the one that was asked for
	plain   bool    // slots with EXTRACT: model are read without one
	repeats string  // the slot that is asked for once more, also where the step asks by what it says
}

// emit adds an event and folds it.
func (m *machine) emit(p event.Payload) {
	m.out = append(m.out, p)
	sessions.Sessions.Fold(&m.s, p)
}

func (m *machine) run() {
	if m.Begins != nil {
		m.s.Talk.Tests(*m.Begins) // so that also what comes before the message sees it
	}
	p := m.program()
	first := m.s.Talk.Messages == m.s.ResetBefore && !m.s.Talk.Greeted
	against, blocked := m.guardInput()
	if m.Action == nil && !m.Taken && m.s.Talk.Waits.For == sessions.ForAction {
		m.Action = m.typed(m.current()) // what follows is as if it had been pressed
	}
	m.emit(sessions.MessageReceived{MessageID: m.nextMessage(), InTurn: m.in(), Text: m.heard, Action: m.Action, Metadata: m.Metadata,
		Attachments: m.Attached, Brought: m.brought(), Blocked: nameOf(blocked), Patience: m.s.Talk.Patience})
	m.noticeGuards("input", against)
	if m.IgnoredAgent != "" {
		m.notice("ignored", "agentId", "the session has begun with another agent")
	}
	if len(m.Slots) > 0 {
		waits := m.s.Talk.Waits
		m.fill(p, m.Slots)
		m.s.Talk.Waits = waits
	}
	if start := first && !m.SkipOnStart; !m.recalls(start) {
		m.starts(start)
	}
	m.end()
}

// starts is ON_START, where it is to come, and what comes behind it.
func (m *machine) starts(start bool) {
	if !start || m.begin(m.program()) != stopped {
		m.reply()
	}
}

// reply is what comes behind ON_START: the answer, or why there is none.
func (m *machine) reply() {
	if !m.going() {
		return
	}
	switch r := m.s.Talk.Running; {
	case r.Greets:
		m.opens()
		return
	case r.Behind != nil:
		m.goesOn(m.s.Talk.Agent, m.returned(*r.Behind))
		return
	}
	if name := m.s.Talk.Running.Blocked; name != "" {
		g := m.guardrail(name)
		if g != nil {
			m.utter(m.text(g.Message), nil)
		}
		if g != nil && g.Action == dsl.EscalateGuard {
			m.escalateGuarded(g)
		}
		return
	}
	m.answer()
}

func errNoProgram(agent string) error {
	return fault.New(fault.Internal, "the session's agent %q was not given to the turn", agent)
}

// nextMessage is the id of the message that comes next.
func (m *machine) nextMessage() string { return sessions.MessageID(m.s.ID, m.s.Talk.Messages+1) }

// nextCall is the id of the call that is opened next.
func (m *machine) nextCall() string { return sessions.CallID(m.s.ID, m.s.Talk.Calls+1) }

// begin is ON_START, which comes before the first answer.
func (m *machine) begin(p *dsl.Program) outcome {
	if p.OnStart == nil {
		return proceed
	}
	if p.OnStart.Call != nil {
		return m.startCall(p.OnStart.Call)
	}
	return m.greet(p.OnStart)
}

func (m *machine) greet(s *dsl.Start) outcome {
	m.assign(s.Set)
	return m.sayText(s.Say, s.Rich)
}

// answer goes on until the agent who is at it waits for the user, or the session has ended.
func (m *machine) answer() {
	if !m.extracts() && m.take() {
		m.lead()
	}
}

func (m *machine) lead() {
	for m.going() {
		agent := m.s.Talk.Agent
		if m.s.Talk.Step == "" && m.jumped == "" { // the message may be for who has it now
			if m.extracts() {
				return
			}
			if m.plain {
				m.find("")
			}
		}
		if m.rules() == stopped {
			return
		}
		if m.s.Talk.Agent != agent {
			continue
		}
		m.flow()
		if m.finish(agent) {
			return
		}
	}
}

// finish is what comes behind the flow of an agent: delegates with a WHEN, and COMPLETE. true: it
// waits for the user.
func (m *machine) finish(agent string) bool {
	if !m.going() || m.s.Talk.Agent != agent {
		return false
	}
	if m.worksByWhen() == stopped {
		return false
	}
	if m.completes() == moved && m.jumped != "" { // a constraint has kept its SAY back, and leads elsewhere
		return false
	}
	return m.s.Talk.Agent == agent
}

func (m *machine) going() bool { return !m.ended && m.failed == "" && !m.asks && !m.escalated }

// end says how the turn leaves the session, if it has ended.
func (m *machine) end() {
	for m.recovers() {
	}
	if m.asks || m.keeps() {
		return
	}
	e := sessions.TurnEnded{InTurn: m.in(), Action: sessions.Continue, Waits: m.s.Talk.Waits, Failed: m.failed, Thread: m.s.Thread}
	if m.failed != "" {
		m.s.Talk.Errors++
	}
	m.s.Talk.Traces++ // that it has ended
	e.Figures = m.s.Talk.Figures
	if e.Waits.For == "" {
		e.Waits.For = sessions.ForMessage
	}
	if m.s.Talk.People != nil {
		if m.ended { // which would send them away
			m.ended, m.kept, e.Waits = false, m.keptFor("", 0, true), sessions.Waiting{For: sessions.ForPeople}
		}
		e.Action, e.Kept = sessions.ToPeople, m.kept
	}
	if m.ended {
		e.Action, e.Waits = sessions.EndAction, sessions.Waiting{}
	}
	m.emit(e)
	if m.ended {
		m.emit(sessions.SessionEnded{Reason: sessions.Completed, Test: m.s.Talk.Test, Thread: m.s.Thread, At: event.Stamp(m.At)})
	}
}

// in is what the events of the turn have in common.
func (m *machine) in() sessions.InTurn {
	return sessions.InTurn{Turn: m.turn, Test: m.s.Talk.Test, Delegate: m.s.Talk.Place, At: event.Stamp(m.At)}
}

func (m *machine) program() *dsl.Program { return m.Programs[m.s.Talk.Agent] }

// longestSaid is how many characters one text of an agent may have.
const longestSaid = 16_000

// sayText says a text of the source, with what can be chosen beside it.
func (m *machine) sayText(t dsl.Text, rich []*dsl.Rich) outcome {
	if t.Empty() && len(rich) == 0 {
		return proceed
	}
	return m.say(m.text(t), m.elements(rich))
}

// say says a text, unless a constraint stands before it, which may lead elsewhere.
func (m *machine) say(text string, rich []sessions.Element) outcome {
	if strings.TrimSpace(text) != "" || len(rich) > 0 {
		if out, barred := m.barred(); barred {
			return out
		}
	}
	m.utter(text, rich)
	if m.escalated {
		return stopped
	}
	return proceed
}

// utter says a text as the guardrails leave it.
func (m *machine) utter(text string, rich []sessions.Element) {
	text = m.guardedOutput(text)
	if utf8.RuneCountInString(text) > longestSaid {
		text = string([]rune(text)[:longestSaid])
		m.notice("limit", "TEXT", "what was to be said was cut")
	}
	if strings.TrimSpace(text) == "" && (len(rich) == 0 || m.delegated()) {
		return
	}
	if m.delegated() {
		m.emit(sessions.DelegateSaid{InTurn: m.in(), Agent: m.s.Talk.Agent, Step: m.s.Talk.Step, Text: text})
	} else {
		m.emit(sessions.Said{MessageID: m.nextMessage(), InTurn: m.in(), Agent: m.s.Talk.Agent, Step: m.s.Talk.Step, Text: text, Rich: rich,
			Thread: m.s.Thread, Patience: m.s.Talk.Patience})
	}
	if g := m.alarmed; g != nil {
		m.alarmed = nil
		m.escalateGuarded(g)
	}
}

// text fills in a text. What cannot be computed is left out, and noticed.
func (m *machine) text(t dsl.Text) string {
	said, err := t.Say(m.s.Talk.Language, m.scope())
	m.noticeError(err)
	return said
}

func (m *machine) elements(rich []*dsl.Rich) []sessions.Element {
	var out []sessions.Element
	for _, r := range rich {
		e := sessions.Element{Kind: string(r.Kind), ID: r.ID, Label: m.text(r.Label), InputType: r.InputType, Required: r.Required}
		if r.Value != nil {
			v, err := r.Value.Eval(m.scope())
			m.noticeError(err)
			e.Value = encoded(v)
		}
		for _, o := range r.Options {
			e.Options = append(e.Options, sessions.Choice{ID: o.ID, Label: m.label(o.Label, o.ID)})
		}
		out = append(out, e)
	}
	return out
}

func (m *machine) label(t dsl.Text, otherwise string) string {
	if t.Empty() {
		return otherwise
	}
	return m.text(t)
}

// notice tells of something that no other event tells.
func (m *machine) notice(kind, what, detail string) {
	m.emit(sessions.Noticed{InTurn: m.in(), Kind: kind, Agent: m.s.Talk.Agent, Step: m.s.Talk.Step, What: what, Detail: detail})
}

// noticeError tells of a condition or a value that could not be computed, by its source:
// what the user said is not in it.
func (m *machine) noticeError(err error) {
	if err == nil {
		return
	}
	var e *expr.Error
	if errors.As(err, &e) {
		m.notice(expr.CodeCondition, e.Code, e.Expression)
		return
	}
	m.notice(expr.CodeCondition, "value", "a value could not be computed")
}

// holds is whether a condition is true; one that cannot be computed is not, and is noticed.
func (m *machine) holds(c *dsl.Condition) bool {
	ok, err := c.Holds(m.scope())
	m.noticeError(err)
	return ok
}

// fail ends the turn where it is.
func (m *machine) fail(why, detail string) outcome {
	m.failed = why
	m.notice("limit", why, detail)
	return stopped
}

func encoded(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return data
}
