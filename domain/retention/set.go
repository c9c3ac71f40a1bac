package retention

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// DefaultGrace is how long what was set can be taken back before anything is forgotten by it.
const DefaultGrace = time.Hour

// Set says for how long a project keeps things. It replaces what was said before.
type Set struct {
	TenantID  string
	ProjectID string
	Days      Days          // empty: for ever
	Grace     time.Duration // before it is looked for the first time; 0: DefaultGrace
	At        time.Time
}

// RulesSet says for how long a project keeps things from now on.
type RulesSet struct {
	TenantID  string     `json:"tenantId"`
	ProjectID string     `json:"projectId"`
	Days      Days       `json:"days"`
	NextAt    *time.Time `json:"nextAt,omitempty"` // of the first look; absent: everything is kept
	At        time.Time  `json:"at"`
}

var _ = event.Register[RulesSet](Rules, "set", 1)

// Decide takes days within the bounds, and nothing that is said already.
func (c Set) Decide(s State) ([]event.Payload, error) {
	var f fault.Fields
	for _, kind := range slices.Sorted(maps.Keys(c.Days)) {
		switch days := c.Days[kind]; {
		case !slices.Contains(Kinds(), kind):
			f.Add("days."+string(kind), "is none of calls, conversations, recordings and messages")
		case days < MinDays || days > MaxDays:
			f.Add("days."+string(kind), "must be %d to %d days; left out it is kept for ever", MinDays, MaxDays)
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if maps.Equal(s.Days, c.Days) {
		return nil, nil
	}
	e := RulesSet{TenantID: c.TenantID, ProjectID: c.ProjectID, Days: c.Days, At: event.Stamp(c.At)}
	if e.Days == nil {
		e.Days = Days{}
	}
	if len(c.Days) > 0 {
		grace := c.Grace
		if grace == 0 {
			grace = DefaultGrace
		}
		next := event.Stamp(c.At.Add(grace))
		e.NextAt = &next
	}
	return []event.Payload{e}, nil
}

// Apply folds the event.
func (e RulesSet) Apply(s *State) {
	s.TenantID, s.ProjectID, s.Days, s.NextAt = e.TenantID, e.ProjectID, e.Days, time.Time{}
	if e.NextAt != nil {
		s.NextAt = *e.NextAt
	}
}
