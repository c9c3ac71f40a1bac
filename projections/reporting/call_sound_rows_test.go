package reporting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/reporting"
	"github.com/parley-platform/parley/projections/voice"
)

// Given a call that ended with its node in one hour, which the log was told in the next, then its sound is in that one,
// in which analytics count the call; of other projects and accounts, and of calls that nobody measured, there is none.
func TestSoundIsInTheHourOfItsCall(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	for i, c := range []struct {
		tenant, project string
		measured        bool
	}{{"tenantId", "projectId", true}, {"tenantId", "projectId", false}, {"tenantId", "other", true}, {"other", "projectId", true}} {
		id := string(rune('a' + i))
		w.Given(voice.CallsModel, id, given.Filled(func(e *calls.Requested) { e.CallID, e.TenantID, e.ProjectID = id, c.tenant, c.project }),
			given.Filled(func(e *calls.Completed) { e.At = given.Noon.Add(-2 * time.Minute) }))
		if c.measured {
			w.Given(voice.CallsModel, id, given.Filled(func(e *calls.QualityMeasured) { e.Turns, e.BargeIns = 4, 1 }))
		}
	}
	sounds := reporting.NewSounds(w.DB)
	hours, err := sounds.SoundByHour(ctx, "tenantId", "projectId", given.Noon.Add(-time.Hour), given.Noon.Add(time.Hour))
	require.NoError(t, err)
	require.Len(t, hours, 1)
	require.True(t, hours[0].Hour.Equal(given.Noon), "%s", hours[0].Hour)
	require.EqualValues(t, 1, hours[0].Measured)
	require.EqualValues(t, 4, hours[0].Turns)
	for until, measured := range map[time.Time]int64{given.Noon: 0, given.Noon.Add(time.Hour): 1} {
		all, err := sounds.SoundOf(ctx, "tenantId", "projectId", given.Noon.Add(-time.Hour), until)
		require.NoError(t, err)
		require.Equal(t, measured, all.Measured)
	}
}
