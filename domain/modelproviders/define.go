package modelproviders

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Define makes or changes a provider (manifest kind ModelProvider).
type Define struct {
	TenantID  string
	Name      string // metadata.name
	ProjectID string // spec.projectId, resolved; empty: all projects
	Kind      string // spec.kind
	BaseURL   string // spec.baseUrl

	// The sealed key and the keyed fingerprint of its plain text.
	APIKey            string // spec.apiKey
	APIKeyFingerprint string
	Models            []Model // spec.models
}

// Defined says what the provider now is.
type Defined struct {
	TenantID          string  `json:"tenantId"`
	Name              string  `json:"name"`
	ProjectID         string  `json:"projectId,omitempty"`
	Kind              Kind    `json:"kind"`
	BaseURL           string  `json:"baseUrl,omitempty"`
	APIKey            string  `json:"apiKey"` // sealed
	APIKeyFingerprint string  `json:"apiKeyFingerprint"`
	Models            []Model `json:"models"`
}

var _ = event.Register[Defined](Providers, "defined", 1)

const (
	mostProviders = 100
	mostModels    = 50 // of one provider
)

// Decide keeps the key as it was sealed before where it is the same.
func (c Define) Decide(s State) ([]event.Payload, error) {
	p := Provider{Name: c.Name, ProjectID: c.ProjectID, Kind: Kind(c.Kind), BaseURL: c.BaseURL, APIKey: c.APIKey,
		APIKeyFingerprint: c.APIKeyFingerprint, Models: slices.Clone(c.Models)}
	if err := p.check(s); err != nil {
		return nil, err
	}
	old, exists := s.Providers[p.Name]
	if !exists && len(s.Providers) >= mostProviders {
		return nil, fault.New(fault.LimitReached, "a tenant has at most %d providers of models", mostProviders)
	}
	if exists && p.APIKeyFingerprint == old.APIKeyFingerprint {
		p.APIKey = old.APIKey
	}
	if exists && reflect.DeepEqual(p, old) {
		return nil, nil
	}
	return []event.Payload{Defined{TenantID: c.TenantID, Name: p.Name, ProjectID: p.ProjectID, Kind: p.Kind, BaseURL: p.BaseURL,
		APIKey: p.APIKey, APIKeyFingerprint: p.APIKeyFingerprint, Models: p.Models}}, nil
}

func (p Provider) check(s State) error {
	var f fault.Fields
	if !completions.ValidModelID(p.Name) {
		f.Add("metadata.name", "must be of letters, digits and ._:/-")
	}
	if p.Kind != OpenAI && p.Kind != Anthropic {
		f.Add("spec.kind", "must be %s or %s", OpenAI, Anthropic)
	}
	if p.APIKey == "" || p.APIKeyFingerprint == "" {
		f.Add("spec.apiKey", "is required")
	}
	if len(p.Models) == 0 || len(p.Models) > mostModels {
		f.Add("spec.models", "must name 1 to %d models", mostModels)
	}
	taken := s.taken(p)
	for i, m := range p.Models {
		at := fmt.Sprintf("spec.models[%d]", i)
		m.check(at, &f)
		switch other, is := taken[m.ID]; {
		case is && other == p.Name:
			f.Add(at+".id", "is used twice")
		case is:
			f.Add(at+".id", "is a model of the provider %s already", other)
		}
		taken[m.ID] = p.Name
	}
	return f.Err()
}

// taken are the ids of models beside which those of a provider stand, with their providers.
func (s State) taken(beside Provider) map[string]string {
	out := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		if other := s.Providers[name]; name != beside.Name && other.ProjectID == beside.ProjectID {
			for _, m := range other.Models {
				out[m.ID] = name
			}
		}
	}
	return out
}

func (m Model) check(at string, f *fault.Fields) {
	if !completions.ValidModelID(m.ID) {
		f.Add(at+".id", "must be of letters, digits and ._:/-")
	}
	if len(m.Named) > 256 || strings.ContainsFunc(m.Named, func(r rune) bool { return r < ' ' }) {
		f.Add(at+".model", "must be at most 256 characters in one line")
	}
	if m.Tier != "" && !slices.Contains(completions.Tiers(), m.Tier) {
		f.Add(at+".tier", "must be %s", strings.Join(completions.Tiers(), ", "))
	}
	if p := m.Prices; p != nil && (p.Version == "" || len(p.Version) > completions.LongestPriceVersion) {
		f.Add(at+".prices.version", "must say from when the prices are, such as 2026-11")
	}
}

// Apply folds the event.
func (e Defined) Apply(s *State) {
	if s.Providers == nil {
		s.Providers = map[string]Provider{}
	}
	s.Providers[e.Name] = Provider{Name: e.Name, ProjectID: e.ProjectID, Kind: e.Kind, BaseURL: e.BaseURL, APIKey: e.APIKey,
		APIKeyFingerprint: e.APIKeyFingerprint, Models: slices.Clone(e.Models)}
}
