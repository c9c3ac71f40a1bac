package checks

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/texts"
)

// line is one event of a history that a test changes.
type line struct {
	category *event.Category
	stream   string
	payload  event.Payload
}

func (w written) all(lines []line) {
	for _, l := range lines {
		w.add(l.category, l.stream, "", l.payload)
	}
}

// put gives the lines with others in the place of the n-th, from 0.
func put(lines []line, n int, others ...event.Payload) []line {
	out := append([]line(nil), lines[:n]...)
	for _, p := range others {
		out = append(out, line{lines[n].category, lines[n].stream, p})
	}
	return append(out, lines[n+1:]...)
}

// aRun is a run of two contacts, held in between; the first call was answered, the second
// was not. The numbers of its lines are those below.
func aRun() []line {
	campaign := campaigns.Stream(tenant, "cd-1")
	run, pace := runs.Stream(tenant, "cid-1"), pacing.Stream(tenant)
	call := func(id string, index int, to string) calls.Requested {
		return calls.Requested{CallID: id, Target: "tel:" + to, Campaign: &calls.CampaignContact{CampaignID: "cd-1", RunID: "cid-1",
			Contact: index}}
	}
	one, two := calls.Calls.Stream("call-1"), calls.Calls.Stream("call-2")
	return []line{
		{campaigns.Campaigns.Category, campaign, campaigns.Defined{CampaignID: "cd-1"}},
		{campaigns.Campaigns.Category, campaign, campaigns.Started{CampaignID: "cd-1", RunID: "cid-1"}},
		{campaigns.Campaigns.Category, campaign, campaigns.RunCompleted{CampaignID: "cd-1", RunID: "cid-1"}}, // 2
		{runs.Runs.Category, run, runs.ContactsListed{Pass: 1, Contacts: []contactlists.Contact{{PhoneNumber: "+1"}, {PhoneNumber: "+2"}}}},
		{calls.Calls.Category, one, call("call-1", 0, "+1")}, // 4
		{calls.Calls.Category, one, calls.Completed{}},
		{calls.Calls.Category, two, call("call-2", 1, "+2")}, // 6
		{calls.Calls.Category, two, calls.Failed{}},
		{pacing.Pacing.Category, pace, pacing.RunEntered{RunID: "cid-1", CampaignID: "cd-1", Channel: pacing.Voice, Contacts: 2}},
		{pacing.Pacing.Category, pace, pacing.ContactsTaken{RunID: "cid-1", Contacts: []int{0}, Next: 1}}, // 9
		{pacing.Pacing.Category, pace, pacing.RunHeld{RunID: "cid-1", Version: 3}},
		{pacing.Pacing.Category, pace, pacing.ContactFinished{RunID: "cid-1", Contact: 0, Outcome: pacing.CallCompleted,
			EffectID: "call-1", Tally: pacing.Tally{CallsCompleted: 1}}}, // 11
		{pacing.Pacing.Category, pace, pacing.RunReleased{RunID: "cid-1", Version: 4}}, // 12
		{pacing.Pacing.Category, pace, pacing.ContactsTaken{RunID: "cid-1", Contacts: []int{1}, Next: 2}},
		{pacing.Pacing.Category, pace, pacing.ContactFinished{RunID: "cid-1", Contact: 1, Outcome: pacing.Failed, EffectID: "call-2",
			Tally: pacing.Tally{CallsCompleted: 1, Failed: 1}}}, // 14
		{pacing.Pacing.Category, pace, pacing.RunFinished{RunID: "cid-1", CampaignID: "cd-1", Contacts: 2,
			Tally: pacing.Tally{CallsCompleted: 1, Failed: 1}}},
	}
}

func TestRan(t *testing.T) {
	finished := func(contacts int, tally pacing.Tally) pacing.RunFinished {
		return pacing.RunFinished{RunID: "cid-1", CampaignID: "cd-1", Contacts: contacts, Tally: tally}
	}
	text := func(to string) line {
		return line{texts.Texts.Category, texts.Texts.Stream("message-1"),
			texts.Requested{MessageID: "message-1", To: to, Campaign: &texts.Campaign{CampaignID: "cd-1", RunID: "cid-1", Index: 1}}}
	}
	again := calls.Requested{CallID: "call-3", Target: "tel:+2", Campaign: &calls.CampaignContact{CampaignID: "cd-1", RunID: "cid-1",
		Contact: 1}}
	for name, c := range map[string]struct {
		change func([]line) []line
		check  string // that finds it; empty: there is nothing to be found
	}{
		"a run whose contacts were called once": {func(l []line) []line { return l }, ""},
		"a contact that could not be asked for": {func(l []line) []line {
			l = put(l, 14, pacing.ContactFinished{RunID: "cid-1", Contact: 1, Outcome: pacing.Failed, Tally: pacing.Tally{CallsCompleted: 1,
				Failed: 1}})
			return append(append([]line(nil), l[:6]...), l[8:]...)
		}, ""},
		"a contact is called twice": {func(l []line) []line {
			return append(l, line{calls.Calls.Category, calls.Calls.Stream("call-3"), again}, line{calls.Calls.Category,
				calls.Calls.Stream("call-3"), calls.Failed{}})
		}, "campaign"},
		"a contact is called and written to": {func(l []line) []line { return append(l, text("+2")) }, "campaign"},
		"somebody else is called": {func(l []line) []line {
			return put(l, 4, calls.Requested{CallID: "call-1", Target: "tel:+3", Campaign: &calls.CampaignContact{RunID: "cid-1", Contact: 0}})
		}, "campaign"},
		"a contact was never called": {func(l []line) []line { return append(append([]line(nil), l[:6]...), l[8:]...) }, "campaign"},
		"a contact has two outcomes": {func(l []line) []line { return put(l, 14, l[14].payload, l[14].payload) }, "campaign"},
		"a contact has no outcome":   {func(l []line) []line { return put(l, 14) }, "campaign"},
		"a contact is taken twice": {func(l []line) []line {
			return put(l, 12, l[12].payload, pacing.ContactsTaken{RunID: "cid-1", Contacts: []int{0}, Next: 1})
		}, "campaign"},
		"an outcome is not its call's": {func(l []line) []line { return put(l, 7, calls.Completed{}) }, "campaign"},
		"a held run takes a contact":   {func(l []line) []line { return put(l, 12) }, "paused"},
		"more calls than lines": {func(l []line) []line {
			return put(put(l, 13), 9, pacing.ContactsTaken{RunID: "cid-1", Contacts: []int{0, 1}, Next: 2})
		}, "campaign"},
		"a total that is wrong": {func(l []line) []line { return put(l, 15, finished(2, pacing.Tally{CallsCompleted: 2})) }, "campaign"},
		"fewer contacts than listed": {func(l []line) []line { return put(l, 15, finished(1, pacing.Tally{CallsCompleted: 1, Failed: 1})) },
			"campaign"},
		"a run that never finished":   {func(l []line) []line { return put(l, 15) }, "campaign"},
		"a run that finished twice":   {func(l []line) []line { return put(l, 15, l[15].payload, l[15].payload) }, "campaign"},
		"a campaign that is not told": {func(l []line) []line { return put(l, 2) }, "campaign"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.all(c.change(aRun()))
			var out Findings
			Ran(w.f, nil, 1, &out)
			requireFound(t, c.check, &out)
		})
	}
}

// requireFound expects what one check finds, and nothing for an empty name.
func requireFound(t *testing.T, check string, out *Findings) {
	t.Helper()
	if check == "" {
		require.True(t, out.OK(), "%v", out.Problems)
		return
	}
	require.Contains(t, out.Checks(), check, "%v", out.Problems)
}

func TestTheTotalsOfARunAreThoseOfItsEvents(t *testing.T) {
	whole := load.Run{Status: load.RunFinished, Contacts: 2, Completed: 1, Failed: 1}
	for name, c := range map[string]struct {
		shown load.Run
		check string
	}{
		"the same":           {whole, ""},
		"another total":      {load.Run{Status: load.RunFinished, Contacts: 2, Completed: 2}, "totals"},
		"not finished":       {load.Run{Status: "running", Contacts: 2, Completed: 1, Failed: 1}, "totals"},
		"somebody under way": {load.Run{Status: load.RunFinished, Contacts: 2, Completed: 1, Failed: 1, UnderWay: 1}, "totals"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.all(aRun())
			var out Findings
			Ran(w.f, []load.Op{readRun(1, 2, load.Run{Status: "running"}), readRun(3, 4, c.shown)}, 1, &out)
			requireFound(t, c.check, &out)
		})
	}
}

func readRun(start, end int, run load.Run) load.Op {
	return op(load.ReadRun, load.OK, start, end, func(o *load.Op) { o.Campaign = load.Campaign{RunID: "cid-1", Run: run} })
}

func TestRunReads(t *testing.T) {
	trigger := func(what string, start, end int) load.Op {
		return op(load.Trigger, load.OK, start, end, func(o *load.Op) { o.Campaign = load.Campaign{RunID: "cid-1", Trigger: what} })
	}
	held, goes := load.Run{Status: load.RunHeld, Contacts: 9, Pending: 5, UnderWay: 2, Completed: 2}, load.Run{Status: "running",
		Contacts: 9, Pending: 4, UnderWay: 3, Completed: 2}
	fewer := load.Run{Status: load.RunHeld, Contacts: 9, Pending: 5, UnderWay: 1, Completed: 3}
	for name, c := range map[string]struct {
		ops   []load.Op
		check string
	}{
		"held, and those under way finish": {[]load.Op{trigger("pause", 1, 2), readRun(3, 4, held), readRun(5, 6, fewer)}, ""},
		"held, and a contact is begun":     {[]load.Op{trigger("pause", 1, 2), readRun(3, 4, held), readRun(5, 6, goes)}, "paused"},
		"held, resumed, and a contact is begun": {[]load.Op{trigger("pause", 1, 2), readRun(3, 4, held), trigger("resume", 5, 9), readRun(6,
			7, goes)}, ""},
		"begun before anybody resumes": {[]load.Op{trigger("pause", 1, 2), readRun(3, 4, held), readRun(5, 6, goes),
			trigger("resume", 7, 8)}, "paused"},
		"acknowledged, not held yet": {[]load.Op{trigger("pause", 1, 2), readRun(3, 4, goes), readRun(5, 6, held)}, ""},
		"the hold of before, after it was resumed": {[]load.Op{trigger("pause", 1, 2), trigger("resume", 3, 4), readRun(5, 6, held), readRun(7,
			8, goes)}, ""},
		"a run goes back":              {[]load.Op{readRun(1, 2, fewer), readRun(3, 4, held)}, "stale"},
		"two reads at once may differ": {[]load.Op{readRun(1, 4, fewer), readRun(3, 5, held)}, ""},
		"a finished run is not finished any longer": {[]load.Op{readRun(1, 2, load.Run{Status: load.RunFinished}), readRun(3, 4,
			load.Run{Status: "running"})}, "stale"},
	} {
		t.Run(name, func(t *testing.T) {
			var out Findings
			RunReads(c.ops, &out)
			requireFound(t, c.check, &out)
		})
	}
}

// aText is a message that was refused for a moment, and sent by its second attempt.
func aText() []line {
	stream := texts.Texts.Stream("message-1")
	return []line{
		{texts.Texts.Category, stream, texts.Requested{MessageID: "message-1", To: "+1", SendBy: time.Now()}},
		{texts.Texts.Category, stream, texts.AttemptStarted{AttemptID: "a", Attempt: 1}},
		{texts.Texts.Category, stream, texts.AttemptRefused{AttemptID: "a"}}, // 2
		{texts.Texts.Category, stream, texts.AttemptStarted{AttemptID: "b", Attempt: 2}},
		{texts.Texts.Category, stream, texts.Sent{AttemptID: "b"}}, // 4
	}
}

func TestTexted(t *testing.T) {
	once := map[string]load.Text{"+1": {Asked: 2, Taken: 1}}
	same := func(l []line) []line { return l }
	for name, c := range map[string]struct {
		change func([]line) []line
		record map[string]load.Text
		found  bool
	}{
		"sent once":                           {same, once, false},
		"taken twice":                         {same, map[string]load.Text{"+1": {Asked: 2, Taken: 2}}, true},
		"asked more often than it was begun":  {same, map[string]load.Text{"+1": {Asked: 3, Taken: 1}}, true},
		"sent, and the provider never got it": {same, map[string]load.Text{"+1": {Asked: 2}}, true},
		"sent to somebody without a text":     {same, map[string]load.Text{"+1": {Asked: 2, Taken: 1}, "+2": {Asked: 1, Taken: 1}}, true},
		"begun again in doubt":                {func(l []line) []line { return put(l, 2) }, once, true},
		"its outcome is not known": {func(l []line) []line {
			return put(l, 4,
				texts.Failed{Code: texts.CodeOutcomeUnknown})
		}, once, false},
		"failed for good, and the provider took it": {func(l []line) []line { return put(l, 4, texts.Failed{Code: "21610"}) }, once, true},
		"without an end": {func(l []line) []line { return put(l, 4) }, map[string]load.Text{"+1": {Asked: 2}}, true},
		"with two ends":  {func(l []line) []line { return put(l, 4, texts.Sent{}, texts.Sent{}) }, once, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.all(c.change(aText()))
			var out Findings
			Texted(w.f, c.record, &out)
			require.Equal(t, !c.found, out.OK(), "%v", out.Problems)
		})
	}
}
