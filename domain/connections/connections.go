// Package connections owns the connections of channels: accounts at providers, and doors of the
// account's own, by which messages come to a project's agents.
//
// What a provider calls an account is of one connection on the whole server, so that nobody
// takes over what is said to somebody else. As such a name belongs to no tenant before it is
// claimed, each has a stream of its own beside the connections'
// (docs/decisions/2026-11-25-connections.md). The package has credentials sealed only, and never
// opens one; it talks to no provider.
package connections

import (
	"maps"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Connections holds one stream per connection (see Stream). Its rules:
//
//   - kind and external identifier do not change while it is there
//   - it has the credentials that its kind needs, and no others
//   - it has its external identifier by a claim that its own stream names
//   - a claim that was given up holds nothing any more
//   - what its provider does not do is known until it does, or until the connection changes
var Connections = event.NewAggregate[State]("connections", "connection", event.Quiet)

// Stream names the stream of a connection. The separator is a character that no id can hold.
func Stream(tenantID, connectionID string) string {
	return Connections.Stream(tenantID + "." + connectionID)
}

// IDPrefix begins the id of every connection.
const IDPrefix = "cn-"

// Settings are what may change of a connection beside its credentials.
type Settings struct {
	Name         string `json:"name"`
	AgentName    string `json:"agentName,omitempty"`    // who begins; empty: the deployment's entry agent
	DeploymentID string `json:"deploymentId,omitempty"` // that answers; empty: the newest active one at the moment of a message
	Environment  string `json:"environment,omitempty"`  // in which that one is looked for; empty: production, staging, dev
	Active       bool   `json:"active"`                 // one that is not takes nothing
}

// Credential is one secret of a connection.
type Credential struct {
	Sealed      string `json:"sealed"`
	Fingerprint string `json:"fingerprint"` // keyed: the same for two sealings of one value
}

// State is the state of one connection.
type State struct {
	ID          string // empty: it is not there
	TenantID    string
	ProjectID   string
	Kind        string // slug of a Kind
	External    string
	Settings    Settings
	Credentials map[string]Credential
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ClaimID     string   // by which it has its external identifier
	GivenUp     []string // claims that hold nothing

	WebhookURL string            // that the provider was told last; empty: none
	Settled    bool              // it was told since the connection changed
	Troubles   map[About]Trouble // what is wrong with it
	Gone       *Gone             // what was here before, and is still registered
}

// CredentialNames are the names of its credentials, in order.
func (s State) CredentialNames() []string { return slices.Sorted(maps.Keys(s.Credentials)) }

// Unknown is the refusal of a connection that is not there.
func Unknown() error { return fault.New(fault.NotFound, "there is no such connection") }

// Taken is the refusal of an external identifier that a connection has, whosever it is.
func Taken() *fault.Error {
	return fault.New(fault.Conflict, "a connection of this channelType has this externalIdentifier")
}
