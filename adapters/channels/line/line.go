// Package line is the channel of official accounts of LINE, by its Messaging API.
//
// It owns how LINE is asked, what its answers mean, and what its requests to us say. It makes no
// request twice, keeps nothing, and never logs: what it handles is what people say.
package line

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"unicode/utf16"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection: the secret that LINE signs with, and the token of the channel.
const (
	ChannelSecret      = "channelSecret"
	ChannelAccessToken = "channelAccessToken"
)

// The addresses of LINE: of its API, and of what people send.
const ownURL, ownDataURL = "https://api.line.me", "https://api-data.line.me"

var limits = channels.Limits{Text: 5_000, Unit: channels.UTF16, Choices: 13, Label: 20}

// The bounds of buttons: how many, and the longest text beside them. More, or beside a longer
// text, are quick replies.
const (
	buttons    = 4
	buttonText = 160
)

// Line goes by the Messaging API. It holds no account: that comes with each call.
type Line struct{ provider, data *wire.Provider }

// New takes where LINE is; an empty base is its own address. Behind a space may stand where it keeps
// what people send, else that is at the same base.
func New(base string) (*Line, error) {
	base, data, _ := strings.Cut(base, " ")
	provider, err := wire.At("LINE", base, ownURL)
	if err != nil {
		return nil, err
	}
	of, err := wire.At("LINE", cmp.Or(data, base), ownDataURL)
	return &Line{provider, of}, err
}

// Name is the provider that events and lists show.
func (*Line) Name() string { return "line" }

// Limits are those of a message.
func (*Line) Limits() channels.Limits { return limits }

// Check says what a connection lacks; it asks nobody.
func (*Line) Check(c channels.Connection) error {
	if c.Credentials[ChannelSecret] == "" || c.Credentials[ChannelAccessToken] == "" {
		return errors.New("line: the channel's secret and its access token are needed")
	}
	return nil
}

// Lookup cannot tell: LINE knows a message of ours by its key, and does not say so before it is
// sent again.
func (*Line) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

type object = map[string]any

// Send answers what a person said by its token the first time: that costs nothing, and LINE takes
// it once, for about a minute. Where the token is none any more, and in later attempts, the message
// is pushed, with a key by which LINE knows a repeat.
func (l *Line) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, l.Check(c)); unfit {
		return out
	}
	to, token, _ := strings.Cut(m.To, " ")
	messages := []object{message(m)}
	if token != "" && m.Attempt <= 1 {
		answer, none, ok := l.ask(ctx, c, "/v2/bot/message/reply", object{"replyToken": token, "messages": messages}, "")
		if !ok {
			return none
		}
		if !spent(answer) {
			return outcomeOf(answer)
		}
	}
	key := uuid.NewSHA1(uuid.NameSpaceOID, []byte("line/"+m.Reference)).String()
	answer, none, ok := l.ask(ctx, c, "/v2/bot/message/push", object{"to": to, "messages": messages}, key)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

func message(m channels.Outbound) object {
	if len(m.Choices) == 0 {
		return object{"type": "text", "text": m.Text}
	}
	actions := make([]object, len(m.Choices))
	for i, c := range m.Choices {
		actions[i] = object{"type": "postback", "label": c.Label, "data": c.Token, "displayText": c.Label}
	}
	if len(actions) <= buttons && len(utf16.Encode([]rune(m.Text))) <= buttonText {
		return object{"type": "template", "altText": m.Text, "template": object{"type": "buttons", "text": m.Text, "actions": actions}}
	}
	items := make([]object, len(actions))
	for i, action := range actions {
		items[i] = object{"type": "action", "action": action}
	}
	return object{"type": "text", "text": m.Text, "quickReply": object{"items": items}}
}

// Typing shows for 20 seconds, or until the answer, that somebody is about to answer. LINE has that
// where one person talks with the account alone.
func (l *Line) Typing(ctx context.Context, c channels.Connection, to string) {
	if person, _, _ := strings.Cut(to, " "); strings.HasPrefix(person, "U") && l.Check(c) == nil {
		_, _, _ = l.ask(ctx, c, "/v2/bot/chat/loading/start", object{"chatId": person, "loadingSeconds": 20}, "")
	}
}

// Known asks LINE whether it knows the channel's token; nothing happens there. Taken is yes.
func (l *Line) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(l.Check(c)); is {
		return out
	}
	req, err := l.provider.Request(http.MethodGet, "/v2/bot/info", "application/json", "")
	if err != nil {
		return channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: err.Error()}
	}
	req.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(ChannelAccessToken))
	answer, none, ok := l.provider.Ask(ctx, req)
	if !ok {
		return none
	}
	var account struct {
		ID string `json:"userId"`
	}
	if answer.Status == http.StatusOK && json.Unmarshal(answer.Body, &account) == nil && account.ID != "" {
		return channels.Outcome{Status: channels.Taken}
	}
	return outcomeOf(answer)
}

func (l *Line) ask(ctx context.Context, c channels.Connection, path string, body object, key string) (wire.Answer, channels.Outcome, bool) {
	data, err := json.Marshal(body)
	if err == nil {
		var req *http.Request
		if req, err = l.provider.Request(http.MethodPost, path, "application/json", string(data)); err == nil {
			req.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(ChannelAccessToken))
			if key != "" {
				req.Header.Set("X-Line-Retry-Key", key)
			}
			return l.provider.Ask(ctx, req)
		}
	}
	return wire.Answer{}, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to LINE cannot be made"}, false
}
