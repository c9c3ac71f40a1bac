package line

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// answered is what LINE answers: the ids of messages, or words of what is wrong.
type answered struct {
	Sent []struct {
		ID string `json:"id"`
	} `json:"sentMessages"`
	Message string `json:"message"`
}

// id is what an id looks like.
var id = regexp.MustCompile(`^[!-~]{1,128}$`)

// spent is whether a token is not, or no longer, one to answer by.
func spent(answer wire.Answer) bool {
	var a answered
	return answer.Status == http.StatusBadRequest && json.Unmarshal(answer.Body, &a) == nil &&
		strings.Contains(strings.ToLower(a.Message), "reply token")
}

// outcomeOf says what an answer means. 409 is a repeat of what LINE has already.
func outcomeOf(answer wire.Answer) channels.Outcome {
	var a answered
	readable := json.Unmarshal(answer.Body, &a) == nil
	sent := ""
	if len(a.Sent) > 0 {
		sent = a.Sent[0].ID
	}
	code := "HTTP_" + strconv.Itoa(answer.Status)
	if answer.Status == http.StatusConflict {
		sent = cmp.Or(sent, answer.Header.Get("X-Line-Accepted-Request-Id"))
	}
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "too many requests to LINE", RetryAfter: answer.RetryAfter}
	case !readable:
		return channels.Outcome{Reason: "LINE's answer cannot be read"}
	case (answer.Status == http.StatusOK || answer.Status == http.StatusConflict) && id.MatchString(sent):
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: sent}
	case answer.Status/100 != 4, answer.Status == http.StatusConflict, answer.Status == http.StatusRequestTimeout:
		return channels.Outcome{Reason: "LINE does not say what it did"}
	case answer.Status == http.StatusUnauthorized, answer.Status == http.StatusForbidden:
		return wire.Denied(code, "LINE")
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "LINE refused the message"}
}
