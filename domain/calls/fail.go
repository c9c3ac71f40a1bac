package calls

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/parley-platform/parley/domain/event"
)

// Fail ends a call that was not answered.
type Fail struct {
	SIPCode int    // the final response; 0 when there was none: no route, no carrier
	Phrase  string // from the wire; empty: the usual one of the code
	At      time.Time
}

// Failed is the end of a call that was not answered.
type Failed struct {
	At                time.Time  `json:"at"`
	SIPCode           int        `json:"sipCode"`
	ReasonCode        ReasonCode `json:"reasonCode"`
	Reason            string     `json:"reason"` // code and phrase
	RingDurationMs    int64      `json:"ringDurationMs"`
	ConnectDurationMs int64      `json:"connectDurationMs"` // dialling to the refusal; 0 when never dialled
}

var _ = event.Register[Failed](Calls, "failed", 1)

// Decide ends a call before answer, dialled or not.
func (c Fail) Decide(s State) ([]event.Payload, error) {
	if s.Phase != PhaseRequested && !s.underway() {
		return nil, nil
	}
	at, code := event.Stamp(c.At), c.SIPCode
	if code == 0 {
		code = 503
	}
	if names(c.Phrase, s.Request.Target) {
		c.Phrase = ""
	}
	return []event.Payload{Failed{At: at, SIPCode: code, ReasonCode: FailureCode(code), Reason: reason(code, c.Phrase),
		RingDurationMs: since(s.RingingAt, at), ConnectDurationMs: since(s.DialedAt, at)}}, nil
}

// Apply ends the call.
func (e Failed) Apply(s *State) {
	s.Phase, s.EndedAt = PhaseFailed, e.At
	s.RingDurationMs, s.ConnectDurationMs = e.RingDurationMs, e.ConnectDurationMs
	s.ReasonCode, s.Reason = e.ReasonCode, e.Reason
	s.Attempt.End()
}

// FailureCode maps the final SIP response of a call that was not answered to a
// reasonCode. It looks at the number only: phrases vary from peer to peer.
func FailureCode(sip int) ReasonCode {
	switch sip {
	case 486, 600:
		return ReasonBusy
	case 403, 404, 408, 410, 480, 484, 487, 603, 604, 607, 608: // declined, unknown, or did not answer in time
		return ReasonTemporarilyUnavailable
	}
	return ReasonServiceUnavailable // 5xx, authentication, codecs, redirects that nobody follows
}

// phrases are the usual ones, for peers and faults that send none.
var phrases = map[int]string{
	400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
	407: "Proxy Authentication Required", 408: "Request Timeout", 410: "Gone", 415: "Unsupported Media Type",
	480: "Temporarily Unavailable", 484: "Address Incomplete", 486: "Busy Here", 487: "Request Terminated",
	488: "Not Acceptable Here", 500: "Server Internal Error", 502: "Bad Gateway", 503: "Service Unavailable",
	504: "Server Time-out", 600: "Busy Everywhere", 603: "Decline", 604: "Does Not Exist Anywhere",
	606: "Not Acceptable", 607: "Unwanted", 608: "Rejected",
}

const maxPhrase = 128

// names reports whether a peer says by a phrase who was called, such as No user +15550001 here. A reason is no personal member:
// it is counted by, and stays when the person is erased.
func names(phrase, target string) bool {
	digits := 0
	for _, r := range phrase {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	_, user, _ := strings.Cut(target, ":")
	user, _, _ = strings.Cut(user, "@")
	return digits > 6 || strings.Contains(phrase, "@") || len(user) > 2 && strings.Contains(strings.ToLower(phrase), strings.ToLower(user))
}

// reason is the code and the phrase as they came, or the usual phrase.
func reason(code int, phrase string) string {
	phrase = strings.Join(strings.FieldsFunc(phrase, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if phrase == "" {
		phrase = phrases[code]
	}
	if runes := []rune(phrase); len(runes) > maxPhrase {
		phrase = string(runes[:maxPhrase])
	}
	return strings.TrimSpace(strconv.Itoa(code) + " " + phrase)
}
