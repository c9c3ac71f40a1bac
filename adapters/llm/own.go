package llm

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"

	"github.com/parley-platform/parley/adapters/anthropic"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/domain/projectsettings"
)

// OwnProvider is a tenant's own.
type OwnProvider struct {
	Tenant, Name string
	Version      int64 // another one is another definition
	Kind         modelproviders.Kind
	BaseURL      string                 // empty: the provider's own
	Key          func() (string, error) // opens the key; asked for each request
	Models       []modelproviders.Model
}

// OwnModel is a model of a tenant's own provider.
type OwnModel struct {
	Model
	tier string // empty: it is asked by its id only
}

// Own makes models of tenants' own providers. It keeps nothing of them but how they did lately:
// one that failed too often rests whoever asks it.
type Own struct {
	transport http.RoundTripper // leads to no address that tenants must not reach

	mu   sync.Mutex
	kept map[[2]string]ownModels // by tenant and name of the provider
}

type ownModels struct {
	version int64
	models  []*OwnModel
}

// mostKept is of how many providers it is known. Beyond it all are forgotten, and begin anew.
const mostKept = 10_000

// NewOwn asks through a transport.
func NewOwn(transport http.RoundTripper) *Own {
	return &Own{transport: transport, kept: map[[2]string]ownModels{}}
}

// Of are the models of a provider.
func (o *Own) Of(p OwnProvider) []*OwnModel {
	o.mu.Lock()
	defer o.mu.Unlock()
	key := [2]string{p.Tenant, p.Name}
	if known, ok := o.kept[key]; ok && known.version == p.Version {
		return known.models
	}
	if len(o.kept) >= mostKept {
		clear(o.kept)
	}
	by, made := &ownProvider{p, o.transport}, ownModels{version: p.Version}
	for _, m := range p.Models {
		made.models = append(made.models, &OwnModel{Model: Model{ID: m.ID, Provider: p.Name, By: by, Named: cmp.Or(m.Named, m.ID),
			Pricing: m.Pricing(), Sees: modelproviders.Sees(m.Pictures, p.BaseURL != ""), breaker: newBreaker()}, tier: m.Tier})
	}
	o.kept[key] = made
	return made.models
}

// ownProvider opens its key for each request, and keeps no client that would hold it.
type ownProvider struct {
	OwnProvider
	transport http.RoundTripper
}

// Stream implements Provider.
func (p *ownProvider) Stream(ctx context.Context, model string, r completions.Request, emit func(completions.Piece) error) (Ended, error) {
	key, err := p.Key()
	if err != nil {
		return Ended{}, err
	}
	by, err := p.client(key)
	if err != nil {
		return Ended{}, err
	}
	return by.Stream(ctx, model, r, emit)
}

func (p *ownProvider) client(key string) (Provider, error) {
	if p.Kind == modelproviders.Anthropic {
		return NewAnthropicChat(anthropic.Config{APIKey: key, BaseURL: p.BaseURL, Transport: p.transport})
	}
	return NewOpenAIChat(openai.Config{APIKey: key, BaseURL: p.BaseURL, Transport: p.transport})
}

// For are the models of a project: its own, of which the first of an id counts, and those of the
// server that are called otherwise. A tier in which the project has models of its own has no
// others: what is said to them goes nowhere else unless the project chose that.
func (x *Models) For(own []*OwnModel, chosen projectsettings.Models) *Models {
	if len(own) == 0 && reflect.DeepEqual(chosen, projectsettings.Models{}) {
		return x
	}
	out := &Models{byID: map[string]*Model{}, tiers: map[string][]*Model{}, chosen: chosen, pause: cmp.Or(x.pause, firstPause)}
	maps.Copy(out.byID, x.byID)
	for _, m := range slices.Backward(own) {
		out.byID[m.ID] = &m.Model
	}
	for tier, all := range x.tiers {
		for _, m := range all {
			if out.byID[m.ID] == m {
				out.tiers[tier] = append(out.tiers[tier], m)
			}
		}
	}
	mine := map[string][]*Model{}
	for _, m := range own {
		if m.tier != "" && out.byID[m.ID] == &m.Model {
			mine[m.tier] = append(mine[m.tier], &m.Model)
		}
	}
	maps.Copy(out.tiers, mine)
	for tier, ids := range chosen.Tiers {
		out.tiers[tier] = nil
		for _, id := range ids {
			if m := out.byID[id]; m != nil {
				out.tiers[tier] = append(out.tiers[tier], m)
			}
		}
	}
	return out
}
