package turns

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sessions"
)

// storeOf is a declared store as the session knows it.
func storeOf(s *dsl.Store) sessions.StoreOf {
	return sessions.StoreOf{Scope: memories.Scope(s.Scope), Store: s.Name}
}

// near are the agents whom the turn may come to: who is at it, who gets the conversation back or
// gave stores along with it, and all to whom these can hand over or delegate.
func (m *machine) near() []string {
	names := []string{m.s.Talk.Agent}
	for _, f := range m.s.Talk.Frames {
		names = append(names, f.Agent)
	}
	for _, v := range m.s.Talk.Views {
		names = append(names, v.Giver)
	}
	return m.Programs.From(names...)
}

// declared are the stores of agents whom the turn may come to, each once.
func (m *machine) declared() (out []sessions.StoreOf) {
	for _, name := range m.near() {
		for _, s := range m.Programs[name].Stores {
			if of := storeOf(s); !slices.Contains(out, of) {
				out = append(out, of)
			}
		}
	}
	slices.SortFunc(out, func(a, b sessions.StoreOf) int {
		return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Store, b.Store))
	})
	return out
}

// recalls asks what is in the stores that the turn may come to; true: the turn waits for it.
// Without anybody who reads them there is nothing in them but what was set.
func (m *machine) recalls(start bool) bool {
	stores := m.declared()
	if len(stores) == 0 || m.Try.Try == "" {
		return false
	}
	m.asks = true
	m.emit(sessions.MemoryAsked{InTurn: m.in(), CallID: m.nextCall(), Reads: stores, Start: start,
		Waits: m.s.Talk.Waits, Claimed: m.Try})
	return true
}

// keeps asks to have kept what was set; true: the turn ends when that is done.
func (m *machine) keeps() bool {
	if len(m.s.Talk.Unkept()) == 0 || m.Try.Try == "" {
		return false
	}
	m.asks = true
	m.emit(m.keeping(&sessions.Ending{Over: m.ended, Failed: m.failed, Waits: m.s.Talk.Waits, Kept: m.kept}))
	return true
}

func (m *machine) keeping(ends *sessions.Ending) sessions.MemoryAsked {
	return sessions.MemoryAsked{InTurn: m.in(), CallID: m.nextCall(), Writes: m.s.Talk.Unkept(), Ends: ends,
		Claimed: m.Try}
}

// keepsFor has kept what was set before a tool is called that sees it.
func (m *machine) keepsFor(tool *dsl.Tool) {
	if len(tool.Stores) > 0 && len(m.s.Talk.Unkept()) > 0 {
		m.emit(m.keeping(nil))
	}
}

// remembered goes on with what was read, or kept.
func (m *machine) remembered(of sessions.MemoryAsked, told []sessions.StoreTold) {
	m.memorize(of.CallID, told)
	switch r := m.s.Talk.Running; {
	case len(of.Reads) > 0:
		m.s.Talk.Waits = of.Waits
		m.starts(of.Start)
	case of.Ends != nil:
		m.ended, m.failed, m.s.Talk.Waits, m.kept = of.Ends.Over, of.Ends.Failed, of.Ends.Waits, of.Ends.Kept
	default:
		m.asks = len(r.Left()) > 0
	}
}

// memorize takes what is in stores. What the session knows already is not told again.
func (m *machine) memorize(call string, told []sessions.StoreTold) {
	e, bytes := sessions.MemoryTold{InTurn: m.in(), CallID: call}, m.memorized(told)
	for _, t := range told {
		if bytes += len(t.Content); len(t.Content) > sessions.MostMemory || bytes > sessions.MostMemories {
			t.Content, t.Failed = nil, sessions.CodeMuch
		}
		t.Known = m.knows(t)
		if known := m.s.Talk.Memorized(t.StoreOf); t.Known {
			t.Content = nil
			if known != nil && known.Version == t.Version && known.Failed == t.Failed && len(known.Set) == 0 {
				continue
			}
		}
		e.Stores = append(e.Stores, t)
	}
	m.emit(e)
	for _, t := range e.Stores {
		switch {
		case t.Failed != "":
			m.notice("memory", t.Store, t.Failed)
		case len(t.Refused) > 0:
			m.notice("memory", t.Store, "written by another session since it was read: "+strings.Join(t.Refused, ", "))
		}
	}
}

// memorized is how many bytes the session knows of other stores.
func (m *machine) memorized(told []sessions.StoreTold) (bytes int) {
	for _, known := range m.s.Talk.Memory {
		if !slices.ContainsFunc(told, func(t sessions.StoreTold) bool { return t.StoreOf == known.StoreOf }) {
			bytes += len(known.Content)
		}
	}
	return bytes
}

// knows is whether a store has what the session thinks that it has.
func (m *machine) knows(t sessions.StoreTold) bool {
	known := m.s.Talk.Memorized(t.StoreOf)
	if t.Failed != "" {
		return false
	}
	if known == nil {
		return len(t.Content) == 0
	}
	return bytes.Equal(known.Content, t.Content) || memories.Same(known.Content, t.Content)
}

// memory is what expressions of the agent who is at it see of its stores. What has no schema has
// numbers with a point, as the session's variables.
func (m *machine) memory() map[string]any {
	out := map[string]any{}
	for _, s := range m.program().Stores {
		content := map[string]any{}
		if raw := m.content(s); s.Read && len(raw) > 0 {
			content = s.Schema.Members(raw)
		}
		out[s.Name] = content
	}
	return out
}

// content is what is in a store, also where a SET is under way.
func (m *machine) content(s *dsl.Store) json.RawMessage {
	if draft, is := m.drafts[s.Name]; is {
		return sessions.PutInto(m.known(s), draft)
	}
	return m.known(s)
}

func (m *machine) known(s *dsl.Store) json.RawMessage {
	if known := m.s.Talk.Memorized(storeOf(s)); known != nil {
		return known.Content
	}
	return nil
}

// draft puts a value into a store for as long as a SET is under way.
func (m *machine) draft(path []string, v any) {
	if m.drafts == nil {
		m.drafts = map[string][]sessions.MemoryValue{}
	}
	raw := encoded(v)
	if raw == nil {
		raw = json.RawMessage("null")
	}
	m.drafts[path[0]] = append(m.drafts[path[0]], sessions.MemoryValue{Path: strings.Join(path[1:], "."), Value: raw})
}

// settleDrafts keeps what was put into stores, if it may be, and says why not by store.
func (m *machine) settleDrafts() (refused map[string]string) {
	refused = map[string]string{}
	drafts := m.drafts
	m.drafts = nil
	for _, name := range slices.Sorted(maps.Keys(drafts)) {
		if why := m.write(name, drafts[name]); why != "" {
			refused[name] = why
			m.notice("memory", name, why)
		}
	}
	return refused
}

// stores are those of the agent who is at it: its own, and those that it was given with the
// conversation.
func (m *machine) stores() []*dsl.Store {
	own, view := m.program().Stores, m.s.Talk.Views[m.s.Talk.Agent]
	giver := m.Programs[view.Giver]
	if giver == nil || len(view.Stores) == 0 {
		return own
	}
	all := slices.Clone(own)
	for _, name := range view.Stores {
		if s := giver.Store(name); s != nil && m.program().Store(name) == nil {
			all = append(all, s)
		}
	}
	return all
}

func (m *machine) write(name string, values []sessions.MemoryValue) (why string) {
	var s *dsl.Store
	for _, one := range m.stores() {
		if one.Name == name {
			s = one
		}
	}
	if s == nil || !s.Write {
		return "ACCESS"
	}
	if known := m.s.Talk.Memorized(storeOf(s)); known != nil && known.Failed != "" {
		return known.Failed
	}
	left := sessions.PutInto(m.known(s), values)
	if len(left) > sessions.MostMemory {
		return sessions.CodeMuch
	}
	for _, v := range values {
		if len(v.Value) > largestValue {
			return "VALUE"
		}
	}
	var whole any = map[string]any{}
	if len(left) > 0 {
		whole = decoded(left)
	}
	if err := s.Schema.Check(whole); err != nil {
		return "SCHEMA: " + err.Error()
	}
	m.emit(sessions.MemorySet{InTurn: m.in(), Agent: m.program().Agent, Step: m.s.Talk.Step, StoreOf: storeOf(s), Values: values})
	return ""
}

// memoryMember is the parameter of remember that has members of stores.
const memoryMember = "memory"

// memoryParameters are the stores into which a model may put something; nil: there are none, or
// the agent has a slot of this name.
func (m *machine) memoryParameters() map[string]any {
	p, stores := m.program(), map[string]any{}
	if p.Slot(memoryMember) != nil {
		return nil
	}
	for _, s := range m.stores() {
		switch {
		case !s.Write:
		case s.Schema != nil:
			stores[s.Name] = map[string]any{"type": "object", "properties": s.Schema.Properties()}
		default:
			stores[s.Name] = object(nil)
		}
	}
	if len(stores) == 0 {
		return nil
	}
	return object(stores)
}

var memoryName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`)

// keepInMemory puts what a model wants kept into stores, and says which of it was.
func (m *machine) keepInMemory(args map[string]any) (kept []string, refused map[string]string) {
	refused = map[string]string{}
	for _, store := range slices.Sorted(maps.Keys(args)) {
		members, is := args[store].(map[string]any)
		if !is {
			refused[memoryMember+"."+store] = "must be an object"
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if !memoryName.MatchString(name) {
				refused[memoryMember+"."+store] = "has a name that no member can have"
				continue
			}
			m.draft([]string{store, name}, members[name])
			kept = append(kept, memoryMember+"."+store+"."+name)
		}
	}
	for store, why := range m.settleDrafts() {
		refused[memoryMember+"."+store] = why
		kept = slices.DeleteFunc(kept, func(path string) bool { return strings.HasPrefix(path, memoryMember+"."+store+".") })
	}
	return kept, refused
}

// mostMemoryTold is how many bytes of a store a model sees.
const mostMemoryTold = 8 << 10

// memoryTold tells the model what is in the stores that the agent reads.
func (m *machine) memoryTold(part func(title, text string)) {
	for _, s := range m.stores() {
		if raw := m.known(s); s.Read && len(raw) > 0 {
			part("Remembered in "+s.Name+": ", sessions.Cut(string(raw), mostMemoryTold))
		}
	}
}

// MemoryWork is what is to be done with stores for a turn.
type MemoryWork struct {
	CallID string
	Reads  []sessions.StoreOf
	Writes []MemoryWrite
}

// MemoryWrite is what is to be kept of a store.
type MemoryWrite struct {
	sessions.StoreOf
	TTL     time.Duration
	Members []memories.Member
}

// Failed is what came of it where nothing was done.
func (w MemoryWork) Failed(code string) (out []sessions.StoreTold) {
	for _, of := range w.Reads {
		out = append(out, sessions.StoreTold{StoreOf: of, Failed: code})
	}
	for _, write := range w.Writes {
		out = append(out, sessions.StoreTold{StoreOf: write.StoreOf, Failed: code})
	}
	return out
}

// MemoryOf is what a try has to do with stores; nil: nothing.
func MemoryOf(s sessions.State, programs Programs, try string) *MemoryWork {
	r := s.Talk.Running
	if r == nil || r.Memory == nil || r.Memory.Try != try {
		return nil
	}
	out := &MemoryWork{CallID: r.Memory.CallID, Reads: r.Memory.Reads}
	for _, of := range r.Memory.Writes {
		known := s.Talk.Memorized(of)
		if known == nil {
			continue
		}
		w := MemoryWrite{StoreOf: of, Members: known.Members()}
		for _, agent := range []string{s.Talk.Views[known.Agent].Giver, known.Agent} { // its own declaration goes before
			if p := programs[agent]; p != nil && p.Store(of.Store) != nil {
				w.TTL = p.Store(of.Store).TTL
			}
		}
		out.Writes = append(out.Writes, w)
	}
	return out
}

// Recalled is what came of stores, with what follows from it. The first one counts.
type Recalled struct {
	CallID   string
	Stores   []sessions.StoreTold
	Programs Programs
	At       time.Time
	Try      sessions.Claimed // who makes the calls that follow
}

// Decide goes on with the turn. It does nothing for what nobody waits for (any more).
func (c Recalled) Decide(s sessions.State) ([]event.Payload, error) {
	r := s.Talk.Running
	if r == nil || r.Memory == nil || r.Memory.CallID != c.CallID {
		return nil, nil
	}
	of := *r.Memory
	m, err := goingOn(s, c.Programs, c.At, c.Try)
	if err != nil {
		return nil, err
	}
	m.remembered(of, c.Stores)
	m.end()
	return m.out, nil
}
