package slack

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// replayable is how old, or how far ahead, a signature may be.
const replayable = 5 * time.Minute

// request is what Slack sends: an event, or what somebody did to a message.
type request struct {
	Type      string `json:"type"`
	Challenge string `json:"challenge"`
	AppID     string `json:"api_app_id"`
	TeamID    string `json:"team_id"`
	Bots      []struct {
		UserID string `json:"user_id"`
		IsBot  bool   `json:"is_bot"`
	} `json:"authorizations"`
	Event event `json:"event"`

	Team struct {
		ID string `json:"id"`
	} `json:"team"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"username"`
	} `json:"user"`
	Channel struct {
		ID string `json:"id"`
	} `json:"channel"`
	Message struct {
		ThreadTS string `json:"thread_ts"`
	} `json:"message"`
	Actions []action `json:"actions"`
}

type event struct {
	Type        string `json:"type"`
	Subtype     string `json:"subtype"`
	ChannelType string `json:"channel_type"`
	Channel     string `json:"channel"`
	User        string `json:"user"`
	BotID       string `json:"bot_id"`
	Hidden      bool   `json:"hidden"`
	Text        string `json:"text"`
	TS          string `json:"ts"`
	ThreadTS    string `json:"thread_ts"`
	Files       []file `json:"files"`
}

// UnmarshalJSON reads nothing but the type of an event that is of no use here: of a channel that was renamed or
// somebody who joined the team, whose members are called as those of messages and are other things.
func (e *event) UnmarshalJSON(b []byte) error {
	var is struct{ Type string }
	if err := json.Unmarshal(b, &is); err != nil {
		return err
	}
	if e.Type = is.Type; e.Type != "app_mention" && e.Type != "message" {
		return nil
	}
	type plain event
	return json.Unmarshal(b, (*plain)(e))
}

type action struct {
	Type   string `json:"type"`
	ID     string `json:"action_id"`
	TS     string `json:"action_ts"`
	Value  string `json:"value"`
	Text   words  `json:"text"`
	Option struct {
		Value string `json:"value"`
		Text  words  `json:"text"`
	} `json:"selected_option"`
}

type words struct {
	Text string `json:"text"`
}

// says is the token of what was done, and the words of it; of an input those that were written.
func (a action) says() (token, text string) {
	switch a.Type {
	case "plain_text_input":
		if a.Value != "" {
			token = strings.TrimPrefix(a.ID, choice)
		}
		return token, a.Value
	case "static_select":
		return a.Option.Value, a.Option.Text.Text
	}
	return a.Value, a.Text.Text
}

// read takes the JSON, or the JSON in a form.
func read(body []byte) (q request, err error) {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		form, err := url.ParseQuery(string(body))
		if err != nil || form.Get("payload") == "" {
			return q, errors.New("reading a request of Slack: the body is neither JSON nor a form with a payload")
		}
		body = []byte(form.Get("payload"))
	}
	if json.Unmarshal(body, &q) != nil {
		return request{}, errors.New("reading a request of Slack: the body is not what Slack sends")
	}
	return q, nil
}

func (q request) team() string { return cmp.Or(q.TeamID, q.Team.ID) }

// Routes names the app in the workspace; a challenge names none.
func (*Slack) Routes(r channels.Request) []string {
	q, err := read(r.Body)
	if err != nil || q.AppID == "" {
		return nil
	}
	return []string{q.AppID + ":" + q.team()}
}

// Verify checks the signature over the time and the body.
func (*Slack) Verify(c channels.Connection, r channels.Request) error {
	secret := c.Credentials.Reveal(SigningSecret)
	if secret == "" {
		return fault.New(fault.Unauthorized, "the connection has no signing secret")
	}
	given, is := strings.CutPrefix(r.Get("X-Slack-Signature"), "v0=")
	sum, err := hex.DecodeString(given)
	if !is || err != nil || len(sum) != sha256.Size {
		return fault.New(fault.Unauthorized, "the header X-Slack-Signature is missing, or no signature")
	}
	at := r.Get("X-Slack-Request-Timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if age := r.At.Sub(time.Unix(seconds, 0)); err != nil || age > replayable || age < -replayable {
		return fault.New(fault.Unauthorized, "the header X-Slack-Request-Timestamp is missing, or not of these five minutes")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte("v0:" + at + ":"))
	_, _ = mac.Write(r.Body)
	if !hmac.Equal(mac.Sum(nil), sum) {
		return fault.New(fault.Unauthorized, "the signature is not of this request and this connection")
	}
	return nil
}

// Parse reads what people say to the bot: in a conversation with it all, in a channel what
// mentions it, and what follows in the thread of that.
func (*Slack) Parse(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	q, err := read(r.Body)
	switch {
	case err != nil:
		return out, err
	case q.Type == "url_verification":
		out.Answer = channels.Answer{ContentType: "text/plain", Body: []byte(q.Challenge)}
		return out, nil
	case q.AppID+":"+q.team() != c.External:
		return out, nil
	case q.Type == "block_actions":
		out.Entries = q.presses()
		return out, nil
	case q.Type == "event_callback" && q.says(c):
		out.Entries = []channels.Entry{q.entry(c)}
	}
	return out, nil
}

// says is whether an event is what a person says to the bot.
func (q request) says(c channels.Connection) bool {
	e := q.Event
	switch {
	case e.BotID != "", e.Hidden, e.User == "", e.Channel == "", e.TS == "", e.User == c.Credentials.Reveal(BotUserID):
		return false
	case e.Subtype != "" && e.Subtype != "file_share":
		return false
	}
	if slices.Contains(q.bots(c), e.User) {
		return false
	}
	return e.Type == "app_mention" || e.Type == "message" && (e.direct() || e.ThreadTS != "")
}

// bots are the users that the bot is.
func (q request) bots(c channels.Connection) (ids []string) {
	if own := c.Credentials.Reveal(BotUserID); own != "" {
		ids = append(ids, own)
	}
	for _, b := range q.Bots {
		if b.IsBot && b.UserID != "" {
			ids = append(ids, b.UserID)
		}
	}
	return ids
}

func (e event) direct() bool { return e.ChannelType == "im" || strings.HasPrefix(e.Channel, "D") }

func (q request) entry(c channels.Connection) channels.Entry {
	e := q.Event
	thread := e.ThreadTS
	if thread == "" && !e.direct() {
		thread = e.TS // what answers a mention stands in its thread
	}
	out := channels.Entry{ExternalID: e.Channel + ":" + e.TS, Thread: place(q.team(), e.Channel, e.User, thread, e.direct()), From: e.User,
		ReplyTo: address(e.Channel, thread), Text: spoken(e.Text, q.bots(c), e.direct()),
		OnlyKnown: e.Type == "message" && !e.direct()}
	for _, f := range e.Files {
		if f.URL != "" || f.ID != "" {
			out.Files = append(out.Files, f.here())
		}
	}
	if seconds, err := strconv.ParseInt(strings.Split(e.TS, ".")[0], 10, 64); err == nil && seconds > 0 {
		out.At = time.Unix(seconds, 0).UTC()
	}
	return out
}

// place names a conversation: the thread of a channel, or what one person says to the bot.
func place(team, channel, user, thread string, direct bool) string {
	parts := []string{team, channel}
	if direct {
		parts = append(parts, user)
	}
	if thread != "" {
		parts = append(parts, thread)
	}
	return strings.Join(parts, ":")
}

func address(channel, thread string) string {
	if thread == "" {
		return channel
	}
	return channel + ":" + thread
}

// presses are the buttons that somebody pressed, the options that they took, and what they wrote
// into an input.
func (q request) presses() (out []channels.Entry) {
	if q.User.ID == "" || q.Channel.ID == "" {
		return nil
	}
	thread, direct := q.Message.ThreadTS, strings.HasPrefix(q.Channel.ID, "D")
	for _, a := range q.Actions {
		id := a.TS + ":" + a.ID + ":" + q.User.ID
		token, text := a.says()
		if token == "" || a.TS == "" || slices.ContainsFunc(out, func(e channels.Entry) bool { return e.ExternalID == id }) {
			continue
		}
		out = append(out, channels.Entry{ExternalID: id, Thread: place(q.team(), q.Channel.ID, q.User.ID, thread, direct), From: q.User.ID,
			Name: q.User.Name, ReplyTo: address(q.Channel.ID, thread), Text: text, Choice: token})
	}
	return out
}
