package threads_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
)

var noon = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

var (
	received = threads.Received{Number: 1, TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", ExternalID: "C1:1.0",
		Thread: "T1:C1:1.0", From: "U1", Name: "Ann", ReplyTo: "C1:1.0", Text: "hi", Chosen: &sessions.Chosen{ID: "b"},
		Files: []threads.File{{URL: "https://files.example.com/1", ContentType: "image/png"}}, SaidAt: noon, At: noon}
	queued = threads.Queued{Reply: 1, TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", SessionID: "s-1",
		MessageID: "m-1", To: "C1:1.0", Parts: []string{"one", "two"}, Messages: 2, Options: []threads.Option{{ID: "b", Label: "Yes"}}, At: noon,
		SendBy: after(24 * time.Hour)}
	started = threads.Started{Reply: 1, Attempt: 1, ID: "a-1", Node: "n-1", At: noon, LeaseUntil: after(time.Minute)}
	missed  = threads.Missed{Reply: 1, Attempt: 1, SessionID: "s-1", Code: "429", Reason: "too many requests", At: noon,
		RetryAt: after(time.Minute)}
	due     = threads.Due{Reply: 1, Attempt: 2, At: after(time.Minute)}
	sent    = threads.PartSent{Reply: 1, SessionID: "s-1", ProviderMessageID: "1.1", At: noon}
	failed  = threads.Failed{Reply: 1, SessionID: "s-1", Code: "channel_not_found", Reason: "refused", Attempts: 1, At: noon}
	teller  = threads.Teller{Number: 1, ID: "p-1", URL: "https://a.example.com/told", URLSealed: "s1", HeadersSealed: "s2", Form: "1.0"}
	retried = threads.Retried{Reply: 1, At: noon, SendBy: after(24 * time.Hour)}
)

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, threads.Threads.Category, "testdata/events", received, threads.Taken{Number: 1, SessionID: "s-1", At: noon},
		threads.FilesFetched{Number: 1, Files: []threads.Fetched{{AttachmentID: "f-1", Name: "dot.png", ContentType: "image/png", SizeBytes: 67,
			Blob: "attachments/acme/t/f-1/aa"}, {Name: "a.pdf", Code: "GONE", Reason: "the file is not there any more"}}, At: noon},
		threads.Opted{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "twilio_sms", Out: true, Thread: "+1:+2", From: "+2",
			ReplyTo: "+2", SessionID: "s-1", At: noon},
		threads.Refused{Number: 1, Code: "NOT_FOUND", Reason: "nothing is deployed", At: noon}, queued, started, missed, due, sent, failed,
		retried, threads.Reported{Reply: 1, ProviderMessageID: "1.1", State: "undelivered", Code: "30003", At: noon},
		threads.WasOver{SessionID: "s-1", Turn: 1, Action: sessions.Continue, At: noon},
		threads.Answered{Number: 1, SessionID: "s-1", Replies: []int{1}, At: noon},
		threads.Left{SessionID: "s-1", Waiting: []int{2}, At: noon},
		threads.DraftBegun{Reply: 1, SessionID: "s-1", Turn: 1, To: "C1:1.0", Reference: "s-1/1/1", At: noon},
		threads.LineOpened{ID: "l-1", TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "audiocodes", Thread: "c-1", At: noon},
		threads.Spoken{Line: "l-1", Replies: []int{1}, At: noon}, threads.LineClosed{ID: "l-1", At: noon},
		threads.DraftShown{Reply: 1, ProviderMessageID: "1.1", At: noon}, threads.DraftDropped{Reply: 1, At: noon},
		threads.TakenBack{Number: 1, SessionID: "s-1", MessageID: "m-1", At: noon}, threads.Dropped{Number: 1, At: noon},
		threads.Dropped{Number: 1, Left: []string{"attachments/acme/t/f-1/aa"}, Stays: true, At: noon},
		threads.Taken{Number: 1, SessionID: "s-1", People: true, At: noon},
		threads.TellerSet{Teller: teller, TenantID: "acme", ProjectID: "shop", At: noon},
		threads.TellerDeleted{Number: 1, ID: "p-1", At: noon}, threads.Forgotten{At: noon}, threads.Erased{Erasure: eventtest.Erasure})
}

// story is what happened in one conversation.
type story struct {
	*testing.T
	threads.State
}

func (s *story) given(events ...event.Payload) *story {
	for _, e := range events {
		threads.Threads.Fold(&s.State, e)
	}
	return s
}

type command interface {
	Decide(threads.State) ([]event.Payload, error)
}

func (s *story) when(c command) []event.Payload {
	s.Helper()
	out, err := c.Decide(s.State)
	require.NoError(s, err)
	s.given(out...)
	return out
}

func says(id, text string) threads.Receive {
	return threads.Receive{TenantID: "acme", ProjectID: "shop", ConnectionID: "cn-1", Kind: "slack", At: noon,
		Entry: channels.Entry{ExternalID: id, Thread: "t", From: "U1", Text: text}}
}

// Given messages, then sessions take them one by one, each once, in their order.
func TestMessagesWaitForTheirTurn(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "one"))
	s.when(says("2", "two"))
	require.Equal(t, "U1", s.ReplyTo, "without another address the person is answered")
	require.Empty(t, s.when(threads.Take{Number: 2, SessionID: "s-1"}), "not its turn")
	s.when(threads.Take{Number: 1, SessionID: "s-1", At: noon})
	require.Empty(t, s.when(threads.Take{Number: 1, SessionID: "s-1"}), "twice")
	s.when(threads.Refuse{Number: 2, Code: fault.Gone, At: noon})
	_, waits := s.Next()
	require.False(t, waits)
	require.Equal(t, "s-1", s.Session)
	require.Empty(t, s.when(says("3", "")), "nothing was said")
}

func TestSoManyMessagesWait(t *testing.T) {
	s := &story{T: t}
	for range threads.MostWaiting {
		s.when(says("n", "x"))
	}
	_, err := says("n", "x").Decide(s.State)
	require.True(t, fault.Is(err, fault.QueueFull))
	_, err = says("n", strings.Repeat("x", 1<<20+1)).Decide(threads.State{})
	require.True(t, fault.Is(err, fault.QueueFull))
}

var (
	plain = channels.Limits{Text: 1000, Unit: channels.Characters}
	rich  = channels.Limits{Text: 1000, Unit: channels.Characters, Choices: 5, Label: 20}
	forms = channels.Limits{Text: 1000, Unit: channels.Characters, Choices: 5, Label: 20, Options: 2, Option: 5, Inputs: true}
	menu  = []sessions.Element{{Kind: "button", ID: "yes", Label: "Yes", Value: []byte(`1`)},
		{Kind: "select", ID: "size", Label: "Size", Options: []sessions.Choice{{ID: "s", Label: "Small"}, {ID: "l", Label: "Large"}}}}
)

// spoken reads buttons out with their numbers.
var spoken = channels.Limits{Text: 1000, Unit: channels.Characters, Choices: 9, Label: 20, Keys: true}

var ask = []sessions.Element{{Kind: "input", ID: "age", Label: "Age?"}}

// Given what could be chosen, then a button, a number or the words of it are a choice, for as long
// as it is what was shown last.
func TestWhatIsChosen(t *testing.T) {
	for name, c := range map[string]struct {
		limits channels.Limits
		rich   []sessions.Element
		entry  channels.Entry
		id     string
		value  string
	}{
		"a button":                              {rich, menu, channels.Entry{Choice: "1.0"}, "yes", "1"},
		"an option":                             {rich, menu, channels.Entry{Choice: "1.2"}, "size", `"l"`},
		"words":                                 {rich, menu, channels.Entry{Text: " small "}, "size", `"s"`},
		"a number of a numbered list":           {plain, menu, channels.Entry{Text: "3"}, "size", `"l"`},
		"a number as it is shown":               {plain, menu, channels.Entry{Text: "3."}, "size", `"l"`},
		"a line as it is shown":                 {plain, menu, channels.Entry{Text: "2) small"}, "size", `"s"`},
		"a line of two options":                 {plain, menu, channels.Entry{Text: "3. Small"}, "", ""},
		"a number of many digits":               {plain, menu, channels.Entry{Text: "3.1"}, "", ""},
		"words with a full stop":                {plain, menu, channels.Entry{Text: "Small."}, "size", `"s"`},
		"a number of buttons is none":           {rich, menu, channels.Entry{Text: "3"}, "", ""},
		"a number of buttons that are read out": {spoken, menu, channels.Entry{Text: " 3 "}, "size", `"l"`},
		"a button that is read out":             {spoken, menu, channels.Entry{Choice: "1.2"}, "size", `"l"`},
		"a number behind the last one":          {plain, menu, channels.Entry{Text: "4"}, "", ""},
		"something else":                        {plain, menu, channels.Entry{Text: "why?"}, "", ""},
		"an input is filled in":                 {plain, ask, channels.Entry{Text: "7"}, "age", `"7"`},
		"an option of a select":                 {forms, menu, channels.Entry{Choice: "1.2", Text: "Large"}, "size", `"l"`},
		"the words of one":                      {forms, menu, channels.Entry{Text: "large"}, "size", `"l"`},
		"a field is filled in":                  {forms, ask, channels.Entry{Choice: "1.0", Text: "7"}, "age", `"7"`},
		"what is said beside the field":         {forms, ask, channels.Entry{Text: "7"}, "age", `"7"`},
		"too many for buttons, so numbers":      {channels.Limits{Text: 99, Choices: 2, Label: 20}, menu, channels.Entry{Text: "1"}, "yes", "1"},
	} {
		s := &story{T: t}
		s.when(says("1", "hi"))
		s.when(threads.Queue{SessionID: "s-1", MessageID: "m-1", Text: "Which?", Rich: c.rich, Limits: c.limits, At: noon})
		next := says("2", "")
		next.Entry.Choice, next.Entry.Text = c.entry.Choice, c.entry.Text
		got := s.when(next)[0].(threads.Received)
		if c.id == "" {
			require.Nil(t, got.Chosen, name)
			continue
		}
		require.NotNil(t, got.Chosen, name)
		require.Equal(t, []string{c.id, c.value}, []string{got.Chosen.ID, string(got.Chosen.Value)}, name)
		require.NotEmpty(t, got.Text, name)
		next.Entry.Choice, next.Entry.Text = "", "Yes"
		require.Nil(t, s.when(next)[0].(threads.Received).Chosen, "%s: it was answered", name)
	}
	s := &story{T: t}
	s.when(says("1", "hi"))
	for _, token := range []string{"1.0", "x", ".", "9.9", "1.-1"} {
		never := says("2", "")
		never.Entry.Choice = token
		require.Empty(t, s.when(never), "%s was never shown", token)
		never.Entry.Text = "Yes"
		require.Empty(t, s.when(never), "%s was never shown", token)
	}
	for range 11 { // ten are known
		s.when(threads.Queue{SessionID: "s-1", MessageID: "m-1", Text: "Which?", Rich: menu, Limits: rich, At: noon})
	}
	old := says("2", "")
	old.Entry.Choice = "1.0"
	require.Empty(t, s.when(old), "the kind has no words of it")
	old.Entry.Text = "Yes, please"
	got := s.when(old)[0].(threads.Received)
	require.Equal(t, "Yes, please", got.Text, "a button of a menu that is gone says its words")
	require.Nil(t, got.Chosen)
}

func TestAMenuIsNumberedWhereThereAreNoButtons(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	got := s.when(threads.Queue{Text: "Which?", Rich: menu, Limits: plain, At: noon})[0].(threads.Queued)
	require.Equal(t, []string{"Which?\n1. Yes\n2. Small\n3. Large"}, got.Parts)
	require.Empty(t, s.Outbound().Choices)
	require.Empty(t, s.when(threads.Queue{Text: " ", Limits: plain}), "nothing was said")
}

// Given elements of a text, when the kind has selects and inputs, then they are its own; each that
// does not fit is what it is where there are none.
func TestSelectsAndInputsAreNativeWhereTheKindHasThem(t *testing.T) {
	all := append(slices.Clone(menu), ask[0])
	yes := channels.Choice{Token: "1.0", Label: "Yes"}
	size := []channels.Choice{{Token: "1.1", Label: "Small"}, {Token: "1.2", Label: "Large"}}
	age := channels.Field{Token: "1.3", Label: "Age?"}
	narrow, few, numbers, social := forms, forms, forms, rich
	social.Numbered = true
	narrow.Option, few.Options, numbers.Choices, numbers.Inputs = 4, 1, 0, false
	for name, c := range map[string]struct {
		limits channels.Limits
		text   string
		want   channels.Outbound
	}{
		"the kind has them": {forms, "Which?", channels.Outbound{Choices: []channels.Choice{yes},
			Fields: []channels.Field{{Label: "Size", Options: size}, age}}},
		"words that are too long": {narrow, "Which?", channels.Outbound{Choices: append([]channels.Choice{yes}, size...),
			Fields: []channels.Field{age}}},
		"too many options": {few, "Which?", channels.Outbound{Choices: append([]channels.Choice{yes}, size...),
			Fields: []channels.Field{age}}},
		"selects, and nothing else": {numbers, "Which?\nAge?\n1. Yes", channels.Outbound{
			Fields: []channels.Field{{Label: "Size", Options: size}}}},
		"nothing": {plain, "Which?\nAge?\n1. Yes\n2. Small\n3. Large", channels.Outbound{}},
	} {
		s := &story{T: t}
		s.when(says("1", "hi"))
		s.when(threads.Queue{MessageID: "m-1", Turn: 1, Text: "Which?", Rich: all, Limits: c.limits, At: noon})
		c.want.Reference, c.want.Attempt, c.want.To, c.want.Text = "m-1/0/0", s.Attempt.Number, "U1", c.text
		require.Equal(t, c.want, s.Outbound(), name)
	}
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Queue{MessageID: "m-0", Text: "Sure?", Rich: menu[:1], Limits: social, At: noon})
	require.Equal(t, []channels.Choice{yes}, s.Outbound().Choices, "buttons without a select are buttons")
	require.True(t, s.Outbound().ByPerson, "what is said in no turn of the agent is said by people")
	s = &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Queue{MessageID: "m-1", Rich: ask, Limits: forms, At: noon})
	require.Equal(t, "…", s.Outbound().Text, "a field stands beside some text")
	s.when(says("2", "2")) // answers it
	s.when(threads.Queue{MessageID: "m-2", Text: "Which?", Rich: menu, Limits: numbers, At: noon})
	require.Nil(t, s.when(says("3", "2"))[0].(threads.Received).Chosen, "options of a select have no numbers")
}

func outcome(status channels.Status) threads.Record {
	return threads.Record{ID: "a-1", Outcome: channels.Outcome{Status: status, Code: "c"}, Delay: time.Second, At: noon}
}

// Given a reply of two parts and another one, then they go out one by one, with buttons at the
// last part.
func TestRepliesGoOutInTheirOrder(t *testing.T) {
	s := &story{T: t}
	next := queued
	next.Reply, next.Parts, next.Options = 2, []string{"three"}, nil
	s.given(received, queued, next)
	for _, part := range []string{"one", "two", "three"} {
		require.True(t, s.Attempt.Wanted())
		out := s.Outbound()
		require.Equal(t, part, out.Text)
		require.Equal(t, part == "two", len(out.Choices) == 1)
		s.when(threads.Start{Claim: attempt.Claim{ID: "a-1", At: noon, LeaseUntil: after(time.Minute)}})
		require.Empty(t, s.when(threads.Start{Claim: attempt.Claim{ID: "a-2", At: noon}}), "one at a time")
		s.when(outcome(channels.Taken))
	}
	require.Empty(t, s.Replies)
	require.False(t, s.Attempt.Live())
}

func TestWhatFollowsOnAnAttempt(t *testing.T) {
	once := queued
	once.Once = true
	late := after(24*time.Hour + time.Second)
	for name, c := range map[string]struct {
		given threads.Queued
		when  command
		then  event.Payload
	}{
		"taken":                        {queued, outcome(channels.Taken), threads.PartSent{}},
		"refused":                      {queued, outcome(channels.Refused), threads.Failed{}},
		"not taken":                    {queued, outcome(channels.NotTaken), threads.Missed{}},
		"in doubt":                     {queued, outcome(channels.Unknown), threads.Missed{}},
		"in doubt, once only":          {once, outcome(channels.Unknown), nil},
		"its lease holds":              {queued, threads.Wake{At: noon}, nil},
		"its lease is over":            {queued, threads.Wake{At: after(time.Minute)}, threads.Due{}},
		"its lease is over, once only": {once, threads.Wake{At: after(time.Minute)}, threads.Failed{}},
		"too late": {queued, threads.Record{ID: "a-1", Outcome: channels.Outcome{Status: channels.NotTaken}, At: late},
			threads.Failed{}},
	} {
		s := (&story{T: t}).given(received, c.given, started)
		got := s.when(c.when)
		if c.then == nil {
			require.Empty(t, got, name)
			continue
		}
		require.Len(t, got, 1, name)
		require.IsType(t, c.then, got[0], name)
		require.False(t, s.Attempt.Claimed(), name)
	}
	s := (&story{T: t}).given(received, queued)
	require.IsType(t, threads.Failed{}, s.when(threads.Start{Claim: attempt.Claim{At: late}})[0], "nothing ran for a day")
}

// Given a pause of some nanoseconds, when its timer fires in the very millisecond that it is over in, then the reply is
// due: a timer that was early would come again fifteen seconds later.
func TestAPauseIsOverInItsMillisecond(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started)
	missed := outcome(channels.NotTaken)
	missed.Delay = 2_359_070_706
	retryAt := s.when(missed)[0].(threads.Missed).RetryAt
	require.Equal(t, event.Stamp(retryAt), retryAt)
	require.IsType(t, threads.Due{}, s.when(threads.Wake{At: after(2_359_000_999)})[0])
}

func TestAFailedReplyIsTriedAgain(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started, sent, failed)
	require.Len(t, s.Failed, 1)
	was := threads.Attempts.NameOf(s.State)
	s.when(threads.Retry{Reply: 1, At: noon})
	require.Equal(t, "two", s.Outbound().Text, "from where it failed")
	require.NotEqual(t, was, threads.Attempts.NameOf(s.State))
	_, err := threads.Retry{Reply: 1}.Decide(s.State)
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestAConversationIsForgotten(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started)
	require.Empty(t, (&story{T: t}).when(threads.Forget{}))
	require.Equal(t, []event.Payload{threads.Forgotten{At: noon, Replies: []int{1}}}, s.when(threads.Forget{At: noon}))
	require.Empty(t, s.when(threads.Forget{At: noon}), "once")
	require.Empty(t, s.when(outcome(channels.Taken)), "what is late changes nothing")
	require.Empty(t, s.when(threads.Queue{Text: "x", Limits: plain}), "nobody is told")
	require.Equal(t, 2, s.when(says("2", "hi"))[0].(threads.Received).Number)
}

// Given a conversation of long ago, when the project keeps it no longer, then it is ended and erased at once; one in
// which something waits, is on its way, or was said since, is left as it is.
func TestAQuietConversationIsForgotten(t *testing.T) {
	took := threads.Taken{Number: 1, SessionID: "s-1", At: noon}
	quiet := threads.ForgetQuiet{Since: after(time.Hour), Forget: threads.Forget{At: after(2 * time.Hour)}}
	require.Empty(t, (&story{T: t}).given(received).when(quiet), "it waits")
	require.Empty(t, (&story{T: t}).given(received, took, queued).when(quiet), "its answer does")
	late := threads.ForgetQuiet{Since: after(threads.LastFor + time.Hour), Forget: threads.Forget{At: after(threads.LastFor + 2*time.Hour)}}
	require.Len(t, (&story{T: t}).given(received).when(late), 2, "it waits for good")
	require.Equal(t, []int{1}, (&story{T: t}).given(received, took, queued).when(late)[0].(threads.Forgotten).Replies, "nor does that go out")
	recently := quiet
	recently.Since = noon
	require.Empty(t, (&story{T: t}).given(received, took).when(recently))
	s := (&story{T: t}).given(received, took)
	require.Equal(t, []event.Payload{threads.Forgotten{At: after(2 * time.Hour)}, threads.Erased{}}, s.when(quiet))
}

// Given messages, then each reply knows when the one came that it answers, also where that is not noted as
// taken yet; what nobody asked for just now knows none.
func TestWhenTheMessageCameThatAReplyAnswers(t *testing.T) {
	s := &story{T: t}
	at := func(n int) time.Time { return after(time.Duration(n) * time.Minute) }
	for n := 1; n <= 3; n++ {
		next := says(strconv.Itoa(n), "x")
		next.At = at(n)
		s.when(next)
	}
	says := func(session string, turn int, want time.Time) {
		t.Helper()
		s.when(threads.Queue{SessionID: session, Turn: turn, Text: "x", Limits: plain, At: noon})
		require.Equal(t, want, s.Replies[len(s.Replies)-1].AskedAt)
	}
	says("s-1", 1, at(1)) // before it is noted
	s.when(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: noon})
	says("s-1", 1, at(1))
	s.when(threads.Take{Number: 2, SessionID: "s-1", Turn: 2, At: noon})
	says("s-1", 2, at(2))
	says("s-1", 1, time.Time{}) // late, of an earlier turn
	says("s-2", 1, at(3))       // of the session that follows
	says("s-2", 0, time.Time{}) // a person
}

// Given an attempt whose pause ends behind the day that a reply is worth sending, then it is not sent any more.
func TestAReplyExpires(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started, missed)
	require.Empty(t, s.when(threads.Wake{At: after(time.Minute - time.Second)}), "the pause lasts")
	got := s.when(threads.Wake{At: after(24*time.Hour + time.Second)})
	require.Equal(t, []event.Payload{threads.Failed{Reply: 1, SessionID: "s-1", Code: "EXPIRED", Reason: "not sent in time", Attempts: 1,
		At: after(24*time.Hour + time.Second)}}, got)
}

// Given a driver that says how long a pause it proposes, then it is that long; and a round that somebody asked for is
// another one to the provider.
func TestAttemptsAreToldApart(t *testing.T) {
	s := (&story{T: t}).given(received, queued, started)
	events, err := threads.Attempts.Fail(s.State, attempt.Failure{Number: 1, Pause: 90 * time.Second, At: noon})(s.State)
	require.NoError(t, err)
	require.Equal(t, after(90*time.Second), events[0].(threads.Missed).RetryAt)

	s = (&story{T: t}).given(received, queued, started, failed)
	require.Equal(t, "", s.Outbound().Text, "nothing is to go out")
	s.when(threads.Retry{Reply: 1, At: noon})
	require.Equal(t, "m-1/1/0", s.Outbound().Reference)
}

// Given messages that together are more than may wait, then the next one is refused.
func TestSoMuchWaits(t *testing.T) {
	s := &story{T: t}
	half := strings.Repeat("x", 600<<10)
	s.when(says("1", half))
	_, err := says("2", half).Decide(s.State)
	require.True(t, fault.Is(err, fault.QueueFull))
}

// Given what was forgotten, then replies and messages have the numbers that follow.
func TestNumbersGoOnBehindWhatWasForgotten(t *testing.T) {
	s := (&story{T: t}).given(received, queued)
	s.when(threads.Forget{At: noon})
	s.when(says("2", "hi"))
	next := s.when(threads.Queue{SessionID: "s-2", MessageID: "m-2", Text: "x", Limits: plain, At: noon})
	require.Equal(t, 2, next[0].(threads.Queued).Reply)
}

// Given options of a select of the kind's own before buttons that are numbered, then numbers count the buttons; and
// where a field has no form, it is none of the buttons.
func TestWhatHasANumber(t *testing.T) {
	selects := forms
	selects.Choices = 0
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Queue{MessageID: "m-1", Text: "Which?", Rich: []sessions.Element{menu[1], menu[0]}, Limits: selects, At: noon})
	require.Equal(t, []channels.Field{{Label: "Size", Options: []channels.Choice{{Token: "1.0", Label: "Small"},
		{Token: "1.1", Label: "Large"}}}}, s.Outbound().Fields)
	require.Equal(t, "yes", s.when(says("2", "1"))[0].(threads.Received).Chosen.ID)

	s = &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Queue{MessageID: "m-1", Text: "Which?", Rich: []sessions.Element{menu[0], ask[0]}, Limits: rich, At: noon})
	require.Equal(t, []channels.Choice{{Token: "1.0", Label: "Yes"}}, s.Outbound().Choices)
}

// Given a reply in a turn of a session that nobody's message waits for, then it answers none.
func TestAReplyThatNoMessageWaitsFor(t *testing.T) {
	s := &story{T: t}
	s.when(says("1", "hi"))
	s.when(threads.Take{Number: 1, SessionID: "s-1", Turn: 1, At: noon})
	s.when(threads.Queue{SessionID: "s-1", Turn: 2, Text: "x", Limits: plain, At: noon})
	require.Zero(t, s.Replies[0].AskedAt)
}
