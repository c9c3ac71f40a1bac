package telephony_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/telephony"
	"github.com/parley-platform/parley/domain/calls"
)

func told(t *testing.T, s *telephony.Simulated, q calls.LegQuery) (out []string) {
	t.Helper()
	r, err := s.Lookup(t.Context(), q)
	require.NoError(t, err)
	out = append(out, string(r.Status))
	for _, f := range r.Facts {
		out = append(out, string(f.Kind))
	}
	return out
}

func TestACarrierTellsOfItsLegs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := telephony.NewSimulated(1)
		begun := time.Now()
		for sid, last := range map[string]string{"human": "0001", "busy": "0005", "rings": "0008", "ours": "0008"} {
			_, err := s.Dial(t.Context(), calls.LegRequest{SID: sid, Target: "tel:+1555000" + last})
			require.NoError(t, err)
		}
		look := func(sid string) []string { return told(t, s, calls.LegQuery{SID: sid}) }
		require.Equal(t, []string{"ringing"}, look("human"))
		time.Sleep(time.Second)
		require.Equal(t, []string{"ringing", "ringing"}, look("human"))
		require.Equal(t, []string{"finished", "rejected"}, look("busy"))
		require.NoError(t, s.Cut(t.Context(), "ours"))
		time.Sleep(5 * time.Second)
		require.Equal(t, []string{"talking", "ringing", "answered"}, look("human"))
		time.Sleep(10 * time.Second)
		require.Equal(t, []string{"finished", "ringing", "answered", "hung-up"}, look("human"))
		require.Equal(t, []string{"finished", "ringing"}, look("ours"))
		require.Equal(t, []string{"ringing", "ringing"}, look("rings"))
		r, err := s.Lookup(t.Context(), calls.LegQuery{SID: "human"})
		require.NoError(t, err)
		require.Equal(t, 12_800*time.Millisecond, r.EndedAt.Sub(begun))
		r, err = s.Lookup(t.Context(), calls.LegQuery{SID: "ours"})
		require.NoError(t, err)
		require.Equal(t, time.Second, r.EndedAt.Sub(begun))
		for range 2 {
			require.NoError(t, s.Cut(t.Context(), "rings"))
		}
		require.NoError(t, s.Cut(t.Context(), "nobody"))
		synctest.Wait()
	})
}

// A leg that the carrier does not know was never asked for only if it is one of its
// node, dialled since the carrier began, and younger than what it has forgotten.
func TestALegThatTheCarrierDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := func() time.Time { return time.Now().Add(time.Hour) } // the machine's clock is an hour behind
		begun := shared()
		s := telephony.NewSimulated(1_000_000).Serves("n1", shared)
		time.Sleep(time.Minute)
		for name, tc := range map[string]struct {
			q    calls.LegQuery
			want calls.LegStatus
		}{
			"its node's":                   {calls.LegQuery{Node: "n1", DialedAt: shared()}, calls.LegUnheard},
			"of its node's process before": {calls.LegQuery{Node: "n1", DialedAt: begun.Add(-time.Second)}, calls.LegUntold},
			"from just after the start":    {calls.LegQuery{Node: "n1", DialedAt: begun.Add(time.Second)}, calls.LegUntold},
			"another node's":               {calls.LegQuery{Node: "n2", DialedAt: shared()}, calls.LegUntold},
			"nobody's":                     {calls.LegQuery{DialedAt: shared()}, calls.LegUntold},
		} {
			tc.q.SID = "unknown"
			require.Equal(t, []string{string(tc.want)}, told(t, s, tc.q), name)
		}
		require.Equal(t, []string{""}, told(t, telephony.NewSimulated(1), calls.LegQuery{DialedAt: time.Now()}), "a carrier that serves nobody")

		early := shared()
		time.Sleep(time.Second)
		for i := range 10_001 {
			l, err := s.Dial(t.Context(), calls.LegRequest{SID: fmt.Sprint(i), Target: "tel:+15550000005"})
			require.NoError(t, err)
			for range l.Facts() {
			}
			synctest.Wait()
		}
		require.Equal(t, []string{""}, told(t, s, calls.LegQuery{SID: "0", Node: "n1", DialedAt: early}), "forgotten, and not denied")
		require.Equal(t, []string{"finished", "rejected"}, told(t, s, calls.LegQuery{SID: "1"}))
		time.Sleep(time.Second)
		require.Equal(t, []string{"unheard"}, told(t, s, calls.LegQuery{SID: "x", Node: "n1", DialedAt: shared()}))
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := telephony.NewSimulated(1).Lookup(ctx, calls.LegQuery{})
	require.True(t, errors.Is(err, context.Canceled))
}
