package telegram

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Known asks Telegram whether it knows the bot's token; nothing happens there. Taken is yes.
func (t *Telegram) Known(ctx context.Context, c channels.Connection) channels.Outcome {
	if out, is := wire.Lacks(t.Check(c)); is {
		return out
	}
	answer, none, ok := t.ask(ctx, c, "getMe", object{})
	if !ok {
		return none
	}
	var a struct {
		OK bool `json:"ok"`
	}
	if json.Unmarshal(answer.Body, &a) == nil && a.OK && answer.Status == http.StatusOK {
		return channels.Outcome{Status: channels.Taken}
	}
	return outcomeOf(answer)
}
