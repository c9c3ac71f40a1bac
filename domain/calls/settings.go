package calls

import "time"

// What a request may leave out (docs/api-rules.md "Dial-out").
const (
	DefaultTimeoutInMs        = 60_000
	DefaultThresholdWordCount = 9
)

// Bounds of what it may ask for.
const (
	MinTimeoutInMs        = 1_000
	MaxTimeoutInMs        = 300_000
	MaxTimerMs            = 60_000 // a detection is over after a minute, so a longer timer would never expire
	MaxThresholdWordCount = 100
	maxSpeechSettingMs    = 600_000
)

// DetectionMode is the machineDetection of a request.
type DetectionMode string

// The modes, by the names of the API.
const (
	DetectionDisabled   DetectionMode = "disabled"
	DetectionDetect     DetectionMode = "detect"     // the call is kept whatever answers
	DetectionDisconnect DetectionMode = "disconnect" // the call is hung up when a machine answers
)

// Timers are the four timers of the detection, in milliseconds.
type Timers struct {
	NoSpeechTimeoutMs           int `json:"noSpeechTimeoutMs"`
	DecisionTimeoutMs           int `json:"decisionTimeoutMs"`
	ToneTimeoutMs               int `json:"toneTimeoutMs"`
	GreetingCompletionTimeoutMs int `json:"greetingCompletionTimeoutMs"`
}

// DefaultTimers are the timers of a call whose request names none.
func DefaultTimers() Timers {
	return Timers{NoSpeechTimeoutMs: 5_000, DecisionTimeoutMs: 15_000, ToneTimeoutMs: 20_000, GreetingCompletionTimeoutMs: 2_000}
}

// TimersGiven are the timers of a request; nil is an absent member.
type TimersGiven struct {
	NoSpeechTimeoutMs           *int `json:"noSpeechTimeoutMs,omitempty" doc:"Wait for speech before amd_no_speech_detected: 1 to 60,000 ms, 5,000 when absent."`
	DecisionTimeoutMs           *int `json:"decisionTimeoutMs,omitempty" doc:"Wait before amd_decision_timeout: 1 to 60,000 ms, 15,000 when absent."`
	ToneTimeoutMs               *int `json:"toneTimeoutMs,omitempty" doc:"Wait for a beep: 1 to 60,000 ms, 20,000 when absent."`
	GreetingCompletionTimeoutMs *int `json:"greetingCompletionTimeoutMs,omitempty" doc:"Silence during a greeting before amd_machine_stopped_speaking: 1 to 60,000 ms, 2,000 when absent."`
}

func (g TimersGiven) withDefaults() Timers {
	t := DefaultTimers()
	for _, m := range []struct{ given, to *int }{
		{g.NoSpeechTimeoutMs, &t.NoSpeechTimeoutMs},
		{g.DecisionTimeoutMs, &t.DecisionTimeoutMs},
		{g.ToneTimeoutMs, &t.ToneTimeoutMs},
		{g.GreetingCompletionTimeoutMs, &t.GreetingCompletionTimeoutMs},
	} {
		if m.given != nil {
			*m.to = *m.given
		}
	}
	return t
}

// CallControlParameter replaces the application's speech recognition settings for one
// call. Nil members are absent.
type CallControlParameter struct {
	STTProvider              string `json:"sttProvider" doc:"Required. At most 128 characters."`
	STTLanguage              string `json:"sttLanguage" doc:"Required. A language tag, such as en-US."`
	Interim                  *bool  `json:"interim,omitempty" doc:"Return interim transcripts."`
	STTLabel                 string `json:"sttLabel,omitempty" doc:"At most 128 characters."`
	ContinuousASRTimeoutInMS *int   `json:"continuousASRTimeoutInMS,omitempty" doc:"Silence before recognition stops: 0 to 600,000 ms."`
	DeepgramUtteranceEndMs   *int   `json:"deepgramUtteranceEndMs,omitempty" doc:"Silence that ends an utterance: 0 to 600,000 ms."`
	DeepgramEndpointing      *int   `json:"deepgramEndpointing,omitempty" doc:"Silence for endpointing: 0 to 600,000 ms."`
}

func (p *CallControlParameter) clone() *CallControlParameter {
	if p == nil {
		return nil
	}
	c := *p
	c.Interim = clonePointer(p.Interim)
	c.ContinuousASRTimeoutInMS = clonePointer(p.ContinuousASRTimeoutInMS)
	c.DeepgramUtteranceEndMs = clonePointer(p.DeepgramUtteranceEndMs)
	c.DeepgramEndpointing = clonePointer(p.DeepgramEndpointing)
	return &c
}

func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

// Recognition is how the speech of a call is heard.
type Recognition struct {
	Provider string        // who recognises it, by its name; empty: the server's own
	Label    string        // of what is recognised, at that provider
	Language string        // language tag
	Interim  bool          // whoever begins to speak cuts us off; else only who has finished is heard
	Patience time.Duration // after a silence, in which what was said may go on

	UtteranceEndMs *int // silence that ends an utterance, by the provider's clock; nil: its own
	EndpointingMs  *int // silence that ends a part of one, the same; 0: none does
}

// Recognition of the call, as its request or its flow say.
func (s State) Recognition() Recognition {
	p := s.Request.CallControlParameter
	if p == nil {
		return Recognition{Language: s.Request.Flow.Language, Interim: true}
	}
	r := Recognition{Provider: p.STTProvider, Label: p.STTLabel, Language: p.STTLanguage, Interim: p.Interim == nil || *p.Interim,
		UtteranceEndMs: clonePointer(p.DeepgramUtteranceEndMs), EndpointingMs: clonePointer(p.DeepgramEndpointing)}
	if p.ContinuousASRTimeoutInMS != nil {
		r.Patience = time.Duration(*p.ContinuousASRTimeoutInMS) * time.Millisecond
	}
	return r
}
