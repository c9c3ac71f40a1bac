package channels

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/projections"
)

// SDKChannelsModel stores the channels of SDKs.
var SDKChannelsModel = newSDKChannelsModel()

func newSDKChannelsModel() *projections.Model {
	m := projections.NewModel("SDK channels", 1, []string{"sdk_channels"}, sdkchannels.Channels.Category)
	channel := func(tenant, id string) projections.Row { return projections.Row{"tenant": tenant, "channel_id": id} }
	projections.On(m, func(b *projections.Batch, _ projections.At, e sdkchannels.Created) {
		row := chosen(e.Settings)
		row["project_id"], row["created_at"], row["updated_at"] = e.ProjectID, e.At, e.At
		b.Put("sdk_channels", channel(e.TenantID, e.ChannelID), row)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e sdkchannels.Changed) {
		row := chosen(e.Settings)
		row["updated_at"] = e.At
		b.Set("sdk_channels", channel(e.TenantID, e.ChannelID), row)
	})
	projections.On(m, func(b *projections.Batch, _ projections.At, e sdkchannels.Deleted) {
		b.Delete("sdk_channels", channel(e.TenantID, e.ChannelID))
	})
	return m
}

func chosen(s sdkchannels.Settings) projections.Row {
	row := projections.Row{"name": s.Name, "type": string(s.Type), "key_id": s.KeyID, "deployment_id": s.DeploymentID,
		"environment": s.Environment, "follows": s.Follows, "config": nil, "active": s.Active}
	if s.Config != nil {
		row["config"] = s.Config
	}
	return row
}

// SDKChannels answers which channels of SDKs there are.
type SDKChannels struct{ db *pgxpool.Pool }

// NewSDKChannels reads through the pool.
func NewSDKChannels(db *pgxpool.Pool) *SDKChannels { return &SDKChannels{db} }

// SDKChannel is one of them.
type SDKChannel struct {
	Tenant       string
	ChannelID    string
	ProjectID    string
	Name         string
	Type         sdkchannels.Type
	KeyID        string
	DeploymentID string
	Environment  string
	Follows      bool
	Config       json.RawMessage // nil: none
	Active       bool
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

const selectSDKChannels = `SELECT tenant, channel_id, project_id, name, type, key_id, deployment_id, environment, follows, config, active,
	created_at, updated_at FROM sdk_channels `

// Get finds a channel of a project.
func (x *SDKChannels) Get(ctx context.Context, tenant, project, id string) (SDKChannel, bool, error) {
	return projections.One[SDKChannel](ctx, x.db, "reading an SDK channel", selectSDKChannels+
		`WHERE tenant = $1 AND project_id = $2 AND channel_id = $3`, tenant, project, id)
}

// List returns the channels of a project, the newest first, and how many there are in all.
func (x *SDKChannels) List(ctx context.Context, tenant, project string, limit, offset int) ([]SDKChannel, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 `
	return projections.Page[SDKChannel](ctx, x.db, "listing SDK channels", projections.PageQuery{
		Count: `SELECT count(*) FROM sdk_channels ` + where,
		Rows:  selectSDKChannels + where + `ORDER BY created_at DESC, channel_id DESC LIMIT $3 OFFSET $4`,
		Args:  []any{tenant, project}, Limit: limit, Offset: offset})
}

// OfKey is the newest active channel that is used by a public key: of pages, or of what is none.
func (x *SDKChannels) OfKey(ctx context.Context, tenant, key string, page bool) (SDKChannel, bool, error) {
	return projections.One[SDKChannel](ctx, x.db, "looking for an SDK channel", selectSDKChannels+
		`WHERE tenant = $1 AND key_id = $2 AND active ORDER BY (type = 'web' AND NOT $3), created_at DESC, channel_id DESC LIMIT 1`,
		tenant, key, page)
}

// KeyedChannel is an active channel with what its public key is for.
type KeyedChannel struct {
	ProjectID      string
	Type           sdkchannels.Type
	KeyID          string
	ScopeID        string // of the key
	AllowedOrigins []string
	Config         json.RawMessage
}

// WithKey is an active channel of a tenant whose public key is there.
func (x *SDKChannels) WithKey(ctx context.Context, tenant, id string) (KeyedChannel, bool, error) {
	return projections.One[KeyedChannel](ctx, x.db, "looking for an SDK channel", `
		SELECT c.project_id, c.type, c.key_id, k.scope_id, k.allowed_origins, c.config
		FROM sdk_channels c JOIN api_keys k ON k.tenant = c.tenant AND k.key_id = c.key_id AND k.kind = 'public'
		WHERE c.tenant = $1 AND c.channel_id = $2 AND c.active`, tenant, id)
}
