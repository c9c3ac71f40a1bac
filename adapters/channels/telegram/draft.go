package telegram

import (
	"context"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Drafts is how a message is shown that is still being written: where a person talks with the bot alone.
// It goes by itself, 30 seconds later or when the message is there. In a group it would have to be a message
// that is edited; a bot may do that twenty times a minute, and nobody would find it again that a node left.
func (*Telegram) Drafts(to string) (channels.Drafts, bool) {
	chat, ok := addressed(to)
	id, _ := chat["chat_id"].(int64)
	return channels.Drafts{Every: time.Second}, ok && id > 0
}

// Draft shows it.
func (t *Telegram) Draft(ctx context.Context, c channels.Connection, d channels.Draft) channels.Outcome {
	if out, unfit := wire.Unfit(limits, d.Text, t.Check(c)); unfit {
		return out
	}
	draft, ok := addressed(d.To)
	if !ok {
		return channels.Outcome{Status: channels.Refused, Code: "ADDRESS", Reason: "there is no such chat"}
	}
	draft["draft_id"], draft["text"] = int64(crc32.ChecksumIEEE([]byte(d.Reference))>>1)+1, d.Text // never 0
	answer, none, ok := t.ask(ctx, c, "sendMessageDraft", draft)
	if !ok {
		return none
	}
	var a struct {
		OK     bool `json:"ok"`
		Result bool `json:"result"`
	}
	if json.Unmarshal(answer.Body, &a) == nil && a.OK && a.Result && answer.Status == http.StatusOK {
		return channels.Outcome{Status: channels.Taken}
	}
	return outcomeOf(answer)
}
