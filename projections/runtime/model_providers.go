package runtime

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/projections"
)

// ModelProvidersModel stores which providers of models tenants have, with their sealed keys.
var ModelProvidersModel = newModelProvidersModel()

func newModelProvidersModel() *projections.Model {
	m := projections.NewModel("model providers", 1, []string{"model_providers"}, modelproviders.Providers.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e modelproviders.Defined) {
		b.Put("model_providers", projections.Row{"tenant": e.TenantID, "name": e.Name}, projections.Row{"project_id": e.ProjectID,
			"kind": string(e.Kind), "base_url": e.BaseURL, "api_key": e.APIKey, "models": e.Models, "version": at.Version})
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e modelproviders.Removed) {
		b.Delete("model_providers", projections.Row{"tenant": e.TenantID, "name": e.Name})
	})
	return m
}

// ModelProviders answers which providers of models there are.
type ModelProviders struct{ db *pgxpool.Pool }

// NewModelProviders reads through the pool.
func NewModelProviders(db *pgxpool.Pool) *ModelProviders { return &ModelProviders{db} }

// ModelProvider is one of a tenant's.
type ModelProvider struct {
	Name      string
	ProjectID string // empty: of all projects
	Kind      modelproviders.Kind
	BaseURL   string
	APIKey    string // sealed
	Models    []modelproviders.Model
	Version   int64 // grows with each change
}

// providersKey is whose providers one piece of work has asked for.
type providersKey struct{ tenant, project string }

// Of are those whose models a project may ask: its own, and behind them those of the tenant. One piece of
// work asks for them once.
func (x *ModelProviders) Of(ctx context.Context, tenant, project string) ([]ModelProvider, error) {
	return projections.Once(ctx, providersKey{tenant, project}, func() ([]ModelProvider, error) {
		return projections.All[ModelProvider](ctx, x.db, "reading providers of models", `SELECT name, project_id, kind, base_url, api_key, models,
			version FROM model_providers WHERE tenant = $1 AND project_id IN ('', $2) ORDER BY project_id = '', name`, tenant, project)
	})
}
