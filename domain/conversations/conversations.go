// Package conversations owns the life of a conversation that people take part in: which
// agents came and went, by which kind of transfer, what was said, its summary, and what
// agents noted about it.
//
// It never reaches an agent, routes nothing and runs no model: it is told what
// happened, refuses what cannot have happened in that order, and keeps the rest.
package conversations

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
)

// Conversations holds one stream per conversation (see Stream). Its rules
// (docs/api-rules.md "Hooks"):
//
//   - the first agent comes by an NA or a redial entry; there is one main agent at a time
//   - a cold exit of the main agent is followed by a cold entry, which begins a segment;
//     when nobody comes, the NA exit of the agent who left ends the transfer
//   - consultants come and go by warm entries and exits while the main agent is there
//   - the NA exit is the last agent's; then a redial entry, a summary trigger or the end
//   - messages are taken from the first entry to the end; what comes after the end is
//     refused and kept
//   - what the state already reflects is a repeat and changes nothing
var Conversations = event.NewAggregate[State]("conversations", "conversation", event.Busy)

// MaxIDLength is the longest id of a conversation, in characters.
const MaxIDLength = access.MaxIDLength

var idForm = regexp.MustCompile(`^[A-Za-z0-9_:.@-]+$`)

// ValidID reports whether the text can be the id of a conversation: ids of hook callers
// may hold what Call-IDs and addresses do. A path could not name . and .. .
func ValidID(id string) bool {
	return len(id) <= MaxIDLength && idForm.MatchString(id) && id != "." && id != ".."
}

// Stream names the stream of a conversation. The separator is a character that the ids
// of accounts and projects cannot hold; what follows the second is the conversation's.
func Stream(tenantID, projectID, conversationID string) string {
	return Conversations.Stream(StreamID(tenantID, projectID, conversationID))
}

// StreamID is Stream without the category's prefix; read models use it as key.
func StreamID(tenantID, projectID, conversationID string) string {
	return tenantID + "." + projectID + "." + conversationID
}

// IDPrefix begins the ids of conversations that Parley opens for agents. Ids that hook
// callers send are kept as sent (docs/api-rules.md "Conversations").
const IDPrefix = "c-"

// Key names a conversation among all of its tenant's where agents' capacity is counted.
// Ids that Parley gave are that; ids that hook callers send are so within their project.
func (s State) Key() string {
	if id, ours := strings.CutPrefix(s.ID, IDPrefix); ours {
		if _, err := uuid.Parse(id); err == nil {
			return s.ID
		}
	}
	return s.ProjectID + "." + s.ID
}

// Limits of one conversation: what a caller can make us keep.
const (
	MaxStays     = 500 // entries of agents
	MaxSummaries = 10  // summaries asked for
	MaxLate      = 100 // refused events that are kept for audit after the end
)

// Phase is where a conversation stands.
type Phase string

// The phases.
const (
	Unknown      Phase = ""             // nobody has heard of it
	Waiting      Phase = "waiting"      // opened, no agent yet
	Active       Phase = "active"       // the main agent is there
	Transferring Phase = "transferring" // after a cold exit, before the cold entry
	Closing      Phase = "closing"      // the last agent has left
	Ended        Phase = "ended"
)

// Origin says who opened the conversation.
type Origin string

// The origins.
const (
	ByHook     Origin = "hook"
	ByTransfer Origin = "transfer"
	ByCall     Origin = "call" // what was noted about a call that no agent needs to be in
)

// State is the state of one conversation.
type State struct {
	ID        string
	TenantID  string
	ProjectID string
	SessionID string // the session that it belongs to; empty: none known
	Origin    Origin
	Phase     Phase
	Main      string          // identity of the main agent while Active; of the one who left while Transferring
	Agents    map[string]Part // by identity: everybody who ever took part
	Segment   int             // number of the current segment, from 1
	Stays     int             // how many there were
	Exits     int             // of last agents
	Messages  int             // taken so far
	Forgotten int             // of them: what was said in these is erased
	Summaries int             // asked for so far
	Summary   Summary
	Notes     Notes
	Late      int      // refused after the end and kept
	Holder    string   // who has it by a transfer, as long as no hook has told of it; empty: nobody yet
	Turn      int      // of the transfer that said so
	Persons   []string // hashes of whose it is, where nothing else says so any more
	EndedAt   time.Time
	LastAt    time.Time // when somebody last came, left, said or noted something

	Asked      []Asked // messages that wait for what the assisting agent suggests, the oldest first
	AssistedBy int     // which of its sessions has answered last, from 1; 0: none has
}

// Part is one human agent's part in the conversation. A stay lasts from an entry to
// its exit; a redial by the agent who left last continues that stay.
type Part struct {
	Present bool
	Email   string   // agentEmail of the custom fields, as last told; empty: never
	Came    Transfer // how, at the last entry
	Left    Transfer // how, at the last exit; empty: never
	Stay    int      // number of the last stay in the conversation, from 1
	Segment int      // of that stay
}

// consultants are those present beside the main agent, sorted.
func (s State) consultants() []string {
	var out []string
	for identity, a := range s.Agents {
		if a.Present && identity != s.Main {
			out = append(out, identity)
		}
	}
	slices.Sort(out)
	return out
}

// clone is a state that can be folded on without touching s.
func (s State) clone() State {
	s.Agents = maps.Clone(s.Agents)
	s.Notes.AfterCallWork = maps.Clone(s.Notes.AfterCallWork)
	return s
}

// stamp is how times stand in events: UTC, without a process's monotonic clock.
func stamp(t time.Time) time.Time { return t.Round(0).UTC() }
