package zendesk

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// replayable is how old, or how far ahead, a signature may be.
const replayable = 5 * time.Minute

const (
	signature = "X-Zendesk-Webhook-Signature"
	signedAt  = "X-Zendesk-Webhook-Signature-Timestamp"
	webhookID = "X-Zendesk-Webhook-Id"
	shown     = "X-API-Key"
)

// ident is an id, which Zendesk writes as a text or as a number.
type ident string

var identity = regexp.MustCompile(`^[A-Za-z0-9_.:-]{1,256}$`)

// UnmarshalJSON reads either; what is no id is none.
func (i *ident) UnmarshalJSON(data []byte) error {
	if text := strings.Trim(string(bytes.TrimSpace(data)), `"`); text != "null" && identity.MatchString(text) {
		*i = ident(text)
	}
	return nil
}

// batch is what the messaging sends: some events of one app.
type batch struct {
	App struct {
		ID ident `json:"id"`
	} `json:"app"`
	Webhook struct {
		ID ident `json:"id"`
	} `json:"webhook"`
	Events []json.RawMessage `json:"events"`
}

type happened struct {
	ID      ident           `json:"id"`
	At      string          `json:"createdAt"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// payload is what happened in a conversation.
type payload struct {
	Conversation struct {
		ID ident `json:"id"`
	} `json:"conversation"`
	User    user `json:"user"`
	Message struct {
		Received string `json:"received"`
		Author   struct {
			Type string `json:"type"`
			ID   ident  `json:"userId"`
			Name string `json:"displayName"`
			User user   `json:"user"`
		} `json:"author"`
		Content struct {
			Type      string `json:"type"`
			Text      string `json:"text"`
			Payload   string `json:"payload"`
			MediaURL  string `json:"mediaUrl"`
			MediaType string `json:"mediaType"`
			AltText   string `json:"altText"`
			Size      int64  `json:"mediaSize"`
			At        *struct {
				Latitude  float64 `json:"lat"`
				Longitude float64 `json:"long"`
			} `json:"coordinates"`
			Place struct {
				Name    string `json:"name"`
				Address string `json:"address"`
			} `json:"location"`
		} `json:"content"`
	} `json:"message"`
	Postback struct {
		Payload  string          `json:"payload"`
		Metadata json.RawMessage `json:"metadata"` // of a button of ours its words; others may have put anything there
	} `json:"postback"`
}

type user struct {
	ID ident `json:"id"`
}

// comment is what a webhook of Zendesk says of a ticket.
type comment struct {
	ID      ident  `json:"id"`
	Type    string `json:"type"`
	Subject string `json:"subject"`
	At      string `json:"time"`
	Event   struct {
		Comment struct {
			ID     ident  `json:"id"`
			Body   string `json:"body"`
			Public *bool  `json:"is_public"`
			Author struct {
				ID    ident  `json:"id"`
				Name  string `json:"name"`
				Staff bool   `json:"is_staff"`
			} `json:"author"`
		} `json:"comment"`
	} `json:"event"`
}

// Routes names the app, or the webhook. What names neither leads nowhere: a secret that is shown may be that
// of another account, too.
func (*Zendesk) Routes(r channels.Request) []string {
	out := []string{}
	var b batch
	if json.Unmarshal(r.Body, &b) != nil {
		return out
	}
	for _, id := range []string{r.Get(webhookID), string(b.App.ID), string(b.Webhook.ID)} {
		if id != "" {
			out = append(out, id)
		}
	}
	return out
}

// Verify checks the signature over time and body, or the secret that is shown.
func (*Zendesk) Verify(c channels.Connection, r channels.Request) error {
	if len(r.Header[signature]) > 0 || len(r.Header[signedAt]) > 0 {
		return signed(c, r)
	}
	if !wire.Same(c.Credentials.Reveal(WebhookSecret), r.Get(shown)) {
		return fault.New(fault.Unauthorized, "the header X-API-Key is missing, or not that of this connection")
	}
	return nil
}

func signed(c channels.Connection, r channels.Request) error {
	secret := c.Credentials.Reveal(SigningSecret)
	if secret == "" {
		return fault.New(fault.Unauthorized, "the connection has no signing secret")
	}
	at, err := time.Parse(time.RFC3339, r.Get(signedAt))
	if age := r.At.Sub(at); err != nil || age > replayable || age < -replayable {
		return fault.New(fault.Unauthorized, "the header %s is missing, or not of these five minutes", signedAt)
	}
	given, err := base64.StdEncoding.DecodeString(r.Get(signature))
	if err != nil || len(given) != sha256.Size {
		return fault.New(fault.Unauthorized, "the header %s is missing, or no signature", signature)
	}
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(r.Get(signedAt)))
	_, _ = mac.Write(r.Body)
	if !hmac.Equal(mac.Sum(nil), given) {
		return fault.New(fault.Unauthorized, "the signature is not of this request and this connection")
	}
	return nil
}

// Parse reads what customers say: in conversations of the app, or in public comments of tickets. One event that cannot be
// read takes no other along.
func (*Zendesk) Parse(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	if len(r.Header[signature]) > 0 {
		return parseComment(c, r)
	}
	var b batch
	if json.Unmarshal(r.Body, &b) != nil {
		return out, errors.New("reading a request of Zendesk: the body is no batch of events")
	}
	if string(b.App.ID) != c.External && string(b.Webhook.ID) != c.External {
		return out, nil
	}
	seen := map[ident]bool{}
	for _, raw := range b.Events {
		var e happened
		var p payload
		if json.Unmarshal(raw, &e) != nil {
			err = errors.New("reading a request of Zendesk: an event is not what Zendesk sends")
			continue
		}
		if e.ID == "" || seen[e.ID] || json.Unmarshal(e.Payload, &p) != nil {
			continue
		}
		seen[e.ID] = true
		if entry, is := p.entry(e.Type); is && b.App.ID != "" {
			entry.ExternalID, entry.ReplyTo = string(e.ID), conversation+string(b.App.ID)+" "+entry.Thread
			if entry.At.IsZero() {
				entry.At = moment(e.At)
			}
			out.Entries = append(out.Entries, entry)
		}
	}
	return out, err
}

// entry is what a person says, or presses.
func (p payload) entry(kind string) (e channels.Entry, is bool) {
	m := p.Message
	e.Thread = string(p.Conversation.ID)
	switch kind {
	case "conversation:postback":
		e.From, e.Choice, e.Text = string(p.User.ID), p.Postback.Payload, p.words()
		return e, e.Thread != "" && e.From != "" && e.Choice != ""
	case "conversation:message":
		e.From, e.Name, e.At = string(m.Author.ID), m.Author.Name, moment(m.Received)
		if e.From == "" {
			e.From = string(m.Author.User.ID)
		}
		switch e.Text = m.Content.Text; m.Content.Type {
		case "text":
			if channels.IsToken(m.Content.Payload) {
				e.Choice = m.Content.Payload
			}
		case "image", "file":
			if m.Content.MediaURL != "" {
				e.Files = []channels.File{{URL: m.Content.MediaURL, Name: m.Content.AltText, ContentType: m.Content.MediaType,
					Size: m.Content.Size}}
			}
		case "location":
			if at := m.Content.At; at != nil {
				e.Text = channels.Place(at.Latitude, at.Longitude, m.Content.Place.Name, m.Content.Place.Address)
			}
		default:
			return e, false
		}
		return e, e.Thread != "" && e.From != "" && m.Author.Type == "user" && (e.Text != "" || len(e.Files) > 0)
	}
	return e, false
}

// words are those of the button that was pressed; empty: it does not say.
func (p payload) words() string {
	var button struct {
		Label string `json:"label"`
	}
	if !channels.IsToken(p.Postback.Payload) || json.Unmarshal(p.Postback.Metadata, &button) != nil {
		return ""
	}
	return button.Label
}

func parseComment(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	var n comment
	if json.Unmarshal(r.Body, &n) != nil {
		return out, errors.New("reading a request of Zendesk: the body says nothing of a ticket")
	}
	if of := r.Get(webhookID); of != "" && of != c.External { // without it the signature alone says whose it is
		return out, nil
	}
	said := n.Event.Comment
	of, is := strings.CutPrefix(n.Subject, "zen:ticket:")
	switch {
	case n.Type != "zen:event-type:ticket.comment_added" || !is || !identity.MatchString(of) || n.ID == "" || said.Author.ID == "":
	case said.Author.Staff || said.Public == nil || !*said.Public || strings.TrimSpace(said.Body) == "":
	default:
		out.Entries = []channels.Entry{{ExternalID: string(n.ID), Thread: ticket + of, From: string(said.Author.ID), Name: said.Author.Name,
			ReplyTo: ticket + of, Text: strings.TrimSpace(said.Body), At: moment(n.At)}}
	}
	return out, nil
}

func moment(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
