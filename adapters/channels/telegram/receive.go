package telegram

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

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
	Markup   struct {
		Rows [][]button `json:"inline_keyboard"`
	} `json:"reply_markup"` // of a message of the bot's
	Location *place `json:"location"` // also of a venue
	Venue    struct {
		Title   string `json:"title"`
		Address string `json:"address"`
	} `json:"venue"`
}

// entity is a piece of a text, in UTF-16 units.
type entity struct {
	Type   string `json:"type"`
	Offset int    `json:"offset"`
	Length int    `json:"length"`
	User   person `json:"user"` // whom it mentions that has no name to be called by
}

type button struct {
	Text string `json:"text"`
	Data string `json:"callback_data"`
}

type place struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
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

	Language string `json:"language_code"` // of their app
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
			e.ExternalID, e.Choice, e.Text, e.At = pressed+strconv.FormatInt(u.ID, 10)+":"+p.ID, p.Data, p.Message.button(p.Data), time.Time{}
			out.Entries = []channels.Entry{e}
		}
	case u.Message != nil && u.Message.says(c):
		e := u.Message.entry(u.Message.From)
		e.ExternalID, e.Text = strconv.FormatInt(u.ID, 10), u.Message.heard(c)
		out.Entries = []channels.Entry{e}
	}
	return out, nil
}

// button is what stands on the button of a message that brings a word; empty: none of them does.
func (m message) button(brings string) string {
	for _, row := range m.Markup.Rows {
		for _, b := range row {
			if b.Data == brings {
				return b.Text
			}
		}
	}
	return ""
}

// says is whether a person says something to the bot.
func (m message) says(c channels.Connection) bool {
	if m.From.IsBot || m.From.ID == 0 || m.ViaBot != nil || m.words() == "" && len(m.files()) == 0 {
		return false
	}
	switch m.Chat.Type {
	case "private":
		return true
	case "group", "supergroup":
		if m.ReplyTo != nil && strconv.FormatInt(m.ReplyTo.From.ID, 10) == c.External {
			return true
		}
		means := func(text string, all []entity) bool {
			return slices.ContainsFunc(all, func(e entity) bool { return e.means(c, text) })
		}
		return means(m.Text, m.Entities) || means(m.Caption, m.InWords)
	}
	return false
}

// words are what is written, or the place that is shown.
func (m message) words() string {
	if said := cmp.Or(m.Text, m.Caption); said != "" || m.Location == nil {
		return said
	}
	return channels.Place(m.Location.Latitude, m.Location.Longitude, m.Venue.Title, m.Venue.Address)
}

// means is whether a piece of a text is meant for the bot: a command, or its name. Whose name it is, and for
// whom a command that names one, nobody knows of a connection that does not say how the bot is called.
func (e entity) means(c channels.Connection, text string) bool {
	switch e.Type {
	case "text_mention":
		return strconv.FormatInt(e.User.ID, 10) == c.External
	case "bot_command", "mention":
	default:
		return false
	}
	own := strings.TrimPrefix(c.Credentials.Reveal(BotUsername), "@")
	_, named, is := strings.Cut(e.of(text), "@")
	return own == "" || strings.EqualFold(named, own) || !is && e.Type == "bot_command"
}

// of is the piece itself; empty if the text does not have it.
func (e entity) of(text string) string {
	units := utf16.Encode([]rune(text))
	if !e.within(units) {
		return ""
	}
	return string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
}

func (e entity) within(units []uint16) bool {
	return e.Offset >= 0 && e.Length >= 0 && e.Offset <= len(units) && e.Length <= len(units)-e.Offset
}

// heard is what the bot hears: in a group without its own name, where that is known, so that a number or a word of a
// menu is one behind it, too. Who says its name alone is heard with it.
func (m message) heard(c channels.Connection) string {
	text, marked := m.Text, m.Entities
	if text == "" {
		text, marked = m.Caption, m.InWords
	}
	if text == "" || m.Chat.Type == "private" {
		return m.words()
	}
	units := utf16.Encode([]rune(text))
	for _, e := range slices.Backward(marked) { // they come in their order
		if from, to := e.names(c, text); from < to && to <= len(units) {
			units = slices.Delete(units, from, to)
		}
	}
	return cmp.Or(strings.TrimSpace(string(utf16.Decode(units))), text)
}

// names is where a piece of a text has the bot's name: all of a mention, the end of a command.
func (e entity) names(c channels.Connection, text string) (from, to int) {
	own, piece := strings.TrimPrefix(c.Credentials.Reveal(BotUsername), "@"), e.of(text)
	before, named, is := strings.Cut(piece, "@")
	switch {
	case is && e.Type == "mention" && strings.EqualFold(named, own):
		return e.Offset, e.Offset + e.Length
	case is && e.Type == "bot_command" && strings.EqualFold(named, own):
		return e.Offset + len(utf16.Encode([]rune(before))), e.Offset + e.Length
	}
	return 0, 0
}

func (m message) entry(from person) channels.Entry {
	place := strconv.FormatInt(m.Chat.ID, 10)
	if m.InTopic && m.Topic != 0 {
		place += ":" + strconv.FormatInt(m.Topic, 10)
	}
	out := channels.Entry{Thread: place, ReplyTo: place, From: strconv.FormatInt(from.ID, 10), Name: from.name(), Text: m.words(),
		Files: m.files(), Language: from.Language}
	if m.Date > 0 {
		out.At = time.Unix(m.Date, 0).UTC()
	}
	return out
}
