// Package memories owns what the code of agents keeps from one call of a tool to the next:
// stores with a name, of a session, of a contact or of a whole project, each with one object.
//
// Who may read or write a store is said by the token that the code was given
// (docs/decisions/2026-11-24-memories.md); the package never sees one.
package memories

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Memories holds one stream per store: memory-<keyed hash of its name>. Its rules:
//
//   - the version of a store only rises, also when it is deleted, so who has read one is told
//     that another was there since
//   - a store that was deleted may be written again
var Memories = event.NewAggregate[State]("memories", "memory", event.Busy)

// Scope says whose a store is.
type Scope string

// The scopes, as agents' sources name them.
const (
	OfSession Scope = "session"
	OfContact Scope = "contact" // of who talks in the session
	OfProject Scope = "project" // of nobody: all its sessions share it
)

// Scopes lists them.
func Scopes() []Scope { return []Scope{OfSession, OfContact, OfProject} }

// ValidScope reports whether there is such a scope.
func ValidScope(s Scope) bool { return slices.Contains(Scopes(), s) }

// How much is kept.
const (
	MaxContent = 256 << 10 // bytes of a store, as JSON without white space
	MaxDepth   = 32        // levels of objects and arrays in it
	MaxStores  = 64        // of one session, of one contact, of one project
	MaxName    = 64        // characters, as in agents' sources
)

// Name is by what a store is known.
type Name struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	Scope     Scope  `json:"scope"`
	OwnerID   string `json:"ownerId"` // the session or the contact; of a project's store the project
	Store     string `json:"store"`
}

// Stream is where the store stands. mac is a keyed hash.
func (n Name) Stream(mac func(purpose string, parts ...string) []byte) string {
	return Memories.Stream(hex.EncodeToString(mac("memory", n.TenantID, n.ProjectID, string(n.Scope), n.OwnerID, n.Store)[:16]))
}

// State is what stands in a store.
type State struct {
	Version   int             // 0: it was never written
	Content   json.RawMessage `json:",omitempty"` // an object; empty: there is nothing in it
	ExpiresAt time.Time       `json:",omitzero"`  // of Content; zero: never
}

// By is in which call of a tool something was done to a store.
type By struct {
	SessionID  string `json:"sessionId"`
	ToolCallID string `json:"toolCallId"`
	Test       bool   `json:"test,omitempty"` // of a test session: in no report
}
