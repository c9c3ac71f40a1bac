package calls_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
)

// Given a call in which people talk, when a person is to be on its line, then that is asked once for each
// transfer, and what came of it is told once. Who has the session by the latest transfer is called, in whichever order it is asked.
func TestAPersonIsBroughtOntoTheLine(t *testing.T) {
	talk := connected(t)
	ask := func(transfer string) calls.CallPerson {
		return calls.CallPerson{TransferID: transfer, ClaimID: transfer + "-1", Target: "sip:maria@pbx.example", At: after(9_000)}
	}
	inTurn := func(turn int, transfer string) calls.CallPerson {
		return calls.CallPerson{TransferID: transfer, Turn: turn, At: after(9_000)}
	}
	called := func(transfer string) calls.PersonCalled {
		return calls.PersonCalled{TransferID: transfer, ClaimID: transfer + "-1", Target: "sip:maria@pbx.example", At: after(9_000)}
	}
	told := func(transfer string, code int) calls.TransferLeg {
		return calls.TransferLeg{TransferID: transfer, Code: code, At: after(9_900)}
	}
	busy := calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: 486, Reason: "486 Busy Here", At: after(9_900)}
	ok := calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: 200, Reason: "200 OK", At: after(9_900)}
	adopted := calls.Adopted{Try: "try-2", Node: "n2", At: after(30_100), LeaseUntil: after(60_100)}
	given := func(more ...event.Payload) []event.Payload { return append(slices.Clip(talk), more...) }
	rang := func(more ...event.Payload) []event.Payload {
		return append(append(slices.Clip(talk[:3]), called("t-1")), more...)
	}
	for name, c := range map[string]scenario{
		"asked":                      {talk, ask("t-1"), []event.Payload{called("t-1")}},
		"asked again":                {given(called("t-1")), ask("t-1"), nil},
		"another transfer":           {given(called("t-1"), busy), ask("t-2"), []event.Payload{called("t-2")}},
		"an earlier one, later":      {given(calls.PersonCalled{TransferID: "t-1", Turn: 2}), inTurn(1, "t-2"), nil},
		"of two at once the earlier": {given(calls.PersonCalled{TransferID: "t-2", Turn: 2}), inTurn(2, "t-1"), nil},
		"of two at once the later": {given(calls.PersonCalled{TransferID: "t-1", Turn: 2}), inTurn(2, "t-2"),
			[]event.Payload{calls.PersonCalled{TransferID: "t-2", Turn: 2, At: after(9_000)}}},
		"over a trunk of its own": {talk, calls.CallPerson{TransferID: "t-1", Trunk: "desk", At: after(9_000)},
			[]event.Payload{calls.PersonCalled{TransferID: "t-1", Trunk: "desk", At: after(9_000)}}},
		"while it rings":    {talk[:3], ask("t-1"), []event.Payload{called("t-1")}},
		"behind the end":    {given(calls.Completed{At: after(8_000)}), ask("t-1"), nil},
		"of no call at all": {nil, ask("t-1"), nil},
		"what came of it":   {given(called("t-1")), told("t-1", 486), []event.Payload{busy}},
		"taken at the trunk": {given(called("t-1")), calls.TransferLeg{TransferID: "t-1", Code: 200, Phrase: "OK", By: calls.ByRefer,
			At: after(9_900)}, []event.Payload{calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: 200, Reason: "200 OK",
			By: calls.ByRefer, At: after(9_900)}}},
		"told again":               {given(called("t-1"), busy), told("t-1", 200), nil},
		"of another transfer":      {given(called("t-1")), told("t-2", 200), nil},
		"of nobody who was called": {talk, told("t-1", 200), nil},
		"told by the next node":    {given(called("t-1"), ok, adopted), told("t-1", 486), []event.Payload{busy}},
	} {
		t.Run(name, c.run)
	}
	for _, s := range []calls.State{calls.Calls.State(given(called("t-1"))...), calls.Calls.State(given(called("t-1"), adopted)...),
		calls.Calls.State(given(called("t-1"), ok, adopted)...), calls.Calls.State(rang(talk[3:]...)...)} {
		_, wanted := s.WantsPerson()
		require.True(t, wanted)
	}
	for _, s := range []calls.State{calls.Calls.State(talk...), calls.Calls.State(rang()...), calls.Calls.State(given(called("t-1"), busy)...),
		calls.Calls.State(given(called("t-1"), ok)...), calls.Calls.State(given(called("t-1"), busy, adopted)...),
		calls.Calls.State(given(called("t-1"), calls.Completed{At: after(9_500)})...)} {
		_, wanted := s.WantsPerson()
		require.False(t, wanted)
	}
}

// Given a person whom the trunk is asked to call, then that is on the log before it is asked, once, and once that it does not do so:
// whoever goes on with the call knows whether somebody rings them. Who has the call at the trunk is not called again.
func TestATrunkThatIsAskedToCallAPerson(t *testing.T) {
	called := calls.PersonCalled{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", At: after(9_000)}
	refer := func(transfer string, over bool) calls.ReferPerson {
		return calls.ReferPerson{TransferID: transfer, Over: over, At: after(9_100)}
	}
	asked := calls.PersonReferred{TransferID: "t-1", At: after(9_100)}
	over := calls.PersonReferred{TransferID: "t-1", Over: true, At: after(9_100)}
	busy := calls.LegTransferred{TransferID: "t-1", Code: 486, By: calls.ByRefer, At: after(9_900)}
	taken := calls.LegTransferred{TransferID: "t-1", Code: 200, By: calls.ByRefer, At: after(9_900)}
	adopted := calls.Adopted{Try: "try-2", Node: "n2", At: after(30_100), LeaseUntil: after(60_100)}
	given := func(more ...event.Payload) []event.Payload { return append(slices.Clip(connected(t)), more...) }
	for name, c := range map[string]scenario{
		"asked":              {given(called), refer("t-1", false), []event.Payload{asked}},
		"twice":              {given(called, asked), refer("t-1", false), nil},
		"by the next node":   {given(called, asked, adopted), refer("t-1", false), nil},
		"for another":        {given(called), refer("t-2", false), nil},
		"for nobody":         {given(), refer("t-1", false), nil},
		"and they have told": {given(called, asked, busy), refer("t-1", false), nil},
		"for the next person": {given(called, asked, busy, calls.PersonCalled{TransferID: "t-2"}), refer("t-2", false),
			[]event.Payload{calls.PersonReferred{TransferID: "t-2", At: after(9_100)}}},
		"it does not":             {given(called, asked), refer("t-1", true), []event.Payload{over}},
		"it does not, twice":      {given(called, asked, over), refer("t-1", true), nil},
		"it does not, not asked":  {given(called), refer("t-1", true), nil},
		"asked again behind that": {given(called, asked, over), refer("t-1", false), nil},
	} {
		t.Run(name, c.run)
	}
	for name, c := range map[string]struct {
		past   []event.Payload
		is     calls.Referral
		open   bool // at the other side
		wanted bool
	}{
		"not asked":                   {given(called, adopted), calls.NotReferred, false, true},
		"asked":                       {given(called, asked, adopted), calls.Referred, true, true},
		"does not":                    {given(called, asked, over, adopted), calls.ReferralOver, false, true},
		"did not come":                {given(called, asked, busy, adopted), calls.Referred, false, false},
		"have the call at the trunk":  {given(called, asked, taken, adopted), calls.ReferralDone, false, false},
		"over, and they pick up here": {given(called, asked, over, calls.LegTransferred{Code: 200}, adopted), calls.ReferralOver, false, true},
	} {
		s := calls.Calls.State(c.past...)
		_, wanted := s.WantsPerson()
		require.Equal(t, []any{c.is, c.open, c.wanted}, []any{s.Referral, s.Query().Referred, wanted}, name)
	}
	next := calls.PersonCalled{TransferID: "t-2", ClaimID: "t-2-1", Target: "sip:ben@pbx.example"}
	for name, c := range map[string]struct {
		past         []event.Payload
		open, before bool // it may still tell of this person, and of one before
	}{
		"of nobody":             {given(called), false, false},
		"of them":               {given(called, asked), true, false},
		"of one before":         {given(called, asked, next), false, true},
		"of both":               {given(called, asked, next, calls.PersonReferred{TransferID: "t-2"}), true, true},
		"of one who was let go": {given(called, asked, calls.PersonFreed{TransferID: "t-1"}), false, true},
	} {
		q := calls.Calls.State(append(c.past, adopted)...).Query()
		require.Equal(t, []bool{c.open, c.before}, []bool{q.Referred, q.ReferredBefore}, name)
	}
}

// Given a person whose transfer is over, then the call lets them go, once, whether they talk or it still rings: nobody calls them any
// more, whichever node has the call, and what came of calling them is told no more.
func TestAPersonIsLetGo(t *testing.T) {
	called := calls.PersonCalled{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", At: after(9_000)}
	asked := calls.PersonReferred{TransferID: "t-1", At: after(9_100)}
	came := func(code int, by calls.Way) calls.LegTransferred {
		return calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: code, Reason: "200", By: by, At: after(9_900)}
	}
	freed := calls.PersonFreed{TransferID: "t-1", At: after(12_000)}
	free := func(transfer string) calls.FreePerson {
		return calls.FreePerson{TransferID: transfer, At: after(12_000)}
	}
	told := func(code int, by calls.Way) calls.TransferLeg {
		return calls.TransferLeg{TransferID: "t-1", Code: code, By: by, At: after(9_900)}
	}
	adopted := calls.Adopted{Try: "try-2", Node: "n2", At: after(30_100), LeaseUntil: after(60_100)}
	given := func(more ...event.Payload) []event.Payload { return append(slices.Clip(connected(t)), more...) }
	for name, c := range map[string]scenario{
		"it rings":                      {given(called), free("t-1"), []event.Payload{freed}},
		"they talk":                     {given(called, came(200, calls.ByBridge)), free("t-1"), []event.Payload{freed}},
		"the trunk rings them":          {given(called, asked), free("t-1"), []event.Payload{freed}},
		"again":                         {given(called, freed), free("t-1"), nil},
		"they did not come":             {given(called, came(486, calls.ByBridge)), free("t-1"), nil},
		"they have it at the trunk":     {given(called, asked, came(200, calls.ByRefer)), free("t-1"), nil},
		"of another transfer":           {given(called), free("t-2"), nil},
		"nobody":                        {given(), free("t-1"), nil},
		"behind the end":                {given(called, calls.Completed{At: after(9_500)}), free("t-1"), nil},
		"they do not come, behind that": {given(called, freed), told(487, calls.ByBridge), nil},
		"they come here, behind that":   {given(called, freed), told(200, calls.ByBridge), nil},
		"the trunk does not, behind it": {given(called, asked, freed), told(486, calls.ByRefer), nil},
		"the trunk has it, behind that": {given(called, asked, freed), told(200, calls.ByRefer), nil},
		"the trunk is asked, behind it": {given(called, freed), calls.ReferPerson{TransferID: "t-1", At: after(9_100)}, nil},
		"the next one is called as ever": {given(called, freed), calls.CallPerson{TransferID: "t-2", At: after(9_000)},
			[]event.Payload{calls.PersonCalled{TransferID: "t-2", At: after(9_000)}}},
	} {
		t.Run(name, c.run)
	}
	for _, past := range [][]event.Payload{given(called, freed), given(called, asked, freed, adopted),
		given(called, came(200, calls.ByBridge), freed, adopted)} {
		s := calls.Calls.State(past...)
		_, wanted := s.WantsPerson()
		require.Equal(t, []any{false, false, "t-1"}, []any{wanted, s.Query().Referred, s.FreedPerson()})
	}
	for name, c := range map[string]struct {
		past []event.Payload
		left bool
	}{
		"taken": {given(called, asked, came(200, calls.ByRefer)), true}, "too late": {given(called, asked, came(487, calls.ByRefer)), true},
		"let go": {given(called, asked, freed), false}, "another": {given(called, asked, calls.PersonCalled{TransferID: "t-2"}), false},
		"nobody": {given(), false},
	} {
		require.Equal(t, c.left, calls.Calls.State(c.past...).LeftFor("t-1"), name)
	}
	for name, c := range map[string]struct {
		past []event.Payload
		want string
	}{
		"it rings": {given(called), "t-1"}, "until the end": {given(called, calls.Completed{At: after(9_500)}), "t-1"},
		"they talk": {given(called, came(200, calls.ByBridge)), ""}, "they do not come": {given(called, came(486, calls.ByBridge)), ""},
		"nobody": {given(), ""},
	} {
		require.Equal(t, c.want, calls.Calls.State(c.past...).RingingPerson(), name)
	}
	s := calls.Calls.State(given(called, freed, calls.PersonCalled{TransferID: "t-2"})...)
	_, wanted := s.WantsPerson()
	require.Equal(t, []any{true, ""}, []any{wanted, s.FreedPerson()})
}

// Given a person who has picked up, then how their leg is spoken to is noted when it changes, until they are gone.
func TestTheLegOfAPersonIsKnown(t *testing.T) {
	called := calls.PersonCalled{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", At: after(9_000)}
	moved := dialog
	moved.Target = "sip:maria@10.0.0.9"
	note := func(transfer, sid string, d calls.Dialog) calls.EstablishPerson {
		return calls.EstablishPerson{TransferID: transfer, SID: sid, Dialog: d, At: after(9_400)}
	}
	noted := func(sid string, d calls.Dialog) calls.PersonEstablished {
		return calls.PersonEstablished{TransferID: "t-1", SID: sid, Dialog: d, At: after(9_400)}
	}
	given := func(more ...event.Payload) []event.Payload { return append(slices.Clip(connected(t)), more...) }
	for name, c := range map[string]scenario{
		"picked up":       {given(called), note("t-1", "l-9", dialog), []event.Payload{noted("l-9", dialog)}},
		"the same":        {given(called, noted("l-9", dialog)), note("t-1", "l-9", dialog), nil},
		"moved":           {given(called, noted("l-9", dialog)), note("t-1", "l-9", moved), []event.Payload{noted("l-9", moved)}},
		"another leg":     {given(called, noted("l-9", dialog)), note("t-1", "l-10", dialog), []event.Payload{noted("l-10", dialog)}},
		"of another time": {given(called), note("t-2", "l-9", dialog), nil},
		"nobody's":        {given(), note("t-1", "l-9", dialog), nil},
	} {
		t.Run(name, c.run)
	}
	q, there := calls.Calls.State(given(called, noted("l-9", moved))...).PersonQuery()
	require.True(t, there)
	require.Equal(t, []any{"l-9", "acme", moved}, []any{q.SID, q.TenantID, *q.Dialog})
	byDesk := called
	byDesk.Trunk = "desk"
	q, _ = calls.Calls.State(given(byDesk, noted("l-9", moved))...).PersonQuery()
	require.Equal(t, "desk", q.Trunk, "they were called over another trunk than the call")
	for _, past := range [][]event.Payload{given(called),
		given(called, noted("l-9", dialog), calls.LegTransferred{TransferID: "t-1", Code: 603}),
		given(called, noted("l-9", dialog), calls.PersonCalled{TransferID: "t-2"})} {
		_, there = calls.Calls.State(past...).PersonQuery()
		require.False(t, there)
	}
}
