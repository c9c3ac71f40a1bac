package turns

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// scope is what expressions of the agent who is at it see.
func (m *machine) scope() dsl.Scope {
	t := m.s.Talk
	metadata := decoded(m.Metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	session := values(t.Vars)
	maps.Copy(session, map[string]any{"id": m.s.ID, "channel": m.s.Channel, "language": t.Language, "turns": float64(m.turn),
		"startedAt": m.s.OpenedAt.UTC(), "messageMetadata": metadata})
	turn := map[string]any{"text": m.heard, "language": t.Language, "number": int64(m.turn), "channel": m.s.Channel, "metadata": metadata}
	if m.Action != nil {
		turn["action"], turn["value"] = m.Action.ID, decoded(m.Action.Value)
	}
	scope := dsl.Scope{"now": m.At.UTC(), "gather": m.gathered(), "session": session, "caller": values(t.Caller), "turn": turn,
		"memory": m.memory(), "context": map[string]any{"session": map[string]any{"UserSession": m.userSession()}}}
	if m.answered {
		scope["result"] = m.result
	}
	return scope
}

// userSession is what the channel knows: of a call its metadata, and what the detection found out.
func (m *machine) userSession() map[string]any {
	if m.user == nil {
		m.user = values(m.s.UserSession)
	}
	return m.user
}

// read is the value of a slot in what the user said, or why there is none.
func (m *machine) read(slot *dsl.Slot, said string) (any, string) {
	v, problem := slot.Read(said, m.s.Talk.Language, m.scope())
	if problem != nil {
		return nil, problem.Code
	}
	return v, ""
}

// gathered are the slots of the agent who is at it, as expressions see them.
func (m *machine) gathered() map[string]any {
	p, slots := m.program(), m.s.Talk.Slots[m.s.Talk.Agent]
	out := make(map[string]any, len(slots))
	for name, raw := range slots {
		out[name] = decoded(raw)
		if whole, ok := out[name].(int64); ok && p.Slot(name) != nil && p.Slot(name).Type == dsl.SlotNumber {
			out[name] = float64(whole) // JSON has one kind of number, expressions two
		}
	}
	return out
}

// values are what is not declared, whose numbers all have a point: session.n + 1.0. Those that would lose digits by that
// stay whole.
func values(raw map[string]json.RawMessage) map[string]any {
	out := make(map[string]any, len(raw))
	for name, v := range raw {
		out[name] = decoded(v)
	}
	return out
}

// decoded are the values of JSON as expressions take them: whole numbers are int64.
func decoded(raw json.RawMessage) any {
	if len(raw) == 0 {
		return nil
	}
	if v, is := plainly(raw); is {
		return v
	}
	return parsed(raw)
}

func parsed(raw json.RawMessage) any {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return numbered(v)
}

// plainly reads what most values are, a short whole number or a text without escapes, without a decoder: each
// expression sees all of them.
func plainly(raw json.RawMessage) (any, bool) {
	const digits = 18 // as many as any int64 has
	if last := len(raw) - 1; raw[0] == '"' && last > 0 && raw[last] == '"' {
		text := raw[1:last]
		for _, b := range text {
			if b == '"' || b == '\\' || b < ' ' || b >= utf8.RuneSelf {
				return nil, false
			}
		}
		return string(text), true
	}
	if len(raw) > digits || raw[0] == '0' && len(raw) > 1 {
		return nil, false
	}
	n := int64(0)
	for _, b := range raw {
		if b < '0' || b > '9' {
			return nil, false
		}
		n = n*10 + int64(b-'0')
	}
	return n, true
}

func numbered(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil || math.IsInf(f, 0) {
			return nil
		}
		return f
	case map[string]any:
		for k, x := range v {
			v[k] = numbered(x)
		}
	case []any:
		for i, x := range v {
			v[i] = numbered(x)
		}
	}
	return v
}

// largestValue is how many bytes a variable or a slot may have as JSON.
const largestValue = 16 << 10

// assign carries out a SET.
func (m *machine) assign(all []dsl.Assignment) {
	for _, a := range all {
		v, err := a.Value.Eval(m.scope())
		if err != nil {
			m.noticeError(err)
			continue
		}
		if a.Target.Root == memoryMember {
			m.draft(a.Target.Path, v)
			continue
		}
		m.put(a.Target, v)
	}
	m.settleDrafts()
}

// put gives a variable or a slot a value.
func (m *machine) put(to dsl.Target, v any) {
	if len(to.Path) == 0 {
		return
	}
	if to.Root == memoryMember {
		m.draft(to.Path, v)
		m.settleDrafts()
		return
	}
	name := to.Path[0]
	of := m.s.Talk.Vars
	if to.Root == "gather" {
		of = m.s.Talk.Slots[m.s.Talk.Agent]
	}
	v = within(decoded(of[name]), to.Path[1:], v)
	if slot := m.program().Slot(name); to.Root == "gather" && slot != nil && v != nil {
		if v = m.fitting(slot, v, m.scope()); v == nil {
			return
		}
	}
	raw := encoded(v)
	if raw == nil {
		raw = json.RawMessage("null")
	}
	if len(raw) > largestValue {
		m.notice("limit", "VALUE", to.Root+"."+name+" would be too large")
		return
	}
	members := map[string]json.RawMessage{name: raw}
	if to.Root == "gather" {
		m.fill(m.program(), members)
		return
	}
	m.emit(sessions.VariablesSet{InTurn: m.in(), Values: members})
}

// within is a value with another put at a path in it; what is no object becomes one.
func within(old any, path []string, v any) any {
	if len(path) == 0 {
		return v
	}
	object, ok := old.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[path[0]] = within(object[path[0]], path[1:], v)
	return object
}
