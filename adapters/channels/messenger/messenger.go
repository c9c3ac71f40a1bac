// Package messenger is the channel of conversations with pages, by Messenger, and with
// professional accounts, by Instagram: both speak alike.
//
// It owns how they are asked, and what their requests to us say; what they share with WhatsApp is
// in adapters/channels/graph. It never repeats a request, keeps nothing, and never logs: what it
// handles is what people say.
package messenger

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection beside those of graph: the token of the page, or that of the
// professional account and the host that it is for, which may be left out.
const (
	PageAccessToken = "pageAccessToken"
	AccessToken     = "accessToken"
	APIHost         = "apiHost"
)

// The bounds of buttons: how many, and the longest text beside them. More, or beside a longer
// text, are quick replies.
const (
	buttons    = 3
	buttonText = 640
)

// kind is what tells the one from the other.
type kind struct {
	name   string
	object string // of its envelopes
	token  string // the credential
	limits channels.Limits
	typed  bool // a message says that it is a response
}

var (
	ofPages = kind{name: "messenger", object: "page", token: PageAccessToken, typed: true,
		limits: channels.Limits{Text: 2_000, Unit: channels.Characters, Choices: 13, Label: 20, Numbered: true}}
	ofAccounts = kind{name: "instagram", object: "instagram", token: AccessToken,
		limits: channels.Limits{Text: 1_000, Unit: channels.Bytes, Choices: 13, Label: 20}}
)

// Messenger goes by the Graph API. It holds no account: that comes with each call.
type Messenger struct {
	kind
	api *graph.API
}

// New is Messenger; it takes where Meta is, as graph.New does.
func New(base string) (*Messenger, error) { return newOf(ofPages, base) }

// NewInstagram is Instagram; it takes where Meta is, as graph.New does.
func NewInstagram(base string) (*Messenger, error) { return newOf(ofAccounts, base) }

func newOf(k kind, base string) (*Messenger, error) {
	api, err := graph.New(base)
	return &Messenger{k, api}, err
}

// Name is the provider that events and lists show.
func (m *Messenger) Name() string { return m.name }

// Limits are those of a message.
func (m *Messenger) Limits() channels.Limits { return m.limits }

// Check says what a connection lacks; it asks nobody.
func (m *Messenger) Check(c channels.Connection) error {
	if c.Credentials[graph.AppSecret] == "" || c.Credentials[graph.VerifyToken] == "" || c.Credentials[m.token] == "" {
		return errors.New(m.name + ": the app's secret, a verify token and an access token are needed")
	}
	if _, _, ok := m.account(c); !ok {
		return errors.New(m.name + ": apiHost must be graph.instagram.com or graph.facebook.com")
	}
	return nil
}

// account is whose messages are sent, and the path that takes them. A page's token, also one that is
// linked to a professional account, is for another host than that of such an account itself.
func (m *Messenger) account(c channels.Connection) (by graph.Account, path string, ok bool) {
	by, path = graph.Account{Host: graph.Facebook, Token: c.Credentials.Reveal(m.token)}, "/"+c.External+"/messages"
	if m.object == ofPages.object {
		return by, path, true
	}
	switch "https://" + c.Credentials.Reveal(APIHost) {
	case graph.Facebook:
		return by, "/me/messages", true
	case graph.Instagram, "https://":
		by.Host = graph.Instagram
		return by, path, true
	}
	return by, path, false
}

// Lookup cannot tell: nobody keeps a reference of ours.
func (*Messenger) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

type object = map[string]any

// Send makes one request. What a person says who has the conversation in place of an agent may come for seven days, if it says so:
// where it is refused as late, and so certainly not taken, it is sent as that. An account that may not do that gets the first refusal.
func (m *Messenger) Send(ctx context.Context, c channels.Connection, o channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(m.limits, o.Text, m.Check(c)); unfit {
		return out
	}
	by, path, _ := m.account(c)
	body := object{"recipient": object{"id": o.To}, "message": message(o)}
	if m.typed {
		body["messaging_type"] = "RESPONSE"
	}
	out := m.api.Send(ctx, by, path, body)
	if !o.ByPerson || out.Status != channels.Refused || out.Reason != graph.Late {
		return out
	}
	body["messaging_type"], body["tag"] = "MESSAGE_TAG", "HUMAN_AGENT"
	if tagged := m.api.Send(ctx, by, path, body); tagged.Status != channels.Refused && !tagged.Denied {
		return tagged
	}
	return out
}

func message(o channels.Outbound) object {
	if len(o.Choices) == 0 {
		return object{"text": o.Text}
	}
	all := make([]object, len(o.Choices))
	if len(o.Choices) <= buttons && utf8.RuneCountInString(o.Text) <= buttonText {
		for i, c := range o.Choices {
			all[i] = object{"type": "postback", "title": c.Label, "payload": c.Token}
		}
		return object{"attachment": object{"type": "template",
			"payload": object{"template_type": "button", "text": o.Text, "buttons": all}}}
	}
	for i, c := range o.Choices {
		all[i] = object{"content_type": "text", "title": c.Label, "payload": c.Token}
	}
	return object{"text": o.Text, "quick_replies": all}
}

// Typing shows that somebody is about to answer.
func (m *Messenger) Typing(ctx context.Context, c channels.Connection, to string) {
	if by, path, ok := m.account(c); ok && m.Check(c) == nil {
		_, _, _ = m.api.Post(ctx, by, path, object{"recipient": object{"id": to}, "sender_action": "typing_on"})
	}
}

// Known asks whether the token is one for the page or the professional account. Taken is yes.
func (m *Messenger) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(m.Check(c)); is {
		return out
	}
	by, _, _ := m.account(c)
	return m.api.Known(ctx, by, c.External)
}

// Fetch gets a file at its address.
func (m *Messenger) Fetch(ctx context.Context, c channels.Connection, f channels.File) (channels.Fetched, error) {
	if err := m.Check(c); err != nil {
		return channels.Fetched{}, &channels.Unfetched{Code: channels.FileDenied, Reason: err.Error()}
	}
	return m.api.Open(ctx, f)
}
