package graph

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// answered is what Meta answers: the id of a message, by the name that the kind has for it, or an error.
type answered struct {
	MessageID string `json:"message_id"`
	Messages  []struct {
		ID string `json:"id"`
	} `json:"messages"`
	Error *struct {
		Code      int  `json:"code"`
		Subcode   int  `json:"error_subcode"`
		Transient bool `json:"is_transient"`
	} `json:"error"`
}

// id is what an id of a message looks like.
var id = regexp.MustCompile(`^[!-~]{1,512}$`)

func outcomeOf(answer wire.Answer) channels.Outcome {
	var a answered
	readable := json.Unmarshal(answer.Body, &a) == nil
	if len(a.Messages) == 1 {
		a.MessageID = a.Messages[0].ID
	}
	code, limited := "HTTP_"+strconv.Itoa(answer.Status), answer.Status == http.StatusTooManyRequests
	if a.Error != nil {
		code, limited = strconv.Itoa(a.Error.Code), limited || rates[a.Error.Code]
	}
	switch {
	case limited:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "too many requests to Meta", RetryAfter: answer.RetryAfter}
	case !readable:
		return channels.Outcome{Reason: "Meta's answer cannot be read"}
	case answer.Status == http.StatusOK && a.Error == nil && id.MatchString(a.MessageID):
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: a.MessageID}
	case a.Error == nil, answer.Status/100 != 4, a.Error.Transient, doubtful[a.Error.Code]:
		return channels.Outcome{Reason: "Meta does not say what it did"}
	case a.Error.Code == closed || a.Error.Code == permission && closedBy[a.Error.Subcode]:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: Late}
	case a.Error.Code == unavailable, ofAccount[a.Error.Code] && a.Error.Subcode == unavailableTo:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "the person takes nothing from the account", OptedOut: true}
	case answer.Status == http.StatusUnauthorized, ofAccount[a.Error.Code]:
		return wire.Denied(code, "Meta")
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "Meta refused the message"}
}

// rates are errors of an app, an account or a conversation that asks too often.
var rates = map[int]bool{4: true, 17: true, 32: true, 341: true, 613: true, 80006: true, 80007: true, 130429: true, 131048: true,
	131056: true, 131064: true}

// doubtful are errors behind which the message may be with the person.
var doubtful = map[int]bool{1: true, 2: true, 131000: true, 131016: true, 133004: true}

// Late is why Meta refuses an answer to who last wrote more than 24 hours ago.
const Late = "the person last wrote more than 24 hours ago"

// closed is a message outside of the 24 hours in which a person may be answered; so is
// permission, with some subcodes of pages and of professional accounts.
const (
	closed     = 131047
	permission = 10
)

var closedBy = map[int]bool{2018278: true, 2534022: true}

// ofAccount are errors that another credential mends.
var ofAccount = map[int]bool{3: true, permission: true, 102: true, 190: true, 200: true, 131005: true}

// unavailable is a person who takes nothing, mostly because they have blocked the account; unavailableTo is
// the same as the subcode of an error of permissions.
const (
	unavailable   = 551
	unavailableTo = 1545041
)
