package turns

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Why a delegate failed that no tool and no model did.
const (
	asksUser     = "ASKS_USER"       // it would have to ask the user, who does not hear it
	inCircle     = "DELEGATE_CIRCLE" // who waits for it would have to do its work
	tooManyBegun = "DELEGATE_LIMIT"
	unknownAgent = "UNKNOWN_AGENT"
)

// mostDelegates is how many may be begun in one turn, those of delegates as well.
const mostDelegates = 50

// delegated is whether the machine stands in a delegate: nobody hears it, and nobody answers.
func (m *machine) delegated() bool { return m.s.Talk.Place != "" }

// beginDelegate has a delegate begin its work.
func (m *machine) beginDelegate(d *dsl.Delegate, retry int) {
	id := strconv.Itoa(m.s.Talk.Running.Began + 1)
	if m.delegated() {
		id = m.s.Talk.Place + "." + id
	}
	task, given, ok := m.inputs(d)
	m.emit(sessions.DelegateBegun{InTurn: m.in(), DelegateID: id, Name: d.ID, From: m.s.Talk.Agent, To: d.Agent, Task: task, Retry: retry,
		ExpiresAt: event.Stamp(m.At.Add(d.Timeout))})
	switch r := m.s.Talk.Running; {
	case m.Programs[d.Agent] == nil:
		m.endDelegate(id, nil, unknownAgent, false)
	case d.Agent == m.s.Talk.Agent || slices.Contains(m.s.Talk.For, d.Agent):
		m.endDelegate(id, nil, inCircle, false)
	case r.Delegated > mostDelegates:
		m.endDelegate(id, nil, tooManyBegun, false)
	case m.workIsLate():
		m.endDelegate(id, nil, sessions.CodeTimeout, false)
	case !ok:
		m.endDelegate(id, nil, badArguments, false)
	default:
		m.inside(id, func(x *machine) { x.begins(given) })
	}
}

// inputs are what a delegate is told, and given: the values of INPUT, or those that the model has
// for them.
func (m *machine) inputs(d *dsl.Delegate) (task string, given map[string]any, ok bool) {
	task, given = strings.TrimSpace(m.text(d.Purpose)), map[string]any{}
	wished := map[string]any{}
	if w := m.s.Talk.Wish(m.s.Talk.Running.Work.Wish); w != nil {
		wished, _ = objectIn(w.Arguments)
		if text, is := wished[taskMember].(string); is && strings.TrimSpace(text) != "" {
			task = text
		}
	}
	if task == "" {
		task = d.ID
	}
	for _, in := range d.Input {
		if v := wished[in.Name]; v != nil {
			given[in.Name] = v
			continue
		}
		v, err := in.Value.Eval(m.scope())
		if err != nil {
			m.noticeError(err)
			return task, nil, false
		}
		given[in.Name] = v
	}
	return task, given, true
}

// begins is a delegate's work, from its beginning: what it is given fills its slots of the same
// names, and is a variable of its own where it has none.
func (m *machine) begins(given map[string]any) {
	p, slots, vars := m.program(), map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		raw := encoded(given[name])
		if raw == nil || string(raw) == "null" {
			continue
		}
		into := vars
		if slot := p.Slot(name); slot != nil {
			v, problem := slot.Take(decoded(raw), m.scope())
			if problem != nil {
				m.fail(badArguments, "the value of "+name+" does not fit")
				return
			}
			raw, into = encoded(v), slots
		}
		if len(raw) > largestValue {
			m.fail(badArguments, "the value of "+name+" is too large")
			return
		}
		into[name] = raw
	}
	if len(slots) > 0 {
		m.fill(p, slots)
	}
	if len(vars) > 0 {
		m.emit(sessions.VariablesSet{InTurn: m.in(), Values: vars})
	}
	m.lead()
}

// inside lets a machine that stands in a delegate go on, and says what came of it.
func (m *machine) inside(id string, do func(x *machine)) {
	s, is := m.s.Within(id)
	if !is {
		return
	}
	x, err := goingOn(s, m.Programs, m.At, m.Try)
	if err != nil {
		m.endDelegate(id, nil, unknownAgent, false)
		return
	}
	do(x)
	for x.recovers() {
	}
	for _, e := range x.out {
		m.emit(e)
	}
	switch {
	case x.failed != "":
		m.endDelegate(id, nil, x.failed, true)
	case len(x.s.Talk.Running.Left()) > 0:
	case x.ended || x.s.Talk.Waits.For == sessions.ForMessage && len(x.program().Completes) == 0:
		result, code := x.yielded()
		m.endDelegate(id, result, code, false)
	default:
		m.endDelegate(id, nil, asksUser, true)
	}
}

// at lets whoever stands at a place of the turn go on, and then those who wait for it.
func (m *machine) at(place string, do func(x *machine)) {
	if m.s.Talk.Place == place {
		do(m)
		return
	}
	if d := m.s.Talk.Running.Towards(place); d != nil {
		m.inside(d.ID, func(x *machine) { x.at(place, do) })
		m.resumes()
	}
}

// textMember is what a delegate said, in its result.
const textMember = "text"

// yielded is the result of a delegate's work.
func (m *machine) yielded() (result map[string]json.RawMessage, code string) {
	result = map[string]json.RawMessage{}
	for name, v := range m.yields {
		if raw := encoded(v); raw != nil {
			result[name] = raw
		}
	}
	var said []string
	for _, l := range m.s.Talk.History {
		if l.Agent != "" {
			said = append(said, l.Text)
		}
	}
	if _, has := result[textMember]; !has && len(said) > 0 {
		text := []rune(strings.Join(said, "\n"))
		result[textMember] = encoded(string(text[:min(len(text), longestSaid)]))
	}
	if len(encoded(result)) > largestArguments {
		return nil, sessions.CodeTooLarge
	}
	return result, ""
}

// endDelegate says what came of a delegate, and has it begin again where ON_FAIL says so: unless
// that could do a write twice.
func (m *machine) endDelegate(id string, result map[string]json.RawMessage, code string, again bool) {
	d := m.s.Talk.Running.Delegate(id)
	outcome := sessions.DelegateOK
	if code != "" {
		outcome = sessions.DelegateFailed
	}
	m.leave(*d, outcome, code, result)
	of := m.program().Delegate(d.Name)
	if code != "" && again && of != nil && d.Retry < of.Retry && !d.Wrote && !m.workIsLate() {
		m.beginDelegate(of, d.Retry+1)
	}
}

// leave ends a delegate with all that it waits for. What of that is a write may have been done, and stands so in the session.
func (m *machine) leave(d sessions.Delegate, how sessions.DelegateOutcome, code string, result map[string]json.RawMessage) {
	left := d.Talk.Running.Left()
	for _, e := range d.LetGo(m.in()) {
		m.emit(e)
	}
	m.emit(sessions.DelegateEnded{InTurn: m.in(), DelegateID: d.ID, Name: d.Name, From: m.s.Talk.Agent, To: d.Agent, Task: d.Task,
		Outcome: how, Code: code, Result: result, Left: left, TookMs: event.Stamp(m.At).Sub(d.At).Milliseconds()})
}

// assumes is whether a delegate does without the user's answer: with a DEFAULT, or without a
// value that nobody must give.
func (m *machine) assumes(slot *dsl.Slot) bool {
	if !m.delegated() || slot.Default == nil && slot.Required {
		return false
	}
	if slot.Default != nil {
		m.fill(m.program(), map[string]json.RawMessage{slot.Name: encoded(slot.Default)})
	}
	return true
}
