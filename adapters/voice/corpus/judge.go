package corpus

import (
	"fmt"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// HeldBack is what the jitter buffer delays a call on which nothing comes late.
const HeldBack = 2 * voice.FrameTime

// Judged is what the detection made of a call. Times count from the answer, as it was heard: what the
// jitter buffer holds back is taken off.
type Judged struct {
	Call      Call
	Verdict   calls.Result
	VerdictAt time.Duration
	Tones     []Tone
	HungUpAt  time.Duration // by machineDetection disconnect; 0: it is not hung up
	Story     []string
	Keys      string // that were heard
	Frames    int    // that were heard until the detection was over
}

// Tone is a tone that was told.
type Tone struct {
	At time.Duration
	Hz int
}

// Right: a person was taken for one, or a machine for one.
func (j Judged) Right() bool {
	if j.Call.Machine {
		return j.Verdict == calls.AmdMachineDetected
	}
	return j.Verdict == calls.AmdHumanDetected
}

// BeepDelay is how long after its onset the beep was told; false: it was not.
func (j Judged) BeepDelay() (time.Duration, bool) {
	for _, t := range j.Tones {
		if d := t.At - j.Call.Beep; j.Call.Beep > 0 && d > 0 && d < time.Second && t.Hz > j.Call.Hz-20 && t.Hz < j.Call.Hz+20 {
			return d, true
		}
	}
	return 0, false
}

// Judge hears the call with a plan, as a leg does: packets in, facts to the detector.
func (c Call) Judge(plan calls.DetectionPlan) Judged {
	j := Judged{Call: c}
	answer := time.Unix(0, 0)
	law, now := c.law(), answer
	line := voice.NewLine(voice.Options{KeysInBand: true, Now: func() time.Time { return now }})
	line.Answered(answer)
	d := calls.NewDetector(plan)
	payload := make([]byte, voice.FrameSamples)
	for n := 0; (n+1)*voice.FrameSamples <= len(c.sound) && !d.Stopped(); n++ {
		now = now.Add(voice.FrameTime)
		j.Frames++
		if c.lost == nil || !c.lost[n] {
			law.Encode(payload, c.sound[n*voice.FrameSamples:(n+1)*voice.FrameSamples])
			line.Receive(voice.Packet{Seq: uint16(n), Timestamp: uint32(n * voice.FrameSamples), Payload: payload, Law: law})
		}
		line.Tick(now)
		for told := true; told; {
			select {
			case f := <-line.Facts():
				j.Keys += f.Digit
				j.hear(d.Hear(f, now.Sub(answer)), d)
			default:
				told = false
			}
		}
		j.hear(d.Advance(now.Sub(answer)), d)
	}
	line.Close()
	j.hear(d.Advance(time.Minute), d)
	return j
}

func (j *Judged) hear(results []calls.TimedDetection, d *calls.Detector) {
	for _, r := range results {
		at := r.Elapsed - HeldBack
		j.Story = append(j.Story, fmt.Sprintf("%d %s", at.Milliseconds(), strings.TrimPrefix(string(r.Result), "amd_")))
		switch r.Result {
		case calls.AmdHumanDetected, calls.AmdMachineDetected, calls.AmdNoSpeechDetected, calls.AmdDecisionTimeout:
			j.Verdict, j.VerdictAt = r.Result, at
		case calls.AmdToneDetected:
			j.Tones = append(j.Tones, Tone{at, r.Frequency})
		}
		if d.MachineAnswered() && j.HungUpAt == 0 {
			j.HungUpAt = at
		}
	}
}
