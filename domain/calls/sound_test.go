package calls_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

func talkingCall(t *testing.T, more ...event.Payload) history {
	t.Helper()
	talking := answered
	talking.Agent = &calls.Agent{}
	asked := requested(t, func(c *calls.DialOut) { c.Flow.Recorded = true })
	return slices.Clip(append(history{asked, started, rang, talking}, more...))
}

var over = calls.Completed{At: after(9_000), By: calls.ByCallee}

func TestWhatIsPressedAndPlayed(t *testing.T) {
	given := talkingCall(t)
	press := calls.PressDigits{Number: 1, Digits: "12#", At: after(5_000)}
	pressed := calls.DigitsPressed{Number: 1, Digits: "12#", At: after(5_000)}
	one := calls.Heard{Number: 1, Text: calls.Unread(1), EstimatedWords: 1}
	interrupted := calls.Played{Message: 2, Ms: 300, Interrupted: true, Heard: "Good", At: after(6_000)}
	said := calls.Said{Text: "Good day, Ada", Message: 2, At: after(5_000)}
	cut := calls.Play{Message: 2, Ms: 300, Interrupted: true, Heard: "Good", At: after(6_000)}
	for name, sc := range map[string]scenario{
		"keys are in one row with speech": {append(given, calls.Heard{Number: 1, Text: "a"}), calls.PressDigits{Number: 2, Digits: "7"},
			history{calls.DigitsPressed{Number: 2, Digits: "7"}}},
		"keys are taken":           {given, press, history{pressed}},
		"and not twice":            {append(given, pressed), press, nil},
		"nor without an agent":     {connected(t), press, nil},
		"nor behind the end":       {append(given, over), press, nil},
		"no keys are nothing":      {given, calls.PressDigits{Number: 1}, nil},
		"speech that nobody reads": {given, calls.Hear{Number: 1, Words: 1}, history{one}},
		"a text was cut off":       {append(given, said), cut, history{interrupted}},
		"and also as the call ended": {append(given, said, over), cut,
			history{interrupted}},
		"a text was heard to its end": {append(given, said), calls.Play{Message: 2, Ms: 900, Heard: "x"},
			history{calls.Played{Message: 2, Ms: 900}}},
		"not twice":                  {append(given, said, calls.Played{Message: 2}), cut, nil},
		"nor before it is said":      {given, cut, nil},
		"a start text is no message": {connected(t), calls.Play{Ms: 9}, history{calls.Played{Ms: 9}}},
		"of no call that rings":      {history{requested(t), started}, calls.Play{Ms: 9}, nil},
	} {
		t.Run(name, sc.run)
	}
	for _, digits := range []string{"a", "1 2", strings.Repeat("1", calls.MostDigits+1)} {
		_, err := calls.PressDigits{Number: 1, Digits: digits}.Decide(calls.Calls.State(given...))
		require.True(t, fault.Is(err, fault.Validation), digits)
	}
	sure, err := calls.Hear{Number: 1, Text: "a", Confidence: 1.0 / 3, At: after(5_000)}.Decide(calls.Calls.State(given...))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{calls.Heard{Number: 1, Text: "a", Confidence: 0.333, At: after(5_000)}}, sure)
}

func TestRecordingsAndFigures(t *testing.T) {
	given := talkingCall(t, over)
	keep := calls.KeepRecording{Taped: calls.Taped{Blob: "b", SHA256: "s", SizeBytes: 3, Ms: 2, CutOff: true}, At: after(9_500)}
	recorded := calls.Recorded{Blob: "b", SHA256: "s", SizeBytes: 3, Ms: 2, Channels: 2, CutOff: true, At: after(9_500)}
	whole, of := keep, recorded
	whole.CutOff, of.CutOff = false, false
	gaveUp := calls.GiveUpRecording{Reason: "full", At: after(6_000)}
	measure := calls.Measure{Sounded: calls.Sounded{Turns: 2}, At: after(9_500)}
	for name, sc := range map[string]scenario{
		"it is kept behind the end":                     {given, keep, history{recorded}},
		"or before it, by who finds it":                 {talkingCall(t), keep, history{recorded}},
		"all of it":                                     {given, whole, history{of}},
		"a part, of one that another node went on with": {talkingCall(t, calls.Adopted{Try: "try-2", Node: "n2"}), whole, history{recorded}},
		"once": {append(given, recorded), keep, nil},
		"one that breaks is told while the call is": {talkingCall(t), gaveUp, history{calls.RecordingFailed{Reason: "full", At: after(6_000)}}},
		"not where there is one":                    {append(given, recorded), gaveUp, nil},
		"nor before the answer":                     {history{requested(t), started}, gaveUp, nil},
		"figures come behind the end": {given, measure,
			history{calls.QualityMeasured{Sounded: calls.Sounded{Turns: 2}, At: after(9_500)}}},
		"once each":        {append(given, calls.QualityMeasured{}), measure, nil},
		"and not earlier":  {talkingCall(t), measure, nil},
		"nor of a failure": {history{requested(t), started, calls.Failed{}}, measure, nil},
	} {
		t.Run(name, sc.run)
	}
	for name, c := range map[string]struct {
		given history
		code  fault.Code
	}{
		"nobody asked":             {connected(t), fault.Conflict},
		"nobody answered":          {history{requested(t), started}, fault.Conflict},
		"the callee was erased":    {append(given, calls.Erased{}), fault.Gone},
		"the call is to be erased": {talkingCall(t, calls.Completed{By: calls.ByBot, Cause: "callee erased"}), fault.Gone},
	} {
		_, err := keep.Decide(calls.Calls.State(c.given...))
		require.True(t, fault.Is(err, c.code), "%s: %v", name, err)
	}
	for r, mos := range map[float64]float64{0: 1, 50: 2.575, 93.2: 4.41, 100: 4.5, -4: 1} {
		require.InDelta(t, mos, calls.MOS(r), 0.01)
	}
}

func frame(level int16) []int16 {
	out := make([]int16, 160)
	for i := range out {
		out[i] = level
	}
	return out
}

func TestAMeterTellsWhoWasLoud(t *testing.T) {
	var m calls.Meter
	require.Nil(t, m.Levels())
	require.Zero(t, m.Silence())
	for _, f := range [][2]int16{{0, 0}, {math.MaxInt16, 0}, {0, 3_277}, {1, 1}} {
		m.Add(frame(f[0]), frame(f[1]), 20*time.Millisecond)
	}
	require.Equal(t, &calls.Levels{EveryMs: 20, Heard: []byte{0, 90, 0, 0}, Said: []byte{0, 0, 70, 0}}, m.Levels())
	require.Equal(t, 50.0, m.Silence())
}

// Given a call of any length, then its levels are bounded, cover all of it, and lose no loud moment.
func TestAMeterIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m calls.Meter
		n, loud := rapid.IntRange(1, 20_000).Draw(t, "frames"), rapid.IntRange(0, 19_999).Draw(t, "loud")
		for i := range n {
			if i == loud {
				m.Add(frame(9_000), nil, 20*time.Millisecond)
				continue
			}
			m.Add(nil, nil, 20*time.Millisecond)
		}
		l := m.Levels()
		require.LessOrEqual(t, len(l.Heard), calls.MostLevels)
		require.Len(t, l.Said, len(l.Heard))
		require.GreaterOrEqual(t, l.EveryMs*int64(len(l.Heard)), int64(n)*20)
		require.Less(t, l.EveryMs*int64(len(l.Heard)-2), int64(n)*20)
		if loud < n {
			at := int64(loud) * 20 / l.EveryMs
			require.Equal(t, byte(79), l.Heard[at])
		}
	})
}

func TestATextIsSpokenInSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":          nil,
		"  \n":      nil,
		"Good day.": {"Good day."},
		"Good day, Ada. How are you? I call about 3.50 euros.":    {"Good day, Ada.", "How are you?", "I call about 3.50 euros."},
		"Your table is reserved! Shall I go on? Say yes, please.": {"Your table is reserved!", "Shall I go on?", "Say yes, please."},
		"We open at 9 a.m. on Monday.":                            {"We open at 9 a.m. on Monday."},
		"One\nTwo":                                                {"One", "Two"},
		"您好。请问":                                                   {"您好。", "请问"},
		"That is version 1.2.3 of it":                             {"That is version 1.2.3 of it"},
	} {
		require.Equal(t, want, calls.Sentences(text), text)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab .!?\n、。x")), 0, 900, -1).Draw(t, "text")
		whole := strings.Join(strings.Fields(text), "")
		require.Equal(t, whole, strings.Join(strings.Fields(strings.Join(calls.Sentences(text), " ")), ""), "nothing is lost")
		for _, part := range calls.Sentences(text) {
			require.LessOrEqual(t, len([]rune(part)), 300)
		}
	})
}

func TestWhatOfASentenceWasHeard(t *testing.T) {
	const sentence = "Your table is reserved"
	for name, c := range map[string]struct {
		ms, length int64
		want       string
	}{
		"nothing": {0, 2_000, ""}, "less than a word": {300, 2_000, ""}, "half": {1_000, 2_000, "Your table"}, "all": {2_000, 2_000, sentence},
		"more": {9_000, 2_000, sentence}, "of a length that nobody knows": {800, 0, "Your table"}, "before it": {-5, 2_000, ""},
	} {
		require.Equal(t, c.want, calls.HeardUntil(sentence, c.ms, c.length), name)
	}
}
