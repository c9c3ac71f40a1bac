package sms

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// outcomeOf says what an answer of Twilio means for a message.
func outcomeOf(answer wire.Answer) channels.Outcome {
	var a twilioAnswer
	if json.Unmarshal(answer.Body, &a) != nil {
		a = twilioAnswer{}
	}
	return a.outcome(answer.Status, answer.RetryAfter)
}

// twilioAnswer is a message resource, or an error.
type twilioAnswer struct {
	SID         string `json:"sid"`
	Status      any    `json:"status"` // a word in a message, the HTTP status in an error
	NumSegments string `json:"num_segments"`
	ErrorCode   *int   `json:"error_code"` // in a message
	Code        int    `json:"code"`       // in an error
}

func (a twilioAnswer) outcome(status int, wait time.Duration) channels.Outcome {
	switch {
	case status/100 == 2:
		return a.accepted()
	case status == http.StatusRequestTimeout:
		return channels.Outcome{Reason: "Twilio says that the request came too slowly"}
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable && a.Code != 0, transientCodes[a.Code]:
		return channels.Outcome{Status: channels.NotTaken, Code: a.code(status), Reason: a.reason(status), RetryAfter: wait}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return channels.Outcome{Status: channels.NotTaken, Code: a.code(status), Reason: a.reason(status), Denied: true}
	case status/100 == 4, status/100 == 3:
		return channels.Outcome{Status: channels.Refused, Code: a.code(status), Reason: a.reason(status), OptedOut: a.Code == optedOut}
	}
	return channels.Outcome{Reason: fmt.Sprintf("Twilio answered with status %d", status)}
}

// accepted reads a message resource. Without its SID nobody knows what answered.
func (a twilioAnswer) accepted() channels.Outcome {
	if a.SID == "" || len(a.SID) > 64 {
		return channels.Outcome{Reason: "Twilio's answer cannot be read"}
	}
	if a.Status == "failed" || a.Status == "undelivered" || a.Status == "canceled" {
		if a.ErrorCode != nil {
			a.Code = *a.ErrorCode
		}
		return channels.Outcome{Status: channels.Refused, Code: a.code(http.StatusOK), Reason: a.reason(http.StatusOK),
			OptedOut: a.Code == optedOut}
	}
	segments, _ := strconv.Atoi(a.NumSegments) // 0 until Twilio has counted them
	return channels.Outcome{Status: channels.Taken, ProviderMessageID: a.SID, Segments: max(segments, 0)}
}

func (a twilioAnswer) code(status int) string {
	if a.Code != 0 {
		return strconv.Itoa(a.Code)
	}
	return "HTTP_" + strconv.Itoa(status)
}

// reason never repeats Twilio's own message: it quotes the recipient's number.
func (a twilioAnswer) reason(status int) string {
	if text := twilioReasons[a.Code]; text != "" {
		return text
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return "Twilio does not accept the credentials"
	case http.StatusTooManyRequests:
		return "too many requests to Twilio"
	}
	if a.Code != 0 {
		return fmt.Sprintf("Twilio refused the message with error %d", a.Code)
	}
	return fmt.Sprintf("Twilio refused the message with status %d", status)
}

// transientCodes are errors of a moment, whatever their status.
var transientCodes = map[int]bool{20429: true, 21611: true, 20503: true}

// optedOut is the error of a message to somebody who has said STOP.
const optedOut = 21610

// twilioReasons are the errors that the sending of a message has, by Twilio's list.
var twilioReasons = map[int]string{
	20003: "Twilio does not accept the credentials",
	20005: "the Twilio account is not active",
	20404: "Twilio does not know the account",
	20429: "too many requests to Twilio",
	20503: "Twilio is not available",
	21211: "the recipient's number is not valid",
	21212: "the sender's number is not valid",
	21408: "the Twilio account may not send to the recipient's region",
	21602: "the text is missing",
	21606: "the sender's number cannot send text messages",
	21608: "the Twilio trial account may send to verified numbers only",
	21610: "the recipient has opted out",
	21611: "too many messages of the sender's number are queued",
	21612: "the sender's number cannot reach the recipient",
	21614: "the number takes no text messages",
	21617: "the text is too long",
	21659: "the sender's number is not of the Twilio account",
}
