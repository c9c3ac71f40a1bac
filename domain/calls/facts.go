package calls

import (
	"cmp"
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
	FactWords         FactKind = "words"          // more words of the current utterance: Text, Language; or Count of words without text
	FactSilence       FactKind = "silence"        // the utterance has ended
	FactSpeechBegan   FactKind = "speech-began"   // somebody speaks; what it is, words tell
	FactSpeechEnded   FactKind = "speech-ended"   // nobody has spoken for a moment, shorter than a silence
	FactDigit         FactKind = "digit"          // a key was pressed: Digit
	FactWritten       FactKind = "written"        // somebody has written, beside the sound: Text, whole
	FactPlayed        FactKind = "played"         // what we said is over: ID, Ms, Interrupted
	FactTone          FactKind = "tone"           // a beep: Frequency, Variance
	FactHungUp        FactKind = "hung-up"        // the callee's side hung up
	FactRejected      FactKind = "rejected"       // final response other than 2xx: Code, Phrase
	FactDetectorError FactKind = "detector-error" // the leg cannot be listened to: Error
	FactLost          FactKind = "lost"           // the gateway lost the leg: Error
	FactEstablished   FactKind = "established"    // the answer was acknowledged, or the dialog has changed: Dialog
	FactHeld          FactKind = "held"           // the other side has put us on hold
	FactResumed       FactKind = "resumed"        // and is back
	FactTransferred   FactKind = "transferred"    // the other side called somebody: Code, Phrase; 1xx: so far, 0: it tells no more
)

// Fact is one timed fact about a leg. Only the members named beside the kind are set.
type Fact struct {
	Kind       FactKind
	At         time.Time // when it happened, not when it was delivered
	Text       string
	Confidence float64 // of who recognised the words, 0 to 1; 0: it does not say
	Count      int     // of words that were heard and not recognised: an estimate from the sound; below 0 it takes some back
	Language   string
	Frequency  int // Hz
	Variance   int
	Code       int // SIP status code
	Phrase     string
	Error      string

	Digit       string // one of 0 to 9, *, #, A to D
	ID          string // of what was played, or of whom the other side was asked to call; empty: a node before asked
	Ms          int    // of it that were heard
	Interrupted bool   // it was cut off before its end
	Dialog      *Dialog
}

// LegRequest is what a carrier needs to place a call.
type LegRequest struct {
	CallID      string
	SID         string // id of the leg
	TenantID    string
	Target      string      // tel:+<digits> or sip:<user>@<host>[:<port>]
	OurNumber   string      // user part of the caller ID
	Trunk       string      // name of the trunk; empty: none was resolved
	Language    string      // to be recognised; empty: the carrier's choice
	Recognition Recognition // how its speech is heard
	Says        []string    // what a simulated callee has to say; for no other carrier
}

// LegRequest of the call, in the state after its attempt was started.
func (s State) LegRequest() LegRequest {
	r := LegRequest{CallID: s.Request.CallID, SID: s.SID, TenantID: s.Request.TenantID, Recognition: s.Recognition(), Target: s.Request.Target,
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
// judges nothing; the zero value has heard nothing. Where the words are only counted, an utterance
// has no text.
type Listener struct {
	words    []string
	sure     float64 // the confidence of words, added up
	sureOf   int     // words
	count    int     // of words without text
	length   int     // in characters, blanks included
	language string
}

// Utterance is what was said in one breath.
type Utterance struct {
	Text       string  // empty where nobody recognises words
	Confidence float64 // on average of its words
	Words      int     // how many there were; without a text an estimate from the sound
	Language   string
	Written    bool      // and not said
	At         time.Time // when it had been said
}

// Hear takes a fact. ok is true when something was said to its end, or is so long that what comes
// behind it is another.
func (l *Listener) Hear(f Fact) (u Utterance, ok bool) {
	switch f.Kind {
	case FactWords:
		words := strings.Fields(f.Text)
		if len(words) == 0 {
			l.count = min(max(l.count+f.Count, 0), LongestHeard)
			return Utterance{}, false
		}
		if n := LongestHeard - 1; utf8.RuneCountInString(f.Text) > n { // no word has so many letters
			words = []string{string([]rune(f.Text)[:n])}
		}
		length := utf8.RuneCountInString(strings.Join(words, " ")) + 1
		if l.length+length > LongestHeard {
			u, ok = l.take(f.At)
		}
		l.words, l.length = append(l.words, words...), l.length+length
		if f.Confidence > 0 {
			l.sure, l.sureOf = l.sure+f.Confidence*float64(len(words)), l.sureOf+len(words)
		}
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
	u := Utterance{Text: strings.Join(l.words, " "), Words: len(l.words), Language: l.language, At: at}
	if u.Words == 0 { // text wins over an estimate
		u.Words = l.count
	}
	if l.sureOf > 0 {
		u.Confidence = l.sure / float64(l.sureOf)
	}
	*l = Listener{}
	return u, u.Words > 0
}

// Quality is how well the sound of a call came through, from its answer to its end, as the side that
// heard it measured.
type Quality struct {
	Received int     `json:"received"`          // packets with sound
	Lost     int     `json:"lost"`              // frames that never came
	Late     int     `json:"late"`              // packets that came behind their time, and were of no use
	JitterMs float64 `json:"jitterMs"`          // of the arrivals (RFC 3550)
	RFactor  float64 `json:"rFactor,omitempty"` // 0 to 93 by the E-model (ITU-T G.107); absent where nothing was received

	Recogniser string `json:"recogniser,omitempty"` // who recognised speech; absent: nobody
	Fallback   string `json:"fallback,omitempty"`   // why it stopped before the end; absent: it did not
}

// And is what was said in two breaths.
func (u Utterance) And(more Utterance) Utterance {
	out := Utterance{Text: strings.TrimSpace(u.Text + " " + more.Text), Words: u.Words + more.Words,
		Language: cmp.Or(more.Language, u.Language),
		At:       more.At, Confidence: max(u.Confidence, more.Confidence)}
	if u.Confidence > 0 && more.Confidence > 0 {
		out.Confidence = (u.Confidence*float64(u.Words) + more.Confidence*float64(more.Words)) / float64(max(out.Words, 1))
	}
	return out
}
