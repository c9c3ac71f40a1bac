package telegram

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Register tells Telegram where to send what people say to the bot, and which word to show there.
func (t *Telegram) Register(ctx context.Context, c channels.Connection, url string) channels.Outcome {
	return t.settle(ctx, c, "setWebhook", object{"url": url, "secret_token": c.Credentials.Reveal(SecretToken),
		"allowed_updates": []string{"message", "callback_query"}})
}

// Unregister has Telegram send nothing any more.
func (t *Telegram) Unregister(ctx context.Context, c channels.Connection) channels.Outcome {
	return t.settle(ctx, c, "deleteWebhook", object{})
}

func (t *Telegram) settle(ctx context.Context, c channels.Connection, method string, body object) channels.Outcome {
	if out, unfit := wire.Lacks(t.Check(c)); unfit {
		return out
	}
	answer, none, ok := t.ask(ctx, c, method, body)
	if !ok {
		return none
	}
	return settled(answer)
}

// settled says what an answer about the webhook means.
func settled(answer wire.Answer) channels.Outcome {
	var a struct {
		OK          *bool  `json:"ok"`
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
	case !readable, answer.Status/100 == 5:
		return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: "Telegram does not say what it did"}
	case *a.OK:
		return channels.Outcome{Status: channels.Taken}
	case answer.Status == http.StatusUnauthorized, answer.Status == http.StatusNotFound:
		return wire.Denied(code, "Telegram")
	case strings.Contains(a.Description, "HTTPS"):
		return channels.Outcome{Status: channels.Refused, Code: code,
			Reason: "Telegram wants an https address: the one of --public-url, or of a proxy before the server, is none"}
	}
	return channels.Outcome{Status: channels.Refused, Code: code,
		Reason: "Telegram refused the webhook: its address must be https, on port 443, 80, 88 or 8443, and open to the internet"}
}
