package platforms

import (
	"fmt"
	"net/http"
	"regexp"
	"unicode/utf8"
)

// twilio is the Programmable Messaging API. It knows no repeats: each request is a message.
var twilio = platform{
	read: readTwilio,
	taken: func(m *Message) reply {
		m.ID = fmt.Sprintf("SM%032x", m.Number)
		return says(http.StatusCreated, object{"sid": m.ID, "status": "queued", "num_segments": "1", "to": m.To, "body": m.Text,
			"error_code": nil})
	},
	busy: func(seconds int) reply {
		return twilioError(http.StatusTooManyRequests, 20429, "Too Many Requests").after(seconds)
	},
	fails: map[Trouble]reply{
		Down:    twilioError(http.StatusInternalServerError, 20500, "Internal Server Error"),
		Refuses: twilioError(http.StatusBadRequest, 21211, "Invalid 'To' Phone Number"),
		Revoked: twilioError(http.StatusUnauthorized, 20003, "Authenticate"),
		Inside: says(http.StatusCreated, object{"sid": "SMffffffffffffffffffffffffffffffff", "status": "failed", "num_segments": "1",
			"error_code": 21610}),
	},
}

func twilioError(status, code int, words string) reply {
	return says(status, object{"code": code, "message": words, "status": status})
}

var twilioPath = regexp.MustCompile(`^/2010-04-01/Accounts/(AC[0-9A-Za-z]{1,64})(/Messages)?\.json$`)

// twilioText is the longest text that Twilio takes, in characters.
const twilioText = 1_600

func readTwilio(q request) (m Message, answer *reply) {
	no := func(status, code int, words string) (Message, *reply) {
		out := twilioError(status, code, words)
		return m, &out
	}
	path := twilioPath.FindStringSubmatch(q.path)
	r := http.Request{Header: q.header}
	user, password, login := r.BasicAuth()
	switch {
	case path == nil:
		return no(http.StatusNotFound, 20404, "The requested resource was not found")
	case !login || user == "" || password == "":
		return no(http.StatusUnauthorized, 20003, "Authenticate")
	case path[2] == "" && q.method == http.MethodGet:
		out := says(http.StatusOK, object{"sid": path[1], "status": "active", "friendly_name": "Recorder"})
		return m, &out
	case path[2] == "" || q.method != http.MethodPost:
		return no(http.StatusMethodNotAllowed, 20004, "Method not allowed")
	}
	members, raw := q.members()
	m.By, m.Request, m.To, m.Text = "Messages", raw, text(members, "To"), text(members, "Body")
	switch {
	case m.To == "":
		return no(http.StatusBadRequest, 21604, "A 'To' phone number is required")
	case text(members, "From") == "" && text(members, "MessagingServiceSid") == "":
		return no(http.StatusBadRequest, 21603, "A 'From' phone number is required")
	case m.Text == "" && text(members, "MediaUrl") == "":
		return no(http.StatusBadRequest, 21602, "Message body is required")
	case utf8.RuneCountInString(m.Text) > twilioText:
		return no(http.StatusBadRequest, 21617, "The concatenated message body exceeds the 1600 character limit")
	}
	return m, nil
}
