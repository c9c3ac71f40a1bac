package audit

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/projections/sink"
)

func TestTheBellRingsForWhatLiesBetweenTwoLooks(t *testing.T) {
	x := newIndex(t)
	acme, globex := x.following("acme"), x.following("globex")
	look := func(known Positions) (Positions, [2]bool) {
		t.Helper()
		now, err := x.bell.look(t.Context(), known)
		require.NoError(t, err)
		return now, [2]bool{rung(acme), rung(globex)}
	}
	x.given(happened(calls0, 3, 10))
	x.projected(sink.Live, calls0, 4)
	x.projected(sink.Live, calls1, 0)
	now, heard := look(nil)
	require.Equal(t, Positions{calls0: 4, calls1: 0}, now)
	require.Equal(t, [2]bool{true, true}, heard, "the first look does not know what was before")

	now, heard = look(now)
	require.Equal(t, [2]bool{}, heard, "nothing moved")

	x.projected(sink.Live, calls1, 5)
	now, heard = look(now)
	require.Equal(t, [2]bool{}, heard, "what moved was nobody's")
	require.Equal(t, Positions{calls0: 4, calls1: 5}, now)

	x.given(happened(calls1, 5, 20), happened(calls0, 4, 20, ofTenantNamed("globex")))
	_, heard = look(now)
	require.Equal(t, [2]bool{}, heard, "events that the checkpoint has not passed are not shown yet")
	x.projected(sink.Live, calls1, 6)
	now, heard = look(now)
	require.Equal(t, [2]bool{true, false}, heard)
	x.projected(sink.Live, calls0, 5)
	now, heard = look(now)
	require.Equal(t, [2]bool{false, true}, heard)
	require.Equal(t, Positions{calls0: 5, calls1: 6}, now)

	x.given(happened(messages0, 0, 30))
	x.projected(sink.Live, messages0, 1)
	now, heard = look(now)
	require.Equal(t, [2]bool{true, false}, heard, "of a partition that was not there before all is new")

	acme.Stop()
	globex.Stop()
	x.projected(sink.Live, calls0, 6)
	now, heard = look(now)
	require.Equal(t, [2]bool{}, heard)
	require.Equal(t, Positions{calls0: 6, calls1: 6, messages0: 1}, now, "nobody follows, and what was passed is passed")

	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := x.bell.look(over, now)
	require.ErrorContains(t, err, "reading the checkpoints")
}

// following is a follower for whom nothing looks by itself.
func (x indexed) following(tenant string) *Follower {
	x.bell.stop = func() {}
	return x.Follow(tenant)
}

// A follower hears of the events of its tenant, whoever else has some.
func TestAFollowerHearsOfEventsAsTheyBecomeVisible(t *testing.T) {
	x := newIndex(t)
	hear := func(f *Follower, what string) {
		t.Helper()
		select {
		case <-f.C():
		case <-time.After(20 * time.Second):
			require.Fail(t, "nothing was heard", what)
		}
	}
	x.projected(sink.Live, calls0, 3)
	globex := x.Follow("globex")
	defer globex.Stop()
	hear(globex, "the first look does not know what was before")
	acme := x.Follow("acme")
	defer acme.Stop()
	for offset := range int64(3) {
		x.given(happened(calls0, 3+offset, 10))
		x.projected(sink.Live, calls0, 4+offset)
		hear(acme, "of an event")
		x.bell.tenants() // who is woken by one look is woken together
		require.False(t, rung(globex))
	}
}
