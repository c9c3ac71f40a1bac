package zendesk

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Known asks Zendesk whether it knows the key: of the app of its messaging, or, of tickets, of who answers. Nothing happens
// there. Taken is yes.
func (z *Zendesk) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(z.Check(c)); is {
		return out
	}
	path, user := "/sc/v2/apps/"+url.PathEscape(c.External), c.Credentials.Reveal(KeyID)
	if c.Credentials[WebhookSecret] == "" {
		path, user = "/api/v2/users/me.json", user+"/token"
	}
	answer, none, ok := z.request(ctx, c, http.MethodGet, path, user, "")
	if !ok {
		return none
	}
	var a struct {
		App struct {
			ID string `json:"id"`
		} `json:"app"`
		User *struct {
			ID *int64 `json:"id"` // null: whoever it is, Zendesk does not know them
		} `json:"user"`
	}
	readable := answer.Status == http.StatusOK && json.Unmarshal(answer.Body, &a) == nil
	switch {
	case readable && (a.App.ID != "" || a.User != nil && a.User.ID != nil):
		return channels.Outcome{Status: channels.Taken}
	case readable && a.User != nil:
		return wire.Denied("ANONYMOUS", name)
	case answer.Status == http.StatusNotFound:
		return channels.Outcome{Status: channels.Refused, Code: "HTTP_404", Reason: "Zendesk has no such app, or no such account"}
	}
	return outcomeOf(answer, "")
}
