// Package registrations owns where each reactor begins to read the log, and which of the
// events that were set aside are to be handled again.
//
// It never reads an offset itself and knows nothing of consumer groups: what a group
// stands at comes in with the command, and what was decided is carried out by the
// reactors' admission (handlers/reactors).
package registrations

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Tenant is the account to which the streams of this package belong: the operator's,
// which no tenant can have.
const Tenant = "operator"

// Registrations holds one stream for the whole system, so that "nothing was ever
// registered here" is one question. Its rules:
//
//   - a reactor is registered once, with an offset for each partition that it reads
//   - in a new system it begins at 0; in one that has reactors already, a new one
//     begins at the end, because what is on the log is past: it must not dial old calls
//   - a group that stands somewhere already stays there
//   - a partition is registered once; only an operator places the group on it again
//   - positions are pending until they are committed to the group, and it is not read
//     before
var Registrations = event.NewAggregate[State]("reactors", "reactors", event.Quiet)

// SystemStream is the one stream of Registrations.
func SystemStream() string { return Registrations.Stream("system") }

// State is everything that is registered.
type State struct {
	Reactors map[string]Registration `json:"reactors,omitempty"` // by name
}

// Registration is one reactor.
type Registration struct {
	Name       string     `json:"name"`
	Group      string     `json:"group"` // its consumer group
	Side       string     `json:"side"`  // at least once, at most once
	Positions  []Position `json:"positions"`
	Pending    []Position `json:"pending,omitempty"` // decided, not known to be committed to the group
	Registered time.Time  `json:"registered"`
}

// Position is where a group begins on one partition.
type Position struct {
	Topic     string `json:"topic"`
	Partition int    `json:"partition"`
	Offset    int64  `json:"offset"` // of the first record that it reads
}

// knows reports whether the partition has a position.
func (r Registration) knows(topic string, partition int) bool {
	return slices.ContainsFunc(r.Positions, func(p Position) bool { return p.Topic == topic && p.Partition == partition })
}

// Topics lists what the reactor reads, sorted.
func (r Registration) Topics() []string {
	var out []string
	for _, p := range r.Positions {
		out = append(out, p.Topic)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Candidate is a reactor that a binary has, and where its group stands.
type Candidate struct {
	Name       string
	Group      string
	Side       string
	FromStart  bool // it wants what happened before it existed
	Partitions []Standing
}

// Standing is what is known of one partition of a candidate.
type Standing struct {
	Topic     string
	Partition int
	Committed int64 // where the group stands; negative: nowhere
	End       int64 // where the log ends
}

// Register makes every candidate known that is not.
type Register struct {
	Candidates []Candidate
	Node       string
	At         time.Time
}

// Decide fixes the exact offsets, once.
func (c Register) Decide(s State) ([]event.Payload, error) {
	fresh := len(s.Reactors) == 0
	var out []event.Payload
	for _, candidate := range c.Candidates {
		known, registered := s.Reactors[candidate.Name]
		positions := candidate.begin(known, fresh)
		switch {
		case !registered:
			out = append(out, Registered{Name: candidate.Name, Group: candidate.Group, Side: candidate.Side, Positions: positions, Node: c.Node,
				At: c.At.UTC()})
		case len(positions) > 0:
			out = append(out, Extended{Name: candidate.Name, Positions: positions, Node: c.Node, At: c.At.UTC()})
		}
	}
	return out, nil
}

func (c Candidate) begin(known Registration, fresh bool) []Position {
	out := []Position{}
	for _, p := range c.Partitions {
		if known.knows(p.Topic, p.Partition) {
			continue
		}
		at := p.End
		switch {
		case p.Committed >= 0:
			at = p.Committed
		case fresh, c.FromStart:
			at = 0
		}
		out = append(out, Position{p.Topic, p.Partition, at})
	}
	return out
}

// Registered says that a reactor exists, and where it begins.
type Registered struct {
	Name      string     `json:"name"`
	Group     string     `json:"group"`
	Side      string     `json:"side"`
	Positions []Position `json:"positions"`
	Node      string     `json:"node"`
	At        time.Time  `json:"at"`
}

var _ = event.Register[Registered](Registrations, "registered", 1)

// Apply folds the event.
func (e Registered) Apply(s *State) {
	s.put(Registration{Name: e.Name, Group: e.Group, Side: e.Side, Positions: slices.Clone(e.Positions), Pending: slices.Clone(e.Positions),
		Registered: e.At})
}

// Extended says that a reactor reads more partitions than it did.
type Extended struct {
	Name      string     `json:"name"`
	Positions []Position `json:"positions"`
	Node      string     `json:"node"`
	At        time.Time  `json:"at"`
}

var _ = event.Register[Extended](Registrations, "extended", 1)

// Apply folds the event.
func (e Extended) Apply(s *State) {
	r := s.Reactors[e.Name]
	r.Positions, r.Pending = merge(r.Positions, e.Positions), merge(r.Pending, e.Positions)
	s.put(r)
}

// Place sets a group down where an operator says, on partitions where it stands
// nowhere or outside of the log.
type Place struct {
	Name      string
	Said      string // what the operator wrote: end, an offset, or partition by partition
	Positions []Position
	Node      string
	At        time.Time
}

// Decide says nothing when just this is pending already: nodes with the same command
// line start at the same time.
func (c Place) Decide(s State) ([]event.Payload, error) {
	r, ok := s.Reactors[c.Name]
	if !ok {
		return nil, fault.New(fault.NotFound, "no reactor is registered as %s", c.Name)
	}
	for _, p := range c.Positions {
		if !r.knows(p.Topic, p.Partition) {
			return nil, fault.New(fault.BadRequest, "the reactor %s does not read %s/%d", c.Name, p.Topic, p.Partition)
		}
	}
	if !slices.ContainsFunc(c.Positions, func(p Position) bool { return !slices.Contains(r.Pending, p) }) {
		return nil, nil
	}
	return []event.Payload{Placed{Name: c.Name, Said: c.Said, Positions: c.Positions, Node: c.Node, At: c.At.UTC()}}, nil
}

func (p Position) samePlace(o Position) bool {
	return p.Topic == o.Topic && p.Partition == o.Partition
}

// Placed says that an operator decided where a group goes on.
type Placed struct {
	Name      string     `json:"name"`
	Said      string     `json:"said"`
	Positions []Position `json:"positions"`
	Node      string     `json:"node"`
	At        time.Time  `json:"at"`
}

var _ = event.Register[Placed](Registrations, "placed", 1)

// Apply folds the event.
func (e Placed) Apply(s *State) {
	r := s.Reactors[e.Name]
	r.Pending = merge(r.Pending, e.Positions)
	s.put(r)
}

// Settle says that the pending positions are committed to the group.
type Settle struct {
	Name      string
	Positions []Position // what was committed
	At        time.Time
}

// Decide says nothing when nothing of it is pending.
func (c Settle) Decide(s State) ([]event.Payload, error) {
	pending := s.Reactors[c.Name].Pending
	for _, p := range c.Positions {
		if slices.Contains(pending, p) {
			return []event.Payload{Settled{Name: c.Name, Positions: c.Positions, At: c.At.UTC()}}, nil
		}
	}
	return nil, nil
}

// Settled says that a group stands where it was to, and may be read. From here on a
// group without an offset has lost it.
type Settled struct {
	Name      string     `json:"name"`
	Positions []Position `json:"positions"`
	At        time.Time  `json:"at"`
}

var _ = event.Register[Settled](Registrations, "settled", 1)

// Apply folds the event.
func (e Settled) Apply(s *State) {
	r := s.Reactors[e.Name]
	r.Pending = slices.DeleteFunc(slices.Clone(r.Pending), func(p Position) bool { return slices.Contains(e.Positions, p) })
	s.put(r)
}

// put copies the map: who decides may hold the state of before.
func (s *State) put(r Registration) {
	all := make(map[string]Registration, len(s.Reactors)+1)
	for name, other := range s.Reactors {
		all[name] = other
	}
	all[r.Name] = r
	s.Reactors = all
}

// merge lays new positions over old ones.
func merge(old, more []Position) []Position {
	out := slices.DeleteFunc(slices.Clone(old), func(p Position) bool { return slices.ContainsFunc(more, p.samePlace) })
	return append(out, more...)
}
