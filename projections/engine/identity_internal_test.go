package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/sink"
)

// Given a database whose answer is late, because the machine stood still, then what was read is answered all the same; one that says
// nothing lets nothing be answered.
func TestWhatWasReadStandsAlsoWhereTheMachineStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &Projector{watch: newWatch(nil), gate: newGate()}
		p.gate.aim(p.gate.Epoch(), map[sink.Place]int64{})
		require.True(t, p.gate.reach(p.gate.Epoch(), nil, proof{rows: 1, sum: 7}))
		takes := proofTimeout + time.Second/2
		p.proofs.Ask = func(_ context.Context, keys []string) (map[string]proof, error) {
			time.Sleep(takes)
			takes = 0
			return map[string]proof{keys[0]: {rows: 1, sum: 7}}, nil
		}
		require.NoError(t, p.Reading()(t.Context()))

		takes = time.Hour
		err := p.Reading()(t.Context())
		require.True(t, fault.Is(err, fault.CatchingUp), err)
		time.Sleep(time.Hour)
	})
}
