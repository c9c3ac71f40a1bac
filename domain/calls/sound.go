package calls

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Taped is a recording in blob storage.
type Taped struct {
	Blob      string // its name there
	SHA256    string // hexadecimal
	SizeBytes int64
	Ms        int64
	CutOff    bool // the node that wrote it was gone, or could not go on: the rest is missing
}

// KeepRecording keeps what both sides of a call said.
type KeepRecording struct {
	Taped
	At time.Time
}

// Recorded is the recording of a call: a WAV file of two channels, the callee's first.
type Recorded struct {
	Blob      string    `json:"blob"`
	SHA256    string    `json:"sha256"`
	SizeBytes int64     `json:"sizeBytes"`
	Ms        int64     `json:"ms"`
	Channels  int       `json:"channels"`
	CutOff    bool      `json:"cutOff,omitempty"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Recorded](Calls, "recorded", 1)

// RecordingChannels are the callee's and ours.
const RecordingChannels = 2

// RecordingFolder is below which name recordings are put into blob storage.
func RecordingFolder(tenantID, callID string) string { return "recordings/" + tenantID + "/" + callID }

// Decide keeps one recording of a call, whose callee was not erased meanwhile. Of a call that another node
// went on with, it is the part of the first one: others record nothing.
func (c KeepRecording) Decide(s State) ([]event.Payload, error) {
	switch {
	case s.AnsweredAt.IsZero() || !s.Request.Flow.Recorded:
		return nil, fault.New(fault.Conflict, "nobody asked for a recording of the call")
	case s.Forgotten:
		return nil, fault.New(fault.Gone, "the callee was erased")
	case s.Recording.Blob != "":
		return nil, nil
	}
	return []event.Payload{Recorded{Blob: c.Blob, SHA256: c.SHA256, SizeBytes: c.SizeBytes, Ms: c.Ms, Channels: RecordingChannels,
		CutOff: c.CutOff || s.TakenOver, At: event.Stamp(c.At)}}, nil
}

// Apply keeps it.
func (e Recorded) Apply(s *State) { s.Recording = e }

// GiveUpRecording says that a call is not recorded, or not any more.
type GiveUpRecording struct {
	Reason string // for operators: the disk is full
	At     time.Time
}

// RecordingFailed is a recording that was asked for, and is not there. The call went on.
type RecordingFailed struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

var _ = event.Register[RecordingFailed](Calls, "recording-failed", 1)

// Decide says so while there is none.
func (c GiveUpRecording) Decide(s State) ([]event.Payload, error) {
	if s.AnsweredAt.IsZero() || s.Recording.Blob != "" {
		return nil, nil
	}
	return []event.Payload{RecordingFailed{Reason: c.Reason, At: event.Stamp(c.At)}}, nil
}

// Apply changes nothing.
func (RecordingFailed) Apply(*State) {}

// Measure tells how a call sounded, when it is over.
type Measure struct {
	Sounded
	At time.Time
}

// Sounded is how a call sounded and went, in figures.
type Sounded struct {
	Quality
	Turns          int     `json:"turns"`                // what the callee said or pressed, and the agent answered
	BargeIns       int     `json:"bargeIns"`             // how often the callee spoke while we did, and we stopped
	DigitTurns     int     `json:"digitTurns"`           // turns of keys
	Unread         int     `json:"unread,omitempty"`     // turns of speech that nobody recognised
	LatencyMs      *int64  `json:"latencyMs,omitempty"`  // from the end of what was said to the first sound of the answer, on average
	Confidence     float64 `json:"confidence,omitempty"` // of who recognised speech, 0 to 1, on average
	SilencePercent float64 `json:"silencePercent"`       // of the time in which nobody spoke
	Levels         *Levels `json:"levels,omitempty"`     // absent: nothing was heard
}

// QualityMeasured is how a call sounded and went.
type QualityMeasured struct {
	Sounded
	At time.Time `json:"at"`
}

var _ = event.Register[QualityMeasured](Calls, "quality-measured", 1)

// Decide tells it once, of a call that was answered and is over.
func (c Measure) Decide(s State) ([]event.Payload, error) {
	if s.Phase != PhaseCompleted || s.Measured {
		return nil, nil
	}
	return []event.Payload{QualityMeasured{Sounded: c.Sounded, At: event.Stamp(c.At)}}, nil
}

// Apply notes it.
func (QualityMeasured) Apply(s *State) { s.Measured = true }

// MOS is the mean opinion, 1 to 4.5, that the E-model gives for an R factor (ITU-T G.107, annex B).
func MOS(r float64) float64 {
	switch {
	case r <= 0:
		return 1
	case r >= 100:
		return 4.5
	}
	return 1 + 0.035*r + r*(r-60)*(100-r)*7e-6
}
