// Package whatsapp is the channel of business messages by WhatsApp's Cloud API.
//
// It owns how WhatsApp is asked, and what its requests to us say; what it shares with the other
// channels of Meta is in adapters/channels/graph. It never repeats a request, keeps nothing, and
// never logs: what it handles is what people say.
package whatsapp

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// AccessToken is the credential that a connection has beside those of graph: the token of the
// business account.
const AccessToken = "accessToken"

// limits: what can be chosen stands in a list, or where there is little of it, in buttons.
var limits = channels.Limits{Text: 4_096, Unit: channels.Characters, Choices: 10, Label: 24}

// The bounds of buttons: how many, the longest of their labels, and the longest text beside them.
const (
	buttons     = 3
	buttonLabel = 20
	buttonText  = 1_024
)

// opens is what stands on the button that opens a list. No language has another word for it.
const opens = "☰"

// WhatsApp goes by the Cloud API. It holds no account: that comes with each call.
type WhatsApp struct{ api *graph.API }

// New takes where Meta is, as graph.New does.
func New(base string) (*WhatsApp, error) {
	api, err := graph.New(base)
	return &WhatsApp{api}, err
}

// Name is the provider that events and lists show.
func (*WhatsApp) Name() string { return "whatsapp" }

// Limits are those of a message.
func (*WhatsApp) Limits() channels.Limits { return limits }

// Check says what a connection lacks; it asks nobody.
func (*WhatsApp) Check(c channels.Connection) error {
	if c.Credentials[graph.AppSecret] == "" || c.Credentials[graph.VerifyToken] == "" || c.Credentials[AccessToken] == "" {
		return errors.New("whatsapp: the app's secret, a verify token and an access token are needed")
	}
	return nil
}

// Lookup cannot tell: WhatsApp keeps no reference of ours.
func (*WhatsApp) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

type object = map[string]any

// Send makes one request.
func (w *WhatsApp) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, w.Check(c)); unfit {
		return out
	}
	message, ok := addressed(m.To)
	if !ok {
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "there is no such person or group"}
	}
	if len(m.Choices) > 0 {
		message["type"], message["interactive"] = "interactive", interactive(m)
	} else {
		message["type"], message["text"] = "text", object{"body": m.Text, "preview_url": false}
	}
	return w.api.Send(ctx, account(c), "/"+c.External+"/messages", message)
}

func account(c channels.Connection) graph.Account {
	return graph.Account{Host: graph.Facebook, Token: c.Credentials.Reveal(AccessToken)}
}

// Typing marks what a person said last as read, and shows for 25 seconds that somebody is about to
// answer.
func (w *WhatsApp) Typing(ctx context.Context, c channels.Connection, to string) {
	if _, message, is := strings.Cut(to, " "); is && w.Check(c) == nil {
		_, _, _ = w.api.Post(ctx, account(c), "/"+c.External+"/messages", object{"messaging_product": "whatsapp", "status": "read",
			"message_id": message, "typing_indicator": object{"type": "text"}})
	}
}

// Known asks whether the token is one for the number. Taken is yes.
func (w *WhatsApp) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(w.Check(c)); is {
		return out
	}
	return w.api.Known(ctx, account(c), c.External)
}

var mediaID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// Fetch gets a file by its id.
func (w *WhatsApp) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := w.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	if !mediaID.MatchString(f.ID) {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileGone, Reason: "WhatsApp has no file of such an id"}
	}
	return w.api.Fetch(ctx, account(c), f)
}

// A person is called by their number, by an id that the business alone has for them, or by both.
var (
	number = regexp.MustCompile(`^[0-9]{3,20}$`)
	scoped = regexp.MustCompile(`^[A-Z]{2}\.[A-Za-z0-9.]{1,128}$`)
)

// ofGroup begins the address of a group.
const ofGroup = "group:"

// address is where an answer goes, and what it answers.
func address(place, message string) string { return place + " " + message }

// addressed is a message to a person or a group.
func addressed(to string) (object, bool) {
	place, _, _ := strings.Cut(to, " ")
	out := object{"messaging_product": "whatsapp", "recipient_type": "individual"}
	group, is := strings.CutPrefix(place, ofGroup)
	switch {
	case is && group != "":
		out["recipient_type"], out["to"] = "group", group
	case number.MatchString(place):
		out["to"] = place
	case scoped.MatchString(place):
		out["recipient"] = place
	default:
		return nil, false
	}
	return out, true
}

func interactive(m channels.Outbound) object {
	body := object{"text": m.Text}
	if fits(m) {
		all := make([]object, len(m.Choices))
		for i, c := range m.Choices {
			all[i] = object{"type": "reply", "reply": object{"id": c.Token, "title": c.Label}}
		}
		return object{"type": "button", "body": body, "action": object{"buttons": all}}
	}
	rows := make([]object, len(m.Choices))
	for i, c := range m.Choices {
		rows[i] = object{"id": c.Token, "title": c.Label}
	}
	return object{"type": "list", "body": body, "action": object{"button": opens, "sections": []object{{"rows": rows}}}}
}

// fits is whether choices are buttons: few, with short words, of which no two are the same.
func fits(m channels.Outbound) bool {
	if len(m.Choices) > buttons || utf8.RuneCountInString(m.Text) > buttonText {
		return false
	}
	seen := map[string]bool{}
	for _, c := range m.Choices {
		if seen[c.Label] || utf8.RuneCountInString(c.Label) > buttonLabel {
			return false
		}
		seen[c.Label] = true
	}
	return true
}
