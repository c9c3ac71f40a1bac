package sessions_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
)

// Given people who have the conversation, then what both sides say is part of it, and it is given
// back by the transfer that stands, or by a later one that was taken.
func TestPeopleHaveAConversation(t *testing.T) {
	s := sessions.Sessions.State(chat, heard, wished, turned, passed)
	require.Equal(t, []any{"t1", "c-t1", false, 1, []string{"front/1"}}, []any{s.Talk.People.TransferID, s.Talk.People.ConversationID,
		s.Talk.People.Taken(), s.Talk.Escalations, s.Talk.Raised})
	require.Nil(t, s.Talk.Running, "what is for people begins no turn")
	for name, c := range map[string]struct {
		past  []event.Payload
		turn  int
		id    string
		taken bool
		gives bool
	}{
		"nobody has taken it":           {[]event.Payload{chat, heard, wished}, 0, "t1", false, true},
		"another that nobody took":      {[]event.Payload{chat, heard, wished}, 1, "t2", false, false},
		"another that was taken":        {[]event.Payload{chat, heard, wished}, 1, "t2", true, true},
		"the one that stands":           {[]event.Payload{chat, heard, wished, taken}, 1, "t1", true, true},
		"of two at once the earlier":    {[]event.Payload{chat, heard, wished, taken}, 1, "t0", true, false},
		"of two at once the later":      {[]event.Payload{chat, heard, wished, taken}, 1, "t2", true, true},
		"one that was over long before": {[]event.Payload{chat, heard, wished, taken, handedOn, wished}, 1, "t9", true, false},
		"nobody has it":                 {[]event.Payload{chat, heard, wished, taken, handedOn}, 1, "t1", true, false},
		"the session has ended":         {[]event.Payload{chat, heard, wished, taken, ended}, 1, "t1", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.gives, sessions.Sessions.State(c.past...).GivesBack(c.turn, c.id, c.taken))
		})
	}
	s = sessions.Sessions.State(chat, heard, wished, taken, passed, answeredBy, handedOn)
	require.Equal(t, []any{2, true, true}, []any{s.Talk.Turns, s.Talk.Running != nil, s.Talk.Running.Alone})
	require.Equal(t, sessions.Line{Agent: "Maria", Person: true, Text: "I am.", N: 3}, s.Talk.History[len(s.Talk.History)-1])
}

func TestWhoTakesAConversation(t *testing.T) {
	take := sessions.Take{TransferID: "t1", ConversationID: "c-t1", QueueID: "q-1", HumanAgentID: "a-1", Turn: 1, At: noon}
	queued, colleague, earlier, next, before := taken, taken, taken, taken, taken
	queued.HumanAgentID, colleague.HumanAgentID = "", "a-2"
	earlier.TransferID, next.TransferID, before.Turn = "t0", "t2", 0
	for name, c := range map[string]struct {
		past []event.Payload
		then []event.Payload
	}{
		"nobody has it":                        {[]event.Payload{chat}, []event.Payload{taken}},
		"people were asked":                    {[]event.Payload{chat, heard, wished}, []event.Payload{taken}},
		"it waited in the line":                {[]event.Payload{chat, queued}, []event.Payload{taken}},
		"they have it":                         {[]event.Payload{chat, taken}, nil},
		"another agent has it":                 {[]event.Payload{chat, colleague}, []event.Payload{taken}},
		"of two at once an earlier one has it": {[]event.Payload{chat, earlier}, []event.Payload{taken}},
		"of two at once a later one has it":    {[]event.Payload{chat, next}, nil},
		"nobody had taken it":                  {[]event.Payload{chat, before}, []event.Payload{taken}},
		"a later transfer has it":              {[]event.Payload{chat, sessions.TakenByPeople{TransferID: "t2", Turn: 2}}, nil},
		"a later transfer had it": {[]event.Payload{chat, sessions.TakenByPeople{TransferID: "t2", Turn: 2},
			sessions.GivenBack{TransferID: "t2", TransferTurn: 2}}, nil},
		"the session is one of a call": {[]event.Payload{opened}, nil},
		"the session has ended":        {[]event.Payload{chat, ended}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := take.Decide(sessions.Sessions.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
}

// Who has a conversation that waited in a line is nobody of ours: it waits no more all the same.
func TestSomebodyElsesPeopleTakeAConversation(t *testing.T) {
	line := taken
	line.HumanAgentID = ""
	theirs := line
	theirs.Elsewhere = true
	take := sessions.Take{TransferID: "t1", ConversationID: "c-t1", QueueID: "q-1", Elsewhere: true, Turn: 1, At: noon}
	waiting := sessions.Sessions.State(chat, line)
	got, err := take.Decide(waiting)
	require.NoError(t, err)
	require.Equal(t, []event.Payload{theirs}, got)
	had := sessions.Sessions.State(chat, line, theirs)
	require.Equal(t, []bool{true, false}, []bool{waiting.Talk.People.Waits(), had.Talk.People.Waits()})
	got, err = take.Decide(had)
	require.NoError(t, err)
	require.Empty(t, got)
	next := line
	next.TransferID, next.Turn = "t2", 2
	require.True(t, sessions.Sessions.State(chat, line, theirs, next).Talk.People.Waits(), "they have passed it on")
}

func TestAPersonIsHeardWhileTheSessionLives(t *testing.T) {
	said := sessions.HearPerson{ConversationID: "c-t1", Number: 1, HumanAgentID: "Maria", Text: "I am.", At: noon}
	for name, c := range map[string]struct {
		past  []event.Payload
		heard bool
		late  bool
	}{
		"people have it":               {[]event.Payload{chat, taken}, true, false},
		"they have it no longer":       {[]event.Payload{chat, taken, handedOn}, true, true},
		"the session has ended":        {[]event.Payload{chat, taken, ended}, false, false},
		"the session is one of a call": {[]event.Payload{opened}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := said.Decide(sessions.Sessions.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.heard, len(got) == 1)
			if c.heard {
				e := got[0].(sessions.PersonSaid)
				require.Equal(t, []any{c.late, "I am.", 1}, []any{e.Late, e.Text, e.Figures.Messages})
			}
		})
	}
	said.At = noon.Add(time.Microsecond)
	got, err := said.Decide(sessions.Sessions.State(tested(), heard, turned, taken))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{sessions.PersonSaid{MessageID: sessions.MessageID(chat.SessionID, 3), ConversationID: "c-t1", Number: 1,
		HumanAgentID: "Maria", Text: "I am.", Figures: sessions.Figures{Turns: 1, Messages: 3, Traces: 5, Errors: 1, Handoffs: 1}, Test: true,
		Thread: "conversation-1", At: noon, Patience: sessions.Patience{IdleMinutes: 30}}}, got)
}

// Given an agent that asks for people, then the conversation is theirs from the wish to its end, and the agent goes on behind
// what it wished for.
func TestAConversationGoesToPeopleAndBack(t *testing.T) {
	wish, took, back := wished, taken, handedOn
	wish.InTurn, took.At, back.At = after(1), after(2).At, after(3).At
	asked := sessions.People{TransferID: "t1", ConversationID: "c-t1", Since: wish.At, Wish: &wish}
	have := asked
	have.QueueID, have.HumanAgentID, have.Turn = "q-1", "a-1", 1
	state := func(events ...event.Payload) sessions.State {
		return sessions.Sessions.State(append([]event.Payload{chat, heard}, events...)...)
	}
	talk := state().Talk
	talk.Traces, talk.Escalations, talk.People, talk.Raised = 2, 1, &asked, []string{"front/1"}
	require.Equal(t, talk, state(wish).Talk)
	byModel := wish
	byModel.By = sessions.ByModel
	require.Empty(t, state(byModel).Talk.Raised, "no WHEN holds")
	talk.Traces, talk.People, talk.Transferred = 3, &have, 1
	require.Equal(t, talk, state(wish, took).Talk)
	talk.Traces, talk.People, talk.Turns = 4, nil, 2
	talk.Running = &sessions.Running{Behind: &wish, Alone: true, At: back.At}
	require.Equal(t, talk, state(wish, took, back).Talk)
	require.Equal(t, back.At, state(wish, took, back).SaidAt)
	require.Equal(t, sessions.People{TransferID: "t1", ConversationID: "c-t1", QueueID: "q-1", HumanAgentID: "a-1", Turn: 1, Since: took.At},
		*state(took).Talk.People, "somebody took it over")
	silent := back
	silent.Turn = 0
	require.Equal(t, state().Talk.Running, state(wish, took, silent).Talk.Running, "the agent does not go on by itself")
}

// A session that people have is not idle, and is not begun anew; one of a test has nobody.
func TestASessionThatPeopleHaveDoesNotEndByItself(t *testing.T) {
	late := sessions.EndIdle{At: noon.Add(2 * sessions.IdleAfter)}
	got, err := late.Decide(sessions.Sessions.State(chat, heard, wished, turned))
	require.NoError(t, err)
	require.Empty(t, got)
	back := handedOn
	back.At = late.At.Add(-time.Hour)
	got, err = late.Decide(sessions.Sessions.State(chat, heard, wished, turned, taken, back))
	require.NoError(t, err)
	require.Empty(t, got, "its day begins when it is given back")
	begun := *chat.Begun
	begun.Test = true
	of := chat
	of.Begun = &begun
	got, err = late.Decide(sessions.Sessions.State(of, heard, wished, turned))
	require.NoError(t, err)
	require.Len(t, got, 1)
	_, err = sessions.Reset{At: noon}.Decide(sessions.Sessions.State(chat, heard, wished, turned))
	require.True(t, fault.Is(err, fault.Conflict))
}

// A rule that was heard by people whom the agent had not asked has been raised, as one that asked for them.
func TestARuleThatPeopleHeardAlreadyIsRaised(t *testing.T) {
	s := sessions.State{Status: sessions.Active}
	kept := sessions.TurnEnded{InTurn: sessions.InTurn{Turn: 3}, Kept: &sessions.Kept{Agent: "a", By: sessions.ByRule, Index: 2}}
	sessions.Sessions.Fold(&s, kept)
	require.Empty(t, s.Talk.Raised, "nobody has it any more")
	s.Talk.People = &sessions.People{TransferID: "t-1", Turn: 1}
	sessions.Sessions.Fold(&s, kept)
	require.Equal(t, []string{sessions.Raised("a", 2)}, s.Talk.Raised)
	require.Equal(t, []any{"t-1", 3, "a", 2}, []any{s.Talk.People.Wish.TransferID, s.Talk.People.Wish.Turn, s.Talk.People.Wish.Agent,
		s.Talk.People.Wish.Index})
}
