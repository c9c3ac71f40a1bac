package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/projections"
)

// ProjectSettingsModel stores every version of what projects choose for themselves.
var ProjectSettingsModel = newProjectSettingsModel()

func newProjectSettingsModel() *projections.Model {
	m := projections.NewModel("project settings", 1, []string{"project_settings"}, projectsettings.ProjectSettings.Category)
	projections.On(m, func(b *projections.Batch, _ projections.At, e projectsettings.Changed) {
		b.Put("project_settings", projections.Row{"version_id": e.VersionID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"version": e.Version, "settings": e.Settings, "created_by": e.CreatedBy, "created_at": e.At})
	})
	projections.Ignore[projectsettings.BudgetReached](m) // it says what spending says
	return m
}

// ProjectSettings answers what projects have chosen. What each message asks is asked together,
// and never kept: a setting holds with the answer to who applied it.
type ProjectSettings struct {
	db   *pgxpool.Pool
	held projections.Lookup[settingsKey, heldSettings]
}

// settingsKey is a project, and the deployment by whose settings is gone; empty: by the newest.
type settingsKey struct{ tenant, project, deployment string }

// heldSettings are those that hold with a deployment, and those that do without one.
type heldSettings struct{ with, without projectsettings.Settings }

// NewProjectSettings reads through the pool.
func NewProjectSettings(db *pgxpool.Pool) *ProjectSettings {
	x := &ProjectSettings{db: db}
	x.held.Ask = x.ask
	return x
}

// SettingsVersion is one version of a project's settings.
type SettingsVersion struct {
	VersionID string
	ProjectID string
	Version   int
	Settings  projectsettings.Settings
	CreatedBy string
	CreatedAt time.Time
}

const selectSettings = `SELECT version_id, project_id, version, settings, created_by, created_at FROM project_settings `

// Newest is the version that holds where no other is named.
func (x *ProjectSettings) Newest(ctx context.Context, tenant, project string) (SettingsVersion, bool, error) {
	return projections.One[SettingsVersion](ctx, x.db, "reading the settings of a project", selectSettings+
		`WHERE tenant = $1 AND project_id = $2 ORDER BY version DESC LIMIT 1`, tenant, project)
}

// Version finds a version of a project by its id.
func (x *ProjectSettings) Version(ctx context.Context, tenant, project, id string) (SettingsVersion, bool, error) {
	return projections.One[SettingsVersion](ctx, x.db, "reading a version of the settings of a project", selectSettings+
		`WHERE tenant = $1 AND project_id = $2 AND version_id = $3`, tenant, project, id)
}

// Versions lists versions of a project, the newest first, and how many there are in all.
func (x *ProjectSettings) Versions(ctx context.Context, tenant, project string, limit, offset int) ([]SettingsVersion, int, error) {
	const where = `WHERE tenant = $1 AND project_id = $2 `
	return projections.Page[SettingsVersion](ctx, x.db, "listing versions of the settings of a project", projections.PageQuery{
		Count: `SELECT count(*) FROM project_settings ` + where, Rows: selectSettings + where + `ORDER BY version DESC LIMIT $3 OFFSET $4`,
		Args: []any{tenant, project}, Limit: limit, Offset: offset})
}

// Held are the settings that hold in a project now: those that a deployment names, or the
// newest. Where there are none, they say nothing. One piece of work asks for them once; who has
// asked for a deployment's is told the newest too.
func (x *ProjectSettings) Held(ctx context.Context, tenant, project, deployment string) (projectsettings.Settings, error) {
	key := settingsKey{tenant, project, deployment}
	held, err := projections.Once(ctx, key, func() (projectsettings.Settings, error) {
		asked := time.Now()
		held, _, err := x.held.Get(ctx, key)
		if err == nil && deployment != "" {
			projections.Known(ctx, settingsKey{tenant, project, ""}, asked, held.without)
		}
		return held.with, err
	})
	return held, projections.Found(err, "reading the settings that hold")
}

// settingsThatHold are the newest of a project p, and held, those that its deployment d names, or the newest where it names none.
const settingsThatHold = `
		LEFT JOIN LATERAL (SELECT settings FROM project_settings WHERE tenant = p.tenant AND project_id = p.project_id
			ORDER BY version DESC LIMIT 1) newest ON true
		LEFT JOIN LATERAL (SELECT settings FROM project_settings WHERE tenant = p.tenant AND project_id = p.project_id
			AND version_id = coalesce(nullif(d.settings_version, ''), version_id) ORDER BY version DESC LIMIT 1) held ON true`

func (x *ProjectSettings) ask(ctx context.Context, keys []settingsKey) (map[settingsKey]heldSettings, error) {
	rows, err := x.db.Query(ctx, `SELECT p.tenant, p.project_id, p.deployment, held.settings, newest.settings
		FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[])) p(tenant, project_id, deployment)
		LEFT JOIN LATERAL (SELECT settings_version FROM deployments
			WHERE deployment_id = p.deployment AND tenant = p.tenant AND project_id = p.project_id) d ON true`+settingsThatHold,
		projections.Column(keys, func(k settingsKey) string { return k.tenant }),
		projections.Column(keys, func(k settingsKey) string { return k.project }),
		projections.Column(keys, func(k settingsKey) string { return k.deployment }))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[settingsKey]heldSettings, len(keys))
	for rows.Next() {
		var k settingsKey
		var with, without *projectsettings.Settings
		if err := rows.Scan(&k.tenant, &k.project, &k.deployment, &with, &without); err != nil {
			return nil, err
		}
		out[k] = heldSettings{orNone(with), orNone(without)}
	}
	return out, rows.Err()
}

// orNone are settings, which say nothing where there are none.
func orNone(s *projectsettings.Settings) projectsettings.Settings {
	if s == nil {
		return projectsettings.Settings{}
	}
	return *s
}
