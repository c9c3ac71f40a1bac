// Package voicepipeline is the channel of pipelines that hear and speak themselves, and bring what was
// understood as text over a socket, in a protocol of ours.
//
// It owns that protocol, as far as it is texts: in a conversation of texts audio is refused by name. A socket
// that begins with sound is a call, which is for others. It asks nobody, keeps nothing, and never logs.
package voicepipeline

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/channels/wire"
	"github.com/parley-platform/parley/domain/channels"
)

// Token is the credential of a connection: what whoever opens a socket shows.
const Token = "token"

// Protocol is the one that is spoken on the socket.
const Protocol = "pipeline.v1"

const patience = 2 * time.Second // then the pipeline is told that the agent works

// Pipeline reads what a pipeline says. It holds no account.
type Pipeline struct{ wire.Waiting }

// New asks nobody, so there is nothing that could be elsewhere.
func New(string) (*Pipeline, error) {
	return &Pipeline{wire.Waiting{Kind: "voice_pipeline", Most: channels.Limits{Text: 4_000, Unit: channels.Characters}}}, nil
}

// Check says what a connection lacks.
func (*Pipeline) Check(c channels.Connection) error {
	if c.Credentials[Token] == "" {
		return errors.New("voice_pipeline: the token is needed that a pipeline shows")
	}
	return nil
}

// Protocols are those of the socket.
func (*Pipeline) Protocols() []string { return []string{Protocol} }

// Verify compares the token.
func (*Pipeline) Verify(c channels.Connection, r channels.Request) error {
	shown := wire.Authorization(r)
	if shown == "" {
		shown = wire.Query(r).Get("token")
	}
	return wire.Token(c, Token, shown)
}

// message is what a pipeline says. Each names the session, as the pipeline calls it, and has an id, by which
// one that comes again is known.
type message struct {
	Type     string `json:"type"` // start, text, end, ping
	ID       string `json:"id"`
	Session  string `json:"sessionId"`
	Text     string `json:"text"`
	Caller   string `json:"caller"`
	Language string `json:"language"`
}

// Parse reads a message. What is no such thing is told so.
func (*Pipeline) Parse(_ channels.Connection, r channels.Request) (out channels.Received, err error) {
	var m message
	switch {
	case r.Binary:
		out.Answer = failed("", "audio_not_available", "a conversation of texts hears no audio: begin with an encoding, or send texts")
		return out, nil
	case json.Unmarshal(r.Body, &m) != nil:
		out.Answer = failed("", "unreadable", "a message is an object of JSON")
		return out, nil
	case m.Type == "ping":
		out.Answer = answer(object{"type": "pong", "id": m.ID})
		return out, nil
	case m.Type == "audio":
		out.Answer = failed(m.ID, "audio_not_available", "a conversation of texts hears no audio: begin with an encoding, or send texts")
		return out, nil
	case m.Session == "" || m.ID == "" || len(m.Session) > 256 || len(m.ID) > 128:
		out.Answer = failed(m.ID, "invalid", "sessionId (1 to 256 bytes) and id (1 to 128 bytes) are required")
		return out, nil
	}
	e := channels.Entry{ExternalID: m.Session + ":" + m.ID, Thread: m.Session, From: m.Session, ReplyTo: m.Session, Language: m.Language}
	if m.Caller != "" {
		e.From = m.Caller
	}
	switch {
	case m.Type == "start":
		e.Says = channels.Begins
	case m.Type == "end":
		e.Says = channels.Leaves
		out.Answer = responds(r, channels.Reply{State: channels.Ended})
	case m.Type == "text" && strings.TrimSpace(m.Text) != "":
		e.Text = m.Text
	default:
		out.Answer = failed(m.ID, "invalid", "type must be start, text (with text), end or ping")
		return out, nil
	}
	out.Entries = []channels.Entry{e}
	return out, nil
}

// Patience is short: a pipeline can wait by itself.
func (*Pipeline) Patience() time.Duration { return patience }

type object = map[string]any

// Answer is what is said to a message.
func (*Pipeline) Answer(_ channels.Connection, r channels.Request, reply channels.Reply) channels.Answer {
	return responds(r, reply)
}

// Later is what is said behind an answer, with the id of its message.
func (*Pipeline) Later(_ channels.Connection, r channels.Request, reply channels.Reply) channels.Answer {
	return responds(r, reply)
}

// states are how the session goes on.
var states = map[channels.ReplyState]string{channels.Working: "working", channels.Ended: "ended", channels.Escalated: "escalated",
	channels.Unanswered: "failed"}

func responds(r channels.Request, reply channels.Reply) channels.Answer {
	var m message
	_ = json.Unmarshal(r.Body, &m) // what cannot be read has no id
	texts := []string{}
	for _, said := range reply.Said {
		texts = append(texts, said.Text)
	}
	out := object{"type": "response", "id": m.ID, "sessionId": m.Session, "texts": texts, "state": "continue"}
	if state, is := states[reply.State]; is {
		out["state"] = state
	}
	if reply.Code != "" {
		out["code"] = reply.Code
	}
	return answer(out)
}

func failed(id, code, why string) channels.Answer {
	return answer(object{"type": "error", "id": id, "code": code, "message": why})
}

func answer(body object) channels.Answer {
	data, _ := json.Marshal(body) // of texts, which always can be
	return channels.Answer{ContentType: "application/json", Body: data}
}
