package threads_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

func asks(id, text string, says channels.Saying) threads.Receive {
	out := asked(id, text)
	out.Entry.Says = says
	return out
}

func asked(id, text string) threads.Receive {
	out := says(id, text)
	out.Asked = true
	return out
}

var fetched = channels.Limits{Text: 1000, Unit: channels.Characters, Choices: 9, Label: 20, Asked: true, Fetched: true}

func said(session string, turn int, text string) threads.Queue {
	return threads.Queue{SessionID: session, Turn: turn, MessageID: text, Text: text, Limits: fetched, At: noon}
}

func over(turn int, action sessions.Action) threads.TurnOver {
	return threads.TurnOver{SessionID: "s-1", Turn: turn, Action: action, At: noon}
}

func take(number, turn int) threads.Take {
	return threads.Take{Number: number, SessionID: "s-1", Turn: turn, At: noon}
}

// exchanged is a request, its turn with what was said in it, and its answer.
func (s *story) exchanged(asks, says string, how sessions.Action) {
	s.Helper()
	s.when(asked("1", asks))
	s.when(take(1, 1))
	s.when(said("s-1", 1, says))
	s.when(over(1, how))
	s.when(threads.Answer{Number: 1, At: noon})
}

func heard(r channels.Reply) (texts []string) {
	for _, m := range r.Said {
		texts = append(texts, m.Text)
	}
	return texts
}

// Given a request that waits for its answer, then it is answered when all of its turn is there, in
// whatever order that becomes known, or when it can wait no longer, and a repeat as it was.
func TestARequestIsAnsweredWithItsTurn(t *testing.T) {
	for name, c := range map[string]struct {
		then  []command
		now   bool
		state channels.ReplyState
		texts []string
	}{
		"nobody has taken it": {nil, false, "", nil},
		"its turn runs":       {[]command{take(1, 1), said("s-1", 1, "one")}, false, "", nil},
		"its turn is over": {[]command{take(1, 1), said("s-1", 1, "one"), over(1, sessions.Continue)}, false, channels.GoesOn,
			[]string{"one"}},
		"over before it is known": {[]command{said("s-1", 1, "one"), over(1, sessions.EndAction), take(1, 1)}, false, channels.Ended,
			[]string{"one"}},
		"people have it":     {[]command{take(1, 1), over(1, sessions.ToPeople)}, false, channels.Escalated, nil},
		"it was passed on":   {[]command{take(1, 0)}, false, channels.Escalated, nil},
		"an earlier turn":    {[]command{over(1, sessions.Continue), take(1, 2)}, false, "", nil},
		"it waits no longer": {[]command{take(1, 1), said("s-1", 1, "one moment")}, true, channels.Working, []string{"one moment"}},
		"nobody answers": {[]command{threads.Refuse{Number: 1, Code: fault.NotFound, At: noon}}, false, channels.Unanswered,
			nil},
		"the person left": {[]command{threads.Leave{At: noon}}, false, channels.Unanswered, nil},
	} {
		s := &story{T: t}
		s.when(asked("1", "hi"))
		for _, then := range c.then {
			s.when(then)
		}
		s.when(threads.Answer{Number: 1, Now: c.now, At: noon})
		got, answered := s.AnswerTo(1)
		require.Equal(t, []any{c.state != "", c.state, c.texts}, []any{answered, got.State, heard(got)}, name)
		if !answered {
			continue
		}
		s.when(said("s-1", 1, "later"))
		s.when(over(9, sessions.EndAction))
		require.Empty(t, s.when(threads.Answer{Number: 1, Now: true, At: noon}), "%s: it was answered", name)
		again, _ := s.AnswerTo(1)
		require.Equal(t, heard(got), heard(again), name)
	}
}

// Given an agent that was too slow, then the next request has what was said since, and one that only
// waits has it without saying anything.
func TestWhatIsSaidLaterComesWithTheNextRequest(t *testing.T) {
	for name, next := range map[string]threads.Receive{"it says something": asked("2", "hello?"), "it waits": asks("2", "", channels.Waits)} {
		s := &story{T: t}
		s.when(asked("1", "hi"))
		s.when(take(1, 1))
		s.when(threads.Answer{Number: 1, Now: true, At: noon})
		s.when(next)
		if next.Entry.Says == "" {
			s.when(said("s-1", 1, "here it is"))
			s.when(over(1, sessions.Continue))
			require.False(t, s.Over(2), name)
			s.when(take(2, 2))
			s.when(over(2, sessions.Continue))
		} else {
			_, waits := s.Next()
			require.False(t, waits, "nobody is told: %s", name)
			require.False(t, s.Over(2), name)
			s.when(said("s-1", 1, "here it is"))
			s.when(over(1, sessions.Continue))
		}
		s.when(threads.Answer{Number: 2, At: noon})
		got, _ := s.AnswerTo(2)
		require.Equal(t, []any{channels.GoesOn, []string{"here it is"}}, []any{got.State, heard(got)}, name)
		require.False(t, s.Attempt.Live(), "nothing is sent")
	}
}

// Given somebody who is silent, then each request that only waits has with it what was said last, and one
// that says something has not.
func TestWhatWasSaidLastIsKnownToWhoIsSilent(t *testing.T) {
	s := &story{T: t}
	s.exchanged("hi", "Your PIN?", sessions.Continue)
	first, _ := s.AnswerTo(1)
	require.Empty(t, first.Before)
	for n := 2; n <= 3; n++ {
		s.when(asks(string(rune('0'+n)), "", channels.Waits))
		s.when(threads.Answer{Number: n, At: noon})
		got, answered := s.AnswerTo(n)
		require.True(t, answered)
		require.Empty(t, got.Said)
		require.Equal(t, []any{channels.GoesOn, first.Said}, []any{got.State, got.Before})
	}
	s.when(asked("4", "1234"))
	s.when(take(4, 2))
	s.when(over(2, sessions.EndAction))
	s.when(threads.Answer{Number: 4, At: noon})
	got, _ := s.AnswerTo(4)
	require.Equal(t, channels.Ended, got.State)
	require.Empty(t, got.Before)
}

// Given whoever is there and has said nothing, then the agent begins, once.
func TestWhoIsThereIsTaken(t *testing.T) {
	s := &story{T: t}
	s.when(asks("1", "these are not their words", channels.Begins))
	m, waits := s.Next()
	require.True(t, waits)
	require.Equal(t, []any{channels.Begins, ""}, []any{m.Says, m.Text})
	s.when(take(1, 0))
	s.when(threads.Answer{Number: 1, At: noon})
	got, _ := s.AnswerTo(1)
	require.Equal(t, channels.GoesOn, got.State)
}

// Given buttons, then they go with the last part, and what is chosen is known by its token.
func TestChoicesAreFetched(t *testing.T) {
	s := &story{T: t}
	s.when(asked("1", "hi"))
	s.when(take(1, 1))
	s.when(threads.Queue{SessionID: "s-1", Turn: 1, MessageID: "m", Text: "Which?", Rich: menu, Limits: fetched, At: noon})
	s.when(over(1, sessions.Continue))
	s.when(threads.Answer{Number: 1, At: noon})
	got, _ := s.AnswerTo(1)
	require.Equal(t, []channels.Choice{{Token: "1.0", Label: "Yes"}, {Token: "1.1", Label: "Small"}, {Token: "1.2", Label: "Large"}},
		got.Said[0].Choices)
	next := asked("2", "")
	next.Entry.Choice = "1.1"
	require.Equal(t, "size", s.when(next)[0].(threads.Received).Chosen.ID)
}

func TestWhatIsTooOldIsNotAnswered(t *testing.T) {
	s := &story{T: t}
	for n := range 21 {
		s.when(asked("n", "x"))
		s.when(take(n+1, n+1))
		s.when(over(n+1, sessions.Continue))
	}
	_, err := threads.Answer{Number: 1, Now: true}.Decide(s.State)
	require.True(t, fault.Is(err, fault.Gone))
	_, answered := s.AnswerTo(1)
	require.False(t, answered)
	for range 60 {
		s.when(said("s-1", 1, "x"))
	}
	require.Len(t, s.Unheard, 50)
}

func TestWhoLeavesEndsTheConversation(t *testing.T) {
	s := &story{T: t}
	require.Empty(t, s.when(threads.Leave{At: noon}), "nobody was there")
	s.when(asked("1", "hi"))
	s.when(take(1, 1))
	s.when(asked("2", "and"))
	s.when(said("s-1", 1, "x"))
	require.Equal(t, []event.Payload{threads.Left{SessionID: "s-1", Waiting: []int{2}, Unheard: []int{1}, At: noon}},
		s.when(threads.Leave{At: noon}))
	require.Empty(t, s.when(threads.Leave{At: noon}), "once")
	require.Empty(t, s.when(take(2, 2)), "nobody answers that any more")
	require.Equal(t, []any{"", 2}, []any{s.Session, s.State.Left})
}

// Given a language that the person's side says, then what is said in the agent's place is in it, and as soon as
// a session has taken the message in that of the session; a repeat hears what it heard.
func TestTheLanguageOfAnAnswer(t *testing.T) {
	s := &story{T: t}
	first := asked("1", "hallo")
	first.Entry.Language = "de-AT"
	s.when(first)
	s.when(threads.Answer{Number: 1, Now: true, At: noon})
	answer, _ := s.AnswerTo(1)
	require.Equal(t, "de-AT", answer.Language)
	taken := take(1, 1)
	taken.Language = "fr"
	s.when(taken)
	again := asked("2", "hm")
	again.Entry.Language = "de-AT"
	s.when(again)
	s.when(threads.Answer{Number: 2, Now: true, At: noon})
	answer, _ = s.AnswerTo(2)
	require.Equal(t, "fr", answer.Language)
	answer, _ = s.AnswerTo(1)
	require.Equal(t, "de-AT", answer.Language)
}

// Given two turns of one session, then what is said late in the first is said to the message of the first.
func TestAReplyAnswersTheMessageOfItsTurn(t *testing.T) {
	s := &story{T: t}
	for n := 1; n <= 2; n++ {
		s.when(asked("n", "x"))
		s.when(take(n, n))
	}
	for turn, answers := range map[int]int{1: 1, 2: 2, 0: 2} {
		require.Equal(t, answers, s.when(said("s-1", turn, "x"))[0].(threads.Queued).Answers, "turn %d", turn)
	}
}

// Given people who had the conversation, then what the agent says behind them, in a turn that no message began, is said to the
// last message that they had: it goes where that wants its answer, and is found there.
func TestWhatIsSaidBehindPeopleAnswersTheirLastMessage(t *testing.T) {
	s := &story{T: t}
	for n, turn := range []int{1, 0} { // it escalates, and what comes then is passed on
		next := asked(fmt.Sprint(n), "x")
		next.Entry.ReplyTo = fmt.Sprintf("https://shop.example/%d", n+1)
		s.when(next)
		s.when(take(n+1, turn))
	}
	behind := said("s-1", 2, "I am back")
	require.Equal(t, 2, s.when(behind)[0].(threads.Queued).Answers)
	s.when(asked("9", "hello?"))
	require.Equal(t, 3, s.when(said("s-1", 3, "x"))[0].(threads.Queued).Answers, "it is being given to the session")
	behind = said("s-1", 4, "and on")
	behind.Unasked = true
	require.Equal(t, 2, s.when(behind)[0].(threads.Queued).Answers)
}

// Given as many messages as may wait, when they are answered one after the other, then each answer is that of its message, goes where
// that wants it, and ends it; of those that are over only the newest are remembered.
func TestEachOfManyMessagesThatWaitHasItsAnswer(t *testing.T) {
	s := &story{T: t}
	for n := 1; n <= threads.MostWaiting; n++ {
		m := asked("n", "x")
		m.Entry.ReplyTo = fmt.Sprint("to-", n)
		s.when(asks("w", "", channels.Waits)) // who only waits is in nobody's way
		s.when(m)
	}
	for i, m := range s.Waiting {
		turn := i + 1
		s.when(take(m.Number, turn))
		reply := s.when(said("s-1", turn, "x"))[0].(threads.Queued)
		require.Equal(t, []any{m.Number, fmt.Sprint("to-", turn)}, []any{reply.Answers, reply.To})
		s.when(over(turn, sessions.Continue))
		require.True(t, s.Over(m.Number))
	}
	s.when(asked("n", "x"))
	require.Len(t, s.Questions, 20)
}

// Given somebody who only waits, then they are told how the conversation was left by the message before, and what was
// said last only where nothing new is.
func TestWhoWaitsIsToldHowTheConversationWasLeft(t *testing.T) {
	s := &story{T: t}
	s.exchanged("bye", "goodbye", sessions.EndAction)
	s.when(asks("2", "", channels.Waits))
	s.when(take(2, 0))
	s.when(threads.Answer{Number: 2, At: noon})
	got, answered := s.AnswerTo(2)
	require.Equal(t, []any{true, channels.Ended}, []any{answered, got.State})

	s = &story{T: t}
	s.exchanged("hi", "one", sessions.Continue)
	s.when(asks("2", "", channels.Waits))
	s.when(take(2, 0))
	s.when(said("s-1", 0, "two"))
	s.when(threads.Answer{Number: 2, At: noon})
	got, _ = s.AnswerTo(2)
	require.Equal(t, []string{"two"}, heard(got))
	require.Empty(t, got.Before)
}

// Given people who had the conversation, when what the agent does behind them is over, then who waits is told how that left
// it, as who hears on a line is; a repeat is told the same.
func TestWhoWaitsIsToldWhatFollowsBehindPeople(t *testing.T) {
	for name, c := range map[string]struct {
		passedOn bool
		behind   []command
		want     channels.ReplyState
	}{
		"people still have it":         {false, nil, channels.Escalated},
		"the agent is done":            {false, []command{said("s-1", 2, "goodbye"), over(2, sessions.EndAction)}, channels.Ended},
		"the agent is done in silence": {true, []command{over(2, sessions.EndAction)}, channels.Ended},
		"the agent goes on":            {true, []command{said("s-1", 2, "I am back"), over(2, sessions.Continue)}, channels.GoesOn},
		"they were told more":          {true, nil, channels.Escalated},
	} {
		s := &story{T: t}
		s.exchanged("a person", "a colleague comes", sessions.ToPeople)
		if c.passedOn {
			s.when(asked("2", "hello?"))
			s.when(take(2, 0))
			s.when(threads.Answer{Number: 2, At: noon})
		}
		for _, then := range c.behind {
			s.when(then)
		}
		require.Equal(t, len(c.behind) > 0, s.TellsMore(channels.Escalated), name)
		s.when(asks("3", "", channels.Waits))
		number := s.Received
		s.when(threads.Answer{Number: number, At: noon})
		got, answered := s.AnswerTo(number)
		require.Equal(t, []any{true, c.want}, []any{answered, got.State}, name)
		s.when(over(9, sessions.Continue))
		again, _ := s.AnswerTo(number)
		require.Equal(t, got, again, name)
	}
}

// Given somebody who was answered, then there is more for them when something is said, and when what they were told of how it
// goes on is not so any more.
func TestWhatThereIsMoreOf(t *testing.T) {
	s := &story{T: t}
	s.when(asked("1", "hi"))
	s.when(take(1, 1))
	s.when(threads.Answer{Number: 1, Now: true, At: noon})
	require.False(t, s.TellsMore(channels.Working), "it still works")
	require.False(t, s.Speaks())
	s.when(said("s-1", 1, "here it is"))
	require.True(t, s.TellsMore(channels.Working))
	require.True(t, s.Speaks(), "there may be more")
	s.when(asks("2", "", channels.Waits))
	s.when(threads.Answer{Number: 2, Now: true, At: noon})
	require.False(t, s.TellsMore(channels.Working), "they have heard it")
	s.when(over(1, sessions.Continue))
	require.True(t, s.TellsMore(channels.Working), "it is done in silence")
	require.False(t, s.TellsMore(channels.GoesOn))
	s.when(said("s-1", 1, "and this"))
	require.False(t, s.Speaks(), "the turn is over")
	s.when(said("s-1", 0, "a person"))
	require.False(t, s.Speaks(), "that is all of it")
	s.when(asks("3", "", channels.Waits))
	s.when(threads.Answer{Number: 3, Now: true, At: noon})
	s.when(over(2, sessions.EndAction))
	require.True(t, s.TellsMore(channels.GoesOn), "it has ended in silence")
}

// Given people who said more than is kept of a conversation, then who waits is told all the same that they have it, and that
// the agent has ended the session behind them.
func TestWhoWaitsForLongIsToldOfTheEnd(t *testing.T) {
	s := &story{T: t}
	s.exchanged("a person", "a colleague comes", sessions.ToPeople)
	wait := func() channels.Reply {
		s.when(asks(fmt.Sprint("w", s.Received), "", channels.Waits))
		s.when(threads.Answer{Number: s.Received, At: noon})
		got, _ := s.AnswerTo(s.Received)
		return got
	}
	for n := range 30 {
		s.when(said("s-1", 0, fmt.Sprint(n)))
		got := wait()
		require.Equal(t, []any{channels.Escalated, []string{fmt.Sprint(n)}}, []any{got.State, heard(got)})
	}
	s.when(over(2, sessions.EndAction))
	require.True(t, s.TellsMore(channels.Escalated))
	require.Equal(t, channels.Ended, wait().State)
}

// Given a session that was taken over while nobody asked for people, then who waits behind what was passed on is told that
// people have it, whatever the turn before had come to.
func TestWhoWaitsIsToldThatPeopleTookOver(t *testing.T) {
	s := &story{T: t}
	s.exchanged("hi", "one", sessions.Continue)
	s.when(asked("2", "are you real?"))
	s.when(take(2, 0))
	s.when(threads.Answer{Number: 2, At: noon})
	s.when(asks("3", "", channels.Waits))
	s.when(threads.Answer{Number: 3, At: noon})
	got, _ := s.AnswerTo(3)
	require.Equal(t, channels.Escalated, got.State)
}
