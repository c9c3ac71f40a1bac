package calls

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Say says a text to the callee, in the agent's name.
type Say struct {
	Text     string
	Language string // language tag; empty: the flow's
	Message  int    // which message of the session it is, from 1; 0: none, it is the start text
	At       time.Time
}

// Said is what the agent said.
type Said struct {
	Text     string    `json:"text" personal:"callee"`
	Language string    `json:"language,omitempty"`
	Message  int       `json:"message,omitempty"` // of the session, from 1, where it is one
	At       time.Time `json:"at"`
}

var _ = event.Register[Said](Calls, "said", 1)

// Decide says a text while somebody listens, and no message twice.
func (c Say) Decide(s State) ([]event.Payload, error) {
	if !s.Answered() || c.Text == "" || c.Message > 0 && c.Message <= s.Spoken {
		return nil, nil
	}
	e := Said{Text: c.Text, Language: c.Language, Message: c.Message, At: event.Stamp(c.At)}
	if e.Language == "" {
		e.Language = s.Request.Flow.Language
	}
	return []event.Payload{e}, nil
}

// Apply keeps the text.
func (e Said) Apply(s *State) {
	s.Said = append(s.Said, e.Text)
	s.Spoken = max(s.Spoken, e.Message)
	s.sign(e.At)
}

// Hear records what the callee said, up to a silence.
type Hear struct {
	Number     int // of what was heard or pressed in the call, from 1: one that comes again is known by it
	Text       string
	Words      int     // without a text: how many there were, by their sound
	Confidence float64 // of who recognised it, 0 to 1; 0: it does not say
	Language   string  // in which it was recognised; empty: the flow's
	Written    bool    // and not said
	At         time.Time
}

// LongestHeard is how many characters are heard at once. A callee who goes on beyond them without
// a silence is heard in parts.
const LongestHeard = 4_000

// Heard is what the callee said: a message to the agent that takes the call.
type Heard struct {
	Number         int       `json:"number"`
	Text           string    `json:"text" personal:"callee"`
	EstimatedWords int       `json:"estimatedWords,omitempty"` // nobody recognised them: Text says so; absent: somebody did
	Confidence     float64   `json:"confidence,omitempty"`     // of who did, 0 to 1, where it says so
	Language       string    `json:"language,omitempty"`
	Written        bool      `json:"written,omitempty"` // beside the sound, in a room; absent: it was said
	At             time.Time `json:"at"`
}

var _ = event.Register[Heard](Calls, "heard", 1)

// Decide hears somebody who is connected, with an agent that takes it in.
func (c Hear) Decide(s State) ([]event.Payload, error) {
	if utf8.RuneCountInString(c.Text) > LongestHeard {
		return nil, fault.Field("text", "may have at most %d characters", LongestHeard)
	}
	if !s.Answered() || !s.Talks() || c.Text == "" && c.Words <= 0 || c.Number <= s.Heard {
		return nil, nil
	}
	e := Heard{Number: c.Number, Text: c.Text, Confidence: math.Round(c.Confidence*1000) / 1000, Language: c.Language, Written: c.Written,
		At: event.Stamp(c.At)}
	if e.Text == "" {
		e.Text, e.EstimatedWords = Unread(c.Words), c.Words
	}
	if e.Language == "" {
		e.Language = s.Request.Flow.Language
	}
	return []event.Payload{e}, nil
}

// Apply counts it.
func (e Heard) Apply(s *State) {
	s.Heard = e.Number
	s.sign(e.At)
}

// Unread is what stands for speech that nobody has recognised: who talks with the person knows that
// something was said, and may ask for it again.
func Unread(words int) string {
	if words == 1 {
		return "[speech of about 1 word, not transcribed]"
	}
	return fmt.Sprintf("[speech of about %d words, not transcribed]", words)
}

// PressDigits records the keys that the callee pressed, up to a #, a pause, or as many as are taken.
type PressDigits struct {
	Number int    // in one row with what was heard
	Digits string // 0 to 9, *, #, A to D
	At     time.Time
}

// Keys are those of a telephone, in the order of their events (RFC 4733).
const Keys = "0123456789*#ABCD"

// MostDigits is how many keys are taken at once.
const MostDigits = 64

// DigitsPressed are the keys that the callee pressed: a message to the agent that takes the call. They
// may be the number of a card.
type DigitsPressed struct {
	Number int       `json:"number"`
	Digits string    `json:"digits" personal:"callee"`
	At     time.Time `json:"at"`
}

var _ = event.Register[DigitsPressed](Calls, "digits-pressed", 1)

// Decide takes them as speech is taken.
func (c PressDigits) Decide(s State) ([]event.Payload, error) {
	if len(c.Digits) > MostDigits || strings.Trim(c.Digits, Keys) != "" {
		return nil, fault.Field("digits", "must be at most %d of 0 to 9, *, # and A to D", MostDigits)
	}
	if !s.Answered() || !s.Talks() || c.Digits == "" || c.Number <= s.Heard {
		return nil, nil
	}
	return []event.Payload{DigitsPressed{Number: c.Number, Digits: c.Digits, At: event.Stamp(c.At)}}, nil
}

// Apply counts them.
func (e DigitsPressed) Apply(s *State) {
	s.Heard = e.Number
	s.sign(e.At)
}

// Play records how far the callee has heard a text.
type Play struct {
	Message     int // of the session, from 1; 0: it is the start text
	Ms          int64
	Interrupted bool
	Heard       string // of the text, where it was cut off
	At          time.Time
}

// Played is how far the callee has heard what was said: to its end, or until it spoke itself, or was gone.
type Played struct {
	Message     int       `json:"message,omitempty"`
	Ms          int64     `json:"ms"` // of sound that went out
	Interrupted bool      `json:"interrupted,omitempty"`
	Heard       string    `json:"heard,omitempty" personal:"callee"` // of the text, where it was cut off: about, by time
	At          time.Time `json:"at"`
}

var _ = event.Register[Played](Calls, "played", 1)

// Decide tells it once of each message, in their order, and also of a call that has ended meanwhile.
func (c Play) Decide(s State) ([]event.Payload, error) {
	if s.AnsweredAt.IsZero() || c.Message > 0 && (c.Message <= s.Played || c.Message > s.Spoken) {
		return nil, nil
	}
	e := Played{Message: c.Message, Ms: max(c.Ms, 0), Interrupted: c.Interrupted, At: event.Stamp(c.At)}
	if e.Interrupted {
		e.Heard = c.Heard
	}
	return []event.Payload{e}, nil
}

// Apply counts it.
func (e Played) Apply(s *State) {
	s.Played = max(s.Played, e.Message)
	s.sign(e.At)
}

const (
	longestSentence  = 300 // characters that are spoken at once
	shortestSentence = 12  // before which a point is one of an abbreviation
)

// Sentences takes a text apart into what can be spoken one after the other, so that the first is heard
// while the others are made. Together they say the text, but for blanks.
func Sentences(text string) (out []string) {
	runes, from, blank := []rune(text), 0, 0
	cut := func(to int) {
		if part := strings.TrimSpace(string(runes[from:to])); part != "" {
			out = append(out, part)
		}
		from, blank = to, 0
	}
	for i, r := range runes {
		if unicode.IsSpace(r) || strings.ContainsRune("、，", r) {
			blank = i + 1
		}
		switch n := i + 1 - from; {
		case r == '\n' || strings.ContainsRune("。！？", r):
			cut(i + 1)
		case strings.ContainsRune(".!?…", r) && n >= shortestSentence && endsHere(runes[i+1:]):
			cut(i + 1)
		case n >= longestSentence && blank > from:
			cut(blank)
		case n >= longestSentence:
			cut(i + 1)
		}
	}
	cut(len(runes))
	return out
}

// endsHere is whether what follows on a point begins anew.
func endsHere(rest []rune) bool {
	if len(rest) == 0 || !unicode.IsSpace(rest[0]) {
		return len(rest) == 0
	}
	for _, r := range rest {
		if !unicode.IsSpace(r) {
			return !unicode.IsLower(r)
		}
	}
	return true
}

// HeardUntil is about what of a sentence was heard by a time, in whole words. Without its length it is
// that of a voice that says 15 characters a second.
func HeardUntil(sentence string, ms, length int64) string {
	if length <= 0 {
		length = int64(utf8.RuneCountInString(sentence)) * 1_000 / 15
	}
	if ms >= length {
		return sentence
	}
	runes := []rune(sentence)
	to := int(int64(len(runes)) * max(ms, 0) / length)
	for to > 0 && to < len(runes) && !unicode.IsSpace(runes[to]) {
		to--
	}
	return strings.TrimSpace(string(runes[:to]))
}
