// Package slack is the channel of workspace chats by Slack's Web API and Events API.
//
// It owns how Slack is asked, what its answers mean, and what its requests to us say. It never
// repeats a request, keeps nothing, and never logs: what it handles is what people say.
package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection: the secret that Slack signs with, and the token of the bot.
const (
	SigningSecret = "signingSecret"
	BotToken      = "botToken"
	BotUserID     = "botUserId" // may be left out
)

const ownURL = "https://slack.com"

// limits: a text with buttons stands in a section, which takes 3,000 characters.
var limits = channels.Limits{Text: 3_000, Unit: channels.Characters, Choices: 25, Label: 75}

// Slack goes by the Web API. It holds no account: that comes with each call.
type Slack struct{ provider *wire.Provider }

// New takes where Slack is; an empty base is its own address.
func New(base string) (*Slack, error) {
	provider, err := wire.At("Slack", base, ownURL)
	return &Slack{provider}, err
}

// Name is the provider that events and lists show.
func (*Slack) Name() string { return "slack" }

// Limits are those of a message.
func (*Slack) Limits() channels.Limits { return limits }

// Check says what a connection lacks; it asks nobody.
func (*Slack) Check(c channels.Connection) error {
	if c.Credentials[SigningSecret] == "" || c.Credentials[BotToken] == "" {
		return errors.New("slack: the signing secret and the bot's token are needed")
	}
	return nil
}

// Lookup cannot tell: Slack keeps no reference of ours.
func (*Slack) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

// object is JSON that is written once, in an order that does not matter.
type object = map[string]any

// Send makes one request.
func (s *Slack) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, s.Check(c)); unfit {
		return out
	}
	channel, thread, _ := strings.Cut(m.To, ":")
	message := object{"channel": channel, "text": escaped.Replace(m.Text)}
	if thread != "" {
		message["thread_ts"] = thread
	}
	if len(m.Choices) > 0 {
		message["blocks"] = blocks(m)
	}
	body, err := json.Marshal(message)
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the message cannot be written"}
	}
	req, err := s.provider.Request(http.MethodPost, "/api/chat.postMessage", "application/json; charset=utf-8", string(body))
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}
	}
	req.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(BotToken))
	answer, none, ok := s.provider.Ask(ctx, req)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

var (
	escaped   = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
	unescaped = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")
)

func blocks(m channels.Outbound) []object {
	buttons := make([]object, len(m.Choices))
	for i, c := range m.Choices {
		buttons[i] = object{"type": "button", "action_id": "choice-" + c.Token, "value": c.Token,
			"text": object{"type": "plain_text", "text": c.Label}}
	}
	return []object{{"type": "section", "text": object{"type": "plain_text", "text": m.Text}}, {"type": "actions", "elements": buttons}}
}

// outcomeOf says what an answer means: errors come with status 200.
func outcomeOf(answer wire.Answer) channels.Outcome {
	var a struct {
		OK    *bool  `json:"ok"`
		TS    string `json:"ts"`
		Error string `json:"error"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil && a.OK != nil
	switch {
	case answer.Status == http.StatusTooManyRequests, readable && (a.Error == "ratelimited" || a.Error == "rate_limited"):
		return channels.Outcome{Status: channels.NotTaken, Code: "ratelimited", Reason: "too many requests to Slack",
			RetryAfter: answer.RetryAfter}
	case answer.Status != http.StatusOK || !readable:
		return channels.Outcome{Reason: "Slack's answer cannot be read"}
	case *a.OK && stamp.MatchString(a.TS):
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: a.TS}
	case *a.OK || !word.MatchString(a.Error) || doubtful[a.Error]:
		return channels.Outcome{Reason: "Slack does not say what it did"}
	case ofAccount[a.Error]:
		return channels.Outcome{Status: channels.NotTaken, Code: a.Error, Reason: "Slack does not accept the credentials"}
	}
	return channels.Outcome{Status: channels.Refused, Code: a.Error, Reason: "Slack refused the message"}
}

var (
	word  = regexp.MustCompile(`^[a-z_]{1,64}$`)
	stamp = regexp.MustCompile(`^[0-9]{1,20}\.[0-9]{1,10}$`)
)

// doubtful are errors behind which the message may stand in the channel.
var doubtful = map[string]bool{"fatal_error": true, "internal_error": true, "request_timeout": true, "service_unavailable": true}

// ofAccount are errors that another credential mends.
var ofAccount = map[string]bool{"invalid_auth": true, "not_authed": true, "account_inactive": true, "token_revoked": true,
	"token_expired": true, "missing_scope": true}
