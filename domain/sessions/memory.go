package sessions

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/memories"
)

// StoreOf names a store of memory as a session sees it: whose it is follows from the session.
type StoreOf struct {
	Scope memories.Scope `json:"scope"`
	Store string         `json:"store"`
}

// Remembered is what a session knows of a store.
type Remembered struct {
	StoreOf
	Version int
	Content json.RawMessage `json:",omitempty"` // what was read, with what was set since; empty: nothing
	Failed  string          // why it is not known, such as NO_CONTACT

	// Of what was set and is not kept yet.
	Base  json.RawMessage `json:",omitempty"` // what was read
	Set   []string        // paths, each once
	Agent string          // who set them
	Asked bool            // somebody keeps them
	Later []MemoryValue   // what was set since
}

// MostMemory is how many bytes of one store a session sees, MostMemories of all of them.
const (
	MostMemory   = 64 << 10
	MostMemories = 512 << 10
)

// Codes of what keeps a session from a store.
const (
	CodeNoContact = "NO_CONTACT"       // nobody knows who talks
	CodeMuch      = "MEMORY_TOO_LARGE" // more is in it than a session sees
)

// MemoryAsked says that a turn wants to know what is in stores, or to keep what was set in them.
type MemoryAsked struct {
	InTurn
	CallID string    `json:"callId"`
	Reads  []StoreOf `json:"reads,omitempty"`
	Writes []StoreOf `json:"writes,omitempty"`
	Start  bool      `json:"start,omitempty"` // ON_START comes behind
	Waits  Waiting   `json:"waits,omitzero"`  // what the turn has begun with
	Ends   *Ending   `json:"ends,omitempty"`  // how the turn ends when it is done; absent: it goes on with something else
	Claimed
}

// Ending is how a turn is about to end.
type Ending struct {
	Over   bool    `json:"over,omitempty"` // the session ends
	Failed string  `json:"failed,omitempty"`
	Waits  Waiting `json:"waits,omitzero"`
	Kept   *Kept   `json:"kept,omitempty"`
}

var _ = event.Register[MemoryAsked](Sessions, "memory-asked", 1)

// Apply folds the event. What was asked for before, and is not done, is asked for by this one.
func (e MemoryAsked) Apply(s *State) {
	s.Talk.Calls++
	if r := s.Talk.Running; r != nil {
		r.Memory = &e
	}
	for _, of := range e.Writes {
		m := s.Talk.memory(of)
		m.Asked, m.Later = true, nil
	}
}

// StoreTold is what came of a store.
type StoreTold struct {
	StoreOf
	Version int             `json:"version"`
	Content json.RawMessage `json:"content,omitempty" personal:"customer"` // absent: nothing, or what the session knows
	Known   bool            `json:"known,omitempty"`                       // the content is what the session knows
	Refused []string        `json:"refused,omitempty"`                     // paths at which somebody else wrote since they were read
	Failed  string          `json:"failed,omitempty"`                      // why nothing was read or kept
}

// MemoryTold says what is in stores: what was read, or what is there now that something was
// written. Behind a call of a tool it is what that has left there.
type MemoryTold struct {
	InTurn
	CallID string      `json:"callId"`
	Stores []StoreTold `json:"stores,omitempty"`
}

var _ = event.Register[MemoryTold](Sessions, "memory-told", 1)

// Apply folds the event.
func (e MemoryTold) Apply(s *State) {
	s.Talk.Traces++
	if r := s.Talk.Running; r != nil && r.Memory != nil && r.Memory.CallID == e.CallID {
		r.Memory = nil
	}
	for _, told := range e.Stores {
		m := s.Talk.memory(told.StoreOf)
		switch {
		case len(m.Base) > 0 && told.Failed != "": // what was set is not kept
			m.Content = empty(m.Base)
		case !told.Known:
			m.Content = nil
			if string(told.Content) != "null" {
				m.Content = bytes.Clone(told.Content)
			}
		}
		later, agent := m.Later, m.Agent
		*m = Remembered{StoreOf: m.StoreOf, Version: told.Version, Content: m.Content, Failed: told.Failed}
		if len(later) > 0 {
			m.set(agent, later)
		}
	}
}

// MemorySet says that an agent put something into a store. It is kept when the turn ends, or
// before a tool that sees the store.
type MemorySet struct {
	InTurn
	Agent string `json:"agent"`
	Step  string `json:"step,omitempty"`
	StoreOf
	Values []MemoryValue `json:"values"`
}

// MemoryValue is a value at a place in a store: names with points between them. null takes away
// what is there.
type MemoryValue struct {
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value" personal:"customer"`
}

var _ = event.Register[MemorySet](Sessions, "memory-set", 1)

// Apply folds the event.
func (e MemorySet) Apply(s *State) {
	s.Talk.Traces++
	m := s.Talk.memory(e.StoreOf)
	if m.set(e.Agent, e.Values); m.Asked {
		m.Later = append(m.Later, e.Values...)
	}
}

func (m *Remembered) set(agent string, values []MemoryValue) {
	if len(m.Base) == 0 {
		if m.Base = m.Content; len(m.Base) == 0 {
			m.Base = json.RawMessage("{}")
		}
	}
	m.Content, m.Agent = PutInto(m.Content, values), agent
	for _, v := range values {
		if !slices.Contains(m.Set, v.Path) {
			m.Set = append(m.Set, v.Path)
		}
	}
}

// PutInto is what is in a store with values in it; empty: nothing is left.
func PutInto(content json.RawMessage, values []MemoryValue) json.RawMessage {
	for _, v := range values {
		content = memories.With(content, v.Path, v.Value)
	}
	return empty(content)
}

func empty(content json.RawMessage) json.RawMessage {
	if string(content) == "{}" {
		return nil
	}
	return content
}

// Members are what is to be kept of a store. Of a path within another that was set the other has
// it all.
func (m Remembered) Members() (out []memories.Member) {
	for _, path := range m.Set {
		within := func(other string) bool { return strings.HasPrefix(path, other+".") }
		if !slices.ContainsFunc(m.Set, within) {
			out = append(out, memories.Member{Path: path, Was: memories.At(m.Base, path), Value: memories.At(m.Content, path)})
		}
	}
	return out
}

// Memorized is what the session knows of a store; nil: nothing was read or set.
func (t *Talk) Memorized(of StoreOf) *Remembered {
	for i := range t.Memory {
		if t.Memory[i].StoreOf == of {
			return &t.Memory[i]
		}
	}
	return nil
}

func (t *Talk) memory(of StoreOf) *Remembered {
	if m := t.Memorized(of); m != nil {
		return m
	}
	t.Memory = append(t.Memory, Remembered{StoreOf: of})
	return &t.Memory[len(t.Memory)-1]
}

// Unkept are the stores in which something was set that is not kept yet.
func (t *Talk) Unkept() (out []StoreOf) {
	for _, m := range t.Memory {
		if len(m.Set) > 0 {
			out = append(out, m.StoreOf)
		}
	}
	return out
}

func ownMemory(all []Remembered) []Remembered {
	own := slices.Clone(all)
	for i := range own {
		own[i].Set, own[i].Later = slices.Clone(own[i].Set), slices.Clone(own[i].Later)
	}
	return own
}
