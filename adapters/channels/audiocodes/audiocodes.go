// Package audiocodes is the channel of AudioCodes' bot API: a gateway turns speech into text, posts what
// a caller says, and speaks what the response says, or what it hears on a socket.
//
// It owns what the requests say, and how an answer looks. All of a conversation goes by the address of the
// connection: what is asked there stands in the query of the addresses that the gateway is given. It
// asks nobody, keeps nothing, and never logs.
package audiocodes

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Token is the credential of a connection: what the gateway shows as a bearer.
const Token = "token"

const (
	patience = 8 * time.Second
	expires  = 120 // seconds without a sign of life, after which the gateway's conversation is over
)

// What is asked of a conversation.
const (
	activities = "activities"
	keepAlive  = "keepalive"
	disconnect = "disconnect"
)

// AudioCodes reads requests of gateways. It holds no account.
type AudioCodes struct{ wire.Waiting }

// New asks nobody, so there is nothing that could be elsewhere.
func New(string) (*AudioCodes, error) {
	return &AudioCodes{wire.Waiting{Kind: "audiocodes", Most: channels.Limits{Text: 4_000, Unit: channels.Characters}}}, nil
}

// Check says what a connection lacks.
func (*AudioCodes) Check(c channels.Connection) error {
	if c.Credentials[Token] == "" {
		return errors.New("audiocodes: the token is needed that the gateway shows")
	}
	return nil
}

// Verify compares the token.
func (*AudioCodes) Verify(c channels.Connection, r channels.Request) error {
	return wire.Token(c, Token, wire.Authorization(r))
}

type request struct {
	Conversation string            `json:"conversation"`
	Activities   []json.RawMessage `json:"activities"`
}

type activity struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Name       string          `json:"name"`
	Text       string          `json:"text"`
	Value      json.RawMessage `json:"value"` // of each event another thing
	Language   string          `json:"language"`
	Parameters struct {
		Locale string `json:"locale"`
		Caller string `json:"caller"`
	} `json:"parameters"`
}

// keys are those that an event of DTMF has, as a text or as a number.
func (a activity) keys() string {
	var text string
	if json.Unmarshal(a.Value, &text) == nil {
		return text
	}
	var number json.Number
	_ = json.Unmarshal(a.Value, &number) // what is no number either is no key
	return number.String()
}

type object = map[string]any

// Parse reads what a caller says and does. Other events say nothing to us, and one activity that cannot be read takes no
// other along.
func (*AudioCodes) Parse(_ channels.Connection, r channels.Request) (out channels.Received, err error) {
	if r.Method == http.MethodGet {
		out.Answer = answer(object{"type": "ac-bot-api", "success": true})
		return out, nil
	}
	var in request
	if json.Unmarshal(r.Body, &in) != nil {
		out.Answer = answer(object{})
		return out, errors.New("reading a request of AudioCodes: the body is no JSON of the bot API")
	}
	query := wire.Query(r)
	asked, conversation := query.Get("asks"), query.Get(conversationOf)
	switch asked {
	case activities:
	case disconnect:
		out.Entries = []channels.Entry{{ExternalID: conversation + ":disconnect", Thread: conversation, From: conversation, ReplyTo: conversation,
			Says: channels.Leaves}}
		if conversation == "" {
			out.Entries = nil
		}
		return out, nil
	case "":
		out.Answer, out.Opens = answer(begun(r, in.Conversation)), in.Conversation
		return out, nil
	default:
		out.Answer = answer(object{})
		return out, nil
	}
	for _, raw := range in.Activities {
		var a activity
		if json.Unmarshal(raw, &a) != nil {
			err = errors.New("reading a request of AudioCodes: an activity is none of the bot API")
			continue
		}
		if e, says := entryOf(a, conversation); says {
			out.Entries = append(out.Entries, e)
		}
	}
	return out, err
}

// entryOf is what an activity says of a conversation, if it says anything to us.
func entryOf(a activity, conversation string) (e channels.Entry, says bool) {
	e = channels.Entry{ExternalID: a.ID, Thread: conversation, From: conversation, ReplyTo: conversation, Language: a.Language}
	switch {
	case a.ID == "" || conversation == "":
		return e, false
	case a.Type == "message" && strings.TrimSpace(a.Text) != "":
		e.Text = a.Text
	case a.Type == "event" && a.Name == "start":
		e.Says = channels.Begins
		if caller := strings.TrimPrefix(a.Parameters.Caller, "tel:"); caller != "" {
			e.From = caller
		}
		if e.Language == "" {
			e.Language = a.Parameters.Locale
		}
	case a.Type == "event" && a.Name == "DTMF":
		e.Text = a.keys()
		return e, e.Text != ""
	case a.Type == "event" && a.Name == "noUserInput":
		e.Says = channels.Waits
	default:
		return e, false
	}
	return e, true
}

// begun are the addresses of a conversation.
func begun(r channels.Request, conversation string) object {
	if conversation == "" {
		return object{}
	}
	own, _, _ := strings.Cut(r.URL, "?")
	at := func(asks string) string {
		return own + "?" + url.Values{conversationOf: {conversation}, "asks": {asks}}.Encode()
	}
	out := object{"activitiesURL": at(activities), "refreshURL": at(keepAlive), "disconnectURL": at(disconnect), "expiresSeconds": expires}
	if before, door, named := strings.Cut(own, "/webhook/"); named {
		before = before[:strings.LastIndex(before, "/")] + "/audiocodes/socket/"
		out["websocketURL"] = "ws" + strings.TrimPrefix(before, "http") + door + "?" + url.Values{conversationOf: {conversation}}.Encode()
	}
	return out
}

// conversationOf is the word of the query that names a conversation.
const conversationOf = "conversation"

// Conversation is the one that a socket is opened for.
func (*AudioCodes) Conversation(r channels.Request) string { return wire.Query(r).Get(conversationOf) }

// Tell is what is said on that socket.
func (*AudioCodes) Tell(_ channels.Connection, r channels.Request, reply channels.Reply) channels.Answer {
	return answer(object{"conversation": wire.Query(r).Get(conversationOf), "activities": activitiesOf(reply)})
}

// Patience is less than a gateway's.
func (*AudioCodes) Patience() time.Duration { return patience }

// Answer is the response to activities.
func (*AudioCodes) Answer(_ channels.Connection, r channels.Request, reply channels.Reply) channels.Answer {
	query := wire.Query(r)
	if query.Get("asks") != activities || reply.State == channels.Elsewhere {
		return answer(object{})
	}
	return answer(object{"conversation": query.Get(conversationOf), "activities": activitiesOf(reply)})
}

// activitiesOf is what the gateway is to say and do.
func activitiesOf(reply channels.Reply) []object {
	out := []object{}
	for _, m := range reply.Said {
		out = append(out, object{"type": "message", "id": m.Reference, "text": m.Text})
	}
	switch reply.State {
	case channels.Working:
		if len(out) == 0 {
			out = append(out, object{"type": "message", "text": channels.OneMoment(reply.Language)})
		}
	case channels.Ended, channels.Unanswered:
		out = append(out, object{"type": "event", "name": "hangup"})
	}
	return out
}

func answer(body object) channels.Answer {
	data, _ := json.Marshal(body) // of texts and numbers, which always can be
	return channels.Answer{ContentType: "application/json", Body: data}
}
