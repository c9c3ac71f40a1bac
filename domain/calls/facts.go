package calls

import "time"

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
