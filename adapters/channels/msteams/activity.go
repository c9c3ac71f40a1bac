package msteams

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

const (
	skew        = 5 * time.Minute // of Microsoft's clock and ours
	mostToken   = 16 << 10        // bytes of a token that are read
	channelID   = "msteams"       // how Bot Framework calls Teams
	fileContent = "application/vnd.microsoft.teams.file.download.info"
)

// activity is what happened in a conversation with the bot.
type activity struct {
	Type         string `json:"type"`
	ID           string `json:"id"`
	Stamp        string `json:"timestamp"`
	ServiceURL   string `json:"serviceUrl"`
	ChannelID    string `json:"channelId"`
	From         party  `json:"from"`
	Recipient    party  `json:"recipient"`
	Conversation struct {
		ID   string `json:"id"`
		Type string `json:"conversationType"`
	} `json:"conversation"`
	Text        string       `json:"text"`
	Locale      string       `json:"locale"` // of the person's app
	Entities    []entity     `json:"entities"`
	Value       any          `json:"value"`
	Attachments []attachment `json:"attachments"`
}

type party struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

// entity is something in a text.
type entity struct {
	Type      string `json:"type"`
	Mentioned party  `json:"mentioned"`
	Text      string `json:"text"`
	Locale    string `json:"locale"` // of clientInfo
}

type attachment struct {
	Type    string `json:"contentType"`
	URL     string `json:"contentUrl"`
	Name    string `json:"name"`
	Content any    `json:"content"`
}

func parse(body []byte) (a activity, err error) {
	if json.Unmarshal(body, &a) != nil {
		return activity{}, errors.New("reading an activity of Microsoft Teams: the body is none")
	}
	return a, nil
}

// Routes names the app that an activity is for.
func (*Teams) Routes(r channels.Request) []string {
	a, err := parse(r.Body)
	if id, is := strings.CutPrefix(a.Recipient.ID, "28:"); err == nil && is && id != "" {
		return []string{id}
	}
	return nil
}

type claims struct {
	jwt.RegisteredClaims

	Service string `json:"serviceurl"`
	Spelled string `json:"serviceUrl"` // as some tokens have it
}

// Verify checks the token that an activity comes with: Microsoft made it, for this app, for where
// the conversation is, and by a key that may speak for the channel.
func (t *Teams) Verify(c channels.Connection, r channels.Request) error {
	if err := t.Check(c); err != nil {
		return fault.New(fault.Forbidden, "the connection has no account")
	}
	given, is := strings.CutPrefix(r.Get("Authorization"), "Bearer ")
	if !is || given == "" || len(given) > mostToken {
		return fault.New(fault.Forbidden, "the header Authorization is missing, or no token")
	}
	a, err := parse(r.Body)
	if err != nil {
		return fault.New(fault.Forbidden, "the body is no activity")
	}
	var said claims
	by, err := t.signer(given, &said, r.At)
	if err == nil {
		err = jwt.NewValidator(jwt.WithIssuer(t.at.Issuer), jwt.WithAudience(c.External), jwt.WithExpirationRequired(), jwt.WithLeeway(skew),
			jwt.WithTimeFunc(func() time.Time { return r.At })).Validate(said)
	}
	switch service := said.Service; {
	case errors.Is(err, errNoKeys):
		return fault.New(fault.Unavailable, "the keys of Microsoft cannot be read at the moment")
	case err != nil:
		return fault.New(fault.Forbidden, "the token is not of Microsoft, not for this connection, or not of this time")
	case service == "" && said.Spelled == "", service != "" && service != a.ServiceURL, said.Spelled != "" && said.Spelled != a.ServiceURL:
		return fault.New(fault.Forbidden, "the token is for another serviceUrl")
	case !slices.Contains(by.endorsing, a.ChannelID):
		return fault.New(fault.Forbidden, "the key of the token does not endorse the channelId")
	case !t.serves(a.ServiceURL):
		return fault.New(fault.Forbidden, "the serviceUrl is none of Microsoft's")
	}
	return nil
}

// signer is the key that has signed a token, and what the token says.
func (t *Teams) signer(given string, said *claims, now time.Time) (by key, err error) {
	token, parts, err := jwt.NewParser().ParseUnverified(given, said)
	switch {
	case err != nil:
		return by, err
	case token.Method != jwt.SigningMethodRS256:
		return by, jwt.ErrTokenSignatureInvalid
	}
	id, _ := token.Header["kid"].(string)
	by, ok, err := t.keys.named(id, now)
	switch {
	case err != nil:
		return by, err
	case !ok:
		return by, fmt.Errorf("no key %q", id)
	case !t.signed.by(by.public, given, parts):
		return by, jwt.ErrTokenSignatureInvalid
	}
	return by, nil
}

// Parse reads what people say to the bot: alone with it all, in a group what mentions it, in a
// channel also what follows there.
func (t *Teams) Parse(_ channels.Connection, r channels.Request) (out channels.Received, err error) {
	a, err := parse(r.Body)
	if err != nil {
		return out, err
	}
	token, filled, pressed := "", "", false
	if value, is := a.Value.(map[string]any); is {
		token, filled = submitted(value)
		pressed = token != ""
	}
	mentioned := slices.ContainsFunc(a.Entities, a.mentions)
	switch {
	case a.Type != "message", a.ChannelID != channelID, a.ID == "", a.Conversation.ID == "", !t.serves(a.ServiceURL), a.From.ID == "",
		a.From.ID == a.Recipient.ID, strings.HasPrefix(a.From.ID, "28:"), a.From.Role == "bot":
		return out, nil
	case a.Conversation.Type == "groupChat" && !mentioned && !pressed:
		return out, nil
	}
	e := channels.Entry{ExternalID: a.ID, Thread: a.Conversation.ID, From: a.From.ID, Name: a.From.Name,
		ReplyTo: address(a.ServiceURL, a.Conversation.ID), Text: a.said(), Choice: token,
		OnlyKnown: a.Conversation.Type == "channel" && !mentioned && !pressed, Files: a.files(), Language: a.locale()}
	if pressed {
		e.Text = filled
	}
	if at, err := time.Parse(time.RFC3339, a.Stamp); err == nil {
		e.At = at.UTC()
	}
	if e.Text != "" || pressed || len(e.Files) > 0 {
		out.Entries = []channels.Entry{e}
	}
	return out, nil
}

// locale is the language that the person's app speaks: of the activity, else of what it says of the app.
func (a activity) locale() string {
	for _, e := range a.Entities {
		if a.Locale == "" && e.Type == "clientInfo" {
			return e.Locale
		}
	}
	return a.Locale
}

// mentions is whether a piece of the text is the bot's name.
func (a activity) mentions(e entity) bool {
	return e.Type == "mention" && e.Mentioned.ID != "" && e.Mentioned.ID == a.Recipient.ID
}

var named = regexp.MustCompile(`</?at(\s[^<>]*)?>`)

// said is the text without the bot's name, and with those of others as people read them.
func (a activity) said() string {
	text := a.Text
	for _, e := range a.Entities {
		if a.mentions(e) && e.Text != "" {
			text = strings.ReplaceAll(text, e.Text, "")
		}
	}
	text = html.UnescapeString(named.ReplaceAllString(text, ""))
	return strings.TrimSpace(strings.NewReplacer("\u00a0", " ", "\r\n", "\n").Replace(text))
}

// files are what is shared, and pictures in the text. What mirrors the text is none.
func (a activity) files() (out []channels.File) {
	for _, f := range a.Attachments {
		content, _ := f.Content.(map[string]any)
		text := func(name string) string { s, _ := content[name].(string); return s }
		switch {
		case f.Type == fileContent && text("downloadUrl") != "":
			out = append(out, channels.File{URL: text("downloadUrl"), ID: text("uniqueId"), Name: f.Name})
		case strings.HasPrefix(f.Type, "image/") && f.URL != "":
			out = append(out, channels.File{URL: f.URL, Name: f.Name, ContentType: f.Type})
		}
	}
	return out
}
