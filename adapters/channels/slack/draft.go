package slack

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// often is how often drafts are edited, all together: Slack lets an app edit fifty times a minute in a workspace,
// and each answer that was shown ends with an edit as well.
const often = 1500 * time.Millisecond

// drafted is what a draft is marked by, so that one is found whose id nobody noted.
const drafted = "parley_draft"

// Drafts is how a message is shown that is still being written: it is there, and is edited.
func (*Slack) Drafts(string) (channels.Drafts, bool) {
	return channels.Drafts{Every: often, Shared: true, Kept: true}, true
}

// Draft shows it: as a message at first, by editing that one later.
func (s *Slack) Draft(ctx context.Context, c channels.Connection, d channels.Draft) channels.Outcome {
	if out, unfit := wire.Unfit(limits, d.Text, s.Check(c)); unfit {
		return out
	}
	channel, thread, _ := strings.Cut(d.To, ":")
	message, method := object{"channel": channel, "text": escaped.Replace(d.Text)}, "chat.update"
	if d.ID != "" {
		message["ts"] = d.ID
	} else {
		method = "chat.postMessage"
		message["metadata"] = object{"event_type": drafted, "event_payload": object{"id": d.Reference}}
		if thread != "" {
			message["thread_ts"] = thread
		}
	}
	answer, none, ok := s.ask(ctx, c, method, message)
	if !ok {
		return none
	}
	return outcomeOf(answer)
}

// Withdraw deletes it.
func (s *Slack) Withdraw(ctx context.Context, c channels.Connection, d channels.Draft) {
	if channel, _, _ := strings.Cut(d.To, ":"); d.ID != "" && s.Check(c) == nil {
		_, _, _ = s.ask(ctx, c, "chat.delete", object{"channel": channel, "ts": d.ID})
	}
}

// replaces puts a message in the place of its draft. false: there is none that can be edited, and the
// message is one of its own.
func (s *Slack) replaces(ctx context.Context, c channels.Connection, m channels.Outbound, message object) (out channels.Outcome, is bool) {
	ts := m.Shown.ID
	if ts == "" && m.Shown.Reference != "" {
		if ts, out, is = s.find(ctx, c, m); !is {
			return out, true
		}
	}
	if ts == "" {
		return out, false
	}
	edit := object{"channel": message["channel"], "ts": ts, "text": message["text"]}
	if blocks, has := message["blocks"]; has {
		edit["blocks"] = blocks
	}
	answer, none, ok := s.ask(ctx, c, "chat.update", edit)
	if !ok {
		return none, true
	}
	var a struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(answer.Body, &a) == nil && uneditable[a.Error] {
		return out, false
	}
	return outcomeOf(answer), true
}

// uneditable are errors of a draft that is not there any more, or may not be edited.
var uneditable = map[string]bool{"message_not_found": true, "cant_update_message": true, "edit_window_closed": true}

// Among how many messages a draft is looked for: of a conversation the newest, of a thread the first.
const (
	newest = "20"
	most   = "200"
)

// find looks for a draft that may stand in the conversation, by what it is marked with; an empty ts: there
// is none, or the bot may not look. found is false where Slack does not say, for the moment.
func (s *Slack) find(ctx context.Context, c channels.Connection, m channels.Outbound) (ts string, none channels.Outcome, found bool) {
	channel, thread, _ := strings.Cut(m.To, ":")
	method, asks := "conversations.history", url.Values{"channel": {channel}, "include_all_metadata": {"true"}, "limit": {newest}}
	if thread != "" {
		method = "conversations.replies"
		asks.Set("ts", thread)
		asks.Set("limit", most)
	}
	req, err := s.provider.Request(http.MethodGet, "/api/"+method+"?"+asks.Encode(), "application/x-www-form-urlencoded", "")
	if err != nil {
		return "", none, true
	}
	req.Header.Set("Authorization", "Bearer "+c.Credentials.Reveal(BotToken))
	answer, none, ok := s.provider.Ask(ctx, req)
	if !ok {
		return "", before(none), false
	}
	var a struct {
		OK       *bool `json:"ok"`
		Messages []struct {
			TS       string `json:"ts"`
			Metadata struct {
				Type    string `json:"event_type"`
				Payload struct {
					ID string `json:"id"`
				} `json:"event_payload"`
			} `json:"metadata"`
		} `json:"messages"`
	}
	readable := json.Unmarshal(answer.Body, &a) == nil && a.OK != nil
	if out := outcomeOf(answer); !readable || !*a.OK && (out.Status == channels.Unknown || out.Status == channels.NotTaken && !out.Denied) {
		return "", before(out), false
	}
	for _, one := range a.Messages {
		if one.Metadata.Type == drafted && one.Metadata.Payload.ID == m.Shown.Reference && stamp.MatchString(one.TS) {
			return one.TS, none, true
		}
	}
	return "", none, true
}

// before is the outcome of a question that precedes a message: nothing was sent.
func before(out channels.Outcome) channels.Outcome {
	if out.Status == channels.Unknown || out.Status == channels.Taken {
		out = channels.Outcome{Status: channels.NotTaken, Code: "UNREACHABLE", Reason: "Slack does not say what is in the conversation"}
	}
	return out
}
