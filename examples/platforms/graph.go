package platforms

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"
)

// graphOf is the Graph API of Meta for one kind: how it reads a message, how it names one that it
// took, and by which code it says that there were too many.
func graphOf(read func(graphMessage) (m Message, wrong string), taken func(m *Message) reply, many int) platform {
	return platform{
		read:  func(q request) (Message, *reply) { return readGraph(q, read) },
		taken: taken,
		busy: func(seconds int) reply {
			return graphError(http.StatusBadRequest, many, "Rate limit hit").after(seconds)
		},
		fails: map[Trouble]reply{
			Down:    graphError(http.StatusInternalServerError, 131000, "Something went wrong"),
			Refuses: graphError(http.StatusBadRequest, 100, "No matching user found"),
			Revoked: graphError(http.StatusUnauthorized, 190, "Error validating access token"),
			Inside:  graphError(http.StatusOK, 2, "Service temporarily unavailable"),
		},
	}
}

var (
	whatsapp  = graphOf(readWhatsApp, takenByWhatsApp, 130429)
	messenger = graphOf(readMessenger(2_000, utf8.RuneCountInString), takenByMessenger, 613)
	instagram = graphOf(readMessenger(1_000, func(s string) int { return len(s) }), takenByMessenger, 613)
)

func graphError(status, code int, words string) reply {
	return says(status, object{"error": object{"message": fmt.Sprintf("(#%d) %s", code, words), "type": "OAuthException", "code": code,
		"fbtrace_id": "ARecorder"}})
}

// graphMessage is what the three kinds are asked for.
type graphMessage struct {
	Status    string          `json:"status"`
	Action    string          `json:"sender_action"`
	To        string          `json:"to"`
	Recipient json.RawMessage `json:"recipient"` // an id, or an object with one
	Text      struct {
		Body string `json:"body"`
	} `json:"text"`
	Interactive struct {
		Body struct {
			Text string `json:"text"`
		} `json:"body"`
		Action struct {
			Buttons []struct {
				Reply graphChoice `json:"reply"`
			} `json:"buttons"`
			Sections []struct {
				Rows []graphChoice `json:"rows"`
			} `json:"sections"`
		} `json:"action"`
	} `json:"interactive"`
	Message struct {
		Text       string `json:"text"`
		Attachment struct {
			Payload struct {
				Text    string        `json:"text"`
				Buttons []graphChoice `json:"buttons"`
			} `json:"payload"`
		} `json:"attachment"`
		QuickReplies []graphChoice `json:"quick_replies"`
	} `json:"message"`
}

type graphChoice struct {
	ID      string `json:"id"`
	Payload string `json:"payload"`
	Title   string `json:"title"`
}

var (
	graphPath = regexp.MustCompile(`^/v[0-9]+\.[0-9]+/([0-9]+|me)/messages$`)
	graphNode = regexp.MustCompile(`^/v[0-9]+\.[0-9]+/([0-9]+)$`)
)

func readGraph(q request, read func(graphMessage) (Message, string)) (m Message, answer *reply) {
	no := func(status, code int, words string) (Message, *reply) {
		out := graphError(status, code, words)
		return m, &out
	}
	token, bearer := strings.CutPrefix(q.header.Get("Authorization"), "Bearer ")
	var g graphMessage
	about := graphNode.FindStringSubmatch(q.path)
	switch {
	case q.method == http.MethodGet && about != nil && token != "":
		out := says(http.StatusOK, object{"id": about[1]})
		return m, &out
	case q.method != http.MethodPost || !graphPath.MatchString(q.path):
		return no(http.StatusNotFound, 2500, "Unknown path components")
	case !bearer || token == "":
		return no(http.StatusUnauthorized, 190, "An access token is required")
	case json.Unmarshal(q.body, &g) != nil:
		return no(http.StatusBadRequest, 100, "Invalid parameter")
	case g.Status != "" || g.Action != "":
		out := says(http.StatusOK, object{"success": true})
		return m, &out
	}
	m, wrong := read(g)
	m.By, m.Request = "messages", q.body
	if wrong != "" {
		return no(http.StatusBadRequest, 100, wrong)
	}
	return m, nil
}

// The bounds that the three have.
const (
	whatsAppText, whatsAppBody, whatsAppButton, whatsAppRow = 4_096, 1_024, 20, 24
	templateText, titleOfChoice                             = 640, 20
)

func readWhatsApp(g graphMessage) (m Message, wrong string) {
	m.To, m.Text = g.To, g.Text.Body
	if m.To == "" {
		_ = json.Unmarshal(g.Recipient, &m.To)
	}
	most, a := whatsAppText, g.Interactive.Action
	if m.Text == "" {
		m.Text = g.Interactive.Body.Text
	}
	for _, b := range a.Buttons {
		most = whatsAppBody
		m.Choices, wrong = graphChoices(m.Choices, b.Reply, b.Reply.ID, whatsAppButton, wrong)
	}
	for _, s := range a.Sections {
		for _, r := range s.Rows {
			m.Choices, wrong = graphChoices(m.Choices, r, r.ID, whatsAppRow, wrong)
		}
	}
	switch {
	case m.To == "":
		wrong = "The parameter to is required"
	case m.Text == "" || utf8.RuneCountInString(m.Text) > most:
		wrong = "Param text['body'] must be at least 1 character and not too long"
	case len(a.Buttons) > 3 || len(m.Choices) > 10:
		wrong = "Too many buttons or rows"
	}
	return m, wrong
}

func readMessenger(most int, count func(string) int) func(graphMessage) (Message, string) {
	return func(g graphMessage) (m Message, wrong string) {
		var to struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(g.Recipient, &to)
		m.To, m.Text = to.ID, g.Message.Text
		template := g.Message.Attachment.Payload
		most, count := most, count // of this message: the next one is no template
		if m.Text == "" {
			m.Text, most, count = template.Text, templateText, utf8.RuneCountInString
		}
		for _, b := range append(template.Buttons, g.Message.QuickReplies...) {
			m.Choices, wrong = graphChoices(m.Choices, b, b.Payload, titleOfChoice, wrong)
		}
		switch {
		case m.To == "":
			wrong = "Param recipient must be non-empty"
		case m.Text == "" || count(m.Text) > most:
			wrong = "Length of param message[text] must be less than or equal to its bound"
		case len(template.Buttons) > 3 || len(g.Message.QuickReplies) > 13:
			wrong = "Too many elements"
		}
		return m, wrong
	}
}

// graphChoices adds a choice, and says what is wrong with it, unless something is wrong already.
func graphChoices(to []Choice, c graphChoice, token string, longest int, before string) ([]Choice, string) {
	if before == "" && (token == "" || c.Title == "" || utf8.RuneCountInString(c.Title) > longest) {
		before = "Title or id of a choice is missing or too long"
	}
	return append(to, Choice{c.Title, token}), before
}

func takenByWhatsApp(m *Message) reply {
	m.ID = fmt.Sprintf("wamid.RECORDER%08d", m.Number)
	whom := object{"input": m.To, "user_id": m.To}
	if m.To[0] >= '0' && m.To[0] <= '9' {
		whom = object{"input": m.To, "wa_id": m.To}
	}
	return says(http.StatusOK, object{"messaging_product": "whatsapp", "contacts": []object{whom}, "messages": []object{{"id": m.ID}}})
}

func takenByMessenger(m *Message) reply {
	m.ID = fmt.Sprintf("m_recorder%08d", m.Number)
	return says(http.StatusOK, object{"recipient_id": m.To, "message_id": m.ID})
}
