package reporting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/projections"
)

// DashboardsModel stores the custom dashboards of projects.
var DashboardsModel = newDashboardsModel()

func newDashboardsModel() *projections.Model {
	m := projections.NewModel("dashboards", 1, []string{"dashboards"}, dashboards.Dashboards.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e dashboards.DashboardDefined) {
		b.Put("dashboards", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "dashboard_id": e.ID},
			projections.Row{"name": e.Name, "widgets": e.Widgets})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e dashboards.DashboardRemoved) {
		b.Delete("dashboards", projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID, "dashboard_id": e.DashboardID})
	})
	return m
}

// Dashboards answers what widgets ask.
type Dashboards struct{ db *pgxpool.Pool }

// NewDashboards reads through the pool.
func NewDashboards(db *pgxpool.Pool) *Dashboards { return &Dashboards{db} }

// Widget finds a widget by the names of its dashboard and its own; ok is false if
// there is none.
func (d *Dashboards) Widget(ctx context.Context, tenant, project, dashboard, widget string) (w dashboards.Widget, ok bool, err error) {
	var data json.RawMessage
	err = d.db.QueryRow(ctx, `SELECT w FROM dashboards, jsonb_array_elements(widgets) w WHERE tenant = $1 AND project_id = $2
		AND normalize(name) = $3 AND normalize(w->>'name') = $4`,
		tenant, project, dashboard, widget).Scan(&data)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return w, false, nil
	case err == nil:
		err = json.Unmarshal(data, &w)
	}
	if err != nil {
		return w, false, fmt.Errorf("reading widget %q of dashboard %q: %w", widget, dashboard, err)
	}
	return w, true, nil
}
