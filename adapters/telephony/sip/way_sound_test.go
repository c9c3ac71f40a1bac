package sip_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony/sip"
	. "github.com/parley-platform/parley/adapters/telephony/siptest"
	"github.com/parley-platform/parley/domain/calls"
)

// badLine is all that becomes of sound on the way, short of a line that is cut.
var badLine = map[string]Weather{
	"5 % lost":              {Lost: 0.05},
	"200 ms of jitter":      {Jitter: 200 * time.Millisecond},
	"doubled and reordered": {Doubled: 0.3, Jitter: 60 * time.Millisecond},
	"some a second late":    {Late: 0.03, Lost: 0.02},
	"a stranger's noise":    {Stranger: true},
	"the other law":         {Recoded: true},
	"all at once": {Lost: 0.05, Doubled: 0.05, Jitter: 200 * time.Millisecond, Late: 0.01, Stranger: true,
		Recoded: true},
}

// judged is what the detection makes of who answers a leg, as a call's dialer asks it; it hangs up then.
func judged(leg *sip.Leg, plan calls.DetectionPlan) (told []calls.Result) {
	var at time.Time
	detector := calls.NewDetector(plan)
	tell := func(of []calls.TimedDetection) {
		for _, d := range of {
			told = append(told, d.Result)
		}
		if detector.Stopped() {
			_ = leg.HangUp(context.Background())
		}
	}
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case f, open := <-leg.Facts():
			switch {
			case !open:
				return told
			case f.Kind == calls.FactAnswered:
				at = f.At
			case !at.IsZero():
				tell(detector.Hear(f, f.At.Sub(at)))
			}
		case now := <-look.C:
			if !at.IsZero() {
				tell(detector.Advance(now.Sub(at)))
			}
		}
	}
}

// Given a way on which the sound is lost, late, doubled and in the other law, and somebody makes noise beside it, then who answers is
// heard as on a fair day.
func TestWhoAnswersIsHeardOverABadWay(t *testing.T) {
	t.Parallel()
	const sound = "[rtpstream_audio_port]"
	plan := calls.DetectionPlan{NoSpeech: 5 * time.Second, Decision: 8 * time.Second, Tone: 15 * time.Second, Cap: 20 * time.Second,
		GreetingCompletion: 2 * time.Second, AfterBeep: time.Second, ThresholdWordCount: calls.DefaultThresholdWordCount}
	person := File(t, Spoken(t, "en-us", "Hello, speaking.", 400))
	machine := File(t, Spoken(t, "en-us", "Thanks for calling. The office is closed today, our hours are nine to five.", 400), Silence(600),
		Beep(t, 1000, 500))
	type call struct {
		name   string
		file   string
		sounds Weather
		leg    *heardLeg
		peer   *Peer
		told   []calls.Result
		want   []calls.Result
	}
	var all []*call
	for name, sounds := range badLine {
		all = append(all, &call{name: "a person, " + name, sounds: sounds, file: person, want: []calls.Result{calls.AmdHumanDetected}},
			&call{name: "a machine, " + name, sounds: sounds, file: machine,
				want: []calls.Result{calls.AmdMachineDetected, calls.AmdToneDetected}})
	}
	var over sync.WaitGroup
	for i, c := range all { // at once: each lasts as long as in life
		c.peer = SIPp(t, Scenario(ReplySDP(200, "OK", Sound(sound)), ACK, Plays(c.file), Until(20_000)), 1)
		c.leg = newCaller(t, by(Between(t, 0, c.peer, uint64(i), Weather{}, c.sounds))).dials(t)
		over.Go(func() { c.told = judged(c.leg.Leg, plan) })
	}
	over.Wait()
	for _, c := range all {
		q := c.leg.Quality()
		require.Subset(t, c.told, c.want, "%s: %v, %+v", c.name, c.told, q)
		require.Positive(t, q.Received, c.name)
		if c.sounds.Lost > 0 {
			require.Positive(t, q.Lost, c.name)
		}
		c.peer.Satisfied()
	}
}

// Given a bad way, when keys are pressed on a soft phone, then each is heard once, and in their order.
func TestKeysOverABadWay(t *testing.T) {
	t.Parallel()
	phone := Baresip(t, "<sip:callee@127.0.0.1:PORT>;regint=0;answermode=auto;audio_codecs=PCMU/8000/1", "Hello, this is the telephone.")
	way := Between(t, 0, phone.Peer, 5, Weather{}, Weather{Lost: 0.05, Doubled: 0.2, Jitter: 200 * time.Millisecond})
	leg := newCaller(t, by(way)).dialsURI(t, "sip:callee@"+by(way))
	leg.until(calls.FactEstablished)
	leg.words()
	heard := ""
	for _, key := range []string{"4", "7", "1", "1", "0"} {
		phone.Do("sndcode", key)
		heard += leg.until(calls.FactDigit).Digit
		phone.Do("sndcode", "\x04") // it is let go
	}
	require.NoError(t, leg.HangUp(t.Context()))
	leg.over()
	digits := 0
	for _, f := range leg.facts {
		if f.Kind == calls.FactDigit {
			digits++
		}
	}
	require.Equal(t, []any{"47110", 5}, []any{heard, digits})
}
