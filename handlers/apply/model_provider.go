package apply

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/modelproviders"
)

// ModelProviderSpec is the spec of kind ModelProvider.
type ModelProviderSpec struct {
	ProjectID string      `json:"projectId,omitempty" jsonschema:"minLength=1" jsonschema_description:"The project whose models these are, by id or alias. Without one they are of all projects of the tenant."`
	Kind      string      `json:"kind" jsonschema:"required,enum=openai,enum=anthropic" jsonschema_description:"The protocol: openai for OpenAI or any server that speaks as it does, anthropic for Anthropic."`
	BaseURL   string      `json:"baseUrl,omitempty" jsonschema:"minLength=1,example=https://llm.example.com/v1" jsonschema_description:"Its address, with the version for openai; the provider's own without one. It must be a public one."`
	APIKey    string      `json:"apiKey" jsonschema:"required,minLength=1" jsonschema_description:"What the provider lets in. It is sealed, and never shown."`
	Models    []ModelSpec `json:"models" jsonschema:"required,minItems=1,maxItems=50" jsonschema_description:"What it has, in the order in which the models of a tier are asked."`
}

// ModelSpec is one model of a provider.
type ModelSpec struct {
	ID     string      `json:"id" jsonschema:"required,minLength=1,maxLength=128" jsonschema_description:"modelId of the API. A model of the server that is called so is not seen by the project then."`
	Model  string      `json:"model,omitempty" jsonschema:"maxLength=256" jsonschema_description:"What the provider calls it; the id without one."`
	Tier   string      `json:"tier,omitempty" jsonschema:"enum=fast,enum=balanced,enum=powerful" jsonschema_description:"Without one the model is asked by its id only."`
	Prices *PricesSpec `json:"prices,omitempty" jsonschema_description:"Without them what it costs is not known."`

	Pictures *bool `json:"pictures,omitempty" jsonschema_description:"Whether it is shown pictures; without it, where the provider has no baseUrl."`
}

// PricesSpec is what a model costs.
type PricesSpec struct {
	Version string      `json:"version" jsonschema:"required,minLength=1,maxLength=64,example=2026-11" jsonschema_description:"From when they are."`
	Input   json.Number `json:"input" jsonschema:"required,type=number,minimum=0" jsonschema_description:"US dollars for a million tokens that it reads, with at most six digits behind the point."`
	Output  json.Number `json:"output" jsonschema:"required,type=number,minimum=0" jsonschema_description:"The same for what it writes."`
}

var modelProviderKind = define(label{
	name: modelProviderName,
	about: "A provider of models of the tenant's own, which completions ask before those of the server. It is known by its metadata.name, " +
		"which usage and answers show.",
	named: true,
}, modelProviderSteps, nil).pruned(modelProvidersLeft)

func modelProviderSteps(ctx context.Context, p *planner, d *draft, spec ModelProviderSpec) ([]step, error) {
	tenant, err := p.tenant(ctx, d)
	if err != nil {
		return nil, err
	}
	name := d.meta.Name
	p.claim(d, "metadata.name", d.meta.Tenant, name)
	if spec.BaseURL != "" && p.guard != nil {
		if err := p.guard(spec.BaseURL); err != nil {
			d.fault("spec.baseUrl", "%v", err)
		}
	}
	define := modelproviders.Define{TenantID: d.meta.Tenant, Name: name, Kind: spec.Kind, BaseURL: spec.BaseURL, Models: d.models(spec)}
	if spec.ProjectID != "" {
		define.ProjectID = p.within(tenant, d, "spec.projectId", spec.ProjectID)
	}
	if spec.APIKey != "" {
		if !completions.ValidKey(spec.APIKey) {
			d.fault("spec.apiKey", "holds a character that no header may hold, such as the end of a line")
		}
		key, err := d.sealSecret("spec.apiKey", spec.APIKey, p.vault.SealModelKey, name)
		if err != nil {
			return nil, err
		}
		define.APIKey, define.APIKeyFingerprint = key.sealed, key.fingerprint
	}
	exists := func(s modelproviders.State) bool { _, ok := s.Providers[name]; return ok }
	return []step{on(modelproviders.Providers, modelproviders.Stream(d.meta.Tenant), define.Decide, exists)}, nil
}

// models are those of a spec; what is wrong with a price is noted.
func (d *draft) models(spec ModelProviderSpec) (out []modelproviders.Model) {
	for i, m := range spec.Models {
		model := modelproviders.Model{ID: m.ID, Named: m.Model, Tier: m.Tier, Pictures: m.Pictures}
		if m.Prices != nil {
			at := fmt.Sprintf("spec.models[%d].prices.", i)
			model.Prices = &modelproviders.Prices{Version: m.Prices.Version, Input: d.price(at+"input", m.Prices.Input),
				Output: d.price(at+"output", m.Prices.Output)}
		}
		out = append(out, model)
	}
	return out
}

func (d *draft) price(field string, dollars json.Number) int64 {
	pico, ok := completions.PerToken(dollars.String())
	if !ok {
		d.fault(field, "must be US dollars for a million tokens, with at most six digits behind the point")
	}
	return pico
}

func modelProvidersLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	stream := modelproviders.Stream(tenant)
	s, err := stateOf(ctx, p, modelproviders.Providers, stream)
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, name := range unnamed(p, s.Providers, modelProviderName, tenant) {
		remove := modelproviders.Remove{TenantID: tenant, Name: name}
		left = append(left, leftover{id: name, name: name, steps: []step{removing(modelproviders.Providers, stream, remove.Decide)}})
	}
	return left, nil
}
