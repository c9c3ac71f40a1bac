package trunks

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Health is what was last seen of a SIP trunk. The zero value is one of which nothing bad is known.
type Health struct {
	Unreachable string // why it does not answer; empty: it does, or nobody has asked it yet
	Registered  bool
	Refused     string // why it does not let us register; empty: it does, or we do not
	Node        string // that holds the registration
}

// Observe says whether a trunk answers.
type Observe struct {
	TenantID string
	Name     string
	Reached  bool
	Problem  string // why it does not
	At       time.Time
}

// TrunkUnreachable: the trunk has not answered, twice. Calls over it fail at once until it does.
type TrunkUnreachable struct {
	TenantID string    `json:"tenantId"`
	Name     string    `json:"name"`
	Problem  string    `json:"problem"`
	At       time.Time `json:"at"`
}

// TrunkReachable: it answers again.
type TrunkReachable struct {
	TenantID string    `json:"tenantId"`
	Name     string    `json:"name"`
	At       time.Time `json:"at"`
}

// NoteRegistration says what came of registering with a trunk.
type NoteRegistration struct {
	TenantID string
	Name     string
	Node     string
	Problem  string // why it failed; empty: it did not
	At       time.Time
}

// TrunkRegistered: the trunk knows where to find us, through the node that is named. It is not said again
// while that stays so.
type TrunkRegistered struct {
	TenantID string    `json:"tenantId"`
	Name     string    `json:"name"`
	Node     string    `json:"node"`
	At       time.Time `json:"at"`
}

// TrunkNotRegistered: the trunk has refused to register us, or did not answer.
type TrunkNotRegistered struct {
	TenantID string    `json:"tenantId"`
	Name     string    `json:"name"`
	Node     string    `json:"node"`
	Problem  string    `json:"problem"`
	At       time.Time `json:"at"`
}

var (
	_ = event.Register[TrunkUnreachable](Trunks, "unreachable", 1)
	_ = event.Register[TrunkReachable](Trunks, "reachable", 1)
	_ = event.Register[TrunkRegistered](Trunks, "registered", 1)
	_ = event.Register[TrunkNotRegistered](Trunks, "not-registered", 1)
)

const longestProblem = 256

// problem is a text that stands in an event, whatever a peer has sent.
func problem(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestProblem {
		text = string(runes[:longestProblem])
	}
	if text == "" {
		return "it does not answer"
	}
	return text
}

// Decide notes changes only, and of a trunk at which nobody looks nothing bad: a look that was on its way when it was defined so would keep
// calls from it for ever.
func (c Observe) Decide(s State) ([]event.Payload, error) {
	t, there := s.Trunks[c.Name]
	if !there || !c.Reached && (t.Provider != SIP || t.Of().OptionsSeconds == 0) {
		return nil, nil
	}
	down := s.Health[c.Name].Unreachable != ""
	switch {
	case c.Reached && down:
		return []event.Payload{TrunkReachable{TenantID: c.TenantID, Name: c.Name, At: event.Stamp(c.At)}}, nil
	case !c.Reached && !down:
		return []event.Payload{TrunkUnreachable{TenantID: c.TenantID, Name: c.Name, Problem: problem(c.Problem), At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// Decide notes changes only: another node, another answer.
func (c NoteRegistration) Decide(s State) ([]event.Payload, error) {
	t, there := s.Trunks[c.Name]
	if !there || t.Provider != SIP || !t.Of().Register {
		return nil, nil
	}
	was := s.Health[c.Name]
	switch {
	case c.Problem == "" && (!was.Registered || was.Node != c.Node):
		return []event.Payload{TrunkRegistered{TenantID: c.TenantID, Name: c.Name, Node: c.Node, At: event.Stamp(c.At)}}, nil
	case c.Problem != "" && was.Refused != problem(c.Problem):
		return []event.Payload{TrunkNotRegistered{TenantID: c.TenantID, Name: c.Name, Node: c.Node, Problem: problem(c.Problem),
			At: event.Stamp(c.At)}}, nil
	}
	return nil, nil
}

// see changes what is known of a trunk.
func (s *State) see(name string, change func(*Health)) {
	if s.Health == nil {
		s.Health = map[string]Health{}
	}
	h := s.Health[name]
	change(&h)
	s.Health[name] = h
}

// Apply keeps calls from it.
func (e TrunkUnreachable) Apply(s *State) {
	s.see(e.Name, func(h *Health) { h.Unreachable = e.Problem })
}

// Apply lets calls over it again.
func (e TrunkReachable) Apply(s *State) {
	s.see(e.Name, func(h *Health) { h.Unreachable = "" })
}

// Apply notes who is registered.
func (e TrunkRegistered) Apply(s *State) {
	s.see(e.Name, func(h *Health) { h.Registered, h.Refused, h.Node = true, "", e.Node })
}

// Apply notes that nobody is.
func (e TrunkNotRegistered) Apply(s *State) {
	s.see(e.Name, func(h *Health) { h.Registered, h.Refused, h.Node = false, e.Problem, e.Node })
}
