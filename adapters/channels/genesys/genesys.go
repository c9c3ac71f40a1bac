// Package genesys is the channel of Genesys Cloud's bot connector: Architect posts what a customer says,
// and takes the answer from the response.
//
// It owns what its requests say, and how an answer looks. It asks nobody, keeps nothing, and never logs.
package genesys

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// The credentials of a connection: the token that Architect shows, and the header that has it; without
// one that is Authorization.
const (
	Token  = "token"
	Header = "header"
)

// The intents that Architect is told of: they have to be in the list of the bot.
const (
	intent   = "Default"
	escalate = "Escalate"
)

const (
	patience = 8 * time.Second // the connector waits for 10
	// Where a message has no id, the same words within two seconds are the same message: those of this step of time, and of
	// the steps before.
	window = 2 * time.Second
	step   = window / 4
)

// Genesys reads requests of the bot connector. It holds no account.
type Genesys struct{ wire.Waiting }

// New asks nobody, so there is nothing that could be elsewhere.
func New(string) (*Genesys, error) {
	return &Genesys{wire.Waiting{Kind: "genesys", Most: channels.Limits{Text: 4_000, Unit: channels.Characters, Choices: 13, Label: 80}}}, nil
}

// Check says what a connection lacks.
func (*Genesys) Check(c channels.Connection) error {
	if c.Credentials[Token] == "" {
		return errors.New("genesys: the token is needed that Architect shows")
	}
	return nil
}

// Verify compares the token.
func (*Genesys) Verify(c channels.Connection, r channels.Request) error {
	shown := wire.Authorization(r)
	if header := c.Credentials.Reveal(Header); header != "" && !strings.EqualFold(header, "Authorization") {
		shown = r.Get(header)
	}
	return wire.Token(c, Token, shown)
}

type utterance struct {
	Session      string `json:"botSessionId"`
	Conversation string `json:"genesysConversationId"`
	MessageID    string `json:"messageId"`
	Language     string `json:"languageCode"`
	Input        *struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Content []struct {
			Type   string `json:"contentType"`
			Button *struct {
				Text    string `json:"text"`
				Payload string `json:"payload"`
			} `json:"buttonResponse"`
		} `json:"content"`
	} `json:"inputMessage"`
}

// Parse reads what a customer says. Nothing at all is somebody who waits for the first words.
func (*Genesys) Parse(_ channels.Connection, r channels.Request) (out channels.Received, err error) {
	var u utterance
	if json.Unmarshal(r.Body, &u) != nil || cmp.Or(u.Conversation, u.Session) == "" {
		return out, errors.New("reading a request of Genesys: the body is no utterance of a session")
	}
	if u.Input == nil || u.Input.Type != "Text" && u.Input.Type != "Structured" {
		return out, nil
	}
	thread := cmp.Or(u.Conversation, u.Session)
	e := channels.Entry{ExternalID: u.MessageID, Thread: thread, From: thread, ReplyTo: thread, Text: u.Input.Text, Language: u.Language}
	for _, c := range u.Input.Content {
		if c.Button == nil {
			continue
		}
		if channels.IsToken(c.Button.Payload) {
			e.Choice, e.Text = c.Button.Payload, c.Button.Text
		} else if e.Text == "" {
			e.Text = cmp.Or(c.Button.Payload, c.Button.Text)
		}
	}
	if strings.TrimSpace(e.Text) == "" && e.Choice == "" {
		e.Text, e.Says = "", channels.Begins
	}
	if e.ExternalID == "" {
		named := func(at time.Time) string {
			sum := sha256.Sum256([]byte(strings.Join([]string{u.Session, e.Text, e.Choice, string(e.Says),
				strconv.FormatInt(at.Truncate(step).UnixMilli(), 10)}, "\x00")))
			return hex.EncodeToString(sum[:16])
		}
		e.ExternalID = named(r.At)
		for ago := step; ago <= window; ago += step {
			e.Earlier = append(e.Earlier, named(r.At.Add(-ago)))
		}
	}
	out.Entries = []channels.Entry{e}
	return out, nil
}

// Patience is less than the connector's.
func (*Genesys) Patience() time.Duration { return patience }

type object = map[string]any

// Answer is the response to an utterance.
func (*Genesys) Answer(_ channels.Connection, _ channels.Request, reply channels.Reply) channels.Answer {
	messages := []object{}
	for _, m := range reply.Said {
		message := object{"type": "Text", "text": m.Text}
		if len(m.Choices) > 0 {
			var content []object
			for _, c := range m.Choices {
				content = append(content, object{"contentType": "QuickReply", "quickReply": object{"text": c.Label, "payload": c.Token}})
			}
			message["type"], message["content"] = "Structured", content
		}
		messages = append(messages, message)
	}
	out := object{"intent": intent, "confidence": 1, "botState": "MOREDATA"}
	switch reply.State {
	case channels.Working:
		if len(messages) == 0 {
			messages = append(messages, object{"type": "Text", "text": channels.OneMoment(reply.Language)})
		}
	case channels.Ended:
		out["botState"] = "COMPLETE"
	case channels.Escalated:
		out["botState"], out["intent"] = "COMPLETE", escalate
	case channels.Unanswered:
		out["botState"], out["errorInfo"] = "FAILED", object{"errorCode": reply.Code, "errorMessage": "nobody answers"}
	}
	out["replymessages"] = messages
	body, _ := json.Marshal(out) // of texts and numbers, which always can be
	return channels.Answer{ContentType: "application/json", Body: body}
}
