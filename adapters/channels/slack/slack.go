// Package slack is the channel of workspace chats by Slack's Web API and Events API.
//
// It owns how Slack is asked, what its answers mean, and what its requests to us say. It never
// repeats a request, keeps nothing, and never logs: what it handles is what people say.
package slack

import (
	"cmp"
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
var limits = channels.Limits{Text: 3_000, Unit: channels.Characters, Choices: 25, Label: 75, Options: 100, Option: 75, Inputs: true}

// The longest label of an input, and the longest words in a select of which nothing is taken yet.
const (
	longestLabel       = 2_000
	longestPlaceholder = 150
)

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
	if len(m.Choices)+len(m.Fields) > 0 {
		message["blocks"] = blocks(m)
	}
	if out, is := s.replaces(ctx, c, m, message); is {
		return out
	}
	answer, none, ok := s.ask(ctx, c, "chat.postMessage", message)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

// ask calls a method of the Web API.
func (s *Slack) ask(ctx context.Context, c channels.Connection, method string, body object) (wire.Answer, channels.Outcome, bool) {
	data, err := json.Marshal(body)
	if err == nil {
		var req *http.Request
		if req, err = s.provider.Request(http.MethodPost, "/api/"+method, "application/json; charset=utf-8", string(data)); err == nil {
			req.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(BotToken))
			return s.provider.Ask(ctx, req)
		}
	}
	return wire.Answer{}, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to Slack cannot be made"}, false
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func blocks(m channels.Outbound) []object {
	out := []object{{"type": "section", "text": plain(m.Text)}}
	if len(m.Choices) > 0 {
		buttons := make([]object, len(m.Choices))
		for i, c := range m.Choices {
			buttons[i] = object{"type": "button", "action_id": choice + c.Token, "value": c.Token, "text": plain(c.Label)}
		}
		out = append(out, object{"type": "actions", "elements": buttons})
	}
	for _, f := range m.Fields {
		out = append(out, field(f))
	}
	return out
}

// choice begins the id of what can be done to a message; a token follows.
const choice = "choice-"

func field(f channels.Field) object {
	if len(f.Options) == 0 {
		return object{"type": "input", "dispatch_action": true, "label": plain(shortened(f.Label, longestLabel)),
			"element": object{"type": "plain_text_input", "action_id": choice + f.Token}}
	}
	options := make([]object, len(f.Options))
	for i, o := range f.Options {
		options[i] = object{"text": plain(o.Label), "value": o.Token}
	}
	return object{"type": "actions", "elements": []object{{"type": "static_select", "action_id": choice + f.Options[0].Token,
		"placeholder": plain(shortened(f.Label, longestPlaceholder)), "options": options}}}
}

func plain(text string) object { return object{"type": "plain_text", "text": text} }

// shortened is what stands where Slack wants some words, and not too many.
func shortened(text string, most int) string {
	if all := []rune(text); len(all) > most {
		return string(all[:most-1]) + "…"
	}
	return cmp.Or(text, "…")
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
		return wire.Denied(a.Error, "Slack")
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
