// Package zendesk is the channel of a helpdesk of Zendesk, by two sources: the conversations of its
// messaging, and the comments of its tickets.
//
// It owns how Zendesk is asked, what its answers mean, and what its requests to us say. It never
// repeats a request, keeps nothing, and never logs: what it handles is what people say.
package zendesk

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection. A webhook of Zendesk is signed by a secret, one of its messaging
// shows it. The key is one of the app; of tickets it is the e-mail address and the API token of who
// answers.
const (
	SigningSecret = "signingSecret"
	WebhookSecret = "webhookSecret"
	KeyID         = "keyId"
	KeySecret     = "keySecret"
	Subdomain     = "subdomain" // where the account is
)

// limits are those of a message in a conversation; a comment has no buttons.
var (
	limits   = channels.Limits{Text: 4_096, Unit: channels.Characters, Choices: 10, Label: 128, Options: 10, Option: 128}
	comments = channels.Limits{Text: 4_096, Unit: channels.Characters}
)

// Zendesk goes by its two APIs. It holds no account: that comes with each call.
type Zendesk struct{ base string }

// New takes where Zendesk is; with an empty base an account is at its subdomain.
func New(base string) (*Zendesk, error) {
	if base != "" {
		if _, err := wire.At(name, base, ""); err != nil {
			return nil, err
		}
	}
	return &Zendesk{base}, nil
}

const name = "Zendesk"

// Name is the provider that events and lists show.
func (*Zendesk) Name() string { return "zendesk" }

// Limits are those of a message in a conversation.
func (*Zendesk) Limits() channels.Limits { return limits }

// LimitsTo are those of what goes to an address.
func (*Zendesk) LimitsTo(to string) channels.Limits {
	if strings.HasPrefix(to, ticket) {
		return comments
	}
	return limits
}

var subdomain = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// Check says what a connection lacks; it asks nobody.
func (*Zendesk) Check(c channels.Connection) error {
	switch {
	case c.Credentials[SigningSecret] == "" && c.Credentials[WebhookSecret] == "":
		return errors.New("zendesk: the secret of a webhook is needed")
	case c.Credentials[KeyID] == "" || c.Credentials[KeySecret] == "":
		return errors.New("zendesk: a key is needed to answer")
	case !subdomain.MatchString(c.Credentials.Reveal(Subdomain)):
		return errors.New("zendesk: the subdomain of the account is needed to answer")
	}
	return nil
}

// Lookup cannot tell: Zendesk keeps no reference of ours.
func (*Zendesk) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

type object = map[string]any

// The beginnings of addresses: a conversation in an app, or a ticket.
const (
	conversation = "conversation "
	ticket       = "ticket "
)

// Send makes one request.
func (z *Zendesk) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, z.Check(c)); unfit {
		return out
	}
	if id, is := strings.CutPrefix(m.To, ticket); is {
		path, body := "/api/v2/tickets/"+url.PathEscape(id)+".json", object{"ticket": object{"comment": object{"body": m.Text, "public": true}}}
		return z.ask(ctx, c, http.MethodPut, path, c.Credentials.Reveal(KeyID)+"/token", body, commented)
	}
	path, ok := place(m.To)
	if !ok {
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "there is no such conversation"}
	}
	content := object{"type": "text", "text": m.Text}
	if actions := actions(m); len(actions) > 0 {
		content["actions"] = actions
	}
	return z.ask(ctx, c, http.MethodPost, path+"/messages", c.Credentials.Reveal(KeyID), object{"author": business, "content": content}, said)
}

var business = object{"type": "business"}

// Typing shows in a conversation that somebody is about to answer.
func (z *Zendesk) Typing(ctx context.Context, c channels.Connection, to string) {
	if path, ok := place(to); ok && z.Check(c) == nil {
		activity := object{"author": business, "type": "typing:start"}
		_ = z.ask(ctx, c, http.MethodPost, path+"/activity", c.Credentials.Reveal(KeyID), activity, said)
	}
}

// place is the path of a conversation.
func place(to string) (path string, ok bool) {
	rest, is := strings.CutPrefix(to, conversation)
	app, id, two := strings.Cut(rest, " ")
	return "/sc/v2/apps/" + url.PathEscape(app) + "/conversations/" + url.PathEscape(id), is && two && app != "" && id != ""
}

// actions are buttons; where there is a menu, which must stand alone, all are replies. A reply is said with its words; who presses
// a button says its payload alone, and its metadata: so that has the words, for when nobody knows of the button any more.
func actions(m channels.Outbound) (out []object) {
	kind := "postback"
	if len(m.Fields) > 0 {
		kind = "reply"
	}
	for _, c := range m.Choices {
		action := object{"type": kind, "text": c.Label, "payload": c.Token}
		if kind == "postback" {
			action["metadata"] = object{"label": c.Label}
		}
		out = append(out, action)
	}
	for _, f := range m.Fields {
		for _, o := range f.Options {
			out = append(out, object{"type": kind, "text": o.Label, "payload": o.Token})
		}
	}
	return out
}

// at is where an account is.
func at(c channels.Connection) string {
	return "https://" + c.Credentials.Reveal(Subdomain) + ".zendesk.com"
}

// ask makes one request; id reads the answer for Zendesk's id of what was taken.
func (z *Zendesk) ask(ctx context.Context, c channels.Connection, method, path, user string, message object,
	id func(body []byte) string) channels.Outcome {
	body, err := json.Marshal(message)
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the message cannot be written"}
	}
	answer, none, ok := z.request(ctx, c, method, path, user, string(body))
	if !ok {
		return none
	}
	return outcomeOf(answer, id(answer.Body))
}

// request asks the account of a connection in somebody's name; without an answer there is what became of it.
func (z *Zendesk) request(ctx context.Context, c channels.Connection, method, path, user, body string) (a wire.Answer,
	none channels.Outcome, ok bool) {
	provider, err := wire.At(name, cmp.Or(z.base, at(c)), "")
	if err != nil {
		return a, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}, false
	}
	req, err := provider.Request(method, path, "application/json", body)
	if err != nil {
		return a, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}, false
	}
	req.SetBasicAuth(user, c.Credentials.Reveal(KeySecret))
	return provider.Ask(ctx, req)
}

// said is the id of a message in a conversation.
func said(body []byte) string {
	var a struct {
		Messages []struct {
			ID ident `json:"id"`
		} `json:"messages"`
	}
	if json.Unmarshal(body, &a) != nil || len(a.Messages) != 1 {
		return ""
	}
	return string(a.Messages[0].ID)
}

// commented is the id of what was done to a ticket.
func commented(body []byte) string {
	var a struct {
		Audit struct {
			ID ident `json:"id"`
		} `json:"audit"`
	}
	if json.Unmarshal(body, &a) != nil {
		return ""
	}
	return string(a.Audit.ID)
}

// outcomeOf says what an answer means.
func outcomeOf(answer wire.Answer, id string) channels.Outcome {
	code := "HTTP_" + strconv.Itoa(answer.Status)
	switch {
	case answer.Status/100 == 2 && id != "":
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: id}
	case answer.Status == http.StatusTooManyRequests:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "too many requests to Zendesk", RetryAfter: answer.RetryAfter}
	case answer.Status == http.StatusConflict: // somebody else writes to the ticket at the same moment
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "Zendesk asks for another attempt",
			RetryAfter: answer.RetryAfter}
	case answer.Status == http.StatusUnauthorized, answer.Status == http.StatusForbidden:
		return wire.Denied(code, name)
	case answer.Status/100 != 4 || answer.Status == http.StatusRequestTimeout:
		return channels.Outcome{Reason: "Zendesk does not say what it did"}
	case answer.Status == http.StatusNotFound:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "there is no such conversation"}
	case answer.Status == http.StatusLocked:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "the conversation is full"}
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "Zendesk refused the message"}
}
