// Package modelproviders owns a tenant's own providers of models: where they are reached,
// which models they have and what these cost. One is of a project, or of all of the tenant's.
//
// It asks no model, and never sees a key in clear: those come sealed, with a keyed fingerprint
// by which two sealings of the same key are known as equal.
package modelproviders

import (
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
)

// Providers holds one stream per tenant (see Stream). Its rules:
//
//   - a provider's name is unique in the tenant
//   - no two providers of a project, nor two of the tenant, have models of one id; a project's
//     may be called as one of the tenant, or of the server, which the project does not see then
//   - a definition repeated changes nothing
var Providers = event.NewAggregate[State]("modelproviders", "modelproviders", event.Quiet)

// Stream names the stream of a tenant's providers.
func Stream(tenantID string) string { return Providers.Stream(tenantID) }

// Kind is the protocol that a provider speaks.
type Kind string

// The kinds.
const (
	OpenAI    Kind = "openai" // or a server that speaks its protocol
	Anthropic Kind = "anthropic"
)

// State is the state of one tenant's stream.
type State struct {
	Providers map[string]Provider // by name
}

// Provider is one of a tenant's.
type Provider struct {
	Name              string
	ProjectID         string // empty: of all projects
	Kind              Kind
	BaseURL           string // empty: the provider's own
	APIKey            string // sealed
	APIKeyFingerprint string // keyed fingerprint of the plain key
	Models            []Model
}

// Model is one of a provider's.
type Model struct {
	ID     string  `json:"id"`              // as callers name it
	Named  string  `json:"model,omitempty"` // as the provider calls it; empty: by its id
	Tier   string  `json:"tier,omitempty"`  // empty: it is asked by its id only
	Prices *Prices `json:"prices,omitempty"`

	Pictures *bool `json:"pictures,omitempty"` // whether it is shown any; nil: see Sees
}

// Sees is whether a model is shown pictures: as was said of it, else if its provider is at its own address. Of a server
// somewhere else nobody knows what it runs.
func Sees(said *bool, elsewhere bool) bool {
	if said != nil {
		return *said
	}
	return !elsewhere
}

// Prices are what a token costs, in pico-dollars.
type Prices struct {
	Version string `json:"version"`
	Input   int64  `json:"input"`
	Output  int64  `json:"output"`
}

// Pricing is what a token costs, as far as it is known.
func (m Model) Pricing() completions.Pricing {
	if m.Prices == nil {
		return completions.Pricing{}
	}
	return completions.Pricing{Version: m.Prices.Version, In: m.Prices.Input, Out: m.Prices.Output}
}
