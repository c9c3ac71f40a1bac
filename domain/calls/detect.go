package calls

import (
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Detect records one result of the detection.
type Detect struct {
	Detection
	At time.Time
}

// AmdDetected is one result of the answering machine detection.
type AmdDetected struct {
	Detection
	Provider string    `json:"provider"` // the carrier whose sound was judged
	At       time.Time `json:"at"`
}

var _ = event.Register[AmdDetected](Calls, "amd-detected", 1)

// Decide takes a result that may still follow those before it: see precludes.
func (c Detect) Decide(s State) ([]event.Payload, error) {
	if !c.Result.Known() {
		return nil, fault.Field("result", "is not a result of the detection: %s", quoted(string(c.Result)))
	}
	if !s.detecting() || s.precludes(c.Result) {
		return nil, nil
	}
	return []event.Payload{AmdDetected{Detection: c.Detection, Provider: s.Provider, At: event.Stamp(c.At)}}, nil
}

// precludes holds the exclusivity rules of the detection over what was recorded,
// whoever does the detecting.
func (s State) precludes(r Result) bool {
	done, machine := false, false
	for _, d := range s.Detections {
		if d.Result == r || d.Result == AmdStopped || slices.Contains(verdicts, r) && slices.Contains(verdicts, d.Result) {
			return true
		}
		done = done || d.Result == AmdError || slices.Contains(verdicts, d.Result) && d.Result != AmdMachineDetected
		machine = machine || d.Result == AmdMachineDetected
	}
	if r == AmdMachineStoppedSpeaking && !machine {
		return true
	}
	return done && r != AmdStopped
}

// Apply adds the result.
func (e AmdDetected) Apply(s *State) {
	s.Detections = append(s.Detections, e)
	s.sign(e.At)
}
