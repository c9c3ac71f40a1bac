package traces

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

func heard(turn int) event.Payload { return sessions.MessageReceived{InTurn: in(turn, turn*10)} }

func saidIn(turn int) event.Payload {
	return sessions.Said{InTurn: in(turn, turn*10), Agent: "a", Text: "Yes"}
}

func ended(turn int, failed string) event.Payload {
	return sessions.TurnEnded{InTurn: in(turn, turn*10), Action: sessions.Continue, Failed: failed}
}

func stepped(turn int) event.Payload {
	return sessions.StepEntered{InTurn: in(turn, turn*10), Agent: "a", Step: "x"}
}

// late is something that is said in a step, so many seconds after noon.
func late(at int) event.Payload { return sessions.Said{InTurn: in(1, at), Agent: "a", Step: "x"} }

// works is a delegate that comes to a step.
func works(delegate string) event.Payload {
	at := in(1, 10)
	at.Delegate = delegate
	return sessions.StepEntered{InTurn: at, Agent: "b", Step: "y"}
}

func notedIn(turn int, kind, what, detail string) event.Payload {
	return sessions.Noticed{InTurn: in(turn, turn*10), Kind: kind, Agent: "a", Step: "x", What: what, Detail: detail}
}

func filled(turn int) event.Payload {
	return sessions.SlotsFilled{InTurn: in(turn, turn*10), Agent: "a"}
}

// called is the end of a call of a tool, which went well without a code.
func called(id, code string) event.Payload {
	e := sessions.CallEnded{InTurn: in(1, 10), CallID: id, Agent: "a", Step: "x", Tool: "find", Outcome: sessions.CallOK, Code: code}
	if code != "" {
		e.Outcome = sessions.CallFailed
	}
	return e
}

func modelFailed() event.Payload {
	return sessions.ModelAnswered{InTurn: in(1, 10), Agent: "a", Step: "x", Failed: "TIMEOUT"}
}

// Given what happened, then this is found, and nothing where it nearly happened.
func TestWhatIsConspicuous(t *testing.T) {
	answered := func(turn int, between ...event.Payload) []event.Payload {
		return append(append([]event.Payload{heard(turn)}, between...), saidIn(turn), ended(turn, ""))
	}
	failing := func(turn int) []event.Payload {
		return []event.Payload{heard(turn), saidIn(turn), ended(turn, "CHECK_FAILED")}
	}
	many := func(parts ...[]event.Payload) (all []event.Payload) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	no, limit := notedIn(1, "retry", "pin", "no"), notedIn(1, "limit", "STEP_LIMIT", "more than 100 steps")
	unknown := notedIn(1, "condition_error", "no such key", "caller.x")
	const failed, loop, again = "error turn_failed s.1", "warning loop s.1.4 x1", "warning repeated_retry s.1.2 x1"
	for name, c := range map[string]struct {
		events []event.Payload
		want   []string
	}{
		"all is well":             {answered(1), nil},
		"nothing happened":        {nil, nil},
		"a failed turn":           {failing(1), []string{failed + " x1"}},
		"failed, well, failed":    {many(failing(1), answered(2), failing(3)), []string{failed + " x2"}},
		"failed thrice":           {many(failing(1), failing(2), failing(3)), []string{failed + " x3", "error repeated_failure s.1 x1"}},
		"a loop":                  {answered(1, stepped(1), stepped(1), stepped(1), stepped(1)), []string{loop}},
		"twice is no loop":        {many(answered(1, stepped(1), stepped(1)), answered(2, stepped(2), stepped(2))), nil},
		"a loop that was stopped": {answered(1, limit), []string{"error loop s.1.2 x1", "warning limit s.1.2 x1"}},
		"a limit that is no loop": {answered(1, notedIn(1, "limit", "TEXT", "cut")), []string{"warning limit s.1.2 x1"}},
		"a condition, twice":      {answered(1, unknown, unknown), []string{"error condition_error s.1.2 x2"}},
		"two conditions": {answered(1, unknown, notedIn(1, "condition_error", "", "b")),
			[]string{"error condition_error s.1.2 x1", "error condition_error s.1.2 x1"}},
		"a guardrail":             {answered(1, notedIn(1, "guardrail", "cards", "input")), []string{"info guardrail s.1.2 x1"}},
		"a constraint":            {answered(1, notedIn(1, "constraint", "WARN", "n > 1")), []string{"info constraint s.1.2 x1"}},
		"what is ignored is none": {answered(1, notedIn(1, "ignored", "action", "nothing was chosen")), nil},
		"three retries":           {answered(1, no, no, no), []string{again}},
		"four are one finding":    {answered(1, no, no, no, no), []string{again}},
		"retries of two slots":    {answered(1, no, no, notedIn(1, "retry", "kind", "no")), nil},
		"retries with a value":    {answered(1, no, no, filled(1), no), nil},
		"retries with a reset":    {answered(1, no, no, sessions.WasReset{}, no), nil},
		"an unanswered message":   {[]event.Payload{heard(1), stepped(1), ended(1, "")}, []string{"warning unanswered s.1 x1"}},
		"a turn that is not over": {[]event.Payload{heard(1), stepped(1)}, nil},
		"silence at the end":      {[]event.Payload{heard(1), sessions.TurnEnded{InTurn: in(1, 1), Action: sessions.EndAction}}, nil},
		"a tool, thrice": {answered(1, called("c1", "X"), called("c2", "X"), called("c3", "X")),
			[]string{"error repeated_failure s.1.2 x1"}},
		"a tool, well in between": {answered(1, called("c1", "X"), called("c2", "X"), called("c3", ""), called("c4", "X")), nil},
		"a write nobody knows of": {answered(1, sessions.CallEnded{InTurn: in(1, 10), Agent: "a", Tool: "pay", Outcome: sessions.CallUnknown}),
			[]string{"error unknown_outcome s.1.1 x1"}},
		"texts that went": {answered(1, notedIn(1, sessions.HistoryTrimmed, "HISTORY", "3 texts"), notedIn(1, sessions.HistoryTrimmed,
			"HISTORY", "1 text")), []string{"info history_trimmed s.1.2 x2"}},
		"a step that takes long":  {[]event.Payload{heard(1), stepped(1), late(20), ended(1, "")}, []string{"info slow_step s.1.2 x1"}},
		"a step that nearly does": {[]event.Payload{heard(1), stepped(1), late(19), ended(1, "")}, nil},
		"a step that waits for somebody": {answered(1, stepped(1), sessions.CallOpened{InTurn: in(1, 10), CallID: "c", Agent: "a", Step: "x"},
			sessions.CallSent{InTurn: in(1, 10), CallID: "c"}, sessions.CallEnded{InTurn: in(1, 90), CallID: "c", Agent: "a", Step: "x",
				Outcome: sessions.CallOK}), nil},
		"delegates at the same step": {answered(1, works("1"), works("2"), works("3"), works("1")), nil},
		"a delegate in a loop":       {answered(1, works("1"), works("1"), works("1")), []string{"warning loop s.1.4 x1"}},
		"a delegate that failed": {answered(1, sessions.DelegateEnded{InTurn: in(1, 10), DelegateID: "1", From: "a", To: "b",
			Outcome: sessions.DelegateFailed, Code: "TIMEOUT"}), []string{"warning delegate_failed s.1 x1"}},
		"people who answered": {[]event.Payload{heard(1), sessions.TurnEnded{InTurn: in(1, 10), Action: sessions.ToPeople},
			sessions.GivenBack{InTurn: in(2, 20)}, ended(2, "")}, nil},
		"a model, thrice":       {answered(1, modelFailed(), modelFailed(), modelFailed()), []string{"error repeated_failure s.1.2 x1"}},
		"the second unanswered": {many(answered(1), []event.Payload{heard(2), ended(2, "")}), []string{"warning unanswered s.2 x1"}},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			for _, f := range told(c.events...).analyze() {
				found = append(found, fmt.Sprintf("%s %s %s x%d", f.severity, f.kind, f.first.span.id, f.count))
				require.NotEmpty(t, f.text)
			}
			require.Equal(t, c.want, found)
		})
	}
}

// The worst is first, and what was first among what is as bad.
func TestFindingsAreInOrder(t *testing.T) {
	var kinds []string
	for _, f := range told(heard(1), notedIn(1, "guardrail", "g", ""), ended(1, ""), heard(2), notedIn(2, "limit", "TEXT", ""), saidIn(2),
		ended(2, "X")).analyze() {
		kinds = append(kinds, f.kind)
	}
	require.Equal(t, []string{"turn_failed", "unanswered", "limit", "guardrail"}, kinds)
	found := told(notedIn(1, "condition_error", "no such key", "caller.x")).analyze()[0]
	require.Equal(t, []string{"a condition or a value could not be computed: no such key: caller.x", "a"}, []string{found.text, found.agent})
	require.Equal(t, "a (2 times)", finding{text: "a", count: 2}.message())
	require.Equal(t, "a", finding{text: "a", count: 1}.message())
}

// Who says only until when is given what was begun in the day before that, or before now where that is still to come.
func TestAnExportBeginsADayAgo(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for to, want := range map[string]time.Time{"2026-11-29T11:00:00Z": now.Add(-25 * time.Hour), "2027-11-29": now.Add(-24 * time.Hour),
		"2026-11-27": now.Add(-60 * time.Hour)} {
		from, _, err := (&exportIn{To: to}).span(now)
		require.NoError(t, err)
		require.Equal(t, want, from)
	}
	_, _, err := (&exportIn{From: "2026-10-28", To: "2027-11-29"}).span(now)
	require.ErrorContains(t, err, "31 days")
}
