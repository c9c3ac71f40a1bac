package voice

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/calls"
)

// tone is a sound of frequencies, each of an amplitude.
func tone(ms int, amplitude float64, hz ...float64) []int16 {
	out := make([]int16, ms*8)
	for i := range out {
		v := 0.0
		for _, f := range hz {
			v += amplitude * math.Sin(2*math.Pi*f*float64(i)/SampleRate)
		}
		out[i] = int16(v)
	}
	return out
}

func hush(ms int) []int16 { return make([]int16, ms*8) }

// voiced is a sound that is no tone, as loud as speech: noise, whose level rises and falls
// so many times a second.
func voiced(ms int, syllables float64) []int16 {
	r := rand.New(rand.NewPCG(7, 7))
	out := make([]int16, ms*8)
	for i := range out {
		loud := 3_000 * (1.05 - math.Cos(2*math.Pi*syllables*float64(i)/SampleRate))
		out[i] = int16(loud * (r.Float64() - 0.5))
	}
	return out
}

func join(parts ...[]int16) (out []int16) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// story is what the front end tells of a sound; the numbers are milliseconds.
func story(sound []int16) (out []string) {
	f, now := (*frontEnd)(nil), 0
	f = newFrontEnd(func(fact calls.Fact) {
		line := fmt.Sprintf("%d %s", now, fact.Kind)
		switch fact.Kind {
		case calls.FactTone:
			line += fmt.Sprintf(" %d", fact.Frequency)
		case calls.FactDigit:
			line += " " + fact.Digit
		case calls.FactWords:
			line += fmt.Sprintf(" %d", fact.Count)
		}
		out = append(out, line)
	})
	for len(sound) >= FrameSamples {
		now += 20
		f.hear(sound[:FrameSamples], false)
		sound = sound[FrameSamples:]
	}
	return out
}

func TestWhatIsHeard(t *testing.T) {
	for name, tc := range map[string]struct {
		sound []int16
		want  []string
	}{
		"nothing": {hush(5_000), nil},
		"a click": {join(hush(500), voiced(40, 0), hush(3_000)), nil},
		"one word": {join(hush(500), voiced(300, 3), hush(2_000)),
			[]string{"580 speech-began", "760 words 1", "1080 speech-ended", "1780 silence"}},
		"a beep":             {join(hush(1_000), tone(400, 8_000, 1_400), hush(2_000)), []string{"1160 tone 1400"}},
		"a beep off the bin": {join(hush(1_005), tone(400, 8_000, 853), hush(2_000)), []string{"1180 tone 853"}},
		"a quiet beep":       {join(hush(1_000), tone(400, 500, 440), hush(2_000)), []string{"1160 tone 440"}},
		"a blip":             {join(hush(1_000), tone(100, 8_000, 1_400), hush(2_000)), nil},
		"two beeps": {join(hush(1_000), tone(300, 8_000, 620), hush(500), tone(300, 8_000, 620)),
			[]string{"1160 tone 620", "1960 tone 620"}},
		"the lowest":          {join(hush(1_000), tone(300, 8_000, 360), hush(500)), []string{"1160 tone 360"}},
		"the highest":         {join(hush(1_000), tone(300, 8_000, 2_190), hush(500)), []string{"1160 tone 2190"}},
		"ringing":             {join(hush(400), tone(2_000, 3_000, 440, 480), hush(2_000), tone(2_000, 3_000, 440, 480)), nil},
		"ringing elsewhere":   {join(hush(400), tone(400, 3_000, 400, 450), hush(200), tone(400, 3_000, 400, 450), hush(2_000)), nil},
		"busy":                {join(tone(500, 3_000, 480, 620), hush(500), tone(500, 3_000, 480, 620), hush(500)), nil},
		"a line that is free": {join(hush(100), tone(3_000, 3_000, 350, 440)), nil},
		"an announcement": {join(hush(500), tone(380, 6_000, 913.8),
			tone(276, 6_000, 1_370.6), tone(380, 6_000, 1_776.7), hush(2_000)), nil},
		"one in Europe": {join(hush(500), tone(330, 6_000, 950), tone(330, 6_000, 1_400),
			tone(330, 6_000, 1_800), hush(2_000)), nil},
		"the first of the three alone": {join(hush(500), tone(380, 6_000, 950), hush(2_000)), []string{"960 tone 950"}},
		"and a long one":               {join(hush(500), tone(900, 6_000, 950), hush(2_000)), []string{"960 tone 950"}},
		"a fax":                        {join(hush(500), tone(3_000, 6_000, 2_100), hush(2_000)), nil},
		"a fax that turns its phase": {join(hush(500), tone(450, 6_000, 2_100), tone(450, -6_000, 2_100),
			tone(450, 6_000, 2_100), tone(450, -6_000, 2_100), tone(450, 6_000, 2_100), hush(2_000)), nil},
		"a beep as high as a fax": {join(hush(500), tone(400, 6_000, 2_100), hush(2_000)), []string{"980 tone 2100"}},
		"a digit":                 {join(hush(500), must(Tones("5")), hush(2_000)), []string{"540 digit 5"}},
		"a card": {join(must(Tones("4711*0#D")), hush(1_000)),
			[]string{"40 digit 4", "240 digit 7", "440 digit 1", "640 digit 1", "840 digit *",
				"1040 digit 0", "1240 digit #", "1440 digit D"}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tc.want, story(tc.sound))
		})
	}
}

func must(samples []int16, err error) []int16 {
	if err != nil {
		panic(err)
	}
	return samples
}

func TestLongSpeechHasManyWords(t *testing.T) {
	words := func(sound []int16) (n int) {
		f := newFrontEnd(func(f calls.Fact) { n += f.Count })
		for ; len(sound) >= FrameSamples; sound = sound[FrameSamples:] {
			f.hear(sound[:FrameSamples], false)
		}
		return n
	}
	require.InDelta(t, 35, words(join(voiced(10_000, 3.5), hush(2_000))), 3, "as many as there are pauses")
	require.InDelta(t, 9, words(join(voiced(300, 1), hush(300), voiced(300, 1), hush(300),
		voiced(300, 1), hush(300), voiced(300, 1), hush(300),
		voiced(2_000, 6), hush(2_000))), 2)
}

// TestWhatIsBehindAVoiceIsNotTheCallee: somebody quieter goes on while the callee is silent, and had begun before.
func TestWhatIsBehindAVoiceIsNotTheCallee(t *testing.T) {
	behind := func(ms int) []int16 {
		sound := voiced(ms, 3)
		for i := range sound {
			sound[i] /= 6 // 15 dB
		}
		return sound
	}
	words, silent := 0, 0
	f := newFrontEnd(func(f calls.Fact) {
		words += f.Count
		if f.Kind == calls.FactSilence {
			silent++
		}
	})
	for sound := join(behind(1_500), voiced(600, 3), behind(3_000)); len(sound) >= FrameSamples; sound = sound[FrameSamples:] {
		f.hear(sound[:FrameSamples], false)
	}
	require.InDelta(t, 2, words, 1, "what was counted before is taken back")
	require.Equal(t, 1, silent)
}

func TestAClickIsNoVoice(t *testing.T) {
	got := story(join(hush(200), tone(20, 30_000, 900, 1_700, 2_900), hush(300), voiced(400, 3), hush(1_500)))
	require.Contains(t, got, "600 speech-began", "however loud it was")
}

// TestAnyBeepIsFound: of any frequency, from any sample on, in noise.
func TestAnyBeepIsFound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		held := func(hz int) bool { // or so near that it may be taken for one
			return near(float64(hz-4), faxTone) || near(float64(hz+4), faxTone) || nearAny(float64(hz-4), firstTones) ||
				nearAny(float64(hz+4), firstTones)
		}
		hz := rapid.IntRange(360, 2_190).Filter(func(hz int) bool { return !held(hz) }).Draw(rt, "hz")
		at := rapid.IntRange(4_000, 8_000).Draw(rt, "at")
		loud := rapid.IntRange(1_000, 12_000).Draw(rt, "loud")
		sound := join(make([]int16, at), tone(rapid.IntRange(200, 900).Draw(rt, "ms"), float64(loud), float64(hz)),
			hush(1_000))
		r := rand.New(rand.NewPCG(1, 2))
		for i := range sound { // 15 dB below
			sound[i] += int16(float64(loud) * 0.178 * 0.707 * r.NormFloat64())
		}
		told, now := 0, 0
		f := newFrontEnd(func(f calls.Fact) {
			if f.Kind == calls.FactTone {
				require.Zero(rt, told)
				told = now - at
				require.InDelta(rt, hz, f.Frequency, 3)
			}
		})
		for ; len(sound) >= FrameSamples; sound = sound[FrameSamples:] {
			now += FrameSamples
			f.hear(sound[:FrameSamples], false)
		}
		require.Positive(rt, told)
		require.LessOrEqual(rt, told, 200*8)
	})
}

func TestALostFrameInABeep(t *testing.T) {
	for _, lost := range [][]int{{52}, {50, 55}, {53, 54}} {
		sound, found := join(hush(1_000), tone(400, 8_000, 1_000), hush(500)), 0
		f := newFrontEnd(func(f calls.Fact) {
			if f.Kind == calls.FactTone {
				found++
			}
		})
		var c concealer
		for n := 0; len(sound) >= FrameSamples; n, sound = n+1, sound[FrameSamples:] {
			frame, gone := sound[:FrameSamples], false
			for _, l := range lost {
				gone = gone || l == n
			}
			if gone {
				c.lost(frame)
			} else {
				c.whole(frame)
			}
			f.hear(frame, gone)
		}
		require.Equal(t, 1, found, lost)
	}
}

func BenchmarkFrame(b *testing.B) {
	for name, sound := range map[string][]int16{"silence": hush(1_000), "speech": voiced(1_000, 4), "beep": tone(1_000, 6_000, 1_000),
		"ringing": tone(1_000, 4_000, 440, 480)} {
		b.Run(name, func(b *testing.B) {
			f := newFrontEnd(func(calls.Fact) {})
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at := i % (len(sound) / FrameSamples) * FrameSamples
				f.hear(sound[at:at+FrameSamples], false)
			}
		})
	}
}

// The same sound gives the same facts, at the same moments.
func TestTheSameSoundGivesTheSameFacts(t *testing.T) {
	sound := join(hush(300), voiced(2_000, 4), hush(900), tone(500, 8_000, 1_000), hush(400), tone(100, 8_000, 697, 1_209), hush(1_500))
	first := story(sound)
	require.NotEmpty(t, first)
	for range 10 {
		require.Equal(t, first, story(sound))
	}
}
