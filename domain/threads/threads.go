// Package threads owns conversations that come by channels: what a person said there, in which
// order, which session answers it, what is said back, and whether the provider took that.
//
// It never runs an agent, knows no provider and reads no clock: sessions answer, and adapters
// carry what is said. What a provider's requests are called by is hashed in the stream's name.
package threads

import (
	"encoding/hex"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/privacy"
)

// Threads holds one stream per conversation of a connection: thread-<keyed hash>. Its rules:
//
//   - messages are given to sessions one by one, in the order in which they came
//   - replies go out one by one, part by part, in the order in which they were said; one that
//     failed for good lets the next one go
//   - who wants no replies is sent none
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

	Stopped bool // the person wants no replies
	Blocked bool // of Stopped: it is the provider's word, not theirs
	Ended   Ended

	Language string // that is spoken, as the session has it, else as the person's side says

	Received int        // messages that ever came
	Waiting  []Received // that no session has taken yet
	Session  string     // that took the last one; empty: none
	Took     Took       // the last one that was taken

	Fetched map[int][]Fetched // what became of the files of those that wait
	Strays  []string          // blobs of files that no session took

	Queued  int    // replies that there ever were
	Latest  string // message of the newest of them
	Replies []Reply
	Failed  []Reply // the newest of those that were given up
	Come    []Come  // the newest of those of which their provider said more
	Attempt attempt.State
	Menus   []Menu // the newest of those that were shown
	Draft   Draft  // what is shown of the next one
	Open    int    // the reply whose menu what is said next may answer; 0: none

	Questions  []Question // the newest messages of which somebody asks what became of them
	Unheard    []Queued   // replies that the next answer to one of them brings; the newest
	LastOver   WasOver
	Line       string   // on which the person's side hears what is said; empty: in answers to its requests
	LineBefore string   // that may have something to say still, before Line has; empty: none
	Dropped    []int    // the newest of the messages that began what nobody wants any more
	Tellers    []Teller // where somebody is told of what a message began
	Told       uint64   // on which ways somebody ever was, a bit each
	Said       []Said   // the newest messages that their senders may take back
	Left       int      // what was received up to this number was said before the person left
}

// Reply is what is said back, as far as it has gone out.
type Reply struct {
	Queued
	Part  int // that goes out next, from 0
	Round int // how often somebody asked for another try

	AskedAt time.Time // when the message came that it answers; zero: nobody asked for it just now
}

// Took is a message that a session has taken, in which of its turns.
type Took struct {
	Session string
	Turn    int
	CameAt  time.Time // the message
}

// Menu is what could be chosen beside a reply.
type Menu struct {
	Reply   int
	Options []Option
	Numbers bool // they were numbered, in the text
	Keys    bool // they have a form of their own, and numbers all the same
}

// Option is one thing that can be chosen.
type Option struct {
	ID    string          `json:"id"`
	Label string          `json:"label" personal:"customer"`
	Value json.RawMessage `json:"value,omitempty" personal:"customer"`
	Input bool            `json:"input,omitempty"` // what is said is its value
	// Native is one that stands in a field of the kind's own: an input, or with its neighbours of
	// the same ID a select. Others are buttons, numbers, or a question in the text.
	Native bool   `json:"native,omitempty"`
	Field  string `json:"field,omitempty" personal:"customer"` // what the select is called
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
// the provider calls them; empty: it does not say.
func IdentityOf(kind, from string) (identityType, identity string) {
	switch {
	case from == "":
		return "", ""
	case kind == "email":
		return "email", from
	case kind == "twilio_sms", calls[kind] && strings.HasPrefix(from, "+"):
		return "phone", from
	case kind == "whatsapp" && digits.MatchString(from): // who shows no number has letters
		return "phone", "+" + from
	}
	return "external", kind + ":" + from
}

// Known is what a person is known by, as the provider calls them and as a contact of the account. Of a caller digits alone
// are a number. Of others they are an id, which may well be somebody else's number.
func Known(kind, from string) []privacy.Identity {
	of := privacy.Spelled
	if calls[kind] {
		of = privacy.Identities
	}
	all := of(from)
	if _, identity := IdentityOf(kind, from); identity != from {
		all = append(all, privacy.Spelled(identity)...)
	}
	return all
}

// calls are the kinds whose conversations are calls: some name a number, some hide it.
var calls = map[string]bool{"vxml": true, "audiocodes": true, "jambonz": true, "voice_pipeline": true}

// Named is whether a message says who its person is. Calls, and Genesys, name the conversation where they do not say who
// is in it. Of other kinds the two may well have the same name, as in Telegram, where a chat with one person is called as
// they are.
func (e Received) Named() bool {
	return e.From != "" && (e.From != e.Thread || !calls[e.Kind] && e.Kind != "genesys")
}

var digits = regexp.MustCompile(`^[0-9]+$`)
