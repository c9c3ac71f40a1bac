package calls

import (
	"slices"
	"time"
)

// Result is one AMD result (docs/api-rules.md "Answering machine detection").
type Result string

// The results, by the names that notifications have.
const (
	AmdHumanDetected          Result = "amd_human_detected"
	AmdMachineDetected        Result = "amd_machine_detected"
	AmdNoSpeechDetected       Result = "amd_no_speech_detected"
	AmdDecisionTimeout        Result = "amd_decision_timeout"
	AmdMachineStoppedSpeaking Result = "amd_machine_stopped_speaking"
	AmdToneDetected           Result = "amd_tone_detected"
	AmdError                  Result = "amd_error"
	AmdStopped                Result = "amd_stopped"
)

// verdicts exclude each other: who, if anybody, answered.
var verdicts = []Result{AmdHumanDetected, AmdMachineDetected, AmdNoSpeechDetected, AmdDecisionTimeout}

// Results lists all results, in the order in which the API lists them.
func Results() []Result {
	return []Result{AmdHumanDetected, AmdMachineDetected, AmdNoSpeechDetected, AmdDecisionTimeout,
		AmdMachineStoppedSpeaking, AmdToneDetected, AmdError, AmdStopped}
}

// Known reports whether there is such a result.
func (r Result) Known() bool { return slices.Contains(Results(), r) }

// Why a human or a machine was detected.
const (
	ReasonHint          = "hint"
	ReasonDigitCount    = "digit count"
	ReasonShortGreeting = "short greeting"
	ReasonLongGreeting  = "long greeting"
)

// Detection is one result and what led to it.
type Detection struct {
	Result    Result `json:"result"`
	Reason    string `json:"reason,omitempty"`                     // of human and machine: one of the Reason constants
	Greeting  string `json:"greeting,omitempty" personal:"callee"` // what was heard
	Hint      string `json:"hint,omitempty"`                       // the phrase that gave the machine away
	Language  string `json:"language,omitempty"`                   // of the greeting
	Frequency int    `json:"frequency,omitempty"`                  // of a tone, Hz
	Variance  int    `json:"variance,omitempty"`                   // of a tone
	Error     string `json:"error,omitempty"`                      // of amd_error
}

// TimedDetection is a result and when it was due, as time since answer. A timer's
// result has the timer's time, however late the detector was asked.
type TimedDetection struct {
	Detection
	Elapsed time.Duration
}

// DetectionPlan is what a detection runs by. All times count from answer, except the
// last two pauses, which count from the latest words of a machine.
type DetectionPlan struct {
	NoSpeech           time.Duration
	Decision           time.Duration
	Tone               time.Duration
	Cap                time.Duration // the whole detection is over then
	GreetingCompletion time.Duration
	AfterBeep          time.Duration // in place of GreetingCompletion, for words after a beep
	ThresholdWordCount int
	DigitCount         int                            // so many digits in a row are a machine; 0: off
	Hints              func(language string) []string // phrases that only machines say; nil: none
}

const (
	detectionCap   = time.Minute
	pauseAfterBeep = time.Second
)

// Plan is the detection that a request asks for; nil when it asks for none.
func (r Requested) Plan() *DetectionPlan {
	if r.MachineDetection == DetectionDisabled || r.MachineDetection == "" {
		return nil
	}
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	return &DetectionPlan{
		NoSpeech: ms(r.Timers.NoSpeechTimeoutMs), Decision: ms(r.Timers.DecisionTimeoutMs), Tone: ms(r.Timers.ToneTimeoutMs),
		Cap: detectionCap, GreetingCompletion: ms(r.Timers.GreetingCompletionTimeoutMs), AfterBeep: pauseAfterBeep,
		ThresholdWordCount: r.ThresholdWordCount, Hints: MailboxHints,
	}
}

// Faster is the plan with every time divided by n, for a simulation.
func (p DetectionPlan) Faster(n int) DetectionPlan {
	for _, d := range []*time.Duration{&p.NoSpeech, &p.Decision, &p.Tone, &p.Cap, &p.GreetingCompletion, &p.AfterBeep} {
		*d /= time.Duration(max(n, 1))
	}
	return p
}
