package llm

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/adapters/anthropic"
	"github.com/parley-platform/parley/adapters/openai"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/modelproviders"
)

// modelsFile is what an operator writes (docs/how-to/use-a-model.md).
type modelsFile struct {
	Providers []providerEntry     `yaml:"providers"`
	Models    []modelEntry        `yaml:"models"`
	Tiers     map[string][]string `yaml:"tiers"`
}

type providerEntry struct {
	Name      string `yaml:"name"`
	Kind      string `yaml:"kind"`
	BaseURL   string `yaml:"baseUrl"`
	APIKeyEnv string `yaml:"apiKeyEnv"`
}

type modelEntry struct {
	ID       string       `yaml:"id"`
	Provider string       `yaml:"provider"`
	Model    string       `yaml:"model"`
	Pictures *bool        `yaml:"pictures"`
	Prices   *pricesEntry `yaml:"prices"`
}

type pricesEntry struct {
	Version string `yaml:"version"`
	Input   string `yaml:"input"`
	Output  string `yaml:"output"`
}

// providerKinds are the protocols that a provider may speak, and where its key usually is.
var providerKinds = map[string]string{openai.Provider: "OPENAI_API_KEY", anthropic.Provider: "ANTHROPIC_API_KEY", ProviderLocal: ""}

// ReadModels reads a file of providers, models, tiers and prices. Keys come from the
// environment alone. An error names the line and the field, and shows no key.
func ReadModels(content []byte, env func(string) string) (*Models, error) {
	var f modelsFile
	strict := yaml.NewDecoder(bytes.NewReader(content))
	strict.KnownFields(true)
	if err := strict.Decode(&f); errors.Is(err, io.EOF) {
		return nil, errors.New("it is empty: models are missing")
	} else if err != nil {
		return nil, err
	}
	if err := strict.Decode(&modelsFile{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("it must be one document")
	}
	r := reading{env: env, providers: map[string]Provider{}, blind: map[string]bool{}}
	if err := yaml.Unmarshal(content, &r.root); err != nil {
		return nil, err
	}
	if err := r.readProviders(f.Providers); err != nil {
		return nil, err
	}
	all, err := r.readModels(f.Models)
	if err != nil {
		return nil, err
	}
	if err := r.checkTiers(f.Tiers, all); err != nil {
		return nil, err
	}
	return NewModels(all, f.Tiers), nil
}

// reading is a file that is being read.
type reading struct {
	root      yaml.Node
	env       func(string) string
	providers map[string]Provider
	blind     map[string]bool // providers whose models see no pictures, unless it is said of one
}

// wrong names the line of what is at a path of member names and indices.
func (r *reading) wrong(problem string, path ...any) error {
	at, where := r.root.Content[0], ""
	for _, step := range path {
		next := at
		switch s := step.(type) {
		case string:
			where += "." + s
			for i := 0; i+1 < len(at.Content); i += 2 {
				if at.Kind == yaml.MappingNode && at.Content[i].Value == s {
					next = at.Content[i+1]
				}
			}
		case int:
			where += fmt.Sprintf("[%d]", s)
			if s < len(at.Content) {
				next = at.Content[s]
			}
		}
		at = next
	}
	return fmt.Errorf("line %d: %s %s", at.Line, where[1:], problem)
}

func (r *reading) readProviders(all []providerEntry) error {
	for i, e := range all {
		at := func(field, problem string) error { return r.wrong(problem, "providers", i, field) }
		if !completions.ValidModelID(e.Name) {
			return at("name", "must be a name of letters, digits and ._:/-")
		}
		if r.providers[e.Name] != nil {
			return at("name", "is used twice")
		}
		usual, known := providerKinds[e.Kind]
		if !known {
			return at("kind", "must be openai, anthropic or local")
		}
		key := r.env(cmp.Or(e.APIKeyEnv, usual))
		r.blind[e.Name] = e.BaseURL != "" || e.Kind == ProviderLocal
		var err error
		switch e.Kind {
		case openai.Provider:
			r.providers[e.Name], err = NewOpenAIChat(openai.Config{APIKey: key, BaseURL: e.BaseURL})
		case anthropic.Provider:
			r.providers[e.Name], err = NewAnthropicChat(anthropic.Config{APIKey: key, BaseURL: e.BaseURL})
		default:
			r.providers[e.Name] = Local{}
		}
		if err != nil && key == "" {
			return at("apiKeyEnv", fmt.Sprintf("names a variable of the environment that holds the key: %s is empty", cmp.Or(e.APIKeyEnv, usual)))
		}
		if err != nil {
			return at("baseUrl", "and the key: "+err.Error())
		}
	}
	return nil
}

func (r *reading) readModels(all []modelEntry) (out []Model, err error) {
	if len(all) == 0 {
		return nil, r.wrong("must name at least one", "models")
	}
	for i, e := range all {
		at := func(field, problem string) error { return r.wrong(problem, "models", i, field) }
		if !completions.ValidModelID(e.ID) {
			return nil, at("id", "must be a name of letters, digits and ._:/-")
		}
		if slices.ContainsFunc(out, func(m Model) bool { return m.ID == e.ID }) {
			return nil, at("id", "is used twice")
		}
		by := r.providers[e.Provider]
		if by == nil {
			return nil, at("provider", "is not the name of a provider of this file")
		}
		m := Model{ID: e.ID, Provider: e.Provider, By: by, Named: cmp.Or(e.Model, e.ID)}
		m.Sees = modelproviders.Sees(e.Pictures, r.blind[e.Provider])
		if e.Prices != nil {
			if m.Pricing, err = r.readPrices(*e.Prices, i); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

func (r *reading) readPrices(e pricesEntry, model int) (out completions.Pricing, err error) {
	if e.Version == "" || len(e.Version) > completions.LongestPriceVersion {
		return out, r.wrong("must say from when the prices are, such as 2026-11", "models", model, "prices", "version")
	}
	out.Version = e.Version
	for _, price := range []struct {
		field, text string
		to          *int64
	}{{"input", e.Input, &out.In}, {"output", e.Output, &out.Out}} {
		value, ok := completions.PerToken(price.text)
		if !ok {
			return out, r.wrong("must be US dollars for a million tokens, with at most six digits behind the point", "models", model, "prices",
				price.field)
		}
		*price.to = value
	}
	return out, nil
}

func (r *reading) checkTiers(tiers map[string][]string, all []Model) error {
	for tier, ids := range tiers {
		if !slices.Contains(completions.Tiers(), tier) {
			return r.wrong("is no tier: there are fast, balanced and powerful", "tiers", tier)
		}
		for i, id := range ids {
			if !slices.ContainsFunc(all, func(m Model) bool { return m.ID == id }) {
				return r.wrong("is not the id of a model of this file", "tiers", tier, i)
			}
		}
	}
	return nil
}
