package calls

import (
	"strings"
	"time"
	"unicode"
)

// Detector decides who answered. It is fed with facts and with the passing of time,
// and gives results in order; it is pure, and not safe for concurrent use.
//
// It listens until a verdict. A human, no speech, no decision in time end it. After
// a machine it waits for the end of the greeting, and after that for the beep, while
// the tone timer runs; the tone timer ends only the listening for tones. An error,
// a hang-up or the cap ends it from everywhere. AmdStopped is always its last result.
type Detector struct {
	plan   DetectionPlan
	phase  detectorPhase
	timers [timerCount]timer

	utterance string // words since the last silence
	estimated int    // words since then that were heard and not recognised
	language  string
	beeped    bool
	speaking  bool // somebody speaks, or did a moment ago
	machine   bool
}

type detectorPhase int

const (
	listening detectorPhase = iota // no verdict
	greeting                       // a machine speaks
	lingering                      // it has stopped; a beep may follow
	stopped
)

type timer struct {
	set bool
	at  time.Duration
}

// The timers, in the order in which they expire when they are due together.
const (
	noSpeechTimer = iota
	decisionTimer
	greetingTimer
	toneTimer
	capTimer
	timerCount
)

// NewDetector starts a detection at the moment of answer.
func NewDetector(plan DetectionPlan) *Detector {
	if plan.ThresholdWordCount <= 0 {
		plan.ThresholdWordCount = DefaultThresholdWordCount
	}
	d := &Detector{plan: plan}
	d.start(noSpeechTimer, plan.NoSpeech)
	d.start(decisionTimer, plan.Decision)
	d.start(toneTimer, plan.Tone)
	d.start(capTimer, plan.Cap)
	return d
}

// Stopped reports whether the detection is over.
func (d *Detector) Stopped() bool { return d.phase == stopped }

// MachineAnswered reports whether a call that is for nobody but people is to be hung up: by the
// verdict, or by a tone without one. A tone in the middle of speech is not enough: vowels have been
// taken for beeps, and to hang up on a person is the costlier error.
func (d *Detector) MachineAnswered() bool { return d.machine }

// Deadline is when Advance is next due, as time since answer; false when never.
func (d *Detector) Deadline() (time.Duration, bool) {
	next := d.next()
	if next < 0 {
		return 0, false
	}
	return d.timers[next].at, true
}

// Advance lets time pass up to elapsed since answer.
func (d *Detector) Advance(elapsed time.Duration) []TimedDetection {
	return d.expire(func(at time.Duration) bool { return at <= elapsed })
}

// Hear takes a fact that happened elapsed after answer. A fact at the very moment
// of a timer comes before it: words in the last instant are words.
func (d *Detector) Hear(f Fact, elapsed time.Duration) []TimedDetection {
	out := d.expire(func(at time.Duration) bool { return at < elapsed })
	if d.phase == stopped {
		return out
	}
	switch f.Kind {
	case FactWords:
		out = append(out, d.words(f, elapsed)...)
	case FactSilence:
		out = append(out, d.silence(elapsed)...)
	case FactSpeechBegan, FactSpeechEnded:
		d.speaking = f.Kind == FactSpeechBegan
	case FactTone:
		out = append(out, d.tone(f, elapsed)...)
	case FactDetectorError:
		out = append(out, TimedDetection{Detection{Result: AmdError, Error: f.Error}, elapsed}, d.stop(elapsed))
	case FactHungUp, FactLost:
		out = append(out, d.stop(elapsed))
	}
	return out
}

// Stop ends the detection because we hang up.
func (d *Detector) Stop(elapsed time.Duration) []TimedDetection {
	return d.Hear(Fact{Kind: FactHungUp}, elapsed)
}

// words are an interim transcript: the utterance as far as it goes. Those without a text count
// while their utterance has none.
func (d *Detector) words(f Fact, elapsed time.Duration) []TimedDetection {
	text := strings.Join(strings.Fields(f.Text), " ")
	if text == "" {
		d.estimated = min(max(d.estimated+f.Count, 0), mostEstimated)
		if f.Count <= 0 {
			return nil
		}
		return d.transcript(false, elapsed)
	}
	d.utterance = strings.TrimSpace(d.utterance + " " + text)
	if f.Language != "" {
		d.language = f.Language
	}
	return d.transcript(false, elapsed)
}

// silence makes the utterance a final transcript; without words it is nothing.
func (d *Detector) silence(elapsed time.Duration) []TimedDetection {
	if d.spoken() == 0 {
		return nil
	}
	out := d.transcript(true, elapsed)
	d.utterance, d.estimated = "", 0
	return out
}

// mostEstimated bounds what is counted: no request asks for so many words.
const mostEstimated = 1_000_000

// spoken is how many words the utterance has. Those that were recognised win over those that were
// counted.
func (d *Detector) spoken() int {
	if n := len(strings.Fields(d.utterance)); n > 0 {
		return n
	}
	return d.estimated
}

func (d *Detector) transcript(final bool, elapsed time.Duration) []TimedDetection {
	switch d.phase {
	case greeting:
		d.awaitGreetingEnd(elapsed)
		return nil
	case lingering:
		return nil
	}
	d.cancel(noSpeechTimer)
	verdict := d.judge(final)
	switch verdict.Result {
	case AmdHumanDetected:
		return []TimedDetection{{verdict, elapsed}, d.stop(elapsed)}
	case AmdMachineDetected:
		d.cancel(decisionTimer)
		d.phase, d.machine = greeting, true
		d.awaitGreetingEnd(elapsed)
		return []TimedDetection{{verdict, elapsed}}
	}
	return nil
}

// judge looks at a transcript; the order of its rules is part of the contract.
func (d *Detector) judge(final bool) Detection {
	if hint := d.hint(); hint != "" {
		return Detection{Result: AmdMachineDetected, Reason: ReasonHint, Hint: hint, Language: d.language}
	}
	v := Detection{Greeting: d.utterance, Language: d.language}
	words := d.spoken()
	switch {
	case d.plan.DigitCount > 0 && longestDigitRun(d.utterance) >= d.plan.DigitCount:
		v.Result, v.Reason = AmdMachineDetected, ReasonDigitCount
	case final && words < d.plan.ThresholdWordCount:
		v.Result, v.Reason = AmdHumanDetected, ReasonShortGreeting
	case words >= d.plan.ThresholdWordCount:
		v.Result, v.Reason = AmdMachineDetected, ReasonLongGreeting
	}
	return v
}

func (d *Detector) hint() string {
	if d.plan.Hints == nil {
		return ""
	}
	return hintIn(d.utterance, d.plan.Hints(d.language))
}

func longestDigitRun(text string) int {
	longest, run := 0, 0
	for _, r := range text {
		if !unicode.IsDigit(r) {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// tone takes the first beep while the tone timer runs.
func (d *Detector) tone(f Fact, elapsed time.Duration) []TimedDetection {
	if !d.timers[toneTimer].set {
		return nil
	}
	d.beeped, d.machine = true, d.machine || !d.speaking
	d.cancel(toneTimer)
	out := []TimedDetection{{Detection{Result: AmdToneDetected, Frequency: f.Frequency, Variance: f.Variance}, elapsed}}
	if d.phase == lingering {
		out = append(out, d.stop(elapsed))
	}
	return out
}

// expire fires, in order, the timers that are due.
func (d *Detector) expire(due func(time.Duration) bool) (out []TimedDetection) {
	for {
		i := d.next()
		if i < 0 || !due(d.timers[i].at) {
			return out
		}
		at := d.timers[i].at
		d.cancel(i)
		out = append(out, d.expired(i, at)...)
	}
}

func (d *Detector) expired(i int, at time.Duration) []TimedDetection {
	switch i {
	case noSpeechTimer:
		return []TimedDetection{{Detection{Result: AmdNoSpeechDetected}, at}, d.stop(at)}
	case decisionTimer:
		return []TimedDetection{{Detection{Result: AmdDecisionTimeout}, at}, d.stop(at)}
	case greetingTimer:
		out := []TimedDetection{{Detection{Result: AmdMachineStoppedSpeaking}, at}}
		if d.phase = lingering; !d.timers[toneTimer].set {
			out = append(out, d.stop(at))
		}
		return out
	case capTimer:
		return []TimedDetection{d.stop(at)}
	}
	if d.phase == lingering { // nothing is left to wait for but the tone
		return []TimedDetection{d.stop(at)}
	}
	return nil
}

func (d *Detector) awaitGreetingEnd(elapsed time.Duration) {
	pause := d.plan.GreetingCompletion
	if d.beeped {
		pause = d.plan.AfterBeep
	}
	d.start(greetingTimer, elapsed+pause)
}

func (d *Detector) stop(elapsed time.Duration) TimedDetection {
	d.phase, d.timers = stopped, [timerCount]timer{}
	return TimedDetection{Detection{Result: AmdStopped}, elapsed}
}

func (d *Detector) start(i int, at time.Duration) { d.timers[i] = timer{set: true, at: at} }
func (d *Detector) cancel(i int)                  { d.timers[i] = timer{} }

func (d *Detector) next() int {
	next := -1
	for i, t := range d.timers {
		if t.set && (next < 0 || t.at < d.timers[next].at) {
			next = i
		}
	}
	return next
}
