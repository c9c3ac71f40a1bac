// Package telegram is the channel of bots of Telegram's Bot API.
//
// It owns how Telegram is asked, what its answers mean, and what its requests to us say. It never
// repeats a request, keeps nothing, and never logs: the token of a bot stands in the address of
// each request.
package telegram

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection: the token of the bot, the word that Telegram shows us, and how people
// call the bot in groups.
const (
	BotToken    = "botToken"
	SecretToken = "secretToken"
	BotUsername = "botUsername" // may be left out: then each mention, and each command, is for it
)

const ownURL = "https://api.telegram.org"

var limits = channels.Limits{Text: 4_096, Unit: channels.UTF16, Choices: 100, Label: 64}

// Telegram goes by the Bot API. It holds no account: that comes with each call.
type Telegram struct{ provider *wire.Provider }

// New takes where Telegram is; an empty base is its own address.
func New(base string) (*Telegram, error) {
	provider, err := wire.At("Telegram", base, ownURL)
	return &Telegram{provider}, err
}

// Name is the provider that events and lists show.
func (*Telegram) Name() string { return "telegram" }

// Limits are those of a message.
func (*Telegram) Limits() channels.Limits { return limits }

var botToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{1,256}$`)

// Check says what a connection lacks; it asks nobody.
func (*Telegram) Check(c channels.Connection) error {
	if !botToken.MatchString(c.Credentials.Reveal(BotToken)) || c.Credentials[SecretToken] == "" {
		return errors.New("telegram: the bot's token and a secret token are needed")
	}
	return nil
}

// Lookup cannot tell: Telegram keeps no reference of ours.
func (*Telegram) Lookup(context.Context, channels.Connection, channels.Doubt) (channels.Outcome, error) {
	return channels.Outcome{}, nil
}

type object = map[string]any

// Send makes one request.
func (t *Telegram) Send(ctx context.Context, c channels.Connection, m channels.Outbound) channels.Outcome {
	if out, unfit := wire.Unfit(limits, m.Text, t.Check(c)); unfit {
		return out
	}
	message, ok := addressed(m.To)
	if !ok {
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "there is no such chat"}
	}
	message["text"] = m.Text
	if len(m.Choices) > 0 {
		rows := make([][]object, len(m.Choices))
		for i, c := range m.Choices {
			rows[i] = []object{{"text": c.Label, "callback_data": c.Token}}
		}
		message["reply_markup"] = object{"inline_keyboard": rows}
	}
	answer, none, ok := t.ask(ctx, c, "sendMessage", message)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

// Typing shows for five seconds that somebody is about to answer.
func (t *Telegram) Typing(ctx context.Context, c channels.Connection, to string) {
	if chat, ok := addressed(to); ok && t.Check(c) == nil {
		chat["action"] = "typing"
		_, _, _ = t.ask(ctx, c, "sendChatAction", chat)
	}
}

// TypingFor is how long Telegram shows it.
func (*Telegram) TypingFor() time.Duration { return 5 * time.Second }

// Pressed ends the waiting of whoever pressed a button.
func (t *Telegram) Pressed(ctx context.Context, c channels.Connection, externalID string) {
	if id, is := strings.CutPrefix(externalID, pressed); is && t.Check(c) == nil {
		_, id, _ = strings.Cut(id, ":")
		_, _, _ = t.ask(ctx, c, "answerCallbackQuery", object{"callback_query_id": id})
	}
}

// addressed is a chat, and the topic in it.
func addressed(to string) (object, bool) {
	chat, topic, _ := strings.Cut(to, ":")
	id, err := strconv.ParseInt(chat, 10, 64)
	out := object{"chat_id": id}
	if topic != "" {
		n, bad := strconv.ParseInt(topic, 10, 64)
		out["message_thread_id"], err = n, errors.Join(err, bad)
	}
	return out, err == nil
}

func (t *Telegram) ask(ctx context.Context, c channels.Connection, method string, body object) (wire.Answer, channels.Outcome, bool) {
	data, err := json.Marshal(body)
	if err == nil {
		var req *http.Request
		path := "/bot" + c.Credentials.Reveal(BotToken) + "/" + method
		if req, err = t.provider.Request(http.MethodPost, path, "application/json", string(data)); err == nil {
			return t.provider.Ask(ctx, req)
		}
	}
	return wire.Answer{}, channels.Outcome{Status: channels.Refused, Code: "REQUEST", Reason: "the request to Telegram cannot be made"}, false
}

// tooMany is the outcome of an answer that wants a pause, of so many seconds.
func tooMany(answer wire.Answer, seconds int) channels.Outcome {
	pause := time.Duration(min(max(seconds, 0), 3600)) * time.Second
	return channels.Outcome{Status: channels.NotTaken, Code: "HTTP_429", Reason: "too many requests to Telegram",
		RetryAfter: max(pause, answer.RetryAfter)}
}

// outcomeOf says what an answer means.
func outcomeOf(answer wire.Answer) channels.Outcome {
	var a struct {
		OK     *bool `json:"ok"`
		Result struct {
			MessageID int64 `json:"message_id"`
		} `json:"result"`
		Code        int    `json:"error_code"`
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil && a.OK != nil
	code := "HTTP_" + strconv.Itoa(answer.Status)
	switch {
	case answer.Status == http.StatusTooManyRequests:
		return tooMany(answer, a.Parameters.RetryAfter)
	case !readable:
		return channels.Outcome{Reason: "Telegram's answer cannot be read"}
	case *a.OK && answer.Status == http.StatusOK && a.Result.MessageID > 0:
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: strconv.FormatInt(a.Result.MessageID, 10)}
	case *a.OK || answer.Status/100 != 4 || answer.Status == http.StatusRequestTimeout:
		return channels.Outcome{Reason: "Telegram does not say what it did"}
	case answer.Status == http.StatusUnauthorized, answer.Status == http.StatusNotFound:
		return wire.Denied(code, "Telegram")
	case answer.Status == http.StatusForbidden:
		return channels.Outcome{Status: channels.Refused, Code: code, Reason: "the person takes nothing from the bot",
			OptedOut: strings.Contains(a.Description, "blocked by the user")}
	}
	return channels.Outcome{Status: channels.Refused, Code: code, Reason: "Telegram refused the message"}
}
