package messenger

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/domain/channels"
)

// entry is what happened to a page or a professional account. What stands by for it, because
// another app has the conversation, is not read.
type entry struct {
	ID        string            `json:"id"`
	Messaging []json.RawMessage `json:"messaging"`
}

type event struct {
	Sender    party      `json:"sender"`
	Recipient party      `json:"recipient"`
	At        graph.Time `json:"timestamp"`
	Message   *said      `json:"message"`
	Postback  *struct {
		MID     string `json:"mid"`
		Title   string `json:"title"`
		Payload string `json:"payload"`
	} `json:"postback"`
}

type party struct {
	ID string `json:"id"`
}

type said struct {
	MID           string `json:"mid"`
	Text          string `json:"text"`
	IsEcho        bool   `json:"is_echo"`
	IsDeleted     bool   `json:"is_deleted"`
	IsUnsupported bool   `json:"is_unsupported"`
	QuickReply    struct {
		Payload string `json:"payload"`
	} `json:"quick_reply"`
	Attachments []struct {
		Type    string `json:"type"`
		Payload struct {
			URL         string `json:"url"`
			Coordinates *struct {
				Latitude  float64 `json:"lat"`
				Longitude float64 `json:"long"`
			} `json:"coordinates"`
		} `json:"payload"`
	} `json:"attachments"`
}

// Routes names the pages or accounts to which something happened.
func (m *Messenger) Routes(r channels.Request) []string {
	all, _ := graph.Read[entry](r.Body, m.object, "")
	return graph.Names(all, func(e entry) []string { return []string{e.ID} })
}

// Verify is that of all kinds of Meta.
func (*Messenger) Verify(c channels.Connection, r channels.Request) error { return graph.Verify(c, r) }

// Parse reads what people say to the page or account of the connection.
func (m *Messenger) Parse(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	if r.Method == http.MethodGet {
		out.Answer, err = graph.Challenge(c, r)
		return out, err
	}
	all, err := graph.Read[entry](r.Body, m.object, c.External)
	for _, e := range all {
		if e.ID != c.External {
			continue
		}
		events, bad := graph.Each[event](e.Messaging)
		err = cmp.Or(err, bad)
		for _, v := range events {
			if one, says := v.says(e.ID); says {
				out.Entries = append(out.Entries, one)
			}
		}
	}
	out.Entries = graph.InOrder(out.Entries)
	return out, err
}

// takenBack begins the id of what says that a message was taken back.
const takenBack = "taken-back:"

// says is what a person says to a page, or takes back, if an event is that: no echo of what the page said, and no word
// of what became of a message.
func (v event) says(page string) (e channels.Entry, says bool) {
	if v.Sender.ID == "" || v.Sender.ID == page || v.Recipient.ID != page {
		return e, false
	}
	e = channels.Entry{From: v.Sender.ID, Thread: page + ":" + v.Sender.ID, At: v.At.UTC()}
	switch m := v.Message; {
	case v.Postback != nil:
		e.ExternalID, e.Text = cmp.Or(v.Postback.MID, v.pressed()), v.Postback.Title
		e.Choice = chosen(v.Postback.Payload)
	case m != nil && m.MID != "" && !m.IsEcho && m.IsDeleted:
		e.ExternalID, e.Says, e.TakesBack = takenBack+m.MID, channels.TakesBack, m.MID
		return e, true
	case m != nil && m.MID != "" && !m.IsEcho && !m.IsUnsupported:
		e.ExternalID, e.Text, e.Files = m.MID, m.words(), m.files()
		e.MessageID = m.MID
		e.Choice = chosen(m.QuickReply.Payload)
	}
	return e, e.ExternalID != "" && (e.Text != "" || e.Choice != "" || len(e.Files) > 0)
}

// chosen is the token of a button that we have shown. One that somebody else has made, as in a menu
// of the page, says its words.
func chosen(payload string) string {
	if !channels.IsToken(payload) {
		return ""
	}
	return payload
}

// pressed names the press of a button that has no id: the same for a repeat. It is a sum, since ids
// stand in events, and the person's must not.
func (v event) pressed() string {
	sum := sha256.Sum256([]byte(v.Sender.ID + ":" + strconv.FormatInt(int64(v.At), 10) + ":" + v.Postback.Payload))
	return "press:" + hex.EncodeToString(sum[:16])
}

// words are the text of a message, or the place that it shows.
func (s said) words() string {
	if s.Text != "" {
		return s.Text
	}
	var places []string
	for _, a := range s.Attachments {
		if at := a.Payload.Coordinates; a.Type == "location" && at != nil {
			places = append(places, channels.Place(at.Latitude, at.Longitude))
		}
	}
	return strings.Join(places, "\n")
}

// types are those of attachments that are files. More than what kind of thing it is nobody says.
var types = map[string]string{"image": "image/*", "video": "video/*", "audio": "audio/*", "file": "application/octet-stream"}

func (s said) files() (out []channels.File) {
	for _, a := range s.Attachments {
		if t, is := types[a.Type]; is && a.Payload.URL != "" {
			out = append(out, channels.File{URL: a.Payload.URL, ContentType: t})
		}
	}
	return out
}
