package pacing_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
)

// Given a run, when it goes through its life, then every event says which run it is about, what changed, and when.
func TestEventsSayWhichRunAndWhen(t *testing.T) {
	recurring := func(c *pacing.Enter) { c.Recurring, c.Hours = true, office("Europe/London") }
	l := given(t, enter("a", 2, recurring))
	at, next := noon.Add(time.Hour), noon.Add(21*time.Hour)
	steer := func(r pacing.Ruling, version int64) pacing.Steer {
		return pacing.Steer{Clock: clock(at, 2), RunID: "a", Ruling: r, Version: version}
	}
	text := finish("a", 0, at)
	text.Outcome, text.EffectID, text.Reason = pacing.MessageSent, "m-1", "taken"
	for _, c := range []struct {
		when command
		then []event.Payload
	}{
		{steer(pacing.Hold, 3), []event.Payload{pacing.RunHeld{RunID: "a", Version: 3, At: at}}},
		{steer(pacing.Go, 3), nil},
		{steer(pacing.Go, 4), []event.Payload{pacing.RunReleased{RunID: "a", Version: 4, At: at}}},
		{text, []event.Payload{pacing.ContactFinished{RunID: "a", Contact: 0, Outcome: pacing.MessageSent, EffectID: "m-1", Reason: "taken",
			Tally: pacing.Tally{MessagesSent: 1}, At: at}}},
		{finish("a", 1, at), []event.Payload{
			pacing.ContactFinished{RunID: "a", Contact: 1, Outcome: pacing.CallCompleted, EffectID: finish("a", 1, at).EffectID,
				Tally: pacing.Tally{MessagesSent: 1, CallsCompleted: 1}, At: at},
			pacing.PassFinished{RunID: "a", Pass: 1, NextPass: next, At: at},
			pacing.OpeningAwaited{Until: next, At: at}}},
		{pacing.Wake{Clock: clock(next, 2)}, []event.Payload{pacing.OpeningReached{At: next},
			pacing.PassDue{RunID: "a", CampaignID: "cd-a", Pass: 2, At: next}}},
		{pacing.BeginPass{Clock: clock(next, 1), RunID: "a", Pass: 2, Contacts: 3}, []event.Payload{
			pacing.PassBegun{RunID: "a", Pass: 2, Contacts: 3, At: next}, pacing.ContactsTaken{RunID: "a", Contacts: []int{2}, Next: 3,
				At: next}}},
		{pacing.Steer{Clock: clock(next, 1), RunID: "a", Ruling: pacing.Stop, Version: 9},
			[]event.Payload{pacing.RunStopped{RunID: "a", Version: 9, At: next}}},
		{pacing.Steer{Clock: clock(next, 1), RunID: "a", Ruling: pacing.Go, Version: 10}, nil},
	} {
		require.Equal(t, c.then, l.when(c.when), "%T", c.when)
	}
}
