package voice

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts/brought"
	"github.com/parley-platform/parley/handlers/acts/connected"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/sockets"
)

// Pipelines takes the calls of pipelines that bring sound: those whose start says how it is encoded. One
// that brings texts is a conversation, and none of its business.
type Pipelines struct {
	rest.Commands
	Calls brought.Calls
	// Sound begins the sound of an account's call in an encoding; send has each piece that is to be played.
	Sound func(tenant, encoding string, send func(sound []byte)) Sound
	Take  func(ctx context.Context, callID, streamID string, line Line) (carry func(), err error)
}

// Encodings are those of a pipeline's sound, of one channel at 8 kHz.
var Encodings = []string{"mulaw", "pcm_s16le"}

// pipelineSays is a message of a pipeline whose call has sound.
type pipelineSays struct {
	Type     string `json:"type"` // start, mark, text, digit, end; others say nothing to us
	ID       string `json:"id"`
	Session  string `json:"sessionId"`
	Caller   string `json:"caller"`
	Language string `json:"language"`
	Encoding string `json:"encoding"`
	Rate     int    `json:"sampleRate"`
	Name     string `json:"name"`
	Text     string `json:"text"`
	Digit    string `json:"digit"`
}

// wrong is what of a start cannot be taken; empty: it can.
func (m pipelineSays) wrong() string {
	switch {
	case m.Session == "" || m.ID == "" || len(m.Session) > 256 || len(m.ID) > 128 || len(m.Caller) > 256:
		return "sessionId (1 to 256 bytes) and id (1 to 128 bytes) are required, and caller has at most 256"
	case strings.ContainsFunc(m.Session+m.Caller, func(r rune) bool { return r < ' ' || r == 0xfffd }):
		return "sessionId and caller must be texts"
	case !slices.Contains(Encodings, m.Encoding):
		return "encoding must be " + strings.Join(Encodings, " or ")
	case m.Rate != 8_000:
		return "sampleRate must be 8000"
	}
	return ""
}

// Begins reports whether the first message of a socket begins a call with sound.
func (x Pipelines) Begins(message []byte) bool {
	var m pipelineSays
	return json.Unmarshal(message, &m) == nil && m.Type == "start" && m.Encoding != ""
}

// Serve takes the call that a message begins, and hears what comes until one of the two has ended it.
func (x Pipelines) Serve(ctx context.Context, socket *sockets.Socket, c channels.Connection, message []byte, next <-chan sockets.Frame) {
	var m pipelineSays
	_ = json.Unmarshal(message, &m) // it begins
	fails := func(code, why string) {
		_ = socket.SendJSON(map[string]string{"type": "error", "id": m.ID, "code": code, "message": why})
		socket.Close(sockets.Refused, code)
	}
	if why := m.wrong(); why != "" {
		fails("invalid", why)
		return
	}
	s, err := x.answered(ctx, c, m)
	switch {
	case err != nil:
		fails(strings.ToLower(string(fault.CodeOf(err))), "the call cannot be taken now")
		return
	case !s.Answered():
		fails("unavailable", "nobody can answer the call, or it is over")
		return
	}
	l := &line{socket: socket, facts: make(chan calls.Fact, factsOnTheir), still: make(chan struct{}),
		marks:  func(name string) error { return socket.SendJSON(map[string]string{"type": "mark", "name": name}) },
		clears: func() error { return socket.SendJSON(map[string]string{"type": "interrupted"}) }}
	l.sound = x.Sound(c.TenantID, m.Encoding, func(sound []byte) { _ = socket.SendBinary(slices.Clone(sound)) })
	defer l.sound.Close()
	call := s.Request.CallID
	carry, err := x.Take(ctx, call, m.ID, l)
	if err != nil {
		fails("taken", "the call has its sound elsewhere, or had it")
		return
	}
	socket.Beside(l.hear)
	_ = socket.SendJSON(map[string]string{"type": "ready", "id": m.ID, "callId": call, "sessionId": s.SessionID})
	carried := make(chan struct{})
	go func() {
		defer close(carried)
		carry()
	}()
	l.pipes(next)
	<-carried
}

// answered is the call that a pipeline brings, once for each of its sessions.
func (x Pipelines) answered(ctx context.Context, c channels.Connection, m pipelineSays) (calls.State, error) {
	person := m.Caller
	if person == "" {
		person = m.Session
	}
	call := x.Calls.OfPipeline(c, m.Session, person)
	by := connected.By(x.Caller(ctx), c, eventstore.CauseID("channel", c.ID, "call/"+m.Session))
	return x.Calls.Answer(ctx, by, call, channels.Call{})
}

// pipes takes what the pipeline brings until it ends. What cannot be read is passed over.
func (l *line) pipes(next <-chan sockets.Frame) {
	for f := range next {
		var m pipelineSays
		switch {
		case f.Binary:
			l.sound.Hear(f.Data)
		case json.Unmarshal(f.Data, &m) != nil:
		case m.Type == "mark":
			l.reached(m.Name)
		case m.Type == "digit":
			l.pressed(m.Digit)
		case m.Type == "text" && strings.TrimSpace(m.Text) != "":
			l.understood(m.Text, m.Language)
		case m.Type == "end":
			l.over(calls.Fact{Kind: calls.FactHungUp, At: time.Now()})
			l.socket.Close(sockets.Done, "the call is over")
			return
		}
	}
	l.over(calls.Fact{Kind: calls.FactLost, At: time.Now(), Error: "the socket broke"})
}

// understood takes what the pipeline itself has made of the sound: it is said, as if it was heard here.
func (l *line) understood(text, language string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Now()
	l.tell(calls.Fact{Kind: calls.FactWords, At: at, Text: text, Language: language})
	l.tell(calls.Fact{Kind: calls.FactSilence, At: at})
}
