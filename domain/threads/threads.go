// Package threads owns conversations that come by channels: what a person said there, in which
// order, which session answers it, what is said back, and whether the provider took that.
//
// It never runs an agent, knows no provider and reads no clock: sessions answer, and adapters
// carry what is said. What a provider's requests are called by is hashed in the stream's name.
package threads

import (
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
)

// Threads holds one stream per conversation of a connection: thread-<keyed hash>. Its rules:
//
//   - messages are given to sessions one by one, in the order in which they came
//   - replies go out one by one, part by part, in the order in which they were said; one that
//     failed for good lets the next one go
//   - of a kind that knows no repeats an attempt in doubt is never made again
var Threads = event.NewAggregate[State]("threads", "thread", event.Busy)

// Stream is where a conversation of a connection stands. mac is a keyed hash.
func Stream(mac func(purpose string, parts ...string) []byte, tenantID, connectionID, thread string) string {
	return Threads.Stream(hex.EncodeToString(mac("channel-thread", tenantID, connectionID, thread)[:16]))
}

// State is the state of one conversation.
type State struct {
	ConnectionID string // empty: nothing was ever said
	TenantID     string
	ProjectID    string
	Kind         string // of the channel
	From         string // who said something last
	Name         string
	ReplyTo      string // where they are answered

	Received int        // messages that ever came
	Waiting  []Received // that no session has taken yet
	Session  string     // that took the last one; empty: none

	Queued  int // replies that there ever were
	Replies []Reply
	Failed  []Reply // the newest of those that were given up
	Attempt attempt.State
	Menus   []Menu // the newest of those that were shown
	Open    int    // the reply whose menu what is said next may answer; 0: none
}

// Reply is what is said back, as far as it has gone out.
type Reply struct {
	Queued
	Part  int // that goes out next, from 0
	Round int // how often somebody asked for another try
}

// Menu is what could be chosen beside a reply.
type Menu struct {
	Reply   int
	Options []Option
	Numbers bool // they were numbered, in the text
}

// Option is one thing that can be chosen.
type Option struct {
	ID    string          `json:"id"`
	Label string          `json:"label" personal:"customer"`
	Value json.RawMessage `json:"value,omitempty" personal:"customer"`
	Input bool            `json:"input,omitempty"` // what is said is its value
}

// The bounds of a conversation's state.
const (
	MostWaiting  = 50      // messages
	waitingBytes = 1 << 20 // of their texts
	mostMenus    = 10
	mostFailed   = 20
)

// SessionOf is the session that a message begins, where no other takes it: the same for a repeat.
func SessionOf(stream string, message int) string {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(stream+"/"+itoa(message))).String()
}

// Next is the message that is to be given to a session.
func (s State) Next() (Received, bool) {
	if len(s.Waiting) == 0 {
		return Received{}, false
	}
	return s.Waiting[0], true
}

// LastFor is how long a reply is worth sending.
const LastFor = 24 * time.Hour

// IdentityOf is what a person is known by as a contact of the account: a telephone number, else what
// the provider calls them.
func IdentityOf(kind, from string) (identityType, identity string) {
	if kind == "twilio_sms" {
		return "phone", from
	}
	return "external", kind + ":" + from
}
