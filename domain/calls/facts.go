package calls

import (
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"
)

// FactKind is the kind of a timed fact.
type FactKind string

// What a carrier reports of a leg. Nothing in it is a judgement: the detector and
// the call decide what a fact means.
const (
	FactTrying        FactKind = "trying"         // the network has the request (100)
	FactRinging       FactKind = "ringing"        // 180, or 183 with early media
	FactAnswered      FactKind = "answered"       // 2xx
	FactWords         FactKind = "words"          // more words of the current utterance: Text, Language
	FactSilence       FactKind = "silence"        // the utterance has ended
	FactTone          FactKind = "tone"           // a beep: Frequency, Variance
	FactHungUp        FactKind = "hung-up"        // the callee's side hung up
	FactRejected      FactKind = "rejected"       // final response other than 2xx: Code, Phrase
	FactDetectorError FactKind = "detector-error" // the leg cannot be listened to: Error
	FactLost          FactKind = "lost"           // the gateway lost the leg: Error
)

// Fact is one timed fact about a leg. Only the members named beside the kind are set.
type Fact struct {
	Kind      FactKind
	At        time.Time // when it happened, not when it was delivered
	Text      string
	Language  string
	Frequency int // Hz
	Variance  int
	Code      int // SIP status code
	Phrase    string
	Error     string
}

// LegRequest is what a carrier needs to place a call.
type LegRequest struct {
	CallID    string
	SID       string // id of the leg
	TenantID  string
	Target    string   // tel:+<digits> or sip:<user>@<host>[:<port>]
	OurNumber string   // user part of the caller ID
	Trunk     string   // name of the trunk; empty: none was resolved
	Language  string   // to be recognised; empty: the carrier's choice
	Says      []string // what a simulated callee has to say; for no other carrier
}

// LegRequest of the call, in the state after its attempt was started.
func (s State) LegRequest() LegRequest {
	r := LegRequest{CallID: s.Request.CallID, SID: s.SID, TenantID: s.Request.TenantID, Target: s.Request.Target,
		OurNumber: s.Request.OurNumber, Trunk: s.Request.Trunk, Language: s.Request.Flow.Language}
	if p := s.Request.CallControlParameter; p != nil {
		r.Language = p.STTLanguage
	}
	if s.Provider == ProviderLocal && r.Target == Talker {
		r.Says = saysOf(s.Request.Metadata)
	}
	return r
}

// Talker is the number of the simulated callee who says the lines of metadata.says, one after
// each thing that is said to it.
const Talker = "tel:+15550000011"

// What one such callee may have to say.
const (
	MostSays    = 100
	LongestSays = 1_000 // characters of a line
)

// saysOf are the lines of a request's metadata; what has another form is none.
func saysOf(metadata json.RawMessage) []string {
	var of struct {
		Says []string `json:"says"`
	}
	if json.Unmarshal(metadata, &of) != nil {
		return nil
	}
	return of.Says
}

// Listener makes of a carrier's facts what was said: words, up to the silence behind them. It
// judges nothing; the zero value has heard nothing.
type Listener struct {
	words    []string
	length   int // in characters, blanks included
	language string
}

// Utterance is what was said in one breath.
type Utterance struct {
	Text     string
	Language string
	At       time.Time // when it had been said
}

// Hear takes a fact. ok is true when something was said to its end, or is so long that what comes
// behind it is another.
func (l *Listener) Hear(f Fact) (u Utterance, ok bool) {
	switch f.Kind {
	case FactWords:
		words := strings.Fields(f.Text)
		if n := LongestHeard - 1; utf8.RuneCountInString(f.Text) > n { // no word has so many letters
			words = []string{string([]rune(f.Text)[:n])}
		}
		length := utf8.RuneCountInString(strings.Join(words, " ")) + 1
		if l.length+length > LongestHeard {
			u, ok = l.take(f.At)
		}
		l.words, l.length = append(l.words, words...), l.length+length
		if f.Language != "" {
			l.language = f.Language
		}
		return u, ok
	case FactSilence:
		return l.take(f.At)
	}
	return Utterance{}, false
}

func (l *Listener) take(at time.Time) (Utterance, bool) {
	u := Utterance{Text: strings.Join(l.words, " "), Language: l.language, At: at}
	*l = Listener{}
	return u, u.Text != ""
}
