package voice_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

var began = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// spoken makes of a text a tone of 100 ms for each of its letters.
type spoken struct{ err error }

func (s spoken) Speak(ctx context.Context, text, language string) ([]int16, error) {
	if s.err != nil {
		return nil, s.err
	}
	return loud(100 * len(text)), ctx.Err()
}

// loud is a sound like speech.
func loud(ms int) []int16 {
	out, r := make([]int16, ms*8), uint32(1)
	for i := range out {
		r = r*1_664_525 + 1_013_904_223
		swell := 1.1 - math.Cos(2*math.Pi*4*float64(i)/voice.SampleRate)
		out[i] = int16(3_000 * swell * (float64(r>>16)/(1<<16) - 0.5))
	}
	return out
}

func quiet(ms int) []int16 { return make([]int16, ms*8) }

// phone is a line with somebody at the other end, and the clock of both.
type phone struct {
	*voice.Line
	law voice.Law
	at  time.Time
	seq int
}

func newPhone(o voice.Options) *phone {
	p := &phone{law: o.Law, at: began}
	o.Now = func() time.Time { return p.at }
	p.Line = voice.NewLine(o)
	return p
}

// hear lets the other side say something, and gives what is said to it meanwhile.
func (p *phone) hear(sound []int16) (said []int16) {
	for ; len(sound) >= voice.FrameSamples; sound = sound[voice.FrameSamples:] {
		payload := make([]byte, voice.FrameSamples)
		p.law.Encode(payload, sound[:voice.FrameSamples])
		p.Receive(voice.Packet{Seq: uint16(p.seq), Timestamp: uint32(p.seq * voice.FrameSamples), Payload: payload,
			Law: p.law})
		said = append(said, p.tick()...)
	}
	return said
}

func (p *phone) tick() []int16 {
	p.seq++
	p.at = p.at.Add(voice.FrameTime)
	var said [voice.FrameSamples]int16
	p.law.Decode(said[:], p.Tick(p.at))
	return said[:]
}

// story is what has been told so far; times are milliseconds.
func (p *phone) story() (out []string) {
	for {
		select {
		case f, open := <-p.Facts():
			if !open {
				return append(out, "over")
			}
			line := fmt.Sprintf("%d %s", f.At.Sub(began).Milliseconds(), f.Kind)
			switch f.Kind {
			case calls.FactWords:
				line += strings.TrimRight(fmt.Sprintf(" %d %s", f.Count, f.Text), " ")
			case calls.FactPlayed:
				line += fmt.Sprintf(" %s %d %t", f.ID, f.Ms, f.Interrupted)
			case calls.FactDigit:
				line += " " + f.Digit
			}
			out = append(out, line)
		default:
			return out
		}
	}
}

func level(samples []int16) float64 {
	sum := 0.0
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	return math.Sqrt(sum / float64(max(len(samples), 1)))
}

func TestAPersonAnswers(t *testing.T) {
	for _, law := range []voice.Law{voice.MuLaw, voice.ALaw} {
		p := newPhone(voice.Options{Law: law})
		p.hear(loud(500)) // before the answer it is somebody else's
		p.Answered(p.at)
		p.hear(quiet(300))
		p.hear(loud(400))
		p.hear(quiet(1_500))
		p.Close()
		require.Equal(t, []string{"920 speech-began", "1120 words 1", "1300 words 1", "1540 speech-ended", "2240 silence", "over"}, p.story())
	}
}

func TestTheSameSoundIsTheSameStory(t *testing.T) {
	tell := func() []string {
		p := newPhone(voice.Options{})
		p.Answered(p.at)
		p.hear(quiet(200))
		p.hear(loud(6_000))
		p.hear(quiet(2_000))
		return p.story()
	}
	require.Equal(t, tell(), tell())
}

func TestSilenceIsSentWhenNothingIsSaid(t *testing.T) {
	for _, law := range []voice.Law{voice.MuLaw, voice.ALaw} {
		l := voice.NewLine(voice.Options{Law: law})
		for range 3 {
			out := l.Tick(began)
			require.Len(t, out, voice.FrameSamples)
			for _, b := range out {
				require.Equal(t, law.Silence(), b)
			}
		}
	}
}

func TestWhatIsSaidIsSaidInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPhone(voice.Options{Speaker: spoken{}})
		for _, text := range []string{"one", "second"} {
			go func() { require.NoError(t, p.Say(t.Context(), text, "en")) }()
			synctest.Wait()
		}
		go func() { require.NoError(t, p.SayAs(t.Context(), "m-3", "", "en")) }()
		synctest.Wait()
		said := p.hear(quiet(1_000))
		synctest.Wait()
		require.Equal(t, []string{"300 played 1 300 false", "900 played 2 600 false", "920 played m-3 0 false"}, p.story())
		require.Greater(t, level(said[:900*8]), 500.0)
		require.Zero(t, level(said[900*8:]))
	})
}

func TestSoundIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPhone(voice.Options{})
		go func() { require.NoError(t, p.Play(t.Context(), "jingle", loud(100))) }()
		synctest.Wait()
		p.hear(quiet(200))
		synctest.Wait()
		require.Equal(t, []string{"100 played jingle 100 false"}, p.story())
		p.Close()
		require.ErrorIs(t, p.Play(t.Context(), "", nil), voice.ErrClosed)
	})
}

func TestWhatIsSaidIsCutOff(t *testing.T) {
	for name, tc := range map[string]struct {
		cut  func(p *phone, cancel func())
		want []string
		err  error
	}{
		"hushed": {func(p *phone, _ func()) { p.Hush() }, []string{"100 played 1 100 true", "100 played 2 0 true"}, nil},
		"closed": {func(p *phone, _ func()) { p.Close() }, []string{"100 played 1 100 true", "100 played 2 0 true", "over"}, nil},
		"given up": {func(_ *phone, cancel func()) { cancel(); synctest.Wait() },
			[]string{"100 played 1 100 true", "100 played 2 0 true"}, context.Canceled},
		"spoken across": {func(p *phone, _ func()) { p.hear(loud(200)) },
			[]string{"220 speech-began", "220 played 1 200 true", "220 played 2 0 true"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPhone(voice.Options{Speaker: spoken{}, BargeIn: true})
				p.Answered(began)
				ctx, cancel := context.WithCancel(t.Context())
				errs := make(chan error, 2)
				for _, text := range []string{"a long text", "and another"} {
					go func() { errs <- p.Say(ctx, text, "") }()
					synctest.Wait()
				}
				p.hear(quiet(100))
				tc.cut(p, cancel)
				require.ErrorIs(t, <-errs, tc.err)
				require.ErrorIs(t, <-errs, tc.err)
				require.ElementsMatch(t, tc.want, p.story())
				require.Zero(t, level(p.tick()), "at the next frame")
			})
		})
	}
}

func TestWhatCannotBeSaid(t *testing.T) {
	broken := errors.New("no voice")
	p := newPhone(voice.Options{Speaker: spoken{broken}})
	require.ErrorIs(t, p.Say(t.Context(), "a", "en"), broken)
	require.NoError(t, p.Press("1"), "what failed is in nobody's way")
	require.Positive(t, level(p.tick()))

	require.ErrorContains(t, newPhone(voice.Options{}).Say(t.Context(), "a", "en"), "speaker")
	long := newPhone(voice.Options{Speaker: spoken{}})
	require.ErrorContains(t, long.Say(t.Context(), strings.Repeat("a", 6_001), "en"), "text: lasts 10m0.1s, and may last 10m0s at most")
	long.Close()
	require.ErrorIs(t, long.Say(t.Context(), "a", "en"), voice.ErrClosed)
	require.ErrorIs(t, long.Press("1"), voice.ErrClosed)
	require.ErrorContains(t, p.Press("12x"), `digits: 'x' is none of 0 to 9`)
	require.Zero(t, level(long.tick()))
	long.Close()
}

func TestDigitsFromOneLineToAnother(t *testing.T) {
	here, there := newPhone(voice.Options{}), newPhone(voice.Options{KeysInBand: true})
	there.Answered(began)
	require.NoError(t, here.Press("19#"))
	for range 40 {
		there.hear(here.tick())
	}
	there.Digit("7", there.at)
	there.Digit("77", there.at)
	there.Digit("", there.at)
	require.Equal(t, []string{"80 digit 1", "280 digit 9", "480 digit #", "800 digit 7"}, there.story())
}

func TestTwoLinesAreJoined(t *testing.T) {
	a, b, c := newPhone(voice.Options{}), newPhone(voice.Options{}), newPhone(voice.Options{})
	a.Join(b.Line)
	both := func(to, from *phone) (heard []int16) {
		for range 10 {
			from.hear(loud(20))
			heard = append(heard, to.tick()...)
		}
		return heard
	}
	require.Positive(t, level(both(a, b)))
	require.Positive(t, level(both(b, a)))
	require.NoError(t, a.Press("5"))
	require.Greater(t, level(both(a, b)), 3_000.0, "beside what is said")

	c.Join(a.Line) // and b is alone
	require.Zero(t, level(both(b, a)))
	require.Positive(t, level(both(c, a)))
	c.Join(c.Line)
	require.Zero(t, level(both(a, c)[4*voice.FrameSamples:]))
	a.Join(b.Line)
	b.Close()
	require.Zero(t, level(both(a, c)))
	a.Join(b.Line)
	require.Zero(t, level(both(a, c)))
}

func TestATapHasBothSides(t *testing.T) {
	p := newPhone(voice.Options{})
	var heard, said []int16
	p.Tap(func(h, s []int16) { heard, said = append(heard, h...), append(said, s...) })
	require.NoError(t, p.Press("1"))
	p.hear(loud(400))
	require.Len(t, heard, 400*8)
	require.Len(t, said, 400*8)
	require.Zero(t, level(heard[:40*8]))
	require.Positive(t, level(heard[40*8:]))
	require.Positive(t, level(said[:100*8]))
}

func TestHowWellItCame(t *testing.T) {
	at := began
	l := voice.NewLine(voice.Options{Now: func() time.Time { return at }})
	require.Equal(t, calls.Quality{}, l.Quality())
	send := func(n int, late time.Duration) {
		at = began.Add(time.Duration(n)*voice.FrameTime + late)
		l.Receive(voice.Packet{Seq: uint16(n), Timestamp: uint32(n * voice.FrameSamples), Payload: make([]byte, voice.FrameSamples)})
	}
	for n := range 200 {
		send(n, 0)
		l.Tick(at)
	}
	require.Equal(t, calls.Quality{Received: 200, RFactor: 91.8}, l.Quality())
	for n := 200; n < 400; n++ {
		if n%20 != 7 {
			send(n, time.Duration(n%2)*10*time.Millisecond)
		}
		l.Tick(at)
	}
	send(207, 0) // which nobody remembers
	send(387, 0)
	q := l.Quality()
	require.Equal(t, []int{391, 9, 1}, []int{q.Received, q.Lost, q.Late})
	require.InDelta(t, 10, q.JitterMs, 3)
	require.InDelta(t, 83, q.RFactor, 1)
}

func TestNobodyWaitsForWhoReadsFacts(t *testing.T) {
	l := voice.NewLine(voice.Options{})
	for i := range 200 {
		l.Digit("1", began.Add(time.Duration(i)))
	}
	got := 0
	for ; got < 200; got++ {
		f := <-l.Facts()
		require.Equal(t, began.Add(time.Duration(got)), f.At)
		l.Tick(began)
	}
}

// Given nobody who reads, then what is told takes no more room from some moment on, and whoever reads again
// has it in order, and then what is new.
func TestWhatNobodyReadsIsBounded(t *testing.T) {
	l := voice.NewLine(voice.Options{})
	const all = 10 * voice.MostUnread
	for i := range all {
		l.Digit("1", began.Add(time.Duration(i)))
	}
	kept := 0
	for ; len(l.Facts()) > 0; kept++ {
		require.Equal(t, began.Add(time.Duration(kept)), (<-l.Facts()).At)
		l.Tick(began)
	}
	require.GreaterOrEqual(t, kept, voice.MostUnread)
	require.Less(t, kept, 2*voice.MostUnread)
	l.Digit("2", began)
	require.Equal(t, "2", (<-l.Facts()).Digit)
}

// TestATickAllocatesNothing: hundreds of lines tick fifty times a second each.
func TestATickAllocatesNothing(t *testing.T) {
	p := newPhone(voice.Options{BargeIn: true, KeysInBand: true})
	p.Answered(began)
	sound := append(loud(2_000), quiet(2_000)...)
	payload := make([]byte, voice.FrameSamples)
	require.Zero(t, testing.AllocsPerRun(1_000, func() {
		p.seq++
		p.at = p.at.Add(voice.FrameTime)
		from := p.seq * voice.FrameSamples % len(sound)
		voice.MuLaw.Encode(payload, sound[from:from+voice.FrameSamples])
		p.Receive(voice.Packet{Seq: uint16(p.seq), Timestamp: uint32(p.seq * voice.FrameSamples), Payload: payload})
		p.Tick(p.at)
		for len(p.Facts()) > 0 {
			<-p.Facts()
		}
	}))
}

func BenchmarkTick(b *testing.B) {
	p := newPhone(voice.Options{})
	p.Answered(began)
	sound := append(loud(2_000), quiet(2_000)...)
	payload := make([]byte, voice.FrameSamples)
	b.ReportAllocs()
	for b.Loop() {
		p.seq++
		p.at = p.at.Add(voice.FrameTime)
		from := p.seq * voice.FrameSamples % len(sound)
		voice.MuLaw.Encode(payload, sound[from:from+voice.FrameSamples])
		p.Receive(voice.Packet{Seq: uint16(p.seq), Timestamp: uint32(p.seq * voice.FrameSamples), Payload: payload})
		p.Tick(p.at)
		for len(p.Facts()) > 0 {
			<-p.Facts()
		}
	}
}

// Given packets of both laws, one behind the other, and turns in both, then what is heard and said is as if there was one.
func TestTheLawIsThatOfThePacket(t *testing.T) {
	l, sound := voice.NewLine(voice.Options{}), loud(100)
	var heard []int16
	l.Tap(func(frame, _ []int16) { heard = append(heard, frame...) })
	other := voice.NewLine(voice.Options{})
	other.Join(l) // says what l hears
	for i := range 5 {
		law, payload := voice.Law(i%2), make([]byte, voice.FrameSamples)
		law.Encode(payload, sound[i*voice.FrameSamples:(i+1)*voice.FrameSamples])
		l.Receive(voice.Packet{Seq: uint16(i), Timestamp: uint32(i * voice.FrameSamples), Payload: payload, Law: law})
	}
	var said []int16
	for i := range 7 {
		l.Tick(began)
		law, frame := voice.Law(i%2), make([]int16, voice.FrameSamples)
		law.Decode(frame, other.TickIn(began, law))
		said = append(said, frame...)
	}
	for _, got := range [][]int16{heard, said} {
		for i, want := range sound {
			require.InDelta(t, want, got[2*voice.FrameSamples+i], 200, "sample %d", i)
		}
	}
}
