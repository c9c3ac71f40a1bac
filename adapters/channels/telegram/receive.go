package telegram

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// pressed begins the id of what somebody pressed.
const pressed = "press:"

// update is one thing that happened to the bot.
type update struct {
	ID      int64    `json:"update_id"`
	Message *message `json:"message"`
	Press   *struct {
		ID      string   `json:"id"`
		From    person   `json:"from"`
		Message *message `json:"message"`
		Data    string   `json:"data"`
	} `json:"callback_query"`
}

type message struct {
	Date    int64  `json:"date"`
	Chat    chat   `json:"chat"`
	Topic   int64  `json:"message_thread_id"`
	InTopic bool   `json:"is_topic_message"`
	From    person `json:"from"`
	Text    string `json:"text"`
	Caption string `json:"caption"`
	ViaBot  any    `json:"via_bot"`
	media
	ReplyTo *struct {
		From person `json:"from"`
	} `json:"reply_to_message"`
	Entities []entity `json:"entities"`
	InWords  []entity `json:"caption_entities"` // of a picture
}

type entity struct {
	Type string `json:"type"`
}

type chat struct {
	ID   int64  `json:"id"`
	Type string `json:"type"`
}

type person struct {
	ID    int64  `json:"id"`
	IsBot bool   `json:"is_bot"`
	First string `json:"first_name"`
	Last  string `json:"last_name"`
}

func (p person) name() string { return strings.TrimSpace(p.First + " " + p.Last) }

// Routes leads nowhere: nothing in a request names the bot, and its word may be that of another account's bot.
func (*Telegram) Routes(channels.Request) []string { return []string{} }

// Verify compares the word that Telegram was told to show.
func (*Telegram) Verify(c channels.Connection, r channels.Request) error {
	want := c.Credentials.Reveal(SecretToken)
	if want == "" {
		return fault.New(fault.Unauthorized, "the connection has no secret token")
	}
	if !wire.Same(want, r.Get("X-Telegram-Bot-Api-Secret-Token")) {
		return fault.New(fault.Unauthorized, "the header X-Telegram-Bot-Api-Secret-Token is missing, or not that of this connection")
	}
	return nil
}

// Parse reads what people say to the bot: alone with it all, in a group commands, what mentions
// it, and what answers it.
func (*Telegram) Parse(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	var u update
	if json.Unmarshal(r.Body, &u) != nil {
		return out, errors.New("reading a request of Telegram: the body is no update")
	}
	switch {
	case u.ID <= 0:
	case u.Press != nil:
		if p := u.Press; p.Message != nil && p.Data != "" && !p.From.IsBot && p.From.ID != 0 {
			e := p.Message.entry(p.From)
			e.ExternalID, e.Choice, e.Text, e.At = pressed+strconv.FormatInt(u.ID, 10)+":"+p.ID, p.Data, "", time.Time{}
			out.Entries = []channels.Entry{e}
		}
	case u.Message != nil && u.Message.says(c.External):
		e := u.Message.entry(u.Message.From)
		e.ExternalID = strconv.FormatInt(u.ID, 10)
		out.Entries = []channels.Entry{e}
	}
	return out, nil
}

// says is whether a person says something to the bot.
func (m message) says(bot string) bool {
	if m.From.IsBot || m.From.ID == 0 || m.ViaBot != nil || m.Text == "" && m.Caption == "" && len(m.files()) == 0 {
		return false
	}
	switch m.Chat.Type {
	case "private":
		return true
	case "group", "supergroup":
		if m.ReplyTo != nil && strconv.FormatInt(m.ReplyTo.From.ID, 10) == bot {
			return true
		}
		for _, e := range slices.Concat(m.Entities, m.InWords) {
			if e.Type == "bot_command" || e.Type == "mention" {
				return true
			}
		}
	}
	return false
}

func (m message) entry(from person) channels.Entry {
	place := strconv.FormatInt(m.Chat.ID, 10)
	if m.InTopic && m.Topic != 0 {
		place += ":" + strconv.FormatInt(m.Topic, 10)
	}
	out := channels.Entry{Thread: place, ReplyTo: place, From: strconv.FormatInt(from.ID, 10), Name: from.name(), Text: m.Text,
		Files: m.files()}
	if out.Text == "" {
		out.Text = m.Caption
	}
	if m.Date > 0 {
		out.At = time.Unix(m.Date, 0).UTC()
	}
	return out
}
