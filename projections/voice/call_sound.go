package voice

import (
	"math"

	"github.com/parley-platform/parley/domain/calls"
)

// figures are how a call sounded, as interactions.quality keeps them. What was not measured is absent.
type figures struct {
	MOS        *float64 `json:"mos,omitempty"` // of what we heard
	JitterMs   *float64 `json:"jitterMs,omitempty"`
	LatencyMs  *int64   `json:"latencyMs,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	Silence    float64  `json:"silencePercent"`
	Turns      int      `json:"turns"`
	BargeIns   int      `json:"bargeIns"`
	DigitTurns int      `json:"digitTurns"`
}

func figuresOf(e calls.QualityMeasured) figures {
	f := figures{LatencyMs: e.LatencyMs, Silence: e.SilencePercent, Turns: e.Turns, BargeIns: e.BargeIns, DigitTurns: e.DigitTurns}
	if e.Received > 0 {
		mos, jitter := math.Round(100*calls.MOS(e.RFactor))/100, e.JitterMs
		f.MOS, f.JitterMs = &mos, &jitter
	}
	if e.Confidence > 0 {
		f.Confidence = &e.Confidence
	}
	return f
}
