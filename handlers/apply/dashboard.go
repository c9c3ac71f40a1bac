package apply

import (
	"context"

	"github.com/invopop/jsonschema"

	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/event"
)

// DashboardSpec is the spec of kind Dashboard; its metadata.name stands in paths.
type DashboardSpec struct {
	ProjectID string       `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Widgets   []WidgetSpec `json:"widgets" jsonschema:"required,minItems=1,maxItems=50" jsonschema_description:"Its widgets."`
}

// WidgetSpec is one widget of a Dashboard.
type WidgetSpec struct {
	ID         string            `json:"id" jsonschema:"required,minLength=1" jsonschema_description:"Unique in the dashboard."`
	Name       string            `json:"name" jsonschema:"required,minLength=1,maxLength=100" jsonschema_description:"Unique in the dashboard; stands in paths."`
	Type       string            `json:"type" jsonschema:"required,enum=table,enum=bar,enum=line,enum=pie,enum=tile" jsonschema_description:"How it is drawn."`
	DataSet    string            `json:"dataSet" jsonschema:"required" jsonschema_description:"What it is about."`
	Dimensions []WidgetDimension `json:"dimensions,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Fields to list or to group by."`
	Metrics    []WidgetMetric    `json:"metrics,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Figures of each group. Without one the widget lists records, the newest first."`
	Filters    []WidgetFilter    `json:"filters,omitempty" jsonschema:"maxItems=20" jsonschema_description:"Only records that pass all of them."`
	OrderBy    *WidgetOrder      `json:"orderBy,omitempty" jsonschema_description:"Order of the rows; by dimensions without it."`
	Properties map[string]any    `json:"properties,omitempty" jsonschema_description:"For whoever draws it; handed on as it is."`
}

// JSONSchemaExtend names the data sets that the domain knows.
func (WidgetSpec) JSONSchemaExtend(s *jsonschema.Schema) {
	for _, name := range dashboards.DataSets() {
		set := member(s, "dataSet")
		set.Enum = append(set.Enum, name)
	}
}

// WidgetDimension is one dimension of a widget.
type WidgetDimension struct {
	FieldName   string `json:"fieldName" jsonschema:"required,minLength=1" jsonschema_description:"A field of the data set."`
	DisplayName string `json:"displayName,omitempty" jsonschema:"maxLength=100" jsonschema_description:"For people; the field's name without one."`
}

// WidgetMetric is one figure of a widget.
type WidgetMetric struct {
	Function    string `json:"function" jsonschema:"required,enum=count,enum=sum,enum=avg,enum=min,enum=max,enum=p95" jsonschema_description:"How it is worked out."`
	FieldName   string `json:"fieldName,omitempty" jsonschema_description:"A field of numbers; none for count."`
	DisplayName string `json:"displayName,omitempty" jsonschema:"maxLength=100" jsonschema_description:"For people."`
}

// WidgetFilter is one filter of a widget.
type WidgetFilter struct {
	FieldName string `json:"fieldName" jsonschema:"required,minLength=1" jsonschema_description:"A field of the data set."`
	Values    []any  `json:"values" jsonschema:"required,minItems=1,maxItems=100" jsonschema_description:"Strings, or numbers for a field of numbers; one of them must match."`
}

// WidgetOrder is the order of a widget's rows.
type WidgetOrder struct {
	FieldName  string `json:"fieldName" jsonschema:"required,minLength=1" jsonschema_description:"A dimension's field, or a metric: count, avg_durationMs."`
	Descending bool   `json:"descending,omitempty" jsonschema_description:"Largest first."`
}

var dashboardKind = define(label{
	name:  dashboardName,
	about: "A custom dashboard of a project: widgets about what happened in it.",
}, dashboardSteps, nil).pruned(dashboardsLeft)

func dashboardSteps(ctx context.Context, p *planner, d *draft, spec DashboardSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, project, id)
	define := dashboards.DefineDashboard{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name}
	for _, w := range spec.Widgets {
		define.Widgets = append(define.Widgets, w.widget())
	}
	exists := func(s dashboards.State) bool { _, ok := s.Dashboards[id]; return ok }
	return []step{on(dashboards.Dashboards, dashboards.Stream(d.meta.Tenant, project), define.Decide, exists)}, nil
}

func (w WidgetSpec) widget() dashboards.Widget {
	out := dashboards.Widget{ID: w.ID, Name: w.Name, Type: dashboards.WidgetType(w.Type), DataSet: w.DataSet, Properties: w.Properties}
	for _, d := range w.Dimensions {
		out.Dimensions = append(out.Dimensions, dashboards.Dimension(d))
	}
	for _, m := range w.Metrics {
		out.Metrics = append(out.Metrics, dashboards.Metric{Function: dashboards.Function(m.Function), FieldName: m.FieldName,
			DisplayName: m.DisplayName})
	}
	for _, f := range w.Filters {
		out.Filters = append(out.Filters, dashboards.Filter(f))
	}
	if w.OrderBy != nil {
		out.OrderBy = &dashboards.Order{FieldName: w.OrderBy.FieldName, Descending: w.OrderBy.Descending}
	}
	return out
}

var dashboardsLeft = leftInProjects(dashboardName, dashboards.Dashboards, dashboards.Stream,
	func(s *dashboards.State) map[string]string {
		return namesOf(s.Dashboards, func(t dashboards.Dashboard) string { return t.Name })
	},
	func(tenant, project, id string) func(dashboards.State) ([]event.Payload, error) {
		return dashboards.RemoveDashboard{TenantID: tenant, ProjectID: project, ID: id}.Decide
	})
