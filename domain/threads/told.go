package threads

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Teller is where somebody wants to be told how far that has come which a message began.
type Teller struct {
	Number        int    `json:"number"` // of the message
	ID            string `json:"id"`     // the caller's, or one that was made for them
	URL           string `json:"url"`
	URLSealed     string `json:"urlSealed,omitempty"`
	HeadersSealed string `json:"headersSealed,omitempty"` // what shows the receiver that it is us
	Form          string `json:"form"`                    // the version in which it is told
}

// ways is how many ways tellers of a conversation share: what cannot be delivered on one holds up no other. They are few, so that
// a conversation knows all that it ever had.
const ways = 64

// Way is where what is told to a teller stands in line, of a thread.
func (t Teller) Way(stream string) string { return way(stream, t.way()) }

func way(stream string, n int) string { return stream + "." + itoa(n) }

// way is that of the address: what is told there comes in its order.
func (t Teller) way() int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(t.URL))
	return int(sum.Sum32() % ways)
}

// Ways are all on which somebody was ever told of something in the conversation, of a thread.
func (s State) Ways(stream string) (out []string) {
	for n := range ways {
		if s.Told&(1<<n) != 0 {
			out = append(out, way(stream, n))
		}
	}
	return out
}

// Tell adds one, or puts it in place of the one with its id.
type Tell struct {
	Teller
	At time.Time
}

// TellerSet says that it is told there from now on.
type TellerSet struct {
	Teller
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	At        time.Time `json:"at"`
}

// TellNoMore takes one away.
type TellNoMore struct {
	Number int
	ID     string
	At     time.Time
}

// TellerDeleted says that nobody is told there any more.
type TellerDeleted struct {
	Number int       `json:"number"`
	ID     string    `json:"id"`
	At     time.Time `json:"at"`
}

var (
	_ = event.Register[TellerSet](Threads, "teller-set", 1)
	_ = event.Register[TellerDeleted](Threads, "teller-deleted", 1)
)

// The bounds of them: of what one message began, and of a conversation, in which the oldest go first.
const (
	MostTellers = 10
	allTellers  = 100
	mostDropped = 100
)

// Of are those of what a message began, in the order in which they came.
func (s State) Of(number int) (out []Teller) {
	for _, t := range s.Tellers {
		if t.Number == number {
			out = append(out, t)
		}
	}
	return out
}

// Decide refuses more than anybody needs.
func (c Tell) Decide(s State) ([]event.Payload, error) {
	if c.Number < 1 || c.Number > s.Received {
		return nil, fault.New(fault.NotFound, "there is no such message")
	}
	there := s.Of(c.Number)
	if len(there) >= MostTellers && !slices.ContainsFunc(there, func(t Teller) bool { return t.ID == c.ID }) {
		return nil, fault.New(fault.LimitReached, "at most %d addresses are told of it", MostTellers)
	}
	if slices.Contains(there, c.Teller) {
		return nil, nil
	}
	return []event.Payload{TellerSet{Teller: c.Teller, TenantID: s.TenantID, ProjectID: s.ProjectID, At: event.Stamp(c.At)}}, nil
}

// Apply keeps it.
func (e TellerSet) Apply(s *State) {
	s.tellNoMore(e.Number, e.ID)
	s.Told |= 1 << e.way()
	s.Tellers = append(s.Tellers, e.Teller)
	s.Tellers = slices.Clone(s.Tellers[max(0, len(s.Tellers)-allTellers):])
}

// Decide says nothing where there is none.
func (c TellNoMore) Decide(s State) ([]event.Payload, error) {
	if !slices.ContainsFunc(s.Of(c.Number), func(t Teller) bool { return t.ID == c.ID }) {
		return nil, nil
	}
	return []event.Payload{TellerDeleted{Number: c.Number, ID: c.ID, At: event.Stamp(c.At)}}, nil
}

// Apply lets it go.
func (e TellerDeleted) Apply(s *State) { s.tellNoMore(e.Number, e.ID) }

func (s *State) tellNoMore(number int, id string) {
	s.Tellers = slices.DeleteFunc(slices.Clone(s.Tellers), func(t Teller) bool { return t.Number == number && t.ID == id })
}
