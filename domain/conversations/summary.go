package conversations

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Summarizing is how a conversation is spoken to about the attempts to make its newest
// summary.
var Summarizing = attempt.Rules[State]{
	State: func(s State) attempt.State { return s.Summary.Attempt },
	Name:  func(s State) string { return fmt.Sprintf("%d/%d", s.Summary.Number, s.Summary.Attempt.Number) },
	Fail: func(s State, f attempt.Failure) attempt.Decision[State] {
		return RecordSummaryFailure{Number: s.Summary.Number, Failure: f}.Decide
	},
	Wake:    func(at time.Time) attempt.Decision[State] { return WakeSummary{at}.Decide },
	Backoff: attempt.Backoff{First: 2 * time.Second, Factor: 2, Jitter: 0.5, Ceiling: MaxSummaryDelay},
}

// How a summary that failed is tried again.
const (
	SummaryFor      = time.Hour // for so long; the last attempt is at its end
	MinSummaryDelay = time.Second
	MaxSummaryDelay = 10 * time.Minute
	MaxSummary      = 20_000 // characters that are kept of one
)

// SummaryWanted is the data of a TRIGGER_SUMMARY_EVENT.
type SummaryWanted struct {
	Language string `json:"language"` // such as English
	Locale   string `json:"locale"`   // such as en
	Type     string `json:"type"`     // such as post
}

// SummaryStatus says how far a summary is.
type SummaryStatus string

// The statuses.
const (
	SummaryPending SummaryStatus = "pending"
	SummaryDone    SummaryStatus = "done"
	SummaryFailing SummaryStatus = "failed"
)

// Summary is the newest one that was asked for.
type Summary struct {
	Number   int // from 1; 0: none
	Wanted   SummaryWanted
	Messages int // how many the conversation had
	Exit     int // of last agents: after which it was asked for
	Status   SummaryStatus
	Attempt  attempt.State
	Asked    time.Time
}

// bounds are those of this summary.
func (y Summary) bounds() attempt.Bounds {
	return attempt.Bounds{Until: y.Asked.Add(SummaryFor), AtEnd: true, Shortest: MinSummaryDelay, Longest: MaxSummaryDelay}
}

// ask is the TRIGGER_SUMMARY_EVENT.
type ask struct{ wanted SummaryWanted }

// summary reads a TRIGGER_SUMMARY_EVENT.
func (t Told) summary(m members) step {
	if t.Data == nil {
		m.add("data", "is required")
		return ask{}
	}
	in := m.in("data")
	in.text("language", t.Data.Language, MaxLanguage)
	in.form("locale", t.Data.Locale, languageCode, "a locale such as en or de-AT")
	in.form("type", t.Data.Type, summaryKind, "1 to 32 letters, digits, _ or -, such as post")
	return ask{*t.Data}
}

// SummaryAsked asks for a summary of all that was said so far.
type SummaryAsked struct {
	Number   int       `json:"number"` // of the conversation's summaries, from 1; a newer one takes the place of the one before
	Language string    `json:"language"`
	Locale   string    `json:"locale"`
	Type     string    `json:"type"`
	Messages int       `json:"messages"` // how many were received before
	At       time.Time `json:"at"`
}

var _ = event.Register[SummaryAsked](Conversations, "summary-asked", 1)

func (c ask) decide(s State, about About) ([]event.Payload, string, error) {
	switch y := s.Summary; {
	case s.Phase != Closing:
		return nil, "a summary is asked for after the NA exit of the last agent", nil
	case y.Number > 0 && y.Wanted == c.wanted && y.Exit == s.Exits && y.Status != SummaryFailing:
		return nil, "", nil
	}
	asked, err := s.askSummary(c.wanted, about.At)
	return asked, "", err
}

// Apply begins the summary.
func (e SummaryAsked) Apply(s *State) {
	s.Summaries = e.Number
	s.Summary = Summary{Number: e.Number, Wanted: SummaryWanted{Language: e.Language, Locale: e.Locale, Type: e.Type}, Messages: e.Messages,
		Exit:   s.Exits,
		Status: SummaryPending, Asked: e.At}
	s.Summary.Attempt.Ask()
}

// RecordSummary says what a summarizer made of the transcript.
type RecordSummary struct {
	Number  int
	Attempt int
	SummaryMade
	At time.Time
}

// Summarized is the summary.
type Summarized struct {
	Number    int       `json:"number"`
	Text      string    `json:"text" personal:"participant"`
	Provider  string    `json:"provider"`           // local: made by rules
	Model     string    `json:"model,omitempty"`    // absent with local
	TokensIn  int64     `json:"tokensIn,omitempty"` // that the provider counted; absent: it did not
	TokensOut int64     `json:"tokensOut,omitempty"`
	At        time.Time `json:"at"`
}

var _ = event.Register[Summarized](Conversations, "summarized", 1)

// Decide says nothing for an attempt that nobody waits for any more.
func (c RecordSummary) Decide(s State) ([]event.Payload, error) {
	if y := s.Summary; y.Number != c.Number || !y.Attempt.Takes(c.Attempt) {
		return nil, nil
	}
	return []event.Payload{Summarized{Number: c.Number, Text: cut(c.Text, MaxSummary), Provider: c.Provider, Model: c.Model,
		TokensIn: max(c.TokensIn, 0), TokensOut: max(c.TokensOut, 0), At: stamp(c.At)}}, nil
}

// Apply ends the summary well.
func (e Summarized) Apply(s *State) {
	s.Summary.Status = SummaryDone
	s.Summary.Attempt.End()
}

// RecordSummaryFailure says that an attempt gave none.
type RecordSummaryFailure struct {
	Number  int             // of the summary
	Failure attempt.Failure // its reason is cut to MaxText, its pause kept within MinSummaryDelay and MaxSummaryDelay
}

// SummaryAttemptFailed is an attempt without a summary; the next one waits for its timer.
type SummaryAttemptFailed struct {
	Number        int       `json:"number"`
	Attempt       int       `json:"attempt"`
	Error         string    `json:"error"`
	NextAttempt   int       `json:"nextAttempt"`
	NextAttemptAt time.Time `json:"nextAttemptAt"`
	At            time.Time `json:"at"`
}

var _ = event.Register[SummaryAttemptFailed](Conversations, "summary-attempt-failed", 1)

// SummaryFailed says that there will be no summary, unless it is asked for again.
type SummaryFailed struct {
	Number   int       `json:"number"`
	Attempts int       `json:"attempts"`
	Error    string    `json:"error"`
	At       time.Time `json:"at"`
}

var _ = event.Register[SummaryFailed](Conversations, "summary-failed", 1)

// Decide plans the next attempt, or gives up when they have been made for long enough.
func (c RecordSummaryFailure) Decide(s State) ([]event.Payload, error) {
	if s.Summary.Number != c.Number {
		return nil, nil
	}
	attempted, at, text := c.Failure.Number, stamp(c.Failure.At), cut(plain(c.Failure.Reason), MaxText)
	switch then, next := s.Summary.Attempt.Failed(c.Failure, s.Summary.bounds()); then {
	case attempt.Pause:
		return []event.Payload{SummaryAttemptFailed{Number: c.Number, Attempt: attempted, Error: text, NextAttempt: attempted + 1,
			NextAttemptAt: stamp(next), At: at}}, nil
	case attempt.GiveUp:
		return []event.Payload{SummaryFailed{Number: c.Number, Attempts: attempted, Error: text, At: at}}, nil
	}
	return nil, nil
}

// Apply makes the summary wait.
func (e SummaryAttemptFailed) Apply(s *State) {
	if s.Summary.Number == e.Number {
		s.Summary.Attempt.Pause(e.NextAttempt, e.NextAttemptAt)
	}
}

// Apply ends the summary badly.
func (e SummaryFailed) Apply(s *State) {
	s.Summary.Status = SummaryFailing
	s.Summary.Attempt.End()
}

// SummaryDue says that the next attempt is to be made now.
type SummaryDue struct {
	Number  int       `json:"number"`
	Attempt int       `json:"attempt"`
	At      time.Time `json:"at"`
}

var _ = event.Register[SummaryDue](Conversations, "summary-due", 1)

// WakeSummary is what the timer of an attempt says.
type WakeSummary struct{ At time.Time }

// Decide says nothing when no attempt is due.
func (c WakeSummary) Decide(s State) ([]event.Payload, error) {
	if s.Summary.Attempt.Woken(c.At, s.Summary.bounds()) != attempt.Again {
		return nil, nil
	}
	return []event.Payload{SummaryDue{Number: s.Summary.Number, Attempt: s.Summary.Attempt.Number, At: stamp(c.At)}}, nil
}

// Apply ends the waiting.
func (e SummaryDue) Apply(s *State) {
	if s.Summary.Number == e.Number {
		s.Summary.Attempt.Again()
	}
}

// cut keeps the beginning of a text.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// plain is a text on one line.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
