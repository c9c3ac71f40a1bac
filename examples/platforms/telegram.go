package platforms

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// telegram is the Bot API.
var telegram = platform{
	read: readTelegram,
	taken: func(m *Message) reply {
		m.ID = strconv.Itoa(m.Number)
		return says(http.StatusOK, object{"ok": true, "result": object{"message_id": m.Number, "date": m.At.Unix(), "text": m.Text,
			"chat": telegramChat(m.To)}})
	},
	busy: func(seconds int) reply {
		no := telegramError(http.StatusTooManyRequests, "Too Many Requests")
		if seconds > 0 {
			no["parameters"] = object{"retry_after": seconds}
		}
		return says(http.StatusTooManyRequests, no).after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    says(http.StatusInternalServerError, telegramError(500, "Internal Server Error")),
		Refuses: says(http.StatusForbidden, telegramError(403, "Forbidden: bot was blocked by the user")),
		Revoked: says(http.StatusUnauthorized, telegramError(401, "Unauthorized")),
		Inside:  says(http.StatusOK, telegramError(500, "Internal Server Error")),
	},
}

func telegramError(code int, words string) object {
	return object{"ok": false, "error_code": code, "description": words}
}

// telegramChat is where a message went: groups have numbers below zero.
func telegramChat(to string) object {
	chat, _, _ := strings.Cut(to, ":")
	id, err := strconv.ParseInt(chat, 10, 64)
	switch {
	case err != nil: // a channel by its name
		return object{"id": -1, "type": "channel", "username": strings.TrimPrefix(chat, "@")}
	case id < 0:
		return object{"id": id, "type": "supergroup", "title": "Recorder"}
	}
	return object{"id": id, "type": "private", "first_name": "Recorder"}
}

var telegramPath = regexp.MustCompile(`^/bot([0-9]+):[A-Za-z0-9_-]+/([A-Za-z]+)$`)

// The bounds that Telegram has, in UTF-16 units and bytes.
const telegramText, telegramToken = 4_096, 64

func readTelegram(q request) (m Message, answer *reply) {
	no := func(status int, words string) (Message, *reply) {
		out := says(status, telegramError(status, words))
		return m, &out
	}
	yes := func(result any) (Message, *reply) {
		out := says(http.StatusOK, object{"ok": true, "result": result})
		return m, &out
	}
	path := telegramPath.FindStringSubmatch(q.path)
	if path == nil {
		return no(http.StatusNotFound, "Not Found")
	}
	members, raw := q.members()
	m.By, m.Request = path[2], raw
	bot, _ := strconv.ParseInt(path[1], 10, 64)
	switch m.By {
	case "getMe":
		return yes(object{"id": bot, "is_bot": true, "first_name": "Recorder", "username": "recorder_bot"})
	case "setWebhook", "deleteWebhook", "sendChatAction", "sendMessageDraft", "answerCallbackQuery":
		return yes(true)
	case "sendMessage":
	default:
		return no(http.StatusNotFound, "Not Found")
	}
	m.To, m.Text = text(members, "chat_id"), text(members, "text")
	if topic := text(members, "message_thread_id"); topic != "" {
		m.To += ":" + topic
	}
	m.Choices = keyboard(members["reply_markup"])
	switch {
	case m.To == "" || m.To == "0":
		return no(http.StatusBadRequest, "Bad Request: chat not found")
	case strings.TrimSpace(m.Text) == "":
		return no(http.StatusBadRequest, "Bad Request: message text is empty")
	case len(utf16.Encode([]rune(m.Text))) > telegramText:
		return no(http.StatusBadRequest, "Bad Request: message is too long")
	}
	for i, c := range m.Choices {
		if c.Label == "" || c.Token == "" || len(c.Token) > telegramToken {
			return no(http.StatusBadRequest, fmt.Sprintf("Bad Request: BUTTON_DATA_INVALID, button %d", i))
		}
	}
	return m, nil
}

func keyboard(markup json.RawMessage) (out []Choice) {
	var k struct {
		Rows [][]struct {
			Text string `json:"text"`
			Data string `json:"callback_data"`
		} `json:"inline_keyboard"`
	}
	if json.Unmarshal(markup, &k) != nil {
		return nil
	}
	for _, row := range k.Rows {
		for _, b := range row {
			out = append(out, Choice{b.Text, b.Data})
		}
	}
	return out
}
