package sms

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/texts"
)

// ProviderTwilio is the name of Twilio.
const ProviderTwilio = "twilio"

// The credentials of an account at Twilio: its SID with either its auth token, or an API
// key and its secret. What Twilio sends is signed with the auth token only.
const (
	AccountSID = "accountSid" // AC...
	AuthToken  = "authToken"
	APIKey     = "apiKeySid" // SK...
	APISecret  = "apiKeySecret"
	From       = "from" // who sends, where that is not what was written to
)

const (
	twilioURL     = "https://api.twilio.com"
	twilioVersion = "2010-04-01"
)

// Twilio goes by the Programmable Messaging API of Twilio. It holds no account: that
// comes with each call.
type Twilio struct{ provider *wire.Provider }

var accountSID = regexp.MustCompile(`^AC[0-9A-Za-z]{1,64}$`)

// NewTwilio takes where Twilio is; an empty base is Twilio's own.
func NewTwilio(base string) (*Twilio, error) {
	provider, err := wire.At("Twilio", base, twilioURL)
	return &Twilio{provider}, err
}

// Name is the provider that events and lists show.
func (*Twilio) Name() string { return ProviderTwilio }

// Limits are those of the API.
func (*Twilio) Limits() channels.Limits { return limits }

// Check says what a connection lacks; it asks nobody.
func (*Twilio) Check(c channels.Connection) error {
	user, password := login(c)
	switch {
	case !accountSID.MatchString(c.Credentials.Reveal(AccountSID)):
		return errors.New("twilio: the account SID must be AC, and letters or digits")
	case user == "" || password == "":
		return errors.New("twilio: an auth token, or an API key with its secret, is needed")
	}
	return nil
}

// login is who asks: the API key where there is one, in part or whole.
func login(c channels.Connection) (user, password string) {
	if c.Credentials[APIKey] != "" || c.Credentials[APISecret] != "" {
		return c.Credentials.Reveal(APIKey), c.Credentials.Reveal(APISecret)
	}
	return c.Credentials.Reveal(AccountSID), c.Credentials.Reveal(AuthToken)
}

// Lookup cannot tell: Twilio keeps no reference of ours, and two equal texts to one
// number cannot be told apart.
func (*Twilio) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

// badCallback is what Twilio says of an address that it cannot call. Nothing was sent then.
const badCallback = "21609"

// Send makes one request, and one more, without asking to be told what became of the text, where Twilio cannot
// call the server.
func (t *Twilio) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, t.Check(c)); unfit {
		return out
	}
	m.From = cmp.Or(m.From, c.Credentials.Reveal(From), c.External)
	form := url.Values{"To": {m.To}, senderField(m.From): {m.From}, "Body": {texts.Typed(m.Text)}}
	if m.ReportTo != "" {
		form.Set("StatusCallback", m.ReportTo)
	}
	out := t.create(ctx, c, form)
	if out.Status == channels.Refused && out.Code == badCallback && form.Has("StatusCallback") {
		form.Del("StatusCallback")
		out = t.create(ctx, c, form)
	}
	return out
}

// create has Twilio make a message.
func (t *Twilio) create(ctx context.Context, c channels.Connection, form url.Values) channels.Outcome {
	path := "/" + twilioVersion + "/Accounts/" + c.Credentials.Reveal(AccountSID) + "/Messages.json"
	req, err := t.provider.Request(http.MethodPost, path, "application/x-www-form-urlencoded", form.Encode())
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}
	}
	req.SetBasicAuth(login(c))
	answer, none, ok := t.provider.Ask(ctx, req)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

// senderField is where Twilio wants the sender: a messaging service has a field of its own.
func senderField(from string) string {
	if texts.IsService(from) {
		return "MessagingServiceSid"
	}
	return "From"
}
