package calls_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/calls"
)

// plan is the detection of a request with defaults.
func plan(t *testing.T, change ...func(*calls.DialOut)) calls.DetectionPlan {
	t.Helper()
	return *requested(t, append([]func(*calls.DialOut){detecting(calls.DetectionDetect)}, change...)...).Plan()
}

// at is a fact and when it happens, in milliseconds since answer.
type at struct {
	ms   int
	fact calls.Fact
}

func words(n int) calls.Fact {
	return calls.Fact{Kind: calls.FactWords, Text: strings.TrimSpace(strings.Repeat("bla ", n)), Language: "en-US"}
}

// counted are words that were heard and not recognised.
func counted(n int) calls.Fact { return calls.Fact{Kind: calls.FactWords, Count: n} }

func text(s string) calls.Fact {
	return calls.Fact{Kind: calls.FactWords, Text: s, Language: "en-US"}
}

var (
	silence = calls.Fact{Kind: calls.FactSilence}
	began   = calls.Fact{Kind: calls.FactSpeechBegan}
	ended   = calls.Fact{Kind: calls.FactSpeechEnded}
	beep    = calls.Fact{Kind: calls.FactTone, Frequency: 1000, Variance: 3}
	hungUp  = calls.Fact{Kind: calls.FactHungUp}
	broken  = calls.Fact{Kind: calls.FactDetectorError, Error: "no sound"}
)

// talk is one word every second from the first moment to the last, both included.
func talk(from, to int) (out []at) {
	for ms := from; ms <= to; ms += 1_000 {
		out = append(out, at{ms, words(1)})
	}
	return out
}

// play feeds the facts as a punctual leg would, waking at every deadline, and then
// lets ten minutes pass. The lines are "<ms> <result> <reason>".
func play(p calls.DetectionPlan, facts []at) (out []string) {
	d := calls.NewDetector(p)
	note := func(results []calls.TimedDetection) {
		for _, r := range results {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s", r.Elapsed.Milliseconds(), strings.TrimPrefix(string(r.Result), "amd_"),
				r.Reason)))
		}
	}
	wake := func(before time.Duration) {
		for {
			due, ok := d.Deadline()
			if !ok || due >= before {
				return
			}
			note(d.Advance(due))
		}
	}
	for _, f := range facts {
		elapsed := time.Duration(f.ms) * time.Millisecond
		wake(elapsed)
		note(d.Hear(f.fact, elapsed))
	}
	wake(10 * time.Minute)
	return out
}

func TestTheDetectionByScenario(t *testing.T) {
	for name, tc := range map[string]struct {
		facts []at
		want  []string
	}{
		"human, short greeting": {
			[]at{{450, words(1)}, {850, words(1)}, {1_550, silence}},
			[]string{"1550 human_detected short greeting", "1550 stopped"}},
		"machine, greeting, no beep": {
			[]at{{1_000, words(5)}, {3_000, words(4)}, {4_000, silence}},
			[]string{"3000 machine_detected long greeting", "6000 machine_stopped_speaking", "20000 stopped"}},
		"machine, beep within G of the last words": {
			[]at{{1_000, words(9)}, {2_000, silence}, {3_000, beep}},
			[]string{"1000 machine_detected long greeting", "3000 tone_detected", "4000 machine_stopped_speaking", "4000 stopped"}},
		"words after the beep wait one second": {
			[]at{{1_000, words(9)}, {2_000, beep}, {2_500, words(1)}},
			[]string{"1000 machine_detected long greeting", "2000 tone_detected", "3500 machine_stopped_speaking", "3500 stopped"}},
		"machine, beep later than G": {
			[]at{{1_000, words(9)}, {2_000, silence}, {7_000, beep}},
			[]string{"1000 machine_detected long greeting", "4000 machine_stopped_speaking", "7000 tone_detected", "7000 stopped"}},
		"machine, beep after the tone timer": {
			[]at{{1_000, words(9)}, {2_000, silence}, {20_500, beep}},
			[]string{"1000 machine_detected long greeting", "4000 machine_stopped_speaking", "20000 stopped"}},
		"beep before any verdict, then human": {
			[]at{{500, beep}, {1_000, words(2)}, {2_000, silence}},
			[]string{"500 tone_detected", "2000 human_detected short greeting", "2000 stopped"}},
		"beep before any verdict, then machine": {
			[]at{{500, beep}, {1_000, words(9)}},
			[]string{"500 tone_detected", "1000 machine_detected long greeting", "2000 machine_stopped_speaking", "2000 stopped"}},
		"silence throughout": {
			nil,
			[]string{"5000 no_speech_detected", "5000 stopped"}},
		"silence then a beep before the no speech timer": {
			[]at{{3_000, beep}},
			[]string{"3000 tone_detected", "5000 no_speech_detected", "5000 stopped"}},
		"ambiguous talk, no final, under the threshold": {
			[]at{{1_000, words(3)}, {9_000, words(3)}},
			[]string{"15000 decision_timeout", "15000 stopped"}},
		"a greeting longer than the tone timer": {
			talk(1_000, 25_000),
			[]string{"9000 machine_detected long greeting", "27000 machine_stopped_speaking", "27000 stopped"}},
		"a greeting without end": {
			talk(1_000, 90_000),
			[]string{"9000 machine_detected long greeting", "60000 stopped"}},
		"hang-up in mid-greeting": {
			append(talk(1_000, 11_000), at{11_500, hungUp}),
			[]string{"9000 machine_detected long greeting", "11500 stopped"}},
		"hang-up before anything": {
			[]at{{700, hungUp}},
			[]string{"700 stopped"}},
		"hang-up after the end is nothing": {
			[]at{{6_000, hungUp}},
			[]string{"5000 no_speech_detected", "5000 stopped"}},
		"a long greeting that is final at once": {
			[]at{{1_000, words(8)}, {1_500, words(1)}, {1_600, silence}},
			[]string{"1500 machine_detected long greeting", "3600 machine_stopped_speaking", "20000 stopped"}},
		"the detector fails": {
			[]at{{300, broken}, {450, words(2)}, {1_000, silence}},
			[]string{"300 error", "300 stopped"}},
		"the detector fails in the greeting": {
			[]at{{1_000, words(9)}, {1_300, broken}},
			[]string{"1000 machine_detected long greeting", "1300 error", "1300 stopped"}},
		"the second beep is nothing": {
			[]at{{500, beep}, {600, beep}},
			[]string{"500 tone_detected", "5000 no_speech_detected", "5000 stopped"}},
		"empty transcripts are no words": {
			[]at{{1_000, text("   ")}, {2_000, silence}},
			[]string{"5000 no_speech_detected", "5000 stopped"}},
		"spaces are no words": {
			[]at{{1_000, text("  hello   there ")}, {2_000, silence}},
			[]string{"2000 human_detected short greeting", "2000 stopped"}},
		"a phrase of a mailbox": {
			[]at{{1_000, text("Leave a")}, {1_300, text("MESSAGE")}},
			[]string{"1300 machine_detected hint", "3300 machine_stopped_speaking", "20000 stopped"}},
		"words at the very end of the no speech timer": {
			[]at{{5_000, words(1)}, {6_000, silence}},
			[]string{"6000 human_detected short greeting", "6000 stopped"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, play(plan(t), tc.facts)) })
	}
}

func TestTheCallsOwnSettingsDecide(t *testing.T) {
	greeting := []at{{500, words(2)}, {1_500, silence}}
	for name, tc := range map[string]struct {
		change func(*calls.DialOut)
		want   []string
	}{
		"a lower threshold makes a machine of a human": {
			func(c *calls.DialOut) { c.ThresholdWordCount, c.Timers.ToneTimeoutMs = ptr(2), ptr(1) },
			[]string{"500 machine_detected long greeting", "3500 machine_stopped_speaking", "3500 stopped"}},
		"an early decision": {
			func(c *calls.DialOut) { c.Timers.DecisionTimeoutMs = ptr(700) },
			[]string{"700 decision_timeout", "700 stopped"}},
		"an early end of waiting": {
			func(c *calls.DialOut) { c.Timers.NoSpeechTimeoutMs = ptr(400) },
			[]string{"400 no_speech_detected", "400 stopped"}},
		"a shorter pause": {
			func(c *calls.DialOut) {
				c.ThresholdWordCount, c.Timers.GreetingCompletionTimeoutMs, c.Timers.ToneTimeoutMs = ptr(1), ptr(300), ptr(5_000)
			},
			[]string{"500 machine_detected long greeting", "800 machine_stopped_speaking", "5000 stopped"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, tc.want, play(plan(t, tc.change), greeting)) })
	}
}

func TestDigitsCanGiveAMachineAway(t *testing.T) {
	p := plan(t)
	p.DigitCount = 5
	require.Equal(t, []string{"500 machine_detected digit count", "2500 machine_stopped_speaking", "20000 stopped"},
		play(p, []at{{500, text("you called 55501")}}))
	require.Equal(t, []string{"900 human_detected short greeting", "900 stopped"}, play(p, []at{{500, text("5550 1")}, {900, silence}}))
}

// Given a dial-out, which has no word for digits, then a greeting is not judged by them: it is off, as it is where the machine comes from.
// Somebody who answers with an extension is a person.
func TestDigitsAreNotCountedUnasked(t *testing.T) {
	require.Zero(t, plan(t).DigitCount)
	require.Equal(t, []string{"900 human_detected short greeting", "900 stopped"},
		play(plan(t), []at{{500, text("Sales 4930123456")}, {900, silence}}))
}

func TestWhatAResultSays(t *testing.T) {
	d := calls.NewDetector(plan(t))
	d.Hear(text(" Hello "), time.Second)
	human := d.Hear(silence, 2*time.Second)[0].Detection
	require.Equal(t, calls.Detection{Result: calls.AmdHumanDetected, Reason: "short greeting", Greeting: "Hello", Language: "en-US"}, human)

	d = calls.NewDetector(plan(t))
	tone := d.Hear(beep, time.Second)[0].Detection
	require.Equal(t, calls.Detection{Result: calls.AmdToneDetected, Frequency: 1000, Variance: 3}, tone)
	machine := d.Hear(calls.Fact{Kind: calls.FactWords, Text: "Bitte nach dem Signalton", Language: "de_AT"}, 2*time.Second)[0].Detection
	require.Equal(t, calls.Detection{Result: calls.AmdMachineDetected, Reason: "hint", Hint: "nach dem signalton", Language: "de_AT"}, machine)
	failure := d.Hear(broken, 3*time.Second)[0].Detection
	require.Equal(t, calls.Detection{Result: calls.AmdError, Error: "no sound"}, failure)
	require.True(t, d.Stopped())
}

func TestALateLookGivesTheTimesOfThings(t *testing.T) {
	late := calls.NewDetector(plan(t)).Advance(time.Hour)
	require.Equal(t, 5*time.Second, late[0].Elapsed)
	require.Len(t, late, 2)
}

func TestASimulationDividesEveryTime(t *testing.T) {
	facts, tenth := append(talk(1_000, 25_000), at{26_000, beep}), []at{}
	for _, f := range facts {
		tenth = append(tenth, at{f.ms / 10, f.fact})
	}
	require.Equal(t, []string{"900 machine_detected long greeting", "2700 machine_stopped_speaking", "2700 stopped"},
		play(plan(t).Faster(10), tenth))
}

func TestNoDetectionNoPlan(t *testing.T) { require.Nil(t, requested(t).Plan()) }

// requireExclusive states which results exclude each other, and their order.
func requireExclusive(t require.TestingT, results []calls.Result) {
	count := map[calls.Result]int{}
	for _, r := range results {
		count[r]++
	}
	verdicts := count[calls.AmdHumanDetected] + count[calls.AmdMachineDetected] + count[calls.AmdNoSpeechDetected] +
		count[calls.AmdDecisionTimeout]
	require.LessOrEqual(t, verdicts, 1, results)
	for r, n := range count {
		require.Equal(t, 1, n, "%s in %v", r, results)
	}
	require.Equal(t, calls.AmdStopped, results[len(results)-1], results)
	if end := slices.Index(results, calls.AmdMachineStoppedSpeaking); end >= 0 {
		machine := slices.Index(results, calls.AmdMachineDetected)
		require.True(t, machine >= 0 && machine < end, results)
	}
	for _, last := range []calls.Result{calls.AmdHumanDetected, calls.AmdNoSpeechDetected, calls.AmdDecisionTimeout, calls.AmdError} {
		if i := slices.Index(results, last); i >= 0 {
			require.Equal(t, []calls.Result{calls.AmdStopped}, results[i+1:], results)
		}
	}
}

// Any facts, any timers: the results are exclusive, in the order of time, and over
// within the cap; and the detector never asks to be woken at a time that it does
// nothing about.
func TestAnyCalleeGivesExclusiveResults(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		timer := rapid.IntRange(1, calls.MaxTimerMs)
		p := plan(t, func(c *calls.DialOut) {
			c.ThresholdWordCount = ptr(rapid.IntRange(1, 20).Draw(rt, "threshold"))
			c.Timers = calls.TimersGiven{NoSpeechTimeoutMs: ptr(timer.Draw(rt, "N")), DecisionTimeoutMs: ptr(timer.Draw(rt, "D")),
				ToneTimeoutMs: ptr(timer.Draw(rt, "T")), GreetingCompletionTimeoutMs: ptr(timer.Draw(rt, "G"))}
		})
		d := calls.NewDetector(p)
		var all []calls.TimedDetection
		elapsed := time.Duration(0)
		for range rapid.IntRange(0, 40).Draw(rt, "facts") {
			elapsed += time.Duration(rapid.IntRange(0, 5_000).Draw(rt, "ms")) * time.Millisecond
			if rapid.Bool().Draw(rt, "wake") {
				all = append(all, d.Advance(elapsed)...)
			}
			fact := rapid.SampledFrom([]calls.Fact{words(1), words(4), text(" "), silence, beep, text("voicemail"), broken, hungUp,
				counted(1), counted(5), began, ended}).Draw(rt, "fact")
			all = append(all, d.Hear(fact, elapsed)...)
		}
		for {
			due, ok := d.Deadline()
			if !ok {
				break
			}
			before, _ := d.Deadline()
			all = append(all, d.Advance(due)...)
			if after, still := d.Deadline(); still {
				require.Greater(rt, after, before)
			}
		}
		require.True(rt, d.Stopped())
		var results []calls.Result
		for i, r := range all {
			results = append(results, r.Result)
			require.LessOrEqual(rt, r.Elapsed, time.Minute)
			if i > 0 {
				require.GreaterOrEqual(rt, r.Elapsed, all[i-1].Elapsed)
			}
		}
		requireExclusive(rt, results)
		require.Empty(rt, d.Hear(words(9), elapsed+time.Hour))
	})
}
