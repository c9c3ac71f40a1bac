package campaigns

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/projections"
)

// CampaignsModel stores one row per campaign. Which ones manifests made is folded from
// the register by the few who ask.
var CampaignsModel = newCampaignsModel()

func newCampaignsModel() *projections.Model {
	m := projections.NewModel("campaigns", 1, []string{"campaigns"}, campaigns.Campaigns.Category, campaigns.Registers.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.Defined) {
		b.Put("campaigns", campaign(e.TenantID, e.CampaignID), projections.Row{"project_id": e.ProjectID, "kind": string(e.Definition.Kind),
			"status": string(campaigns.Ready), "instance_id": "",
			"definition": e.Definition, "created_at": e.At, "updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.Updated) {
		b.Set("campaigns", campaign(e.TenantID, e.CampaignID), projections.Row{"status": string(campaigns.Ready), "definition": e.Definition,
			"updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.Started) {
		b.Set("campaigns", campaign(e.TenantID, e.CampaignID), projections.Row{"status": string(campaigns.Active), "instance_id": e.RunID,
			"updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.RunPaused) {
		b.Set("campaigns", campaign(e.TenantID, e.CampaignID), projections.Row{"status": string(campaigns.Paused), "updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.RunResumed) {
		b.Set("campaigns", campaign(e.TenantID, e.CampaignID), projections.Row{"status": string(campaigns.Active), "updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.RunCompleted) {
		b.Set("campaigns", campaign(e.TenantID, e.CampaignID), projections.Row{"status": string(campaigns.Completed), "updated_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e campaigns.Removed) {
		b.Delete("campaigns", campaign(e.TenantID, e.CampaignID))
	})
	projections.Ignore[campaigns.Entered](m)
	projections.Ignore[campaigns.Struck](m)
	return m
}

func campaign(tenant, id string) projections.Row {
	return projections.Row{"tenant": tenant, "campaign_id": id}
}

// Campaigns answers what campaigns there are.
type Campaigns struct{ db *pgxpool.Pool }

// NewCampaigns reads through the pool.
func NewCampaigns(db *pgxpool.Pool) *Campaigns { return &Campaigns{db} }

// Campaign is one campaign.
type Campaign struct {
	ID         string // cd-...
	Definition campaigns.Definition
	Status     campaigns.Status
	RunID      string // cid-... of the run under way or the last one; empty: never started
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

const selectCampaigns = `SELECT campaign_id AS id, definition, status, instance_id AS run_id, created_at, updated_at FROM campaigns `

// Get finds a campaign of a project; ok is false if there is none.
func (x *Campaigns) Get(ctx context.Context, tenant, project, id string) (c Campaign, ok bool, err error) {
	return projections.One[Campaign](ctx, x.db, "reading campaign "+id,
		selectCampaigns+`WHERE tenant = $1 AND campaign_id = $2 AND project_id = $3`, tenant, id, project)
}

// List returns a project's campaigns in the order in which they were made, and how many
// there are.
func (x *Campaigns) List(ctx context.Context, tenant, project string, limit, offset int) (page []Campaign, total int, err error) {
	const where = `WHERE tenant = $1 AND project_id = $2`
	return projections.Page[Campaign](ctx, x.db, "listing campaigns", projections.PageQuery{Count: `SELECT count(*) FROM campaigns ` + where,
		Rows: selectCampaigns + where + ` ORDER BY created_at, campaign_id LIMIT $3 OFFSET $4`,
		Args: []any{tenant, project}, Limit: limit, Offset: offset})
}

// FlowNamed finds an experience flow of a project by its name, with the source of its
// agent; ok is false if there is none.
func (x *Campaigns) FlowNamed(ctx context.Context, tenant, project, name string) (f CampaignFlow, ok bool, err error) {
	return x.flow(ctx, `f.name = $3`, tenant, project, name)
}

// FlowOf finds the experience flow with an id, likewise.
func (x *Campaigns) FlowOf(ctx context.Context, tenant, project, id string) (f CampaignFlow, ok bool, err error) {
	return x.flow(ctx, `f.flow_id = $3`, tenant, project, id)
}

// CampaignFlow is what campaigns need of a flow.
type CampaignFlow struct {
	ID, Name  string
	AgentName string // empty: none
	AgentDSL  string // see projections.AgentSource; empty when there is no such agent
}

func (x *Campaigns) flow(ctx context.Context, which, tenant, project, value string) (f CampaignFlow, ok bool, err error) {
	return projections.One[CampaignFlow](ctx, x.db, "reading an experience flow", `SELECT f.flow_id AS id, f.name, f.agent_name,
			coalesce(a.dsl, '') AS agent_dsl
		FROM flows f
		`+projections.AgentSource+`
		WHERE f.tenant = $1 AND f.project_id = $2 AND `+which+` LIMIT 1`, tenant, project, value)
}
