package msteams

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The bounds of a text that Teams shows while it is written.
const (
	often  = 1500 * time.Millisecond // Teams wants a second between two at least
	enough = 110 * time.Second       // after two minutes it takes no more of it
)

// alone begins the ids of conversations of one person with the bot: Teams shows there what is written.
const alone = "a:"

// Drafts is how a message is shown that is still being written.
func (*Teams) Drafts(to string) (channels.Drafts, bool) {
	_, id, _ := strings.Cut(to, " ")
	return channels.Drafts{Every: often, For: enough, Kept: true, Blank: true}, strings.HasPrefix(id, alone)
}

// Draft shows it. The first time there are no words yet: if nobody notes then what Teams calls it, nothing
// is left behind.
func (t *Teams) Draft(ctx context.Context, c channels.Connection, d channels.Draft) channels.Outcome {
	if out, unfit := wire.Unfit(limits, d.Text, t.Check(c)); unfit {
		return out
	}
	info := object{"type": streaming, "streamType": "informative", "streamSequence": d.Number}
	activity := object{"type": "typing", "text": "…", "entities": []object{info}}
	if d.ID != "" {
		info["streamType"], info["streamId"], activity["text"] = "streaming", d.ID, d.Text
	}
	answer, none, ok := t.ask(ctx, c, d.To, activity)
	if !ok {
		return none
	}
	if answer.Status/100 == 2 && d.ID != "" {
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: d.ID}
	}
	return outcomeOf(answer)
}

// streaming is the type of what says that an activity is a part of a text that is written.
const streaming = "streaminfo"

// replaces ends the writing with the whole of the message. false: Teams takes it no more, and the message is
// one of its own.
func (t *Teams) replaces(ctx context.Context, c channels.Connection, m channels.Outbound, activity object) (channels.Outcome, bool) {
	if m.Shown.ID == "" {
		return channels.Outcome{}, false
	}
	activity["entities"] = []object{{"type": streaming, "streamType": "final", "streamId": m.Shown.ID}}
	answer, none, ok := t.ask(ctx, c, m.To, activity)
	delete(activity, "entities")
	if !ok {
		return none, true
	}
	told := errorOf(answer)
	switch {
	case answer.Status/100 == 2, told.Code == unstreamed && strings.Contains(told.Message, "already completed"):
		return channels.Outcome{Status: channels.Taken, ProviderMessageID: m.Shown.ID}, true
	case told.Code == unstreamed, answer.Status == http.StatusBadRequest, answer.Status == http.StatusNotFound:
		return channels.Outcome{}, false
	}
	return outcomeOf(answer), true
}

// unstreamed is the connector's word for a text that it does not show as it is written, or no longer.
const unstreamed = "ContentStreamNotAllowed"
