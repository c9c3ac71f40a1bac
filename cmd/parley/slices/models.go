package slices

import (
	"context"
	"fmt"
	"slices"

	"github.com/parley-platform/parley/adapters/genai"
	"github.com/parley-platform/parley/adapters/llm"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/handlers/acts/driving"
	api "github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// projectModels finds the models that a project may ask: those of its own providers, and those
// of the server.
type projectModels struct {
	server    *llm.Models
	own       *llm.Own
	providers *models.ModelProviders
	vault     *vault.Vault
	watch     *genai.Watch
}

func (n Needs) projectModels(server *llm.Models) projectModels {
	return projectModels{server, llm.NewOwn(n.Guard.Transport()), models.NewModelProviders(n.Read), n.Vault, n.Watch}
}

// Of implements what package runtime asks for.
func (x projectModels) Of(ctx context.Context, tenant, project string, chosen projectsettings.Models) (api.Models, error) {
	return x.of(ctx, tenant, project, chosen, genai.Asked{})
}

// of are those whose answers are watched, for whom they are asked.
func (x projectModels) of(ctx context.Context, tenant, project string, chosen projectsettings.Models,
	who genai.Asked) (genai.Models, error) {
	providers, err := x.providers.Of(ctx, tenant, project)
	if err != nil {
		return genai.Models{}, err
	}
	var own []*llm.OwnModel
	for _, p := range providers {
		own = append(own, x.own.Of(llm.OwnProvider{Tenant: tenant, Name: p.Name, Version: p.Version, Kind: p.Kind, BaseURL: p.BaseURL,
			Models: p.Models, Key: x.key(tenant, p.Name, p.APIKey)})...)
	}
	who.Own = func(id string) bool {
		return slices.ContainsFunc(own, func(m *llm.OwnModel) bool { return m.ID == id })
	}
	return x.watch.Models(x.server.For(own, chosen), who), nil
}

// key opens the key of a provider when a model is asked, and not before.
func (x projectModels) key(tenant, provider, sealed string) func() (string, error) {
	return func() (string, error) {
		key, err := x.vault.Unseal(sealed, vault.ModelKeyContext(tenant, provider))
		if err != nil {
			return "", fmt.Errorf("opening the key of the provider %s: %w", provider, err)
		}
		return string(key), nil
	}
}

// modelsOfTurns are those that a project's agents may ask.
func (n Needs) modelsOfTurns(settings *models.ProjectSettings,
	of projectModels) func(context.Context, driving.ModelsOf) (driving.Answerer, error) {
	return func(ctx context.Context, who driving.ModelsOf) (driving.Answerer, error) {
		held, err := settings.Held(ctx, who.Tenant, who.Project, who.Deployment)
		if err != nil {
			return nil, err
		}
		return of.of(ctx, who.Tenant, who.Project, held.Models, genai.Asked{Session: who.Session, Agent: who.Agent})
	}
}
