package pacing

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Ruling is what a campaign says about its run.
type Ruling string

// The rulings.
const (
	Go   Ruling = "go"   // take contacts
	Hold Ruling = "hold" // take none until the campaign goes on
	Stop Ruling = "stop" // take none any more
)

// Steer makes a run follow its campaign. What was taken before is finished in any case.
type Steer struct {
	Clock
	RunID   string
	Ruling  Ruling
	Version int64 // of the campaign's stream, of which the ruling is
}

// Decide follows the newest ruling, in whatever order they come. One that changes
// nothing is noted too, so that an older one that comes late changes nothing either.
func (c Steer) Decide(s State) ([]event.Payload, error) {
	r, live := s.Find(c.RunID)
	if !live || c.Version <= r.Version || r.Stopped {
		return nil, nil
	}
	return c.follow(s, ruled(c.RunID, c.Ruling, c.Version, event.Stamp(c.Now))), nil
}

func ruled(runID string, ruling Ruling, version int64, at time.Time) event.Payload {
	switch ruling {
	case Stop:
		return RunStopped{RunID: runID, Version: version, At: at}
	case Hold:
		return RunHeld{RunID: runID, Version: version, At: at}
	default:
		return RunReleased{RunID: runID, Version: version, At: at}
	}
}

// RunHeld is a run that takes no contacts for now.
type RunHeld struct {
	RunID   string    `json:"instanceId"`
	Version int64     `json:"version"` // of the campaign
	At      time.Time `json:"at"`
}

// Apply holds it.
func (e RunHeld) Apply(s *State) {
	if r := s.run(e.RunID); r != nil {
		r.Held, r.Version = true, e.Version
	}
}

// RunReleased is a run that goes on at its next contact.
type RunReleased struct {
	RunID   string    `json:"instanceId"`
	Version int64     `json:"version"` // of the campaign
	At      time.Time `json:"at"`
}

// Apply lets it go on.
func (e RunReleased) Apply(s *State) {
	if r := s.run(e.RunID); r != nil {
		r.Held, r.Version = false, e.Version
	}
}

// RunStopped is a run that takes no contacts any more: its campaign was changed or
// removed. It is finished when those under way are.
type RunStopped struct {
	RunID   string    `json:"instanceId"`
	Version int64     `json:"version"` // of the campaign
	At      time.Time `json:"at"`
}

// Apply stops it.
func (e RunStopped) Apply(s *State) {
	if r := s.run(e.RunID); r != nil {
		r.Stopped, r.Version = true, e.Version
	}
}

var (
	_ = event.Register[RunHeld](Pacing, "run-held", 1)
	_ = event.Register[RunReleased](Pacing, "run-released", 1)
	_ = event.Register[RunStopped](Pacing, "run-stopped", 1)
)
