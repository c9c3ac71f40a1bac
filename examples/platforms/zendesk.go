package platforms

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// zendesk is the API of conversations and that of tickets.
var zendesk = platform{
	read: readZendesk,
	taken: func(m *Message) reply {
		m.ID = strconv.Itoa(m.Number)
		if m.By == "tickets" {
			return says(http.StatusOK, object{"ticket": object{"id": m.To}, "audit": object{"id": m.Number}})
		}
		return says(http.StatusCreated, object{"messages": []object{{"id": m.ID}}})
	},
	busy: func(seconds int) reply {
		return says(http.StatusTooManyRequests, zendeskError("too_many_requests")).after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    says(http.StatusInternalServerError, zendeskError("internal_error")),
		Refuses: says(http.StatusNotFound, zendeskError("not_found")),
		Revoked: says(http.StatusUnauthorized, zendeskError("unauthorized")),
		Inside:  says(http.StatusCreated, zendeskError("internal_error")),
	},
}

func zendeskError(code string) object {
	return object{"errors": []object{{"code": code, "title": code}}}
}

var (
	zendeskConversation = regexp.MustCompile(`^/sc/v2/apps/([^/]+)/conversations/([^/]+)/(messages|activity)$`)
	zendeskApp          = regexp.MustCompile(`^/sc/v2/apps/([^/]+)$`)
	zendeskTicket       = regexp.MustCompile(`^/api/v2/tickets/([0-9]+)\.json$`)
)

// The bounds that Zendesk has.
const zendeskText, zendeskComment = 4_096, 65_536

func readZendesk(q request) (m Message, answer *reply) {
	no := func(status int, v any) (Message, *reply) {
		out := says(status, v)
		return m, &out
	}
	if !strings.HasPrefix(q.header.Get("Authorization"), "Basic ") {
		return no(http.StatusUnauthorized, zendeskError("unauthorized"))
	}
	if to := zendeskTicket.FindStringSubmatch(q.path); to != nil && q.method == http.MethodPut {
		var a struct {
			Ticket struct {
				Comment struct {
					Body string `json:"body"`
				} `json:"comment"`
			} `json:"ticket"`
		}
		if json.Unmarshal(q.body, &a) != nil || a.Ticket.Comment.Body == "" || utf8.RuneCountInString(a.Ticket.Comment.Body) > zendeskComment {
			return no(http.StatusUnprocessableEntity, zendeskError("invalid"))
		}
		m.To, m.Text, m.By, m.Request = "ticket "+to[1], a.Ticket.Comment.Body, "tickets", q.body
		return m, nil
	}
	if app := zendeskApp.FindStringSubmatch(q.path); app != nil && q.method == http.MethodGet {
		return no(http.StatusOK, object{"app": object{"id": app[1]}})
	}
	if q.path == "/api/v2/users/me.json" && q.method == http.MethodGet {
		return no(http.StatusOK, object{"user": object{"id": 1}})
	}
	to := zendeskConversation.FindStringSubmatch(q.path)
	if to == nil || q.method != http.MethodPost {
		return no(http.StatusNotFound, zendeskError("not_found"))
	}
	var a struct {
		Content struct {
			Text    string `json:"text"`
			Actions []struct {
				Text    string `json:"text"`
				Payload string `json:"payload"`
			} `json:"actions"`
		} `json:"content"`
	}
	if json.Unmarshal(q.body, &a) != nil {
		return no(http.StatusBadRequest, zendeskError("bad_request"))
	}
	m.To, m.Text, m.By, m.Request = "conversation "+to[1]+" "+to[2], a.Content.Text, to[3], q.body
	for _, one := range a.Content.Actions {
		m.Choices = append(m.Choices, Choice{one.Text, one.Payload})
	}
	switch n := utf8.RuneCountInString(a.Content.Text); {
	case to[3] == "activity":
		return no(http.StatusOK, object{})
	case n == 0 || n > zendeskText:
		return no(http.StatusBadRequest, zendeskError("bad_request"))
	}
	return m, nil
}
