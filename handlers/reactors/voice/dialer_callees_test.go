package voice_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// Every simulated callee in every mode: the whole story, event by event.
func TestEveryCalleeInEveryMode(t *testing.T) {
	answered := []string{"started", "800 ringing", "2800 answered", "2800 said Good day!"}
	plain := lines(answered, []string{"12800 completed Caller-disconnected after 10000"})
	human := []string{"4350 amd_human_detected", "4350 amd_stopped"}
	cut := lines(answered, []string{"6100 amd_machine_detected", "6100 amd_stopped",
		"6100 completed Bot-disconnected after 3300 amd_machine_detected machineDetected"})
	silent := lines(answered, []string{"7800 amd_no_speech_detected", "7800 amd_stopped",
		"12800 completed Caller-disconnected after 10000 amd_no_speech_detected"})
	greeted := lines(answered, human, []string{"12800 completed Caller-disconnected after 10000 amd_human_detected"})
	broken := lines(answered, []string{"3100 amd_error", "3100 amd_stopped", "3100 completed Gateway-disconnected after 300 amd_error"})
	all := func(story ...string) [3][]string { return [3][]string{story, story, story} }

	for last, want := range map[string][3][]string{ // disabled, detect, disconnect
		"0001": {plain, greeted, greeted},
		"0002": {plain,
			lines(answered, []string{"6100 amd_machine_detected", "10850 amd_machine_stopped_speaking", "12800 amd_stopped",
				"12800 completed Caller-disconnected after 10000 amd_machine_detected"}),
			cut},
		"0003": {plain,
			lines(answered, []string{"6100 amd_machine_detected", "9450 amd_tone_detected", "10850 amd_machine_stopped_speaking",
				"10850 amd_stopped",
				"12800 completed Caller-disconnected after 10000 amd_machine_detected"}),
			cut},
		"0004": {plain, silent, silent},
		"0005": all("started", "900 failed Busy Here: 486 Busy Here"),
		"0006": all("started", "800 ringing", "2800 failed Temporarily Unavailable: 603 Decline"),
		"0007": all("started", "600 failed Service Unavailable: 503 Service Unavailable"),
		"0008": all("started", "800 ringing", "60000 failed Temporarily Unavailable: 487 Request Terminated"),
		"0009": {lines(answered, []string{"7800 completed Caller-disconnected after 5000"}),
			lines(answered, human, []string{"7800 completed Caller-disconnected after 5000 amd_human_detected"}),
			lines(answered, human, []string{"7800 completed Caller-disconnected after 5000 amd_human_detected"})},
		"0010": {plain, broken, broken},
		"0012": {plain, greeted, greeted},
	} {
		for i, m := range []calls.DetectionMode{calls.DetectionDisabled, calls.DetectionDetect, calls.DetectionDisconnect} {
			t.Run(last+" "+string(m), func(t *testing.T) {
				inVirtualTime(t, 1, func(w *dialerWorld) {
					w.place("c1", number(last), mode(m))
					w.pass(2 * time.Minute)
					require.Equal(w, want[i], w.store.story("c1"))
					require.Equal(w, 1, w.carrier.dials())
				})
			})
		}
	}
}

func TestTheThresholdDecidesWhoIsAMachine(t *testing.T) {
	threshold := func(n int) func(*calls.DialOut) { return func(c *calls.DialOut) { c.ThresholdWordCount = &n } }
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("human", number("0001"), mode("disconnect"), threshold(2))
		w.place("machine", number("0002"), mode("disconnect"), threshold(15))
		w.pass(time.Minute)
		require.True(w, w.store.state("human").MachineDetected)
		require.Equal(w, calls.AmdHumanDetected, w.store.state("machine").Verdict())
	})
}

func TestACallThatNoAgentTakesIsHungUp(t *testing.T) {
	nobody := func(c *calls.DialOut) { c.Flow = calls.Flow{} }
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", nobody)
		w.place("c2", nobody, number("0002"), mode("detect"))
		w.pass(time.Minute)
		require.Equal(w, []string{"started", "800 ringing", "2800 answered", "4800 completed Bot-disconnected after 2000"}, w.store.story("c1"))
		require.Equal(w, []string{"started", "800 ringing", "2800 answered", "4800 amd_stopped",
			"4800 completed Bot-disconnected after 2000 amd_stopped"}, w.store.story("c2"))
		require.Len(w, w.carrier.hungUp, 2)
	})
}

func TestAFasterSimulationIsFasterInEverything(t *testing.T) {
	inVirtualTime(t, 10, func(w *dialerWorld) {
		w.place("machine", number("0003"), mode("detect"))
		w.place("never", number("0008"))
		w.place("nobody", func(c *calls.DialOut) { c.Flow = calls.Flow{} })
		w.pass(10 * time.Second)
		require.Equal(w, []string{"started", "80 ringing", "280 answered", "280 said Good day!", "610 amd_machine_detected",
			"945 amd_tone_detected",
			"1085 amd_machine_stopped_speaking", "1085 amd_stopped", "1280 completed Caller-disconnected after 1000 amd_machine_detected"},
			w.store.story("machine"))
		require.Equal(w, []string{"started", "80 ringing", "6000 failed Temporarily Unavailable: 487 Request Terminated"}, w.store.story("never"))
		require.Equal(w, []string{"started", "80 ringing", "280 answered", "480 completed Bot-disconnected after 200"}, w.store.story("nobody"))
	})
}

func TestTheCallsOwnTimeout(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", func(c *calls.DialOut) { ms := 2_000; c.TimeoutInMs = &ms })
		w.pass(time.Minute)
		require.Equal(w, []string{"started", "800 ringing", "2000 failed Temporarily Unavailable: 487 Request Terminated"}, w.store.story("c1"))
		require.Len(w, w.carrier.hungUp, 1)
	})
}

func TestTheCarrierIsToldWhatItNeeds(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", number("0005"), func(c *calls.DialOut) {
			c.Trunk, c.CallControlParameter = "main", &calls.CallControlParameter{STTProvider: "local", STTLanguage: "de-AT"}
		})
		require.Equal(w, []calls.LegRequest{{CallID: "c1", SID: "leg-of-c1", TenantID: "acme", Target: "tel:+15550000005",
			OurNumber: "15550100", Trunk: "main", Language: "de-AT",
			Recognition: calls.Recognition{Provider: "local", Language: "de-AT", Interim: true}}}, w.carrierRequests())
	})
}

// carrierRequests waits until the leg has dialled.
func (w *dialerWorld) carrierRequests() []calls.LegRequest {
	w.pass(time.Millisecond)
	w.carrier.mu.Lock()
	defer w.carrier.mu.Unlock()
	return w.carrier.dialed
}

// Given a carrier that takes one call less than is asked for, then that one is delivered again, and dialled when there is room.
func TestACarrierThatIsFull(t *testing.T) {
	var full atomic.Bool
	room := func(context.Context, calls.LegRequest) (func(), error) {
		if full.Load() {
			return nil, fault.New(fault.QueueFull, "the trunk has its calls").After(time.Second)
		}
		return func() {}, nil
	}
	inVirtualTime(t, 1, func(w *dialerWorld) {
		full.Store(true)
		w.store.request(w.T, "c1")
		require.True(w, fault.Is(w.dialer.Requested(w.Context(), "c1"), fault.QueueFull), "to be delivered again")
		require.Zero(w, w.carrier.dials())
		full.Store(false)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"))
		w.pass(time.Minute)
		require.Equal(w, calls.PhaseCompleted, w.store.state("c1").Phase)
		full.Store(true)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"), "needs no other delivery")
	}, func(c *voice.DialerConfig) { c.Room = map[string]voice.Room{calls.ProviderLocal: room} })
}

// Given a carrier that takes one call at a time, when two are wanted at once, then one is dialled, and the other when that is over: a
// place is kept from before a call is claimed until it is dialled, and given back where another node has claimed it.
func TestTwoCallsForOnePlace(t *testing.T) {
	var kept atomic.Int32
	room := func(context.Context, calls.LegRequest) (func(), error) {
		if kept.Add(1) > 1 {
			kept.Add(-1)
			return nil, fault.New(fault.QueueFull, "the trunk has its calls").After(time.Second)
		}
		return func() { kept.Add(-1) }, nil
	}
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		w.store.request(w.T, "c2")
		dialled := make(chan struct{})
		w.carrier.legs = func() voice.Leg { <-dialled; return &wire{facts: closedFacts()} }
		errs := make(chan error, 2)
		for _, call := range []string{"c1", "c2"} {
			go func() { errs <- w.dialer.Requested(w.Context(), call) }()
		}
		one, other := <-errs, <-errs
		require.True(w, (one == nil) != (other == nil), "%v, %v", one, other)
		require.True(w, fault.Is(errors.Join(one, other), fault.QueueFull), "%v, %v", one, other)
		close(dialled)
		w.pass(time.Second)
		require.Zero(w, kept.Load(), "it counts as dialled from here on")

		w.store.request(w.T, "c3")
		w.store.Fail(memory.Faults{Append: always(fault.New(fault.Conflict, "another node was faster"))})
		require.Error(w, w.dialer.Requested(w.Context(), "c3"))
		require.Zero(w, kept.Load())
		w.store.Fail(memory.Faults{})
	}, func(c *voice.DialerConfig) { c.Room = map[string]voice.Room{calls.ProviderLocal: room} })
}

// closedFacts are those of a leg that is lost at once.
func closedFacts() chan calls.Fact {
	out := make(chan calls.Fact)
	close(out)
	return out
}

// behind is a line that tells what happened later than it did.
type behind struct {
	*wire
	next atomic.Int64 // when what it tells next happened
}

func (l *behind) Until(now time.Time) time.Time {
	if next := time.Unix(0, l.next.Load()); !now.Before(next) {
		return next.Add(-1)
	}
	return now
}

// tells tells what happened last, and when what comes behind it happens.
func (l *behind) tells(f calls.Fact, next time.Time) {
	f.At = time.Unix(0, l.next.Load())
	l.facts <- f
	l.next.Store(next.UnixNano())
}

// Given a line that is late with what it tells, then no timer of the call goes before what happened earlier: who answered in time has, and
// who spoke in time is not silent.
func TestALineThatIsBehindIsWaitedFor(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		dialed := time.Now()
		l := &behind{wire: newWire()}
		l.next.Store(dialed.Add(time.Second).UnixNano())
		w.carrier.legs = func() voice.Leg { return l }
		w.place("c1", mode("detect"), func(c *calls.DialOut) { ms := 2_000; c.TimeoutInMs = &ms })
		w.pass(30 * time.Second)
		require.False(w, w.store.state("c1").Ended())
		l.tells(calls.Fact{Kind: calls.FactAnswered}, dialed.Add(5*time.Second))
		w.pass(30 * time.Second)
		l.tells(calls.Fact{Kind: calls.FactWords, Text: "Hello", Language: "en-US"}, dialed.Add(6*time.Second))
		l.tells(calls.Fact{Kind: calls.FactSilence}, dialed.Add(8*time.Second))
		l.tells(calls.Fact{Kind: calls.FactHungUp}, dialed.Add(time.Hour))
		w.pass(time.Second)
		require.Equal(w, []string{"started", "1000 answered", "1000 said Good day!", "6000 amd_human_detected", "6000 amd_stopped",
			"8000 completed Caller-disconnected after 7000 amd_human_detected"}, w.store.story("c1"))
	})
}
