package calls

import (
	"strconv"
	"strings"
	"unicode"
)

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
