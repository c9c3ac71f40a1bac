package voice_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/voice"
)

// died begins a call of a node that is gone: it wrote the start, and maybe dialled.
func (w *dialerWorld) died(callID string, dialed bool, change ...func(*calls.DialOut)) {
	w.Helper()
	w.store.request(w.T, callID, change...)
	w.store.do(w.T, callID, "", calls.StartAttempt{AttemptID: "of the dead", Node: "n0", At: time.Now(),
		LeaseUntil: time.Now().Add(30 * time.Second)}.Decide)
	if dialed {
		_, err := w.carrier.Carrier.Dial(w.Context(), w.store.state(callID).LegRequest())
		require.NoError(w, err)
	}
}

// expire lets two nodes find the lapsed call at once.
func (w *dialerWorld) expire(callID string) {
	w.Helper()
	other := w.newDialer()
	errs := make(chan error, 2)
	for _, d := range []*voice.Dialer{w.dialer, other} {
		go func() { errs <- d.Expire(context.Background(), callID, time.Now()) }()
	}
	for range 2 {
		require.NoError(w, <-errs)
	}
	require.NoError(w, other.Close(w.Context()))
}

// Between the effect and its event the node died: the callee was rung, and the log
// does not know. What the carrier knows is recorded, and nobody rings again.
func TestACrashBetweenTheDiallingAndItsEvents(t *testing.T) {
	for last, want := range map[string][]string{
		"0001": {"started", "800 ringing", "2800 answered", "12800 completed Caller-disconnected after 10000"},
		"0005": {"started", "900 failed Busy Here: 486 Busy Here"},
		"0008": {"started", "800 ringing", "30000 failed Service Unavailable: 503 Service Unavailable"}, // it rang until it was cut
	} {
		inVirtualTime(t, 1, func(w *dialerWorld) {
			w.died("c1", true, number(last))
			w.pass(30 * time.Second)
			w.expire("c1")
			require.Equal(w, want, w.store.story("c1"), last)
			require.NoError(w, w.dialer.Requested(w.Context(), "c1"), "delivered again")
			require.Zero(w, w.carrier.dials())
			w.pass(time.Second)
			r, err := w.carrier.Lookup(w.Context(), w.store.state("c1").Query())
			require.NoError(w, err)
			require.Equal(w, calls.LegOver, r.Status, "nobody is left on the line")
		})
	}
}

func TestACrashBeforeTheDialling(t *testing.T) {
	report := calls.LegReport{Status: calls.LegUnheard}
	var asked calls.LegQuery
	for name, tc := range map[string]struct {
		answer func(context.Context) (calls.LegReport, error)
		reason string
	}{
		"the carrier knows":       {func(context.Context) (calls.LegReport, error) { return report, nil }, "503 The carrier was never asked"},
		"the carrier cannot tell": {nil, "503 Service Unavailable"},
		"the carrier is away": {func(context.Context) (calls.LegReport, error) { return report, errors.New("connection refused") },
			"503 Service Unavailable"},
		"the carrier hangs": {func(ctx context.Context) (calls.LegReport, error) { <-ctx.Done(); return report, ctx.Err() },
			"503 Service Unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, 1, func(w *dialerWorld) {
				begun := time.Now()
				w.died("c1", false)
				if tc.answer != nil {
					w.carrier.lookup = func(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
						asked = q
						return tc.answer(ctx)
					}
				}
				require.NoError(w, w.dialer.Expire(w.Context(), "c1", time.Now()))
				require.Equal(w, calls.PhaseDialing, w.store.state("c1").Phase, "its lease holds")
				w.pass(30 * time.Second)
				require.NoError(w, w.dialer.Expire(w.Context(), "c1", time.Now()))
				require.Equal(w, tc.reason, w.store.state("c1").Reason)
				require.Zero(w, w.carrier.dials())
				if tc.answer != nil {
					require.Equal(w, "leg-of-c1", asked.SID)
					require.Equal(w, "n0", asked.Node)
					require.Equal(w, begun.UnixMilli(), asked.DialedAt.UnixMilli())
				}
			})
		})
	}
}

// A carrier that this node does not have cannot be asked.
func TestALapsedCallOfACarrierThatIsNotHere(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.died("c1", true)
		w.pass(30 * time.Second)
		bare := w.newDialer(func(c *voice.DialerConfig) { c.Carriers = nil })
		require.NoError(w, bare.Expire(w.Context(), "c1", time.Now()))
		require.Equal(w, "503 Service Unavailable", w.store.state("c1").Reason)
		require.NoError(w, bare.Close(w.Context()))
	})
}

// The node came back while its carrier was asked: the call goes on and is not cut.
func TestACallWhoseNodeComesBackIsNotCut(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.died("c1", true, number("0008"))
		w.pass(30 * time.Second)
		w.carrier.lookup = func(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
			w.store.do(w.T, "c1", "", calls.RenewLease{At: time.Now(), LeaseUntil: time.Now().Add(30 * time.Second)}.Decide)
			return w.carrier.Carrier.Lookup(ctx, q)
		}
		require.NoError(w, w.dialer.Expire(w.Context(), "c1", time.Now()))
		s := w.store.state("c1")
		require.Equal(w, calls.PhaseDialing, s.Phase)
		r, err := w.carrier.Carrier.Lookup(w.Context(), s.Query())
		require.NoError(w, err)
		require.Equal(w, calls.LegRinging, r.Status)
		require.NoError(w, w.carrier.Carrier.Cut(w.Context(), s.SID))
	})
}

// A node that could not renew in time still has the call: its own timer does not end it.
func TestALapsedCallOfThisVeryNodeGoesOn(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.place("c1", number("0008"))
		w.pass(time.Second)
		w.store.Fail(memory.Faults{Append: failing("lease-renewed", 100, errAway)})
		w.pass(35 * time.Second)
		require.NoError(w, w.dialer.Expire(w.Context(), "c1", time.Now()))
		s := w.store.state("c1")
		require.Equal(w, calls.PhaseRinging, s.Phase)
		require.True(w, s.Attempt.LeaseUntil.After(time.Now().Add(29*time.Second)))
		w.store.Fail(memory.Faults{})
	})
}

// A dialer that stood still between the start and the dialling does not dial any more:
// by then another may have found that nobody did.
func TestAStartThatIsTooOldIsNotDialled(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.store.Fail(memory.Faults{Verdict: func(commit []*eventstore.Record) error {
			if strings.Contains(commit[0].Type, "attempt-started") {
				time.Sleep(31 * time.Second)
			}
			return nil
		}})
		w.place("c1")
		w.pass(time.Second)
		require.Zero(w, w.carrier.dials())
		require.Equal(w, calls.PhaseFailed, w.store.state("c1").Phase)
	})
}

func TestExpireWhenTheStoreIsAway(t *testing.T) {
	inVirtualTime(t, 1, func(w *dialerWorld) {
		w.died("c1", false)
		w.pass(30 * time.Second)
		w.store.Fail(memory.Faults{Append: always(errAway), Read: func(string) error { return errAway }})
		require.ErrorContains(w, w.dialer.Expire(w.Context(), "c1", time.Now()), "reading call c1")
		w.store.Fail(memory.Faults{})
		require.NoError(w, w.dialer.Expire(w.Context(), "c1", time.Now()))
		require.True(w, w.store.state("c1").Ended())
	})
}
