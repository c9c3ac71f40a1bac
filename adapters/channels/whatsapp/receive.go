package whatsapp

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/adapters/channels/graph"
	"github.com/parley-platform/parley/domain/channels"
)

// envelope is the kind of envelope in which messages come.
const envelope = "whatsapp_business_account"

// entry is what happened to a business account.
type entry struct {
	Changes []struct {
		Field string          `json:"field"`
		Value json.RawMessage `json:"value"`
	} `json:"changes"`
}

// value is what happened to one of its numbers.
type value struct {
	Metadata struct {
		ID     string `json:"phone_number_id"`
		Number string `json:"display_phone_number"`
	} `json:"metadata"`
	Contacts []struct {
		Number  string `json:"wa_id"`
		Scoped  string `json:"user_id"`
		Profile struct {
			Name string `json:"name"`
		} `json:"profile"`
	} `json:"contacts"`
	Messages []json.RawMessage `json:"messages"`
	Statuses []json.RawMessage `json:"statuses"`
}

type message struct {
	ID     string     `json:"id"`
	From   string     `json:"from"`         // their number, unless they do not show it
	Scoped string     `json:"from_user_id"` // what this business alone calls them
	Group  string     `json:"group_id"`
	At     graph.Time `json:"timestamp"`
	Type   string     `json:"type"`
	Text   struct {
		Body string `json:"body"`
	} `json:"text"`
	Button struct {
		Text string `json:"text"`
	} `json:"button"`
	Interactive struct {
		Button reply `json:"button_reply"`
		List   reply `json:"list_reply"`
		Form   struct {
			JSON string `json:"response_json"`
		} `json:"nfm_reply"`
	} `json:"interactive"`
	Image    *media `json:"image"`
	Document *media `json:"document"`
	Audio    *media `json:"audio"`
	Video    *media `json:"video"`
	Sticker  *media `json:"sticker"`
	Location struct {
		Latitude  *float64 `json:"latitude"`
		Longitude *float64 `json:"longitude"`
		Name      string   `json:"name"`
		Address   string   `json:"address"`
	} `json:"location"`
}

type reply struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type media struct {
	ID       string `json:"id"`
	MIMEType string `json:"mime_type"`
	Filename string `json:"filename"`
	Caption  string `json:"caption"`
}

// values are what happened to a number, or without one to all. Fields that are not of messages say nothing to us: copies
// of what the business itself wrote are one of them.
func values(body []byte, number string) (out []value, err error) {
	entries, err := graph.Read[entry](body, envelope, number)
	for _, e := range entries {
		for _, c := range e.Changes {
			if c.Field != "messages" {
				continue
			}
			read, bad := graph.Each[value]([]json.RawMessage{c.Value})
			out, err = append(out, read...), cmp.Or(err, bad)
		}
	}
	return out, err
}

// Routes names the numbers to which something happened.
func (*WhatsApp) Routes(r channels.Request) []string {
	all, _ := values(r.Body, "")
	return graph.Names(all, func(v value) []string { return []string{v.Metadata.ID} })
}

// Verify is that of all kinds of Meta.
func (*WhatsApp) Verify(c channels.Connection, r channels.Request) error { return graph.Verify(c, r) }

// Parse reads what people say to the number of the connection, and what became of what they were told.
func (*WhatsApp) Parse(c channels.Connection, r channels.Request) (out channels.Received, err error) {
	if r.Method == http.MethodGet {
		out.Answer, err = graph.Challenge(c, r)
		return out, err
	}
	all, err := values(r.Body, c.External)
	for _, v := range all {
		if v.Metadata.ID != c.External {
			continue
		}
		messages, bad := graph.Each[message](v.Messages)
		err = cmp.Or(err, bad)
		for _, m := range messages {
			if e, says := v.says(m); says {
				out.Entries = append(out.Entries, e)
			}
		}
		statuses, bad := graph.Each[status](v.Statuses)
		err = cmp.Or(err, bad)
		for _, s := range statuses {
			out.Reports = append(out.Reports, s.report()...)
		}
	}
	out.Entries = graph.InOrder(out.Entries)
	return out, err
}

// says is what a person says, if a message is that: not the business itself, and no reaction, edit,
// or word of WhatsApp's own.
func (v value) says(m message) (e channels.Entry, says bool) {
	place := cmp.Or(m.Scoped, m.From)
	if m.ID == "" || place == "" || m.From != "" && m.From == digits(v.Metadata.Number) {
		return e, false
	}
	e = channels.Entry{ExternalID: m.ID, From: cmp.Or(m.From, m.Scoped), Name: v.name(m), At: m.At.UTC(),
		Thread: v.Metadata.ID + ":" + place, ReplyTo: address(place, m.ID)}
	if m.Group != "" {
		e.Thread, e.ReplyTo = v.Metadata.ID+":"+m.Group, address(ofGroup+m.Group, m.ID)
	}
	if file := m.file(); file != nil && file.ID != "" {
		e.Text = file.Caption
		e.Files = []channels.File{{ID: file.ID, Name: file.Filename, ContentType: file.MIMEType}}
		return e, true
	}
	switch m.Type {
	case "text":
		e.Text = m.Text.Body
	case "button": // of a template, which somebody else has sent
		e.Text = m.Button.Text
	case "location":
		if at := m.Location; at.Latitude != nil && at.Longitude != nil {
			e.Text = channels.Place(*at.Latitude, *at.Longitude, at.Name, at.Address)
		}
	case "interactive":
		chosen := m.Interactive.Button
		if chosen.ID == "" {
			chosen = m.Interactive.List
		}
		if e.Text = cmp.Or(chosen.Title, m.Interactive.Form.JSON); channels.IsToken(chosen.ID) {
			e.Choice = chosen.ID
		}
	}
	return e, e.Text != "" || e.Choice != ""
}

func digits(number string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, number)
}

// name is what a person calls themselves.
func (v value) name(m message) string {
	for _, c := range v.Contacts {
		if c.Scoped != "" && c.Scoped == m.Scoped || c.Number != "" && c.Number == m.From {
			return c.Profile.Name
		}
	}
	return ""
}

func (m message) file() *media {
	return map[string]*media{"image": m.Image, "document": m.Document, "audio": m.Audio, "video": m.Video, "sticker": m.Sticker}[m.Type]
}

// status is what became of a message that we sent.
type status struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Errors []struct {
		Code int `json:"code"`
	} `json:"errors"`
}

// states are WhatsApp's words of a message; one that it invents tomorrow says nothing to us.
var states = map[string]channels.State{"sent": channels.Underway, "delivered": channels.Delivered, "read": channels.Read,
	"played": channels.Read, "failed": channels.Undelivered}

func (s status) report() []channels.Report {
	state, known := states[s.Status]
	if !known || s.ID == "" {
		return nil
	}
	out := channels.Report{ExternalID: s.ID + ":" + s.Status, ProviderMessageID: s.ID, State: state}
	if len(s.Errors) > 0 && state == channels.Undelivered {
		out.Code = strconv.Itoa(s.Errors[0].Code)
	}
	return []channels.Report{out}
}
