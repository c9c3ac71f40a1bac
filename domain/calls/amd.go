package calls

import (
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
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

// IsVerdict: it says who, if anybody, answered.
func (r Result) IsVerdict() bool { return slices.Contains(verdicts, r) }

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

// mailboxHints are phrases, in lower case, that only a mailbox says, by language.
var mailboxHints = map[string][]string{
	"en": {"leave a message", "leave your message", "leave me a message", "after the beep", "after the tone", "at the tone",
		"record your message", "voicemail", "voice mail", "answering machine", "mailbox is full"},
	"de": {"nach dem signalton", "nach dem piepton", "nachricht hinterlassen", "hinterlassen sie eine nachricht", "mailbox",
		"anrufbeantworter"},
	"es": {"deje su mensaje", "deje un mensaje", "después de la señal", "después del tono", "buzón de voz", "contestador"},
	"fr": {"laissez un message", "laisser un message", "après le bip", "après le signal", "messagerie vocale", "répondeur"},
	"it": {"lasciate un messaggio", "lascia un messaggio", "dopo il segnale", "dopo il bip", "segreteria telefonica"},
	"nl": {"na de piep", "na de toon", "spreek een bericht in", "laat een bericht achter", "voicemail"},
	"pt": {"deixe a sua mensagem", "deixe sua mensagem", "após o sinal", "depois do sinal", "caixa postal", "correio de voz"},
}

// MailboxHints are the phrases that give a mailbox away in a language, by the first
// subtag of its tag; those of English when the tag says nothing that is known.
func MailboxHints(language string) []string {
	primary, _, _ := strings.Cut(strings.ReplaceAll(strings.ToLower(language), "_", "-"), "-")
	if hints, ok := mailboxHints[primary]; ok {
		return hints
	}
	return mailboxHints["en"]
}

// MailboxHint is the first phrase of a text that gives a mailbox away; empty: none does.
func MailboxHint(text, language string) string { return hintIn(text, MailboxHints(language)) }

func hintIn(text string, hints []string) string {
	heard := strings.ToLower(text)
	i := slices.IndexFunc(hints, func(h string) bool { return strings.Contains(heard, strings.ToLower(h)) })
	if i < 0 {
		return ""
	}
	return hints[i]
}

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
		if d.Result == r || d.Result == AmdStopped || r.IsVerdict() && d.Result.IsVerdict() {
			return true
		}
		done = done || d.Result == AmdError || d.Result.IsVerdict() && d.Result != AmdMachineDetected
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
