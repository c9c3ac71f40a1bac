package platforms

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"
)

// line is the Messaging API. It knows a message that is pushed again by its key.
var line = platform{
	read: readLINE,
	taken: func(m *Message) reply {
		m.ID = fmt.Sprintf("46%016d", m.Number)
		return says(http.StatusOK, object{"sentMessages": []object{{"id": m.ID, "quoteToken": "q"}}})
	},
	repeated: func(m Message) reply {
		out := says(http.StatusConflict, object{"message": "The retry key is already accepted", "sentMessages": []object{{"id": m.ID}}})
		out.header = map[string]string{"X-Line-Accepted-Request-Id": "recorder-" + m.ID}
		return out
	},
	busy: func(seconds int) reply {
		return says(http.StatusTooManyRequests, object{"message": "The API rate limit has been exceeded. Try again later."}).after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    says(http.StatusInternalServerError, object{"message": "Internal server error"}),
		Refuses: says(http.StatusBadRequest, object{"message": "The property, 'to', in the request body is invalid"}),
		Revoked: says(http.StatusUnauthorized, object{"message": "Authentication failed. Confirm that the access token is valid."}),
		Inside:  says(http.StatusOK, object{"message": "Internal server error"}),
	},
}

type lineMessage struct {
	Text     string `json:"text"`
	AltText  string `json:"altText"`
	Template struct {
		Text    string       `json:"text"`
		Actions []lineAction `json:"actions"`
	} `json:"template"`
	QuickReply struct {
		Items []struct {
			Action lineAction `json:"action"`
		} `json:"items"`
	} `json:"quickReply"`
}

type lineAction struct {
	Label string `json:"label"`
	Data  string `json:"data"`
}

// The bounds that LINE has, in UTF-16 units.
const lineText, lineTemplate, lineLabel, lineActions, lineItems = 5_000, 160, 20, 4, 13

func readLINE(q request) (m Message, answer *reply) {
	no := func(status int, words string) (Message, *reply) {
		out := says(status, object{"message": words})
		return m, &out
	}
	method, is := strings.CutPrefix(q.path, "/v2/bot/")
	token, bearer := strings.CutPrefix(q.header.Get("Authorization"), "Bearer ")
	switch {
	case !bearer || token == "":
		return no(http.StatusUnauthorized, "Authentication failed due to the following reason: invalid token")
	case is && method == "info" && q.method == http.MethodGet:
		out := says(http.StatusOK, object{"userId": "U0recorder", "basicId": "@recorder", "displayName": "Recorder"})
		return m, &out
	case is && method == "chat/loading/start":
		out := says(http.StatusAccepted, object{})
		return m, &out
	case !is || q.method != http.MethodPost || method != "message/push" && method != "message/reply":
		return no(http.StatusNotFound, "Not found")
	}
	var b struct {
		To         string        `json:"to"`
		ReplyToken string        `json:"replyToken"`
		Messages   []lineMessage `json:"messages"`
	}
	if json.Unmarshal(q.body, &b) != nil || len(b.Messages) != 1 {
		return no(http.StatusBadRequest, "The request body has 1 error(s)")
	}
	m.By, m.Request, m.To, m.Key = method, q.body, b.To, q.header.Get("X-Line-Retry-Key")
	if method == "message/reply" { // whom a token answers nobody here knows: each is one that was used
		return no(http.StatusBadRequest, "Invalid reply token")
	}
	answer = m.says(b.Messages[0])
	return m, answer
}

// says takes what one message of LINE says; the answer is why it would not be taken.
func (m *Message) says(from lineMessage) *reply {
	longest := lineText
	if m.Text = from.Text; m.Text == "" {
		m.Text, longest = from.Template.Text, lineTemplate
	}
	actions := from.Template.Actions
	for _, i := range from.QuickReply.Items {
		actions = append(actions, i.Action)
	}
	wrong := m.To == "" || m.Text == "" || len(utf16.Encode([]rune(m.Text))) > longest || from.Text == "" && from.AltText == "" ||
		len(from.Template.Actions) > lineActions || len(from.QuickReply.Items) > lineItems
	for _, a := range actions {
		wrong = wrong || a.Label == "" || a.Data == "" || len(utf16.Encode([]rune(a.Label))) > lineLabel
		m.Choices = append(m.Choices, Choice{a.Label, a.Data})
	}
	if wrong {
		out := says(http.StatusBadRequest, object{"message": "A message (messages[0]) in the request body is invalid"})
		return &out
	}
	return nil
}
