package pacing_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/pacing"
)

func TestARunTakesAsManyContactsAsThereAreLines(t *testing.T) {
	l := &lines{TB: t}
	require.Equal(t, map[string][]int{"a": {0, 1}}, taken(l.when(enter("a", 5))))
	require.Equal(t, map[string][]int{"a": {2}}, taken(l.when(finish("a", 1, noon))))
	require.Empty(t, taken(l.when(enter("b", 5))), "the lines are one run's or another's")
}

func TestThePriorityGoesFirst(t *testing.T) {
	urgent := func(c *pacing.Enter) { c.Priority = 5 }
	l := given(t, enter("low", 5, func(c *pacing.Enter) { c.Priority = 1 }), enter("old", 5), enter("urgent", 1, urgent), enter("young", 5))
	require.Equal(t, map[string][]int{"urgent": {0}}, taken(l.when(finish("low", 0, noon))))
	require.Equal(t, map[string][]int{"old": {0}}, taken(l.when(finish("low", 1, noon))),
		"of one priority the run that entered first, and before its own run")
}

func TestVoiceAndMessagesHaveLinesOfTheirOwn(t *testing.T) {
	l := given(t, enter("calls", 5))
	require.Equal(t, map[string][]int{"texts": {0, 1}}, taken(l.when(enter("texts", 5, func(c *pacing.Enter) { c.Channel = pacing.SMS }))))
}

func TestARunIsFinishedWithItsLastOutcome(t *testing.T) {
	l := given(t, enter("a", 2), finish("a", 1, noon))
	failed := finish("a", 0, noon)
	failed.Outcome, failed.EffectID, failed.Reason = pacing.Failed, "", "target is required"
	events := l.when(failed)
	require.Equal(t, pacing.RunFinished{RunID: "a", CampaignID: "cd-a", ProjectID: "bot", Passes: 1, Contacts: 2,
		Tally: pacing.Tally{CallsCompleted: 1, Failed: 1}, At: noon}, only[pacing.RunFinished](t, events))
	require.Empty(t, l.state.Runs)
}

func TestARunWithoutContactsIsFinishedAtOnce(t *testing.T) {
	only[pacing.RunFinished](t, (&lines{TB: t}).when(enter("a", 0)))
}

func TestAnOutcomeCountsOnce(t *testing.T) {
	l := given(t, enter("a", 5), finish("a", 0, noon))
	require.Empty(t, l.when(finish("a", 0, noon)), "twice")
	require.Empty(t, l.when(finish("a", 4, noon)), "never taken")
	require.Empty(t, l.when(finish("b", 0, noon)), "of another run")
	require.Equal(t, 1, l.state.Runs[0].Tally.CallsCompleted)
	_, err := pacing.Finish{Clock: clock(noon, 2), RunID: "a", Contact: 1, Outcome: "maybe"}.Decide(l.state)
	require.True(t, fault.Is(err, fault.Validation))
}

func TestARunEntersOnce(t *testing.T) {
	require.Empty(t, given(t, enter("a", 5)).when(enter("a", 5)))
}

func TestARunWaitsForItsHours(t *testing.T) {
	newYork := func(c *pacing.Enter) { c.Hours = office("America/New_York") }
	l := &lines{TB: t}
	opens := noon.Add(2 * time.Hour)
	events := l.when(enter("a", 3, newYork))
	require.Empty(t, taken(events))
	require.Equal(t, opens, only[pacing.OpeningAwaited](t, events).Until)

	require.Empty(t, l.when(pacing.Wake{Clock: clock(opens.Add(-time.Millisecond), 2)}), "early")
	events = l.when(pacing.Wake{Clock: clock(opens, 2)})
	require.Equal(t, map[string][]int{"a": {0, 1}}, taken(events))
	only[pacing.OpeningReached](t, events)
	require.Empty(t, l.when(pacing.Wake{Clock: clock(opens, 2)}), "twice")

	closed := opens.Add(8 * time.Hour)
	events = l.when(finish("a", 0, closed))
	require.Empty(t, taken(events), "the end of the hours is outside of them")
	require.Equal(t, opens.Add(24*time.Hour), only[pacing.OpeningAwaited](t, events).Until)
	require.Empty(t, taken(l.when(finish("a", 1, closed))), "the same opening is awaited once")
}

func TestTheSoonestOpeningIsAwaited(t *testing.T) {
	early := noon.Add(-10 * time.Hour) // two in the morning
	at := func(zone string) func(*pacing.Enter) {
		return func(c *pacing.Enter) { c.Clock, c.Hours = clock(early, 2), office(zone) }
	}
	l := given(t, enter("ny", 1, at("America/New_York")))
	events := l.when(enter("ldn", 1, at("Europe/London")))
	require.Equal(t, early.Add(7*time.Hour), only[pacing.OpeningAwaited](t, events).Until)
	events = l.when(pacing.Wake{Clock: clock(early.Add(7*time.Hour), 2)})
	require.Equal(t, map[string][]int{"ldn": {0}}, taken(events))
	require.Equal(t, early.Add(12*time.Hour), only[pacing.OpeningAwaited](t, events).Until, "then the other")
}

func TestALowerPriorityUsesTheLinesWhileAHigherOneIsClosed(t *testing.T) {
	l := given(t, enter("ny", 3, func(c *pacing.Enter) { c.Hours, c.Priority = office("America/New_York"), 5 }), enter("a", 9))
	require.Equal(t, map[string][]int{"ny": {0}}, taken(l.when(finish("a", 0, noon.Add(2*time.Hour)))),
		"from its opening on every line that gets free is its own, timer or not")
}

func TestAHeldRunTakesNobodyAndGoesOnWhereItWas(t *testing.T) {
	l := given(t, enter("a", 5), pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Hold, Version: 3})
	require.Empty(t, taken(l.when(finish("a", 0, noon))))
	require.Empty(t, taken(l.when(finish("a", 1, noon))))
	require.Equal(t, map[string][]int{"a": {2, 3}}, taken(l.when(pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Go,
		Version: 4})))
}

func TestAnOlderRulingThatComesLateChangesNothing(t *testing.T) {
	l := given(t, enter("a", 5), pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Go, Version: 4})
	require.Empty(t, l.when(pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Hold, Version: 3}))
	require.False(t, l.state.Runs[0].Held)
}

func TestARunThatEntersWhileItsCampaignIsPausedIsHeld(t *testing.T) {
	l := &lines{TB: t}
	events := l.when(enter("a", 5, func(c *pacing.Enter) { c.Ruling, c.Version = pacing.Hold, 3 }))
	require.Empty(t, taken(events))
	require.True(t, l.state.Runs[0].Held)
}

func TestTheLastOutcomeOfAHeldRunFinishesIt(t *testing.T) {
	l := given(t, enter("a", 1), pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Hold, Version: 3})
	only[pacing.RunFinished](t, l.when(finish("a", 0, noon)))
}

func TestAStoppedRunEndsWithThoseUnderWay(t *testing.T) {
	l := given(t, enter("a", 5), pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Stop, Version: 3}, finish("a", 0, noon))
	require.Empty(t, l.when(pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Go, Version: 4}), "for good")
	end := only[pacing.RunFinished](t, l.when(finish("a", 1, noon)))
	require.Equal(t, []any{true, 3, 2}, []any{end.Stopped, end.Untried, end.Tally.CallsCompleted})
}

func TestFewerLinesTakeNobodyAway(t *testing.T) {
	l := given(t, enter("a", 9, func(c *pacing.Enter) { c.Clock = clock(noon, 4) }))
	require.Empty(t, taken(l.when(finish("a", 0, noon))))
	require.Empty(t, taken(l.when(finish("a", 1, noon))))
	require.Equal(t, map[string][]int{"a": {4}}, taken(l.when(finish("a", 2, noon))))
}

func TestContactsThatCameTooLateAreHandedBackAndGoFirst(t *testing.T) {
	closed, opens := noon.Add(5*time.Hour), noon.Add(21*time.Hour)
	l := given(t, enter("a", 5, func(c *pacing.Enter) { c.Hours = office("Europe/London") }))
	require.Empty(t, l.when(pacing.HandBack{Clock: clock(noon, 2), RunID: "a", Contacts: []int{1}}), "inside the hours")
	events := l.when(pacing.HandBack{Clock: clock(closed, 2), RunID: "a", Contacts: []int{1, 0, 4}})
	require.Equal(t, pacing.ContactsReturned{RunID: "a", Contacts: []int{0, 1}, At: closed}, only[pacing.ContactsReturned](t, events))
	l.when(finish("a", 1, closed)) // its call had been asked for after all
	require.Equal(t, map[string][]int{"a": {0, 2}}, taken(l.when(pacing.Wake{Clock: clock(opens, 2)})))
}

// Given contacts that nobody could place yet, when their run is held, then they are handed back, and go first when it goes on.
func TestWhatWasNotPlacedOfAHeldRunIsHandedBack(t *testing.T) {
	hold := pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Hold, Version: 3}
	l := given(t, enter("a", 5), hold)
	back := pacing.HandBack{Clock: clock(noon, 2), RunID: "a", Contacts: []int{0, 1}}
	require.Equal(t, []int{0, 1}, only[pacing.ContactsReturned](t, l.when(back)).Contacts)
	require.Empty(t, l.when(back), "once")
	require.Equal(t, map[string][]int{"a": {0, 1}},
		taken(l.when(pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Go, Version: 4})))
	require.Empty(t, l.when(back), "it goes on")
}

func TestARecurringRunBeginsItsNextPassOnALaterDay(t *testing.T) {
	recurring := func(c *pacing.Enter) { c.Recurring, c.Hours = true, office("Europe/London") }
	l := given(t, enter("a", 1, recurring))
	events := l.when(finish("a", 0, noon.Add(time.Hour)))
	next := noon.Add(21 * time.Hour)
	require.Equal(t, next, only[pacing.PassFinished](t, events).NextPass)
	require.Equal(t, next, only[pacing.OpeningAwaited](t, events).Until)

	events = l.when(pacing.Wake{Clock: clock(next, 2)})
	require.Equal(t, 2, only[pacing.PassDue](t, events).Pass)
	require.Empty(t, l.when(pacing.BeginPass{Clock: clock(next, 2), RunID: "a", Pass: 3, Contacts: 3}), "another pass")
	require.Equal(t, map[string][]int{"a": {1, 2}},
		taken(l.when(pacing.BeginPass{Clock: clock(next, 2), RunID: "a", Pass: 2, Contacts: 3})), "its contacts follow in number")
	require.Empty(t, l.when(pacing.BeginPass{Clock: clock(next, 2), RunID: "a", Pass: 2, Contacts: 3}), "twice")
}

func TestAPassThatReachesNobodyWaitsForTheNextDay(t *testing.T) {
	l := given(t, enter("a", 1, func(c *pacing.Enter) { c.Recurring = true }), finish("a", 0, noon),
		pacing.Wake{Clock: clock(noon.Add(12*time.Hour), 2)})
	events := l.when(pacing.BeginPass{Clock: clock(noon.Add(12*time.Hour), 2), RunID: "a", Pass: 2, Contacts: 1})
	require.Equal(t, noon.Add(36*time.Hour), only[pacing.PassFinished](t, events).NextPass)
}

func TestAHeldRunBeginsNoPass(t *testing.T) {
	hold := pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Hold, Version: 3}
	l := given(t, enter("a", 1, func(c *pacing.Enter) { c.Recurring = true }), finish("a", 0, noon), hold)
	later := noon.Add(72 * time.Hour)
	only[pacing.OpeningReached](t, l.when(pacing.Wake{Clock: clock(later, 2)}))
	only[pacing.PassDue](t, l.when(pacing.Steer{Clock: clock(later, 2), RunID: "a", Ruling: pacing.Go, Version: 4}))
}

func TestAStoppedRunEndsBetweenItsPasses(t *testing.T) {
	l := given(t, enter("a", 1, func(c *pacing.Enter) { c.Recurring = true }), finish("a", 0, noon))
	only[pacing.RunFinished](t, l.when(pacing.Steer{Clock: clock(noon, 2), RunID: "a", Ruling: pacing.Stop, Version: 3}))
}

// A snapshot is the state's JSON: what comes back must be what was there.
func TestTheStateSurvivesItsSnapshot(t *testing.T) {
	l := given(t, enter("a", 5, func(c *pacing.Enter) { c.Hours, c.Recurring = office("Europe/London"), true }),
		enter("b", 2, func(c *pacing.Enter) { c.Hours = office("America/New_York") }),
		pacing.HandBack{Clock: clock(noon.Add(5*time.Hour), 2), RunID: "a", Contacts: []int{0}}, pacing.Steer{Clock: clock(noon, 2),
			RunID: "b", Ruling: pacing.Hold, Version: 3})
	data, err := json.Marshal(l.state)
	require.NoError(t, err)
	var back pacing.State
	require.NoError(t, json.Unmarshal(data, &back))
	require.Equal(t, l.state, back)
}

func TestOutcomesOfOneMomentFreeTheirLinesTogether(t *testing.T) {
	l := given(t, enter("a", 9))
	all := func(outcomes ...pacing.Finish) pacing.FinishAll {
		return pacing.FinishAll{Clock: clock(noon, 2), Outcomes: outcomes}
	}
	failed := finish("a", 1, noon)
	failed.Outcome, failed.Reason = pacing.Failed, "487"
	events := l.when(all(finish("a", 0, noon), finish("a", 0, noon), finish("gone", 3, noon), failed))
	require.Equal(t, pacing.ContactsTaken{RunID: "a", Contacts: []int{2, 3}, Next: 4, At: noon}, only[pacing.ContactsTaken](t, events))
	require.Equal(t, []any{pacing.Tally{CallsCompleted: 1}, pacing.Tally{CallsCompleted: 1, Failed: 1}},
		[]any{events[0].(pacing.ContactFinished).Tally, events[1].(pacing.ContactFinished).Tally}, "each outcome counts once, and says the sum")
	require.Len(t, events, 3)
	require.Equal(t, []int{2, 3}, l.state.Runs[0].InFlight, "no line is given twice")

	require.Empty(t, l.when(all(finish("a", 0, noon), failed)), "again")
	wrong := finish("a", 2, noon)
	wrong.Outcome = "maybe"
	_, err := all(finish("a", 3, noon), wrong).Decide(l.state)
	require.True(t, fault.Is(err, fault.Validation))
}
