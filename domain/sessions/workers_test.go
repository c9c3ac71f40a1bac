package sessions_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// in is where a delegate works, so many seconds after noon.
func in(delegate string, seconds int) sessions.InTurn {
	at := after(seconds)
	at.Delegate = delegate
	return at
}

// deep is work within work: the first delegate has another agent do a part of its own.
var deep = []event.Payload{
	sessions.WorkGiven{InTurn: in("1", 3), Agent: "flights", Wish: "w7", Delegates: []string{"seats"}},
	sessions.DelegateBegun{InTurn: in("1", 4), DelegateID: "1.1", Name: "seats", From: "flights", To: "cabin", Task: "Find a seat",
		ExpiresAt: after(14).At},
}

// Given a delegate that has others work, then each has what it was given, and whoever is above counts it.
func TestADelegateHasDelegatesOfItsOwn(t *testing.T) {
	start := begun
	start.InTurn = after(2)
	s := sessions.Sessions.State(append([]event.Payload{chat, heard, given, start}, deep...)...)
	seats := sessions.Delegate{ID: "1.1", Name: "seats", Agent: "cabin", Task: "Find a seat", At: after(4).At, ExpiresAt: after(14).At,
		Talk: &sessions.Talk{Agent: "cabin", Place: "1.1", For: []string{"front", "flights"}, Lines: 1, Led: 1,
			History: []sessions.Line{{Text: "Find a seat", N: 1}}, Running: &sessions.Running{Heard: "Find a seat", At: after(4).At}}}
	air := sessions.Delegate{ID: "1", Name: "air", Agent: "flights", Task: "Find one", Retry: 1, At: after(2).At, ExpiresAt: begun.ExpiresAt,
		Talk: &sessions.Talk{Agent: "flights", Place: "1", For: []string{"front"}, Lines: 1, Led: 1,
			History: []sessions.Line{{Text: "Find one", N: 1}}, Running: &sessions.Running{Heard: "Find one", At: after(2).At, Began: 1,
				Delegated: 1, Work: &sessions.Work{Agent: "flights", Wish: "w7", Names: []string{"seats"},
					Delegates: []sessions.Delegate{seats}}}}}
	require.Equal(t, &sessions.Running{Heard: "Hello", Action: heard.Action, Old: true, Metadata: heard.Metadata, At: noon,
		Began: 1, Delegated: 2, Work: &sessions.Work{Agent: "front", Step: "ask", Wish: "w1", Group: "offers", Names: given.Delegates, Retry: 1,
			ExpiresAt: given.ExpiresAt, Delegates: []sessions.Delegate{air}}}, s.Talk.Running)
	require.Equal(t, given.Waits, s.Talk.Waits)
	require.Equal(t, air.Agent, s.Talk.Running.Towards("1.1").Agent)
	require.Nil(t, s.Talk.Running.Towards("11"))

	rule := given
	rule.Step, rule.Wish = "", ""
	require.Equal(t, []string{"front"}, sessions.Sessions.State(chat, heard, rule).Talk.Running.Worked, "a WHEN has its turn once")
}

// Given a delegate, then it sees of the turn what a test and the user's message brought, and of the test no more than mocks.
func TestWhatADelegateSeesOfItsTurn(t *testing.T) {
	message := heard
	message.Brought = &sessions.Brought{StartAt: "ask", Mocks: []sessions.Mock{{Tool: "find"}}, SkipOnStart: true}
	mocked := answered
	mocked.Result, mocked.Outcome, mocked.Code = nil, sessions.CallOK, ""
	s := sessions.Sessions.State(append([]event.Payload{chat, message, putInto, given, begun, mocked}, deep...)...)
	seen, is := s.Within("1")
	require.True(t, is)
	require.Equal(t, []any{message.Metadata, []int{1}, 2, 1, &sessions.Brought{Mocks: message.Brought.Mocks}, s.Talk.Memory}, []any{
		seen.Talk.Running.Metadata, seen.Talk.Running.Mocks, seen.Talk.Running.Delegated, seen.Talk.Running.Began, seen.Talk.Running.Brought,
		seen.Talk.Memory})
	require.Nil(t, seen.Talk.Variables)
	require.Nil(t, s.Talk.Running.Delegate("1").Talk.Running.Mocks, "which changes nothing of it")
	seen, is = seen.Within("1.1")
	require.True(t, is)
	require.Equal(t, "cabin", seen.Talk.Agent)
}

// Given delegates that wait, then what has taken too long first of all is when the turn is looked at again.
func TestWhenWhatDelegatesWaitForHasTakenTooLong(t *testing.T) {
	pays := later
	pays.InTurn = in("1.1", 5)
	waits := func(seconds int) event.Payload {
		return sessions.CallSent{InTurn: in("1.1", 5), CallID: "c3", ExpiresAt: after(seconds).At}
	}
	work := slices.Clip(append([]event.Payload{chat, heard, given, begun}, deep...))
	short := given
	short.ExpiresAt = after(9).At
	over := worked
	over.Left = nil
	for name, c := range map[string]struct {
		past []event.Payload
		ends time.Time
	}{
		"nobody works":               {[]event.Payload{chat, heard}, time.Time{}},
		"the turn itself waits":      {[]event.Payload{chat, heard, later, sent}, time.Time{}},
		"the work is given":          {[]event.Payload{chat, heard, given}, after(15).At},
		"the delegate is sooner":     {work, after(12).At},
		"the work is":                {[]event.Payload{chat, heard, short, begun}, after(9).At},
		"what one waits for is":      {append(work, pays, waits(6)), after(6).At},
		"what one waits for is not":  {append(work, pays, waits(600)), after(12).At},
		"the delegate is done":       {append(work, over), after(15).At},
		"the work is, with its time": {append(work, over, workDone), time.Time{}},
	} {
		require.Equal(t, c.ends, sessions.Sessions.State(c.past...).Talk.Running.Ends(), name)
	}
}

// Given a write of a delegate that has no key, then neither it nor who it works for is begun again, unless the
// write surely failed.
func TestWhatADelegateWroteIsNotWrittenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		repeat  bool
		outcome sessions.CallOutcome
		wrote   bool
	}{
		"a write":                   {false, sessions.CallOK, true},
		"a write that nobody knows": {false, sessions.CallUnknown, true},
		"a write that failed":       {false, sessions.CallFailed, false},
		"a read":                    {true, sessions.CallOK, false},
	} {
		t.Run(name, func(t *testing.T) {
			opened := sessions.CallOpened{InTurn: in("1.1", 5), CallID: "c9", Agent: "cabin", Tool: "book", Repeat: c.repeat,
				Claimed: claimed.Claimed}
			call := sessions.CallEnded{InTurn: in("1.1", 6), CallID: "c9", Agent: "cabin", Tool: "book", Outcome: c.outcome}
			past := append([]event.Payload{chat, heard, given, begun}, deep...)
			s := sessions.Sessions.State(append(past, opened, call)...)
			air := s.Talk.Running.Delegate("1")
			require.Equal(t, []bool{c.wrote, c.wrote}, []bool{air.Wrote, air.Talk.Running.Delegate("1.1").Wrote})
			require.Empty(t, s.Talk.Running.Left())
			if c.outcome == sessions.CallOK {
				s = sessions.Sessions.State(append(past, opened, worked)...)
				require.Equal(t, sessions.Delegate{ID: "1", Name: "air", Agent: "flights", Task: "Find one", Retry: 1, At: noon,
					ExpiresAt: begun.ExpiresAt, Outcome: "error", Code: "TIMEOUT", Result: worked.Result, Wrote: c.wrote},
					*s.Talk.Running.Work.Begun("air"), "it was on its way")
				require.Nil(t, s.Talk.Running.Work.Begun("rail"))
			}
		})
	}
}

// Given models that are asked, then those that look for values are kept in mind by their agents, and those that
// nobody waits for any more are only where no model is known to have answered.
func TestModelsThatAreAsked(t *testing.T) {
	kept := askedMind
	kept.Agent = "back"
	s := sessions.Sessions.State(chat, heard, lookedFor, foundOut, kept)
	require.Equal(t, []any{[]string{"front"}, 2, &kept, 2}, []any{s.Talk.Running.Extracted, s.Talk.Running.Models, s.Talk.Running.Asked,
		s.Talk.Calls})
	require.Len(t, s.Talk.History, 1, "what was found leads nowhere")
	cut := sessions.ModelAnswered{InTurn: after(1), CallID: "c5", Agent: "front", Failed: sessions.CodeCancelled}
	known, failed := cut, cut
	known.ModelID, failed.Failed = "m-1", "TIMEOUT"
	cuts := []sessions.CutCall{{InTurn: after(1), CallID: "c5", Agent: "front"}}
	for name, c := range map[string]struct {
		answer event.Payload
		cuts   []sessions.CutCall
		errors int
		spent  sessions.Spent
	}{
		"it was cut off":        {cut, cuts, 0, sessions.Spent{}},
		"and what it took said": {known, nil, 0, sessions.Spent{Unpriced: 1}},
		"it failed":             {failed, nil, 1, sessions.Spent{}},
		"it answered":           {thought, nil, 1, sessions.Spent{Pico: cost}},
	} {
		s := sessions.Sessions.State(chat, heard, askedMind, c.answer)
		require.Equal(t, []any{c.cuts, c.errors, c.spent, 2}, []any{s.Cuts, s.Talk.Errors, s.Spent, s.Talk.Traces}, name)
		require.Nil(t, s.Talk.Running.Asked, name)
	}
}
