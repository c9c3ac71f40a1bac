package voice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
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
			OurNumber: "15550100", Trunk: "main", Language: "de-AT"}}, w.carrierRequests())
	})
}

// carrierRequests waits until the leg has dialled.
func (w *dialerWorld) carrierRequests() []calls.LegRequest {
	w.pass(time.Millisecond)
	w.carrier.mu.Lock()
	defer w.carrier.mu.Unlock()
	return w.carrier.dialed
}
