// Package jambonz is the channel of jambonz: it turns speech into text, and says on a socket, or by
// requests, what callers say; it does what verbs tell it.
//
// It owns what it says to us, how it is signed, and the verbs. It asks nobody, keeps nothing, and never logs.
package jambonz

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// The credentials of a connection: the token that it shows to open a socket, and the secret by which it
// signs requests.
const (
	Token         = "token"
	WebhookSecret = "webhookSecret"
)

// Protocol is the one that is spoken on sockets.
const Protocol = "ws.jambonz.org"

const (
	patience  = 4 * time.Second
	hook      = "/said" // of a socket, where it is only a word
	listens   = 10      // seconds
	tolerance = 5 * time.Minute
	window    = 2 * time.Second // in which the same request is a repeat, where it is not signed
)

// Jambonz reads what it says. It holds no account.
type Jambonz struct{ wire.Waiting }

// New asks nobody, so there is nothing that could be elsewhere.
func New(string) (*Jambonz, error) {
	return &Jambonz{wire.Waiting{Kind: "jambonz", Most: channels.Limits{Text: 4_000, Unit: channels.Characters}}}, nil
}

// Check says what a connection lacks.
func (*Jambonz) Check(c channels.Connection) error {
	if c.Credentials[Token] == "" {
		return errors.New("jambonz: the token is needed that it shows")
	}
	return nil
}

// Protocols are those of a socket.
func (*Jambonz) Protocols() []string { return []string{Protocol} }

// Verify compares the token of whoever opens a socket, and judges the signature of a request. Where the
// connection has no secret for that, the token is enough there too.
func (*Jambonz) Verify(c channels.Connection, r channels.Request) error {
	if secret := c.Credentials.Reveal(WebhookSecret); secret != "" && !r.Frame {
		return verify(secret, r)
	}
	shown := wire.Authorization(r)
	if shown == "" {
		shown = wire.Query(r).Get("token")
	}
	return wire.Token(c, Token, shown)
}

// verify judges the header Jambonz-Signature: t=<unix>,v1=<hex>, of which v1 may be there several times.
func verify(secret string, r channels.Request) error {
	var unix string
	var given []string
	for part := range strings.SplitSeq(r.Get("Jambonz-Signature"), ",") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(part), "="); name {
		case "t":
			unix = value
		case "v1":
			given = append(given, value)
		}
	}
	seconds, err := strconv.ParseInt(unix, 10, 64)
	if age := r.At.Sub(time.Unix(seconds, 0)); err != nil || age > tolerance || age < -tolerance {
		return fault.New(fault.Unauthorized, "the header Jambonz-Signature is missing, or not of now")
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(unix + "."))
	mac.Write(r.Body)
	good := false
	for _, v1 := range given {
		if sum, err := hex.DecodeString(v1); err == nil && hmac.Equal(sum, mac.Sum(nil)) {
			good = true
		}
	}
	if !good {
		return fault.New(fault.Unauthorized, "the header Jambonz-Signature is not that of this connection")
	}
	return nil
}

// message is what it says: on a socket with an envelope, by a request without.
type message struct {
	Type  string `json:"type"`
	MsgID string `json:"msgid"`
	Call  string `json:"call_sid"`
	Hook  string `json:"hook"`
	Data  event  `json:"data"`
}

type event struct {
	Call   string `json:"call_sid"`
	From   string `json:"from"`
	Status string `json:"call_status"`
	Reason string `json:"reason"`
	Digits string `json:"digits"`
	Speech struct {
		Language     string `json:"language_code"`
		Alternatives []struct {
			Transcript string `json:"transcript"`
		} `json:"alternatives"`
	} `json:"speech"`
}

// reconnects tells that a socket takes the place of one that was lost in the midst of a call, with all that was on its way.
const reconnects = "session:reconnect"

// over are the states in which a call is no more.
var over = map[string]bool{"completed": true, "failed": true, "busy": true, "no-answer": true}

func read(r channels.Request) (m message, ok bool) {
	if r.Frame {
		ok = json.Unmarshal(r.Body, &m) == nil && !r.Binary
		if m.Call == "" {
			m.Call = m.Data.Call
		}
		return m, ok && m.Call != ""
	}
	if json.Unmarshal(r.Body, &m.Data) != nil || m.Data.Call == "" {
		return m, false
	}
	sent := r.Get("Jambonz-Signature") // which has the time
	if sent == "" {                    // nothing else tells the same key, pressed again, from the one before
		sent = strconv.FormatInt(r.At.Truncate(window).Unix(), 10)
	}
	sum := sha256.Sum256([]byte(sent + "\x00" + string(r.Body)))
	m.Call, m.MsgID, m.Type = m.Data.Call, hex.EncodeToString(sum[:16]), "verb:hook"
	switch {
	case over[m.Data.Status]:
		m.Type = "call:status"
	case m.Data.Reason == "":
		m.Type = "session:new"
	}
	return m, true
}

// Parse reads what a caller says and does. Other things that happen say nothing to us.
func (*Jambonz) Parse(_ channels.Connection, r channels.Request) (out channels.Received, err error) {
	m, ok := read(r)
	if !ok {
		return out, errors.New("reading what jambonz says: it is no message of a call")
	}
	e := channels.Entry{ExternalID: m.MsgID, Thread: m.Call, From: m.Call, ReplyTo: m.Call, Language: m.Data.Speech.Language}
	switch {
	case m.Type == "call:status" && over[m.Data.Status]:
		e.ExternalID, e.Says = m.Call+":over", channels.Leaves
	case m.MsgID == "":
		return out, nil
	case m.Type == "session:new", m.Type == "session:redirect", m.Type == reconnects: // a call that comes here in its midst wants verbs too
		e.Says = channels.Begins
		if from := strings.TrimPrefix(m.Data.From, "tel:"); from != "" {
			e.From = from
		}
	case m.Type == "verb:hook" && m.Data.Reason == "speechDetected" && len(m.Data.Speech.Alternatives) > 0:
		e.Text = m.Data.Speech.Alternatives[0].Transcript
	case m.Type == "verb:hook" && m.Data.Reason == "dtmfDetected":
		e.Text = m.Data.Digits
	case m.Type == "verb:hook":
		e.Says = channels.Waits
	default:
		return out, nil
	}
	if e.Says == channels.Words && strings.TrimSpace(e.Text) == "" {
		e.Says = channels.Waits
	}
	out.Entries = []channels.Entry{e}
	return out, nil
}

// Patience is less than a caller's.
func (*Jambonz) Patience() time.Duration { return patience }

type object = map[string]any

// verbs are what it is to do; what the caller says next comes to the hook.
func verbs(reply channels.Reply, hook string) []object {
	var texts []string
	for _, m := range reply.Said {
		texts = append(texts, m.Text)
	}
	if len(texts) == 0 && reply.State == channels.Working {
		texts = []string{channels.OneMoment(reply.Language)}
	}
	if reply.State == channels.Unanswered {
		texts = append(texts, channels.NobodyAnswers(reply.Language))
	}
	out, text := []object{}, strings.Join(texts, "\n")
	switch reply.State {
	case channels.Ended, channels.Unanswered:
		if text != "" {
			out = append(out, object{"verb": "say", "text": text})
		}
		return append(out, object{"verb": "hangup"})
	}
	gather := object{"verb": "gather", "input": []string{"speech", "digits"}, "actionHook": hook, "timeout": listens}
	if text != "" {
		gather["say"] = object{"text": text}
	}
	return append(out, gather)
}

// Answer is the response to a request, or the ack of what was said on a socket. Who comes again waits for none: what was to be done
// may be lost, so it is told anew, also where that is only to listen.
func (*Jambonz) Answer(_ channels.Connection, r channels.Request, reply channels.Reply) channels.Answer {
	if !r.Frame {
		return answer(verbs(reply, r.URL))
	}
	m, _ := read(r)
	if m.Type == reconnects {
		return redirect(reply)
	}
	return answer(object{"type": "ack", "msgid": m.MsgID, "data": verbs(reply, hook)})
}

// Later is what is said on a socket behind an ack. Where nothing is, the caller goes on to be listened to.
func (*Jambonz) Later(_ channels.Connection, _ channels.Request, reply channels.Reply) channels.Answer {
	if len(reply.Said) == 0 && (reply.State == channels.GoesOn || reply.State == channels.Escalated) {
		return channels.Answer{}
	}
	return redirect(reply)
}

// redirect has verbs done in the place of those that are.
func redirect(reply channels.Reply) channels.Answer {
	return answer(object{"type": "command", "command": "redirect", "queueCommand": false, "data": verbs(reply, hook)})
}

func answer(body any) channels.Answer {
	data, _ := json.Marshal(body) // of texts and numbers, which always can be
	return channels.Answer{ContentType: "application/json", Body: data}
}
