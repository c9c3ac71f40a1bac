package sms

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Known asks Twilio whether it knows the account, and lets it send; nothing happens there. Taken is
// yes.
func (t *Twilio) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(t.Check(c)); is {
		return out
	}
	path := "/" + twilioVersion + "/Accounts/" + c.Credentials.Reveal(AccountSID) + ".json"
	req, err := t.provider.Request(http.MethodGet, path, "application/json", "")
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}
	}
	req.SetBasicAuth(login(c))
	answer, none, ok := t.provider.Ask(ctx, req)
	if !ok {
		return none
	}
	var a struct {
		Status string `json:"status"`
	}
	readable := answer.Status == http.StatusOK && json.Unmarshal(answer.Body, &a) == nil
	switch {
	case readable && a.Status == "active":
		return channels.Outcome{Status: channels.Taken}
	case readable && (a.Status == "suspended" || a.Status == "closed"):
		return channels.Outcome{Status: channels.Refused, Code: a.Status, Reason: "Twilio has closed the account, or suspended it"}
	}
	return outcomeOf(answer)
}
