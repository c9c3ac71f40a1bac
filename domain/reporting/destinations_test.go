package reporting_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/domain/transfers"
)

var (
	nine = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	ada  = reporting.HumanAgents{"a-1": {ID: "a-1", Name: "Ada", Email: "ada@example.com"},
		"ada@example.com": {ID: "a-1", Name: "Ada", Email: "ada@example.com"}}
)

const clocksApart = 250 * time.Millisecond

func after(d time.Duration) time.Time { return nine.Add(d) }

func at(d time.Duration) *time.Time {
	t := after(d)
	return &t
}

// moved is a transfer to Ada, assigned a second after it was asked for.
func moved(end *time.Time) reporting.Transfer {
	return reporting.Transfer{TransferID: "t-1", QueueID: "q-1", QueueName: "Support", HumanAgentID: "a-1", RequestedAt: after(-time.Second),
		AssignedAt: at(0), EndedAt: end}
}

// What an agent said is in a segment also when the node that was told of it has a clock
// that is a little ahead or behind; it never shows outside of the segment.
func TestTheFirstResponseOfAnAgent(t *testing.T) {
	end := time.Minute
	for name, c := range map[string]struct {
		said map[string][]time.Time
		want time.Duration // of the day's nine o'clock; -1: none
	}{
		"the first of several": {map[string][]time.Time{"a-1": {after(5 * time.Second), after(9 * time.Second)}}, 5 * time.Second},
		"under whichever name": {map[string][]time.Time{"a-1": {after(5 * time.Second)}, "ada@example.com": {after(2 * time.Second)}},
			2 * time.Second},
		"of nobody else":         {map[string][]time.Time{"a-2": {after(5 * time.Second)}}, -1},
		"a clock that is behind": {map[string][]time.Time{"a-1": {after(-clocksApart)}}, 0},
		"a clock that is ahead":  {map[string][]time.Time{"a-1": {after(end + clocksApart)}}, end},
		"in an earlier segment":  {map[string][]time.Time{"a-1": {after(-clocksApart - 1), after(time.Second)}}, time.Second},
		"in a later segment":     {map[string][]time.Time{"a-1": {after(end + clocksApart + 1)}}, -1},
	} {
		s := reporting.Session{Transfers: []reporting.Transfer{moved(at(end))}, Said: c.said}
		got := ada.Record(s).People.Destinations[0].Agent.Response
		if c.want < 0 {
			require.Nil(t, got, name)
			continue
		}
		require.Equal(t, &reporting.Span{Took: c.want, At: after(c.want)}, got, name)
	}
	named := reporting.Session{Conversation: &reporting.Conversation{
		Participants:  []reporting.Stay{{Identity: "desk-7", Email: "ada@example.com", EnteredAt: nine}},
		AfterCallWork: []conversations.AfterCallWork{{HumanAgentID: "desk-7", DurationMs: 1000}}},
		Said: map[string][]time.Time{"desk-7": {after(time.Second)}}}
	theirs := ada.Record(named).People.Destinations[0].Agent
	require.Equal(t, "a-1", theirs.ID)
	require.Equal(t, &reporting.Span{Took: time.Second, At: after(time.Second)}, theirs.Response, "by an identity that only hooks know")
	require.Equal(t, time.Second, theirs.AfterCallWork.Took, "by the same")
	open := reporting.Session{Conversation: &reporting.Conversation{Participants: []reporting.Stay{{Identity: "a-1", EnteredAt: nine}}},
		Said: map[string][]time.Time{"a-1": {after(time.Hour)}}}
	got := ada.Record(open).People.Destinations[0].Agent
	require.Equal(t, &reporting.Span{Took: time.Hour, At: after(time.Hour)}, got.Response, "in a segment that nobody ended")
	require.Nil(t, got.Interaction)
}

// A segment by a transfer ends with it, with the session if that is over first, or with
// the exit that hooks told of.
func TestHowLongAnAgentHadTheConversation(t *testing.T) {
	for name, c := range map[string]struct {
		end  *time.Time
		stay reporting.Stay
		took time.Duration
	}{
		"until the transfer ended":     {at(time.Minute), reporting.Stay{Identity: "a-2", LeftAt: at(1)}, time.Minute},
		"until the session ended":      {nil, reporting.Stay{Identity: "a-2", LeftAt: at(1)}, time.Hour},
		"until hooks told of the exit": {nil, reporting.Stay{Identity: "x", Email: "ada@example.com", LeftAt: at(time.Second)}, time.Second},
		"an exit at once":              {nil, reporting.Stay{Identity: "a-1", LeftAt: at(0)}, 0},
		"an exit before it":            {nil, reporting.Stay{Identity: "a-1", LeftAt: at(-1)}, time.Hour},
		"an exit after it":             {at(time.Minute), reporting.Stay{Identity: "a-1", LeftAt: at(2 * time.Minute)}, time.Minute},
		"no exit":                      {at(time.Minute), reporting.Stay{Identity: "a-1"}, time.Minute},
		"clocks that disagree":         {at(-time.Second), reporting.Stay{Identity: "a-1"}, 0},
	} {
		s := reporting.Session{EndedAt: after(time.Hour), Transfers: []reporting.Transfer{moved(c.end)},
			Conversation: &reporting.Conversation{Participants: []reporting.Stay{c.stay}}}
		var got *reporting.Span
		for _, d := range ada.Record(s).People.Destinations {
			if d.QueueID == "q-1" {
				got = d.Agent.Interaction
			}
		}
		require.Equal(t, c.took, got.Took, name)
	}
}

// Of a conversation that we transferred, hooks tell of the same agents again; others are
// told by what hooks said of them.
func TestWhereAConversationWent(t *testing.T) {
	asked := moved(at(time.Minute))
	waiting := reporting.Transfer{TransferID: "t-0", AskedHumanAgentID: "a-3", RequestedAt: after(-time.Minute)}
	s := reporting.Session{EndedAt: after(time.Hour), Transfers: []reporting.Transfer{asked, waiting}, Conversation: &reporting.Conversation{
		EndedAt: at(2 * time.Hour), AgentNotes: []string{"called back"}, Participants: []reporting.Stay{
			{Identity: "ada@example.com", EnteredAt: after(2)},
			{Identity: "eve", Name: "Eve", Email: "eve@example.com", QueueID: "q-2", QueueName: "Sales", EnteredAt: after(3)}}}}
	got := ada.Record(s).People.Destinations
	require.Len(t, got, 3)
	require.Equal(t, reporting.Destination{EnteredAt: after(-time.Minute)}, got[0], "nobody took it")
	require.Equal(t, []string{"q-1", "Support", "a-1", "Ada", "ada@example.com"},
		[]string{got[1].QueueID, got[1].QueueName, got[1].Agent.ID, got[1].Agent.Name, got[1].Agent.Email})
	require.Equal(t, nine, got[1].Agent.AssignedAt)
	require.Equal(t, after(-time.Second), got[1].EnteredAt)
	require.Equal(t, []string{"q-2", "Sales", "eve", "Eve", "eve@example.com"},
		[]string{got[2].QueueID, got[2].QueueName, got[2].Agent.ID, got[2].Agent.Name, got[2].Agent.Email})
	require.Equal(t, after(2*time.Hour), got[2].Agent.Interaction.At, "who was not told to have left left with the end")
	require.Equal(t, []string{"called back"}, got[2].Agent.Notes)
}

// An agent who comes back after having passed the conversation on has another segment, and so has one who was there
// before the transfer.
func TestWhoComesBackHasAnotherSegment(t *testing.T) {
	stay := func(from, until time.Duration) reporting.Stay {
		return reporting.Stay{Identity: "a-1", EnteredAt: after(from), LeftAt: at(until)}
	}
	s := reporting.Session{EndedAt: after(time.Hour), Transfers: []reporting.Transfer{moved(at(time.Hour))},
		Conversation: &reporting.Conversation{Participants: []reporting.Stay{stay(-time.Minute, -time.Second*30), stay(time.Second, time.Minute),
			{Identity: "eve", EnteredAt: after(time.Minute), LeftAt: at(2 * time.Minute)}, stay(2*time.Minute, 3*time.Minute)}}}
	var got []string
	for _, d := range ada.Record(s).People.Destinations {
		got = append(got, d.QueueID+" "+d.Agent.ID+" "+d.Agent.AssignedAt.Sub(nine).String()+" "+d.Agent.Interaction.Took.String())
	}
	require.Equal(t, []string{" a-1 -1m0s 30s", "q-1 a-1 0s 1m0s", " eve 1m0s 1m0s", " a-1 2m0s 1m0s"}, got)
}

// An agent of whom hooks tell in one moment that they came and left has one segment, that of the transfer.
func TestWhoComesAndLeavesInOneMomentHasOneSegment(t *testing.T) {
	s := reporting.Session{EndedAt: after(time.Hour), Transfers: []reporting.Transfer{moved(at(time.Hour))},
		Conversation: &reporting.Conversation{Participants: []reporting.Stay{
			{Identity: "a-1", EnteredAt: after(time.Minute), LeftAt: at(time.Minute)}}}}
	got := ada.Record(s).People.Destinations
	require.Len(t, got, 1)
	require.Equal(t, time.Minute, got[0].Agent.Interaction.Took)
}

// Who has come to a conversation that waited, and is no agent of ours, responded to the queue's entry.
func TestSomebodyElseHasComeToAQueue(t *testing.T) {
	waited := moved(nil)
	waited.HumanAgentID = ""
	eve := reporting.Stay{Identity: "eve", Name: "Eve", Email: "eve@example.com", EnteredAt: after(300 * time.Microsecond)}
	for name, c := range map[string]struct {
		left *time.Time
		took time.Duration
	}{
		"and stays":   {nil, time.Hour},
		"and leaves":  {at(time.Minute), time.Minute},
		"and is gone": {at(300 * time.Microsecond), 300 * time.Microsecond},
	} {
		eve.LeftAt = c.left
		s := reporting.Session{EndedAt: after(time.Hour), Transfers: []reporting.Transfer{waited}, Conversation: &reporting.Conversation{
			Participants: []reporting.Stay{eve}}}
		got := ada.Record(s).People.Destinations
		require.Len(t, got, 1, name)
		require.Equal(t, []string{"q-1", "eve", "Eve"}, []string{got[0].QueueID, got[0].Agent.ID, got[0].Agent.Name}, name)
		require.Equal(t, c.took, got[0].Agent.Interaction.Took, name)
	}
	nobody := reporting.Session{EndedAt: after(time.Hour), Transfers: []reporting.Transfer{waited}}
	require.Nil(t, ada.Record(nobody).People.Destinations[0].Agent, "nobody is told of")
}

// A session's end reaches its transfers a moment later, or much later when reactors are behind.
func TestNobodyHasASessionBeyondItsEnd(t *testing.T) {
	for reason, took := range map[transfers.Reason]time.Duration{transfers.SessionEnded: time.Minute, transfers.ConversationOver: time.Hour} {
		m := moved(at(time.Hour))
		m.Reason = reason
		s := reporting.Session{EndedAt: after(time.Minute), Transfers: []reporting.Transfer{m}}
		require.Equal(t, &reporting.Span{Took: took, At: after(took)}, ada.Record(s).People.Destinations[0].Agent.Interaction, reason)
	}
}

// Who is given a session that has ended meanwhile never talked with anybody: finalStatus says so, too.
func TestNobodyIsGivenASessionBehindItsEnd(t *testing.T) {
	for late, has := range map[time.Duration]bool{0: true, time.Millisecond: false} {
		m := moved(at(time.Hour))
		m.Reason = transfers.SessionEnded
		m.AssignedAt = at(time.Minute + late)
		s := reporting.Session{EndedAt: after(time.Minute), Transfers: []reporting.Transfer{m}}
		require.Equal(t, has, ada.Record(s).People.Destinations[0].Agent != nil, late)
	}
}

// Ada is asked for advice, and then gets the conversation.
func TestWhoHasAConversationTwiceAnswersAndWorksOnce(t *testing.T) {
	stays := []reporting.Stay{{Identity: "a-1", EnteredAt: nine, LeftAt: at(time.Minute)},
		{Identity: "a-2", EnteredAt: after(time.Second), LeftAt: at(time.Minute)},
		{Identity: "a-1", EnteredAt: after(time.Minute + 1), LeftAt: at(time.Hour)}}
	for name, c := range map[string]struct {
		said          time.Time
		first, second *reporting.Span
	}{
		"soon in the second":       {after(time.Minute + 2), nil, &reporting.Span{Took: 1, At: after(time.Minute + 2)}},
		"late in the first":        {after(time.Minute - 1), &reporting.Span{Took: time.Minute - 1, At: after(time.Minute - 1)}, nil},
		"by a clock that is ahead": {after(time.Hour + 1), nil, &reporting.Span{Took: 59*time.Minute - 1, At: after(time.Hour)}},
	} {
		s := reporting.Session{Conversation: &reporting.Conversation{Participants: stays,
			AfterCallWork: []conversations.AfterCallWork{{HumanAgentID: "a-1", DurationMs: 1000}}},
			Said: map[string][]time.Time{"ada@example.com": {c.said}}}
		got := ada.Record(s).People.Destinations
		require.Equal(t, []*reporting.Span{c.first, nil, c.second}, []*reporting.Span{got[0].Agent.Response, got[1].Agent.Response,
			got[2].Agent.Response}, name)
		require.Equal(t, []*reporting.Work{nil, nil, {Took: time.Second, At: after(time.Hour + time.Second)}}, []*reporting.Work{
			got[0].Agent.AfterCallWork, got[1].Agent.AfterCallWork, got[2].Agent.AfterCallWork}, name)
	}
}

func TestAfterCallWork(t *testing.T) {
	work := func(of string, ms int64, end time.Time) conversations.AfterCallWork {
		return conversations.AfterCallWork{HumanAgentID: of, DurationMs: ms, EndedAt: end}
	}
	for name, c := range map[string]struct {
		told []conversations.AfterCallWork
		left *time.Time
		want *reporting.Work
	}{
		"none":            {nil, at(0), nil},
		"another agent's": {[]conversations.AfterCallWork{work("a-2", 1000, nine)}, at(0), nil},
		"told with its end": {[]conversations.AfterCallWork{work("a-1", 1000, after(time.Hour))}, at(0),
			&reporting.Work{Took: time.Second, At: after(time.Hour)}},
		"from the end on": {[]conversations.AfterCallWork{work("a-1", 1000, time.Time{})}, at(time.Minute),
			&reporting.Work{Took: time.Second, At: after(61 * time.Second)}},
		"where no end is known": {[]conversations.AfterCallWork{work("a-1", 1000, time.Time{})}, nil, &reporting.Work{Took: time.Second}},
		"everybody's":           {[]conversations.AfterCallWork{work("", 1000, nine)}, at(0), &reporting.Work{Took: time.Second, At: nine}},
		"one's own counts more": {[]conversations.AfterCallWork{work("", 1000, nine), work("ada@example.com", 2000, nine)}, at(0),
			&reporting.Work{Took: 2 * time.Second, At: nine}},
		"never less than nothing": {[]conversations.AfterCallWork{work("a-1", -1000, nine)}, at(0), &reporting.Work{At: nine}},
	} {
		s := reporting.Session{Conversation: &reporting.Conversation{AfterCallWork: c.told,
			Participants: []reporting.Stay{{Identity: "a-1", EnteredAt: nine, LeftAt: c.left}}}}
		require.Equal(t, c.want, ada.Record(s).People.Destinations[0].Agent.AfterCallWork, name)
	}
}
