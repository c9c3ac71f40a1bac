package erasures

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Find is a step that looked for the person.
type Find struct {
	Attempt int     // the step's number
	Places  []Place // none: there is nothing of the person any more
	At      time.Time
	Calm    time.Duration // after which nothing is looked for once more before it is believed; 0: at once
}

// Found says where the person is to be forgotten next.
type Found struct {
	Places []Place   `json:"places"`
	Left   []Place   `json:"left,omitempty"` // too old, and there although the step before was to forget them
	At     time.Time `json:"at"`
}

// NotFound says that nothing of the person is left, and when that is looked at once more: who
// had read of the person before, such as a campaign that is about to call, may still write.
type NotFound struct {
	Attempt int       `json:"attempt"`
	AgainAt time.Time `json:"againAt"`
	At      time.Time `json:"at"`
}

// Completed says in how many streams the person was forgotten, and that none is left.
type Completed struct {
	Counts map[string]int `json:"counts"` // by category
	At     time.Time      `json:"at"`
}

var (
	_ = event.Register[Found](Jobs, "found", 1)
	_ = event.Register[NotFound](Jobs, "not-found", 1)
	_ = event.Register[Completed](Jobs, "completed", 1)
)

// Decide takes what the step that is under way has found. What is too old and is there although the step before was to
// forget it goes on at the moment: it is left to the next day's job, and not looked at again by this one, which would else
// take turns at two of them for as long as they go on.
func (c Find) Decide(s State) ([]event.Payload, error) {
	var left []Place
	if s.Aged.ProjectID != "" {
		var others []Place
		for _, p := range c.Places {
			switch {
			case s.Tried(p):
				left = append(left, p)
			case !among(s.Left, p):
				others = append(others, p)
			}
		}
		c.Places = others
	}
	switch {
	case !s.Attempt.Takes(c.Attempt) || len(s.Found) > 0:
		return nil, nil
	case len(c.Places) == 0 && s.AgainAt.IsZero() && c.Calm > 0:
		return []event.Payload{NotFound{Attempt: c.Attempt, AgainAt: event.Stamp(c.At.Add(c.Calm)), At: event.Stamp(c.At)}}, nil
	case len(c.Places) == 0:
		counts := maps.Clone(s.Counts)
		if counts == nil {
			counts = map[string]int{}
		}
		return []event.Payload{Completed{Counts: counts, At: event.Stamp(c.At)}}, nil
	}
	return []event.Payload{Found{Places: c.Places, Left: left, At: event.Stamp(c.At)}}, nil
}

// Tried is whether the step before was to forget it.
func (s State) Tried(p Place) bool { return among(s.Before, p) }

func among(places []Place, p Place) bool {
	return slices.ContainsFunc(places, func(o Place) bool { return o.Stream == p.Stream })
}

// Apply wants them forgotten.
func (e Found) Apply(s *State) {
	s.Found, s.AgainAt, s.Left = e.Places, time.Time{}, slices.Concat(s.Left, e.Left)
	s.Attempt.Again()
}

// Apply waits.
func (e NotFound) Apply(s *State) {
	s.AgainAt = e.AgainAt
	s.Attempt.Pause(e.Attempt+1, e.AgainAt)
}

// Apply ends the job.
func (e Completed) Apply(s *State) {
	s.Status, s.Found, s.Before, s.Left = Done, nil, nil, nil
	s.Attempt.End()
}

// Forget is a step that forgot the person in what was found.
type Forget struct {
	Attempt int
	Counts  map[string]int // streams in which something of the person was, by category
	At      time.Time
}

// Forgotten says that the person is not in what was found any more.
type Forgotten struct {
	Counts map[string]int `json:"counts"` // of this step, by category
	At     time.Time      `json:"at"`
}

var _ = event.Register[Forgotten](Jobs, "forgotten", 1)

// Decide takes the outcome of the step that is under way.
func (c Forget) Decide(s State) ([]event.Payload, error) {
	if !s.Attempt.Takes(c.Attempt) || len(s.Found) == 0 {
		return nil, nil
	}
	return []event.Payload{Forgotten{Counts: c.Counts, At: event.Stamp(c.At)}}, nil
}

// Apply wants another look: what ran meanwhile may have said more.
func (e Forgotten) Apply(s *State) {
	s.Found, s.Before = nil, s.Found
	counts := maps.Clone(s.Counts)
	if counts == nil {
		counts = map[string]int{}
	}
	for category, n := range e.Counts {
		counts[category] += n
	}
	s.Counts = counts
	s.Attempt.Again()
}
