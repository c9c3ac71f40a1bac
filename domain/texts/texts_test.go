package texts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/texts"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

func request(change ...func(*texts.Request)) texts.Request {
	c := texts.Request{
		MessageID: "018f0000-0000-7000-8000-000000000001",
		TenantID:  "acme",
		ProjectID: "a-1",
		From:      "+15550100",
		To:        "+15550000001",
		Text:      "Hello",
		Campaign:  &texts.Campaign{CampaignID: "cid-1", RunID: "i-1", Index: 3},
		At:        noon,
		SendBy:    after(10 * time.Minute),
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

// story folds what each command decides on what the ones before it left behind.
type story struct {
	t       *testing.T
	history []event.Payload
}

type command interface {
	Decide(texts.State) ([]event.Payload, error)
}

func (s *story) state() texts.State { return texts.Texts.State(s.history...) }

func (s *story) when(c command) []event.Payload {
	s.t.Helper()
	events, err := c.Decide(s.state())
	require.NoError(s.t, err)
	s.history = append(s.history, events...)
	return events
}

func begun(t *testing.T, commands ...command) *story {
	t.Helper()
	s := &story{t: t}
	s.when(request())
	for _, c := range commands {
		require.NotEmpty(t, s.when(c))
	}
	return s
}

func start(id string, at time.Duration) texts.StartAttempt {
	return texts.StartAttempt{AttemptID: id, Node: "n-1", Provider: "local", At: after(at), LeaseUntil: after(at + 40*time.Second)}
}

func outcome(id string, at time.Duration, r channels.Outcome) texts.RecordOutcome {
	return texts.RecordOutcome{AttemptID: id, Outcome: r, At: after(at), Delay: 5 * time.Second}
}

var (
	taken    = channels.Outcome{Status: channels.Taken, ProviderMessageID: "SM1", Segments: 1}
	refused  = channels.Outcome{Status: channels.Refused, Code: "21610", Reason: "the recipient has opted out"}
	notTaken = channels.Outcome{Status: channels.NotTaken, Code: "20429", Reason: "too many requests", RetryAfter: 30 * time.Second}
)

func TestEventsKeepTheirJSON(t *testing.T) {
	s := begun(t, start("t-1", time.Second))
	startedEvent := s.history[1]
	sent, err := outcome("t-1", 2*time.Second, taken).Decide(s.state())
	require.NoError(t, err)
	s.when(outcome("t-1", 2*time.Second, notTaken))
	s.when(texts.Expire{At: after(32 * time.Second)})
	bare := request(func(c *texts.Request) { c.Campaign = nil })
	plain, err := bare.Decide(texts.State{})
	require.NoError(t, err)
	eventtest.Golden(
		t,
		texts.Texts.Category,
		"testdata/events", texts.Erased{Erasure: eventtest.Erasure},
		s.history[0],
		plain[0],
		startedEvent,
		sent[0],
		s.history[2],
		s.history[3],
		texts.Failed{
			Provider: "local",
			Code:     "21610",
			Reason:   "the recipient has opted out",
			Attempts: 2,
			Campaign: &texts.Campaign{CampaignID: "cid-1", RunID: "i-1"},
			At:       after(time.Minute),
		},
		texts.Failed{Code: texts.CodeExpired, Reason: "not sent in time", At: after(time.Minute)},
	)
}

func TestATextIsSent(t *testing.T) {
	s := begun(t, start("t-1", time.Second))
	require.Equal(
		t,
		channels.Outbound{Reference: request().MessageID, Attempt: 1, From: "+15550100", To: "+15550000001", Text: "Hello"},
		s.state().Outbound(),
	)
	require.Equal(t, channels.Doubt{Outbound: s.state().Outbound(), Node: "n-1", StartedAt: after(time.Second)}, s.state().Doubt())
	require.Equal(
		t,
		[]event.Payload{
			texts.Sent{
				AttemptID:         "t-1",
				Provider:          "local",
				ProviderMessageID: "SM1",
				Segments:          1,
				Campaign:          request().Campaign,
				At:                after(2 * time.Second),
			},
		},
		s.when(outcome("t-1", 2*time.Second, taken)),
	)
	require.True(t, s.state().Attempt.Ended)
	for _, late := range []command{start("t-2", time.Minute), outcome("t-1", time.Minute, refused), texts.Expire{At: after(time.Hour)}} {
		require.Empty(t, s.when(late))
	}
}

func TestSegmentsAreCountedWhenTheProviderDoesNot(t *testing.T) {
	s := begun(t, start("t-1", 0))
	s.when(outcome("t-1", time.Second, channels.Outcome{Status: channels.Taken}))
	require.Equal(t, 1, s.state().Segments)
}

func TestADefiniteRefusalEndsIt(t *testing.T) {
	s := begun(t, start("t-1", 0))
	require.Equal(
		t,
		[]event.Payload{
			texts.Failed{
				Provider: "local",
				Code:     "21610",
				Reason:   "the recipient has opted out",
				Attempts: 1,
				Campaign: request().Campaign,
				At:       after(time.Second),
			},
		},
		s.when(outcome("t-1", time.Second, refused)),
	)
}

func TestWhatWasNotTakenIsTriedAgainAtItsTime(t *testing.T) {
	s := begun(t, start("t-1", 0))
	require.Equal(
		t,
		[]event.Payload{
			texts.AttemptRefused{
				AttemptID:     "t-1",
				Provider:      "local",
				Code:          "20429",
				Reason:        "too many requests",
				At:            after(time.Second),
				NextAttemptAt: after(31 * time.Second),
			},
		},
		s.when(outcome("t-1", time.Second, notTaken)),
	)
	require.Empty(t, s.when(start("t-2", 10*time.Second)), "not yet")
	require.Empty(t, s.when(texts.Expire{At: after(30 * time.Second)}), "the timer is early")
	require.Equal(
		t,
		[]event.Payload{texts.AttemptDue{Attempt: 2, At: after(31 * time.Second), SendBy: after(10 * time.Minute)}},
		s.when(texts.Expire{At: after(31 * time.Second)}),
	)
	require.Empty(t, s.when(texts.Expire{At: after(31 * time.Second)}), "twice")
	s.when(start("t-2", 32*time.Second))
	require.Equal(t, 2, s.state().Outbound().Attempt)
	require.Empty(t, s.when(outcome("t-1", 33*time.Second, taken)), "of another attempt")
	s.when(outcome("t-2", 33*time.Second, taken))
	require.True(t, s.state().Sent)
}

func TestNoAttemptAfterSendBy(t *testing.T) {
	t.Run("the next would be too late", func(t *testing.T) {
		s := begun(t, start("t-1", 10*time.Minute-30*time.Second))
		require.IsType(t, texts.Failed{}, s.when(outcome("t-1", 10*time.Minute-20*time.Second, notTaken))[0])
		require.Equal(t, "20429", s.state().Code)
	})
	t.Run("the timer came too late", func(t *testing.T) {
		s := begun(t, start("t-1", 0), outcome("t-1", time.Second, notTaken))
		require.IsType(t, texts.Failed{}, s.when(texts.Expire{At: after(time.Hour)})[0])
		require.Equal(t, "20429", s.state().Code)
	})
	t.Run("nobody took it up", func(t *testing.T) {
		s := begun(t)
		require.Empty(t, s.when(start("t-1", 10*time.Minute)))
		require.Empty(t, s.when(texts.Expire{At: after(10*time.Minute - 1)}))
		require.Equal(
			t,
			[]event.Payload{
				texts.Failed{Code: texts.CodeExpired, Reason: "not sent in time", Campaign: request().Campaign, At: after(10 * time.Minute)},
			},
			s.when(texts.Expire{At: after(10 * time.Minute)}),
		)
	})
}

func TestAnAttemptInDoubt(t *testing.T) {
	doubt := func(t *testing.T) *story {
		s := begun(t, start("t-1", 0))
		require.Empty(t, s.when(outcome("t-1", time.Second, channels.Outcome{Reason: "timeout"})))
		require.Empty(t, s.when(start("t-2", 2*time.Second)), "never blindly")
		require.False(t, s.state().Attempt.Lapsed(after(40*time.Second-1)))
		require.Empty(t, s.when(texts.Expire{At: after(39 * time.Second), Outcome: taken}))
		require.True(t, s.state().Attempt.Lapsed(after(40*time.Second)))
		return s
	}
	lease := after(40 * time.Second)
	t.Run("nobody can tell", func(t *testing.T) {
		s := doubt(t)
		require.Equal(
			t,
			[]event.Payload{
				texts.Failed{
					Provider: "local",
					Code:     texts.CodeOutcomeUnknown,
					Reason:   "outcome unknown",
					Attempts: 1,
					Campaign: request().Campaign,
					At:       lease,
				},
			},
			s.when(texts.Expire{At: lease}),
		)
		require.Empty(t, s.when(outcome("t-1", time.Minute, taken)), "too late")
	})
	t.Run("the provider has it", func(t *testing.T) {
		s := doubt(t)
		require.IsType(t, texts.Sent{}, s.when(texts.Expire{At: lease, Outcome: taken})[0])
	})
	t.Run("the provider has not", func(t *testing.T) {
		s := doubt(t)
		require.IsType(t, texts.AttemptRefused{}, s.when(texts.Expire{At: lease, Outcome: notTaken})[0])
	})
}

func TestDelaysAreBounded(t *testing.T) {
	for given, want := range map[time.Duration]time.Duration{0: texts.MinDelay, 24 * time.Hour: texts.MaxDelay} {
		s := &story{t: t}
		s.when(request(func(c *texts.Request) { c.SendBy = after(48 * time.Hour) }))
		s.when(start("t-1", 0))
		report := channels.Outcome{Status: channels.NotTaken, RetryAfter: given}
		e := s.when(texts.RecordOutcome{AttemptID: "t-1", At: noon, Outcome: report})[0].(texts.AttemptRefused)
		require.Equal(t, noon.Add(want), e.NextAttemptAt)
	}
}

func TestRequestsThatAreWrong(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*texts.Request)
		field  string
	}{
		"no id":                {func(c *texts.Request) { c.MessageID = "" }, "messageId"},
		"an id too long":       {func(c *texts.Request) { c.MessageID = strings.Repeat("x", 129) }, "messageId"},
		"no project":           {func(c *texts.Request) { c.ProjectID = "" }, "projectId"},
		"no recipient":         {func(c *texts.Request) { c.To = "" }, "to"},
		"no plus":              {func(c *texts.Request) { c.To = "15550000001" }, "to"},
		"leading zero":         {func(c *texts.Request) { c.To = "+0555" }, "to"},
		"16 digits":            {func(c *texts.Request) { c.To = "+1234567890123456" }, "to"},
		"a line end":           {func(c *texts.Request) { c.To = "+15550000001\n" }, "to"},
		"a short code to":      {func(c *texts.Request) { c.To = "12345" }, "to"},
		"no sender":            {func(c *texts.Request) { c.From = "" }, "from"},
		"a sender too long":    {func(c *texts.Request) { c.From = "Acme Company" }, "from"},
		"a sender of digits":   {func(c *texts.Request) { c.From = "123456789" }, "from"},
		"no text":              {func(c *texts.Request) { c.Text = " \n" }, "text"},
		"1601 characters":      {func(c *texts.Request) { c.Text = strings.Repeat("é", 1601) }, "text"},
		"invalid UTF-8":        {func(c *texts.Request) { c.Text = "a\xff" }, "text"},
		"a null character":     {func(c *texts.Request) { c.Text = "a\x00" }, "text"},
		"over before it began": {func(c *texts.Request) { c.SendBy = c.At }, "sendBy"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := request(c.change).Decide(texts.State{})
			require.Equal(t, []string{c.field}, faulttest.Fields(t, err))
		})
	}
}

func TestRequestsAtTheLimits(t *testing.T) {
	for name, change := range map[string]func(*texts.Request){
		"1600 characters": func(c *texts.Request) { c.Text = strings.Repeat("é", 1600) },
		"15 digits":       func(c *texts.Request) { c.To = "+123456789012345" },
		"a short code":    func(c *texts.Request) { c.From = "12345" },
		"a sender name":   func(c *texts.Request) { c.From = "Acme Dental" },
		"a service":       func(c *texts.Request) { c.From = "MG0123456789abcdef0123456789abcdef" },
		"no deadline":     func(c *texts.Request) { c.SendBy = time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			events, err := request(change).Decide(texts.State{})
			require.NoError(t, err)
			if name == "no deadline" {
				require.Equal(t, noon.Add(texts.DefaultSendWindow), events[0].(texts.Requested).SendBy)
			}
		})
	}
	_, err := request().Decide(begun(t).state())
	require.True(t, fault.Is(err, fault.Conflict))
}

func TestSegments(t *testing.T) {
	for text, want := range map[string]int{
		strings.Repeat("a", 160): 1, strings.Repeat("a", 161): 2, strings.Repeat("a", 306): 2, strings.Repeat("a", 307): 3,
		strings.Repeat("€", 80): 1, strings.Repeat("€", 81): 2, // two septets each
		strings.Repeat("ж", 70): 1, strings.Repeat("ж", 71): 2, strings.Repeat("ж", 135): 3,
		strings.Repeat("😀", 35): 1, strings.Repeat("😀", 36): 2, // two units each
		"smart ’quote": 1, "": 1,
	} {
		require.Equal(t, want, texts.Segments(text), "%q", text)
	}
}

// deadline is when the state says that the text has to be moved on.
func deadline(s texts.State) time.Time {
	switch {
	case s.Attempt.Ended:
		return time.Time{}
	case s.Attempt.Claimed():
		return s.Attempt.LeaseUntil
	case s.Attempt.Waiting():
		return s.Attempt.DueAt
	}
	return s.Request.SendBy
}

// Whatever is sent to a text in whatever order, between two starts of an attempt
// somebody said that the first was certainly not taken, and nothing follows its end.
func TestAtMostOnceWhateverHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		first, err := request().Decide(texts.State{})
		require.NoError(rt, err)
		history, clock, open := first, noon, false
		reports := rapid.SampledFrom([]channels.Outcome{{}, taken, refused, notTaken})
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			clock = clock.Add(time.Duration(rapid.IntRange(0, 60).Draw(rt, "seconds")) * time.Second)
			s := texts.Texts.State(history...)
			id := rapid.SampledFrom([]string{"t-1", "t-2", "t-3"}).Draw(rt, "attempt")
			var c command
			switch rapid.IntRange(0, 2).Draw(rt, "command") {
			case 0:
				c = texts.StartAttempt{AttemptID: id, Provider: "local", At: clock, LeaseUntil: clock.Add(40 * time.Second)}
			case 1:
				c = texts.RecordOutcome{AttemptID: id, Outcome: reports.Draw(rt, "report"), At: clock}
			default:
				c = texts.Expire{At: clock, Outcome: reports.Draw(rt, "report")}
			}
			events, err := c.Decide(s)
			require.NoError(rt, err)
			require.False(rt, s.Attempt.Ended && len(events) > 0, "after the end")
			for _, e := range events {
				switch e.(type) {
				case texts.AttemptStarted:
					require.False(rt, open, "an attempt before the last one's outcome")
					require.True(rt, clock.Before(s.Request.SendBy))
					open = true
				case texts.AttemptRefused:
					open = false
				}
				at, set, ended := texts.Deadline(e)
				history = append(history, e)
				now := texts.Texts.State(history...)
				require.Equal(rt, now.Attempt.Ended, ended)
				require.Equal(rt, !ended, set)
				require.Equal(rt, deadline(now), at, "the timer and the state agree")
			}
		}
	})
}
