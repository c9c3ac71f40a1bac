package sms

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"time"

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
)

const (
	twilioURL     = "https://api.twilio.com"
	twilioVersion = "2010-04-01"
	mostAnswer    = 1 << 20 // bytes of an answer that are read
	sendTimeout   = 10 * time.Second
)

// Twilio goes by the Programmable Messaging API of Twilio. It holds no account: that
// comes with each call.
type Twilio struct {
	base   string
	client *http.Client
}

var accountSID = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)

// NewTwilio takes where Twilio is; an empty base is Twilio's own. Redirects are never
// followed: they would carry the credentials away.
func NewTwilio(base string) (*Twilio, error) {
	if base == "" {
		base = twilioURL
	}
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.User != nil {
		return nil, errors.New("twilio: the base URL must be an absolute http or https URL without a user")
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return &Twilio{base: strings.TrimRight(base, "/"), client: client}, nil
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
		return errors.New("twilio: the account SID must be AC and 32 hexadecimal digits")
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

// Send makes one request of at most 10 s.
func (t *Twilio) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if problem := limits.Problem(m.Text); problem != "" {
		return channels.Outcome{Status: channels.Refused, Code: CodeTooLong, Reason: "the text " + problem}
	}
	if err := t.Check(c); err != nil {
		return channels.Outcome{Status: channels.NotTaken, Code: "CREDENTIALS", Reason: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	var connected atomic.Bool // from here on Twilio may have read something
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := t.request(traced, c, m)
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to Twilio cannot be made"}
	}
	res, err := t.client.Do(req)
	if err != nil {
		if !connected.Load() {
			return channels.Outcome{Status: channels.NotTaken, Code: "UNREACHABLE", Reason: "Twilio cannot be reached"}
		}
		return channels.Outcome{Reason: "Twilio did not answer"} // the error would name the URL
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	if err != nil {
		body = nil
	}
	return outcomeOf(res, body)
}

func (t *Twilio) request(ctx context.Context, c channels.Connection, m channels.Outbound) (*http.Request, error) {
	form := url.Values{"To": {m.To}, senderField(m.From): {m.From}, "Body": {m.Text}}
	endpoint := t.base + "/" + twilioVersion + "/Accounts/" + c.Credentials.Reveal(AccountSID) + "/Messages.json"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.SetBasicAuth(login(c))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "parley")
	return req, nil
}

// senderField is where Twilio wants the sender: a messaging service has a field of its own.
func senderField(from string) string {
	if texts.IsService(from) {
		return "MessagingServiceSid"
	}
	return "From"
}
