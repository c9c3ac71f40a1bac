package platforms

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

type object = map[string]any

// slack is the Web API: errors come with status 200.
var slack = platform{
	read: readSlack,
	taken: func(m *Message) reply {
		m.ID = fmt.Sprintf("%d.%06d", m.At.Unix(), m.Number%1_000_000)
		channel, _, _ := strings.Cut(m.To, ":")
		return says(http.StatusOK, object{"ok": true, "channel": channel, "ts": m.ID,
			"message": object{"type": "message", "bot_id": "B0RECORDER", "text": m.Text, "ts": m.ID}})
	},
	gone: says(http.StatusOK, slackError("message_not_found")),
	look: lookSlack,
	busy: func(seconds int) reply {
		return says(http.StatusTooManyRequests, slackError("ratelimited")).after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    {status: http.StatusInternalServerError, body: "<html>Internal Server Error</html>"},
		Refuses: says(http.StatusOK, slackError("channel_not_found")),
		Revoked: says(http.StatusOK, slackError("invalid_auth")),
		Inside:  says(http.StatusOK, slackError("internal_error")),
	},
}

func slackError(word string) object { return object{"ok": false, "error": word} }

type slackMessage struct {
	Channel  string `json:"channel"`
	Text     string `json:"text"`
	ThreadTS string `json:"thread_ts"`
	TS       string `json:"ts"` // of the message that is edited
	Metadata struct {
		Payload struct {
			ID string `json:"id"`
		} `json:"event_payload"`
	} `json:"metadata"`
	Blocks []struct {
		Text struct {
			Text string `json:"text"`
		} `json:"text"`
		Elements []struct {
			slackOption
			Options []slackOption `json:"options"` // of a menu
		} `json:"elements"`
	} `json:"blocks"`
}

type slackOption struct {
	Value string `json:"value"`
	Text  struct {
		Text string `json:"text"`
	} `json:"text"`
}

// The bounds that Slack has.
const (
	slackText, slackBlocks, slackSection, slackLabel = 40_000, 50, 3_000, 75
)

// choices are the buttons and the options of the blocks; fit says that Slack takes blocks of such length.
func (s slackMessage) choices() (all []Choice, fit bool) {
	fit = len(s.Blocks) <= slackBlocks
	for _, b := range s.Blocks {
		fit = fit && utf8.RuneCountInString(b.Text.Text) <= slackSection
		for _, e := range b.Elements {
			options := e.Options
			if len(options) == 0 {
				options = []slackOption{e.slackOption}
			}
			for _, o := range options {
				fit = fit && utf8.RuneCountInString(o.Text.Text) <= slackLabel
				all = append(all, Choice{o.Text.Text, o.Value})
			}
		}
	}
	return all, fit
}

func readSlack(q request) (m Message, answer *reply) {
	no := func(word string) (Message, *reply) {
		out := says(http.StatusOK, slackError(word))
		return m, &out
	}
	method, is := strings.CutPrefix(q.path, "/api/")
	token, bearer := strings.CutPrefix(q.header.Get("Authorization"), "Bearer ")
	m.By = method
	switch {
	case !is || q.method != http.MethodPost:
		return no("unknown_method")
	case !bearer || token == "":
		return no("not_authed")
	case method == "auth.test":
		out := says(http.StatusOK, object{"ok": true, "url": "https://recorder.example.com/", "team": "Recorder", "user": "recorder",
			"team_id": "T0RECORDER", "user_id": "U0RECORDER", "bot_id": "B0RECORDER"})
		return m, &out
	case method != "chat.postMessage" && method != "chat.update" && method != "chat.delete":
		return no("unknown_method")
	}
	var s slackMessage
	if json.Unmarshal(q.body, &s) != nil {
		return no("invalid_json")
	}
	m.To, m.Text, m.Request = s.Channel, unescaped.Replace(s.Text), q.body
	if s.ThreadTS != "" {
		m.To += ":" + s.ThreadTS
	}
	m.Key = s.Metadata.Payload.ID
	if method != "chat.postMessage" {
		if m.of, m.deletes = s.TS, method == "chat.delete"; s.TS == "" {
			return no("message_not_found")
		}
	}
	var fit bool
	m.Choices, fit = s.choices()
	switch {
	case s.Channel == "":
		return no("channel_not_found")
	case s.Text == "" && len(s.Blocks) == 0 && !m.deletes:
		return no("no_text")
	case utf8.RuneCountInString(s.Text) > slackText:
		return no("msg_too_long")
	case !fit:
		return no("invalid_blocks")
	}
	return m, nil
}

// lookSlack shows the messages of a conversation, or of a thread, with what those are marked by that are.
func lookSlack(q request, took []Message) (out reply, ok bool) {
	to := q.query.Get("channel")
	switch {
	case q.path == "/api/conversations.replies":
		to += ":" + q.query.Get("ts")
	case q.path != "/api/conversations.history":
		return out, false
	}
	if token, bearer := strings.CutPrefix(q.header.Get("Authorization"), "Bearer "); !bearer || token == "" {
		return says(http.StatusOK, slackError("not_authed")), true
	}
	all := []object{}
	for _, m := range took {
		if m.To != to {
			continue
		}
		one := object{"type": "message", "bot_id": "B0RECORDER", "ts": m.ID, "text": m.Text}
		if m.Key != "" {
			one["metadata"] = object{"event_type": "parley_draft", "event_payload": object{"id": m.Key}}
		}
		all = append(all, one)
	}
	return says(http.StatusOK, object{"ok": true, "messages": all}), true
}

// unescaped is what people see.
var unescaped = strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">")
