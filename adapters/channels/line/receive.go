package line

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// request is what LINE sends: what happened to one account.
type request struct {
	Destination string            `json:"destination"`
	Events      []json.RawMessage `json:"events"`
}

type event struct {
	ID         string  `json:"webhookEventId"`
	Type       string  `json:"type"`
	Mode       string  `json:"mode"`
	At         int64   `json:"timestamp"` // in milliseconds
	ReplyToken string  `json:"replyToken"`
	Source     source  `json:"source"`
	Message    content `json:"message"`
	Postback   struct {
		Data string `json:"data"`
	} `json:"postback"`
	Unsend struct {
		MessageID string `json:"messageId"`
	} `json:"unsend"`
}

type source struct {
	User  string `json:"userId"`
	Group string `json:"groupId"`
	Room  string `json:"roomId"`
}

type content struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Text     string `json:"text"`
	Name     string `json:"fileName"`
	Size     int64  `json:"fileSize"`
	Provider struct {
		Type string `json:"type"`
		URL  string `json:"originalContentUrl"`
	} `json:"contentProvider"`
	Title     string   `json:"title"`
	Address   string   `json:"address"`
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
}

func read(body []byte) (q request, err error) {
	if json.Unmarshal(body, &q) != nil {
		return request{}, errors.New("reading a request of LINE: the body is not what LINE sends")
	}
	return q, nil
}

// Routes names the account to which something happened.
func (*Line) Routes(r channels.Request) []string {
	if q, err := read(r.Body); err == nil && q.Destination != "" {
		return []string{q.Destination}
	}
	return nil
}

// Verify checks the signature over the body.
func (*Line) Verify(c channels.Connection, r channels.Request) error {
	secret := c.Credentials.Reveal(ChannelSecret)
	if secret == "" {
		return fault.New(fault.Unauthorized, "the connection has no channel secret, with which LINE signs")
	}
	given, err := base64.StdEncoding.Strict().DecodeString(r.Get("X-Line-Signature"))
	if err != nil || len(given) != sha256.Size {
		return fault.New(fault.Unauthorized, "the header X-Line-Signature is missing, or no signature")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write(r.Body)
	if !hmac.Equal(mac.Sum(nil), given) {
		return fault.New(fault.Unauthorized, "the signature is not of this request and this connection")
	}
	return nil
}

// Parse reads what people say to the account. One event that cannot be read takes no other along.
func (*Line) Parse(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	q, err := read(r.Body)
	if err != nil || q.Destination != c.External {
		return out, err
	}
	for _, raw := range q.Events {
		var v event
		if json.Unmarshal(raw, &v) != nil {
			err = errors.New("reading a request of LINE: an event is not what LINE sends")
			continue
		}
		if e, says := v.says(c.External); says {
			out.Entries = append(out.Entries, e)
		}
	}
	return out, err
}

// says is what a person says to the account, if an event is that, and the account has the
// conversation: what stands by is another's.
func (v event) says(account string) (e channels.Entry, says bool) {
	place := cmp.Or(v.Source.Group, v.Source.Room, v.Source.User)
	id := cmp.Or(v.ID, v.Message.ID)
	if id == "" || place == "" || v.Mode == "standby" {
		return e, false
	}
	e = channels.Entry{ExternalID: id, Thread: account + ":" + place, From: cmp.Or(v.Source.User, place), ReplyTo: place}
	if v.ReplyToken != "" {
		e.ReplyTo += " " + v.ReplyToken
	}
	if v.At > 0 {
		e.At = time.UnixMilli(v.At).UTC()
	}
	switch v.Type {
	case "message":
		e.Text, e.Files, e.MessageID = v.Message.words(), v.Message.files(), v.Message.ID
	case "postback":
		if channels.IsToken(v.Postback.Data) {
			e.Choice = v.Postback.Data
		} else {
			e.Text = v.Postback.Data // of a menu that somebody else has made
		}
	case "unsend":
		e.Says, e.TakesBack = channels.TakesBack, v.Unsend.MessageID
		return e, e.TakesBack != ""
	}
	return e, e.Text != "" || e.Choice != "" || len(e.Files) > 0
}

// words are the text of a message, or the place that it shows.
func (m content) words() string {
	switch {
	case m.Type == "text":
		return m.Text
	case m.Type != "location" || m.Latitude == nil || m.Longitude == nil:
		return ""
	}
	return channels.Place(*m.Latitude, *m.Longitude, m.Title, m.Address)
}

// types are those of messages that are files. More than what kind of thing it is LINE does not say.
var types = map[string]string{"image": "image/*", "video": "video/*", "audio": "audio/*", "file": "application/octet-stream"}

func (m content) files() []channels.File {
	t, is := types[m.Type]
	if !is || m.ID == "" {
		return nil
	}
	out := channels.File{ID: m.ID, Name: m.Name, ContentType: t, Size: m.Size}
	if m.Provider.Type == "external" {
		out.URL = m.Provider.URL
	}
	return []channels.File{out}
}
