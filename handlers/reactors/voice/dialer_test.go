package voice_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

var (
	errAway    = errors.New("it is away")
	catchingUp = fault.New(fault.CatchingUp, "the read models are behind")
)

func TestACallIsDialledOnceHoweverOftenItIsDelivered(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		other := w.newDialer()
		for _, d := range []*voice.Dialer{w.dialer, other, w.dialer} {
			go func() { _ = d.Requested(context.Background(), "c1") }()
		}
		w.pass(5 * time.Second)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"), "delivered again while it runs")
		w.pass(time.Minute)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"), "and after its end")
		w.pass(time.Minute)
		require.Equal(w, 1, w.carrier.dials())
		require.NoError(w, other.Close(w.Context()))
	})
}

// The node died between the start of the attempt and the dialling, or during the
// call: nobody knows whether the callee was rung, so nobody rings again.
func TestAnAttemptOfADeadNodeIsNotRepeated(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		began := time.Now()
		w.store.do(w.T, "c1", "", calls.StartAttempt{AttemptID: "of the dead", Node: "n0", At: time.Now(),
			LeaseUntil: time.Now().Add(30 * time.Second)}.Decide)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"))
		w.pass(30 * time.Second)
		w.store.do(w.T, "c1", "", calls.ExpireLease{At: began.Add(30 * time.Second)}.Decide)
		require.Equal(w, []string{"started", "30000 failed Service Unavailable: 503 Service Unavailable"}, w.store.story("c1"))
		require.Zero(w, w.carrier.dials())
	})
}

// The clock that all nodes share counts, not the machine's: calls are dialled in time,
// their leases hold for as long as they should, and their events tell the shared time.
func TestANodeWhoseClockIsWrongDialsAsAnyOther(t *testing.T) {
	for name, apart := range map[string]time.Duration{"an hour ahead": -time.Hour, "an hour behind": time.Hour} {
		t.Run(name, func(t *testing.T) {
			shared := func() time.Time { return time.Now().Add(apart) }
			inVirtualTime(t, 1, func(w *dialerWorld) {
				begun := shared()
				w.place("c-1", func(c *calls.DialOut) { c.At = begun })
				w.pass(6 * time.Second)
				s := w.store.state("c-1")
				require.Equal(w, calls.PhaseAnswered, s.Phase)
				require.WithinRange(w, s.Attempt.LeaseUntil, shared().Add(15*time.Second), shared().Add(31*time.Second), "the lease")
				require.WithinRange(w, s.AnsweredAt, begun, begun.Add(6*time.Second))
				w.store.do(w.T, "c-1", "", calls.ExpireLease{At: shared()}.Decide)
				require.Equal(w, calls.PhaseAnswered, w.store.state("c-1").Phase, "it holds")
				require.NoError(w, w.dialer.Close(w.Context()))
				s = w.store.state("c-1")
				require.WithinRange(w, s.EndedAt, begun.Add(6*time.Second), begun.Add(7*time.Second))
				require.Equal(w, s.EndedAt.Sub(s.AnsweredAt).Milliseconds(), s.DurationMs)

				w.dialer = w.newDialer(func(c *voice.DialerConfig) { c.Now = shared })
				w.store.request(w.T, "late", func(c *calls.DialOut) { c.At = shared().Add(-2 * time.Minute) })
				require.NoError(w, w.dialer.Requested(w.Context(), "late"))
				w.pass(time.Second)
				require.Equal(w, calls.PhaseRequested, w.store.state("late").Phase)
			}, func(c *voice.DialerConfig) { c.Now = shared })
		})
	}
}

func TestACallWhoseTimeIsOverIsNotDialled(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		w.pass(calls.DefaultDialWindow)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"))
		require.Zero(w, w.carrier.dials())
	})
}

// Given a callee who is erased between the request and the dialling, or when it is being
// dialled, then nobody is rung, or is talked to.
func TestACallWhoseCalleeIsErasedIsNotDialled(t *testing.T) {
	forget := func(w *dialerWorld) { w.store.do(w.T, "c1", "", calls.Forget{At: time.Now()}.Decide) }
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		forget(w)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"))
		w.pass(time.Minute)
		require.Zero(w, w.carrier.dials())
	})
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", number("0008"))
		w.pass(time.Second)
		forget(w)
		w.pass(10 * time.Second)
		require.Zero(w, w.dialer.Legs())
		require.Len(w, w.carrier.hungUp, 1)
	})
}

func TestAStartInDoubtIsDialledOnlyWhenItProvesOurs(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.Fail(memory.Faults{Verdict: failing("attempt-started", 1, errAway)})
		w.place("c1", number("0005"))
		w.pass(time.Minute)
		require.Equal(w, "486 Busy Here", w.store.state("c1").Reason)
		require.Equal(w, 1, w.carrier.dials())
	})
}

func TestAStartThatStaysInDoubtIsHandedBackAndNeverDialled(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		w.store.Fail(memory.Faults{Verdict: always(errAway)})
		err := w.dialer.Requested(w.Context(), "c1")
		require.True(w, acts.WorthRepeating(err), "%v", err)
		require.Equal(w, calls.PhaseDialing, w.store.state("c1").Phase, "it is on the log")
		w.store.Fail(memory.Faults{})
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"), "delivered again")
		require.Zero(w, w.carrier.dials())
	})
}

func TestAStoreThatIsAwayBeforeTheStart(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		times := 3
		w.store.request(w.T, "c1", number("0005"))
		w.store.Fail(memory.Faults{Gate: func() error {
			if times--; times >= 0 {
				return catchingUp
			}
			return nil
		}})
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"))
		w.pass(time.Minute)
		require.Equal(w, calls.PhaseFailed, w.store.state("c1").Phase)
		require.Equal(w, 1, w.carrier.dials())
	})
}

// Whatever the log does meanwhile, the callee is treated as the call wants it, and
// in the end everything is recorded with the times at which it happened.
func TestAStoreThatIsAwayDuringTheCallLosesNothing(t *testing.T) {
	for name, outage := range map[string]func(away func() error) memory.Faults{
		"not executed":    func(away func() error) memory.Faults { return memory.Faults{Append: each(away)} },
		"outcome unknown": func(away func() error) memory.Faults { return memory.Faults{Verdict: each(away)} },
		"answers lost":    func(away func() error) memory.Faults { return memory.Faults{Acknowledge: each(away)} },
		"catching up":     func(away func() error) memory.Faults { return memory.Faults{Gate: away} },
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				w.place("c1", number("0002"), mode("disconnect"))
				dialed := time.Now()
				w.pass(time.Second)
				w.store.Fail(outage(func() error {
					if time.Since(dialed) < 20*time.Second {
						return catchingUp
					}
					return nil
				}))
				w.pass(9 * time.Second)
				require.Equal(w, 6_100*time.Millisecond, w.carrier.hungUp[0].Sub(dialed), "hung up in time")
				w.pass(time.Minute)
				require.Equal(w, []string{"started", "800 ringing", "2800 answered", "2800 said Good day!", "6100 amd_machine_detected",
					"6100 amd_stopped",
					"6100 completed Bot-disconnected after 3300 amd_machine_detected machineDetected"}, w.store.story("c1"))
			})
		})
	}
}

// each asks the same of every commit.
func each(away func() error) func([]*eventstore.Record) error {
	return func([]*eventstore.Record) error { return away() }
}

func TestARefusedFactDoesNotHoldUpTheNext(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		w.pass(500 * time.Millisecond)
		refused := false
		w.store.Fail(memory.Faults{Gate: func() error {
			if refused {
				return nil
			}
			refused = true
			return fault.New(fault.TooLarge, "the next command, which says that it rings")
		}})
		w.pass(time.Minute)
		require.Equal(w, []string{"started", "2800 answered", "2800 said Good day!", "12800 completed Caller-disconnected after 10000"},
			w.store.story("c1"))
	})
}

func TestAFactThatNoReadModelTakesDoesNotHoldUpTheNext(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.Fail(memory.Faults{Verdict: failing("ringing", 1, fault.New(fault.ProjectionFailed, "no"))})
		w.place("c1")
		w.pass(time.Minute)
		require.Equal(w, []string{"started", "800 ringing", "2800 answered", "2800 said Good day!",
			"12800 completed Caller-disconnected after 10000"}, w.store.story("c1"))
	})
}

func TestTheLeaseIsRenewedEveryThird(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", number("0008"))
		dialed := time.Now()
		for _, second := range []int{10, 20, 30, 40, 50} {
			w.pass(10 * time.Second)
			at := dialed.Add(time.Duration(second) * time.Second)
			require.Equal(w, at.Add(30*time.Second).UnixMilli(), w.store.state("c1").Attempt.LeaseUntil.UnixMilli())
		}
	})
}

func TestACallThatOthersEndedIsHungUp(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", number("0008"))
		w.pass(time.Second)
		w.store.do(w.T, "c1", "", calls.Fail{SIPCode: 503, At: time.Now()}.Decide)
		w.pass(10 * time.Second)
		require.Zero(w, w.dialer.Legs())
		require.Len(w, w.carrier.hungUp, 1)
		require.Equal(w, []string{"started", "800 ringing", "1000 failed Service Unavailable: 503 Service Unavailable"}, w.store.story("c1"))
	})
}

func TestACallThatNobodyCanDial(t *testing.T) {
	failed := []string{"started", "0 failed Service Unavailable: 503 Service Unavailable"}
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("no carrier", func(c *calls.DialOut) { c.Provider = "sip" })
		w.carrier.refuse = errors.New("no route")
		w.place("refused")
		w.pass(time.Second)
		require.Equal(w, failed, w.store.story("no carrier"))
		require.Equal(w, failed, w.store.story("refused"))
	})
}

// lostLeg is a leg whose carrier goes away after some facts.
type lostLeg chan calls.Fact

func (l lostLeg) Facts() <-chan calls.Fact                  { return l }
func (l lostLeg) Say(context.Context, string, string) error { return nil }
func (l lostLeg) HangUp(context.Context) error              { return errors.New("the carrier is away") }

func TestALegThatIsLost(t *testing.T) {
	for name, tc := range map[string]struct {
		facts []calls.FactKind
		want  []string
	}{
		"before answer": {nil, []string{"started", "0 failed Service Unavailable: 503 Service Unavailable"}},
		"hung up before answer": {[]calls.FactKind{calls.FactHungUp},
			[]string{"started", "0 failed Temporarily Unavailable: 487 Request Terminated"}},
		"after answer": {[]calls.FactKind{calls.FactAnswered}, []string{"started", "0 answered", "0 said Good day!",
			"0 completed Gateway-disconnected after 0"}},
		"answered twice and lost": {[]calls.FactKind{calls.FactAnswered, calls.FactAnswered, calls.FactLost}, []string{"started", "0 answered",
			"0 said Good day!", "0 completed Gateway-disconnected after 0"}},
		"established, held and lost on hold": {[]calls.FactKind{calls.FactAnswered, calls.FactEstablished, calls.FactHeld, calls.FactResumed,
			calls.FactHeld}, []string{"started", "0 answered", "0 said Good day!", "0 established d-1", "0 held", "0 resumed", "0 held",
			"0 completed Gateway-disconnected after 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				w.carrier.legs = func() voice.Leg {
					l := make(lostLeg, len(tc.facts))
					for _, kind := range tc.facts {
						l <- calls.Fact{Kind: kind, At: time.Now(), Dialog: &calls.Dialog{CallID: "d-1"}}
					}
					close(l)
					return l
				}
				w.place("c1")
				w.pass(time.Second)
				require.Equal(w, tc.want, w.store.story("c1"))
			})
		})
	}
}

func TestTheLongestCallIsEnded(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		w.pass(time.Minute)
		require.Equal(w, "5800 completed Bot-disconnected after 3000", w.store.story("c1")[4])
	}, func(c *voice.DialerConfig) { c.MaxCall = 3 * time.Second })
}

func TestLegsAreBounded(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		w.store.request(w.T, "c2")
		err := w.dialer.Requested(w.Context(), "c2")
		require.True(w, fault.Is(err, fault.QueueFull), "to be delivered again")
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"), "needs no other delivery")
		w.pass(20 * time.Second)
		require.NoError(w, w.dialer.Requested(w.Context(), "c2"))
		w.pass(20 * time.Second)
		require.Equal(w, calls.PhaseCompleted, w.store.state("c2").Phase)
	}, func(c *voice.DialerConfig) { c.MaxLegs = 1 })
}

func TestShutdownEndsWhatRuns(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("talking", number("0002"), mode("detect"))
		w.place("ringing", number("0008"))
		w.pass(4 * time.Second)
		w.store.request(w.T, "late")
		require.NoError(w, w.dialer.Close(w.Context()))
		require.Equal(w, []string{"started", "800 ringing", "2800 answered", "2800 said Good day!", "4000 amd_stopped",
			"4000 completed Gateway-disconnected after 1200 amd_stopped"}, w.store.story("talking"))
		require.Equal(w, []string{"started", "800 ringing", "4000 failed Service Unavailable: 503 Service Unavailable"}, w.store.story("ringing"))
		require.Len(w, w.carrier.hungUp, 2)
		require.True(w, fault.Is(w.dialer.Requested(w.Context(), "late"), fault.Unavailable), "another node's, or ours after the restart")
	})
}

func TestShutdownWithoutALogHangsUpAndLeavesTheRestToTheLease(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1")
		w.pass(4 * time.Second)
		w.store.Fail(memory.Faults{Append: always(errAway), Read: func(string) error { return errAway }})
		ctx, cancel := context.WithTimeout(w.Context(), 5*time.Second)
		defer cancel()
		began := time.Now()
		require.ErrorIs(w, w.dialer.Close(ctx), context.DeadlineExceeded)
		require.Equal(w, 5*time.Second, time.Since(began))
		require.Len(w, w.carrier.hungUp, 1)
		w.store.Fail(memory.Faults{})
		w.store.do(w.T, "c1", "", calls.ExpireLease{At: time.Now().Add(time.Minute)}.Decide)
		require.Equal(w, "2800 completed Gateway-disconnected after 0", w.store.story("c1")[4])
	})
}

// The decision of a start must be the last word before the dialling: a store that
// answers with another's start must not make us dial.
func TestAnotherNodesStartUnderTheSameRequestIsNotOurs(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.request(w.T, "c1")
		theirs := calls.StartAttempt{AttemptID: "theirs", Node: "n2", At: time.Now(), LeaseUntil: time.Now().Add(time.Minute)}
		w.store.do(w.T, "c1", "dialer/c1/start", theirs.Decide)
		require.NoError(w, w.dialer.Requested(w.Context(), "c1"))
		w.pass(time.Second)
		require.Zero(w, w.carrier.dials())
	})
}
