// Package twiliovoice is the channel of telephone calls by Twilio: what Twilio says of calls, what
// we answer it, and the tokens with which browsers call.
//
// It owns what Twilio's requests and streams mean, and asks nobody: Twilio calls us. It makes nothing
// of sound, decides nothing about calls, writes no events and never logs.
package twiliovoice

import (
	"context"
	"errors"
	"regexp"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of an account at Twilio. What Twilio sends is signed with the auth token; tokens
// for browsers are signed with an API key, and call by an application.
const (
	AccountSID  = "accountSid" // AC...
	AuthToken   = "authToken"
	APIKey      = "apiKeySid" // SK...
	APISecret   = "apiKeySecret"
	Application = "twimlAppSid" // AP...
)

// Voice goes by Twilio's requests for voice. It holds no account: that comes with each call.
type Voice struct{}

// New makes it. Nobody is asked, so where Twilio is plays no part.
func New(string) (*Voice, error) { return &Voice{}, nil }

// Name is the provider that events and lists show.
func (*Voice) Name() string { return calls.ProviderTwilio }

// Limits are those of what could be said; a call takes no texts.
func (*Voice) Limits() channels.Limits { return limits }

var limits = channels.Limits{Text: 4_096, Unit: channels.Characters}

var accountSID = regexp.MustCompile(`^AC[0-9A-Za-z]{1,64}$`)

// Check says what a connection lacks; it asks nobody.
func (*Voice) Check(c channels.Connection) error {
	if !accountSID.MatchString(c.Credentials.Reveal(AccountSID)) || c.Credentials[AuthToken] == "" {
		return errors.New("twilio: the account SID (AC and letters or digits) and the auth token are needed")
	}
	return nil
}

// Send refuses: a call has no place for a text. What its agent says is in the transcript.
func (*Voice) Send(ctx context.Context, _ channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, nil); unfit {
		return out
	}
	if ctx.Err() != nil {
		return channels.Outcome{Status: channels.NotTaken, Code: "UNAVAILABLE", Reason: "the sending was given up before it began"}
	}
	return channels.Outcome{Status: channels.Refused, Code: "NO_TEXTS", Reason: "a telephone call takes no texts"}
}

// Lookup says nothing: nothing was sent.
func (*Voice) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

const (
	// TokenFor is how long a browser's token is good.
	TokenFor = time.Hour

	leeway = time.Minute // the clock of who reads it may be behind ours
)

// Calls reports whether browsers can call by the connection.
func (*Voice) Calls(c channels.Connection) bool {
	return c.Credentials[APIKey] != "" && c.Credentials[APISecret] != "" && c.Credentials[Application] != ""
}

type grants struct {
	Identity string `json:"identity"`
	Voice    struct {
		Incoming struct {
			Allow bool `json:"allow"`
		} `json:"incoming"`
		Outgoing struct {
			Application string `json:"application_sid"`
		} `json:"outgoing"`
	} `json:"voice"`
}

type accessToken struct {
	jwt.RegisteredClaims
	Grants grants `json:"grants"`
}

// Token lets a browser call by the connection's application, and be called, as an identity. id
// makes it another than those before.
func (v *Voice) Token(c channels.Connection, identity, id string, now time.Time) (string, error) {
	if !v.Calls(c) {
		return "", errors.New("twilio: an API key, its secret and an application are needed for tokens")
	}
	key := c.Credentials.Reveal(APIKey)
	claims := accessToken{RegisteredClaims: jwt.RegisteredClaims{ID: key + "-" + id, Issuer: key, Subject: c.Credentials.Reveal(AccountSID),
		IssuedAt: jwt.NewNumericDate(now), NotBefore: jwt.NewNumericDate(now.Add(-leeway)),
		ExpiresAt: jwt.NewNumericDate(now.Add(TokenFor))}}
	claims.Grants.Identity = identity
	claims.Grants.Voice.Incoming.Allow = true
	claims.Grants.Voice.Outgoing.Application = c.Credentials.Reveal(Application)
	token := jwt.NewWithClaims(jwt.SigningMethodHS256, claims)
	token.Header["cty"] = "twilio-fpa;v=1"
	return token.SignedString([]byte(c.Credentials.Reveal(APISecret)))
}
