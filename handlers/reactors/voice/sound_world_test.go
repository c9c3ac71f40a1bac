package voice_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sound "github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// slowSpeaker speaks a word in 300 ms, and notes what it was asked for ahead.
type slowSpeaker struct {
	mu    sync.Mutex
	ahead []string
	fails error
}

func (s *slowSpeaker) Speak(_ context.Context, text, _ string) ([]int16, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Repeat([]int16{4_000, -4_000}, 1_200*len(strings.Fields(text))), s.fails
}

func (s *slowSpeaker) Prepare(_ context.Context, text, _ string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead = append(s.ahead, text)
}

// phone is a callee with sound: who speaks and presses keys when a story says so.
type phone struct {
	*sound.Line
	facts chan calls.Fact
	stop  chan struct{}
	once  sync.Once

	mu     sync.Mutex
	until  time.Time // that the callee speaks
	played map[string]int
	with   any // whose sound theirs is joined with
}

// Join notes it.
func (p *phone) Join(other any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.with = other
	return nil
}

// plays is how often something was played to its end since somebody asked.
func (p *phone) plays(id string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.played[id]
	p.played[id] = 0
	return n
}

// ring is a phone that is answered at once. Its sound goes by virtual time.
func ring(r sound.Recogniser, by sound.Speaker, bargeIn bool) *phone {
	p := &phone{Line: sound.NewLine(sound.Options{Speaker: by, Recogniser: r, BargeIn: bargeIn}), facts: make(chan calls.Fact, 100),
		stop: make(chan struct{}), played: map[string]int{}}
	p.facts <- calls.Fact{Kind: calls.FactAnswered, At: time.Now()}
	p.Answered(time.Now())
	go func() {
		defer close(p.facts)
		for f := range p.Line.Facts() {
			if f.Kind == calls.FactPlayed && !f.Interrupted {
				p.mu.Lock()
				p.played[f.ID]++
				p.mu.Unlock()
			}
			p.facts <- f
		}
	}()
	go func() {
		noise, tick := rand.New(rand.NewPCG(1, 2)), time.NewTicker(20*time.Millisecond)
		defer tick.Stop()
		for n := uint16(0); ; n++ {
			select {
			case <-p.stop:
				p.Line.Close()
				return
			case at := <-tick.C:
				p.Receive(sound.Packet{Seq: n, Timestamp: uint32(n) * sound.FrameSamples, Payload: p.speech(noise, at, int(n))})
				p.Tick(at)
			}
		}
	}()
	return p
}

// speech is a frame of noise with syllables in it while the callee speaks.
func (p *phone) speech(noise *rand.Rand, at time.Time, n int) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	frame := make([]int16, sound.FrameSamples)
	if loud := 6_000; at.Before(p.until) && n%12 < 8 {
		for i := range frame {
			frame[i] = int16(noise.IntN(2*loud) - loud)
		}
	}
	out := make([]byte, len(frame))
	sound.MuLaw.Encode(out, frame)
	return out
}

// speak lets the callee speak for a while.
func (p *phone) speak(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Now().Add(d)
}

func (p *phone) press(keys string) {
	for _, k := range keys {
		p.Digit(string(k), time.Now())
	}
}

func (p *phone) Facts() <-chan calls.Fact { return p.facts }

func (p *phone) HangUp(context.Context) error {
	p.once.Do(func() { close(p.stop) })
	return nil
}

// onThePhone runs a story with a callee who has sound.
func onThePhone(t *testing.T, story func(*dialerWorld, *phone, *slowSpeaker), place func(*calls.DialOut),
	change ...func(*voice.DialerConfig)) {
	t.Helper()
	inVirtualTime(t, 1, func(w *dialerWorld) {
		require.NoError(w, w.dialer.Close(w.Context()))
		by := &slowSpeaker{}
		var p *phone
		w.carrier.legs = func() voice.Leg { p = ring(nil, by, true); return p }
		with := append([]func(*voice.DialerConfig){talking(w.store.store, &asked{}, sources{"asker": asker}),
			func(c *voice.DialerConfig) { c.Speaker = by }}, change...)
		w.dialer = w.newDialer(with...)
		w.place("c1", takenBy("asker"), place)
		w.pass(100 * time.Millisecond)
		story(w, p, by)
		_ = p.HangUp(w.Context())
		w.pass(2 * time.Second)
	})
}

func asAsked(*calls.DialOut) {}

// heardOn is what was said, heard, played and pressed in a call, in the order of its stream.
func (m *memoryCalls) heardOn(callID string) (lines []string) {
	for _, e := range m.events(callID) {
		switch e := e.(type) {
		case calls.Said:
			lines = append(lines, fmt.Sprint("said ", e.Message, " ", e.Text))
		case calls.Played:
			line := fmt.Sprint("played ", e.Message)
			if e.Interrupted {
				line += " until: " + e.Heard
			}
			lines = append(lines, line)
		case calls.Heard:
			lines = append(lines, fmt.Sprint("heard ", e.Number))
		case calls.DigitsPressed:
			lines = append(lines, fmt.Sprint("pressed ", e.Number, " ", e.Digits))
		case calls.Recorded:
			lines = append(lines, "recorded")
		case calls.RecordingFailed:
			lines = append(lines, "not recorded: "+e.Reason)
		}
	}
	return lines
}

func (m *memoryCalls) quality(t *testing.T, callID string) calls.Sounded {
	t.Helper()
	for _, e := range m.events(callID) {
		if q, ok := e.(calls.QualityMeasured); ok {
			return q.Sounded
		}
	}
	t.Fatal("nobody measured the call")
	return calls.Sounded{}
}

// messages are what the session was told, with how it came.
func messages(all []event.Payload) (out []string) {
	for _, e := range all {
		if m, ok := e.(sessions.MessageReceived); ok {
			out = append(out, m.Text+" "+string(m.Metadata))
		}
	}
	return out
}
