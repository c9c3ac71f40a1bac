package channels

import (
	"fmt"
	"io"
)

// Connection is an account at a provider: what messages come in and go out by. It holds
// the account's secrets, opened; they are in memory only.
type Connection struct {
	ID          string // ours; what comes in twice is known by it and the provider's id
	TenantID    string
	ProjectID   string
	Kind        string // one of Kinds
	External    string // how the provider's requests name it: a number, a bot's id
	Credentials Credentials
	Inactive    bool // it takes nothing
	Troubled    bool // its provider did not accept the credentials last time
	Unanswered  bool // nobody could answer the last who began to talk by it

	// Whom it leads to: see connections.Settings.
	AgentName, DeploymentID, Environment string
}

// Credentials are what a provider gave for its account, by the names that its adapter
// reads: accountSid, authToken ...
type Credentials map[string]Secret

// Reveal is one of them as it goes over the wire; empty if it is not there.
func (c Credentials) Reveal(name string) string { return string(c[name]) }

// Secret is a text that no log line, error or JSON shows.
type Secret string

const hidden = "[secret]"

// Format hides it from every verb of fmt.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// MarshalText hides it from JSON and from log lines.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }
