// Package dashboards owns the custom dashboards of a project: their widgets, and the
// data sets, fields and figures that a widget can be made of.
//
// It never reads data: it says what may be asked, in names; projections turn names
// into queries, so that no text of a manifest or a request becomes part of one.
package dashboards

import "github.com/parley-platform/parley/domain/event"

// Dashboards holds one stream per project (see Stream). Its rules:
//
//   - a dashboard's name is unique in the project, a widget's name in its dashboard
//   - a widget is made only of fields that its data set has
var Dashboards = event.NewAggregate[State]("dashboards", "dashboards", event.Quiet)

// Stream names the stream of a project's dashboards.
func Stream(tenantID, projectID string) string { return Dashboards.Stream(tenantID + "." + projectID) }

// State is the state of one project's stream.
type State struct {
	Dashboards map[string]Dashboard // by id
}

// Dashboard is a named set of widgets.
type Dashboard struct {
	ID      string   `json:"dashboardId"`
	Name    string   `json:"name"`
	Widgets []Widget `json:"widgets"`
}

// Widget is one question about a data set. Without metrics it lists records, the
// newest first; with metrics it groups by its dimensions.
type Widget struct {
	ID         string         `json:"id"`
	Name       string         `json:"name"`
	Type       WidgetType     `json:"type"`
	DataSet    string         `json:"dataSet"`
	Dimensions []Dimension    `json:"dimensions"`
	Metrics    []Metric       `json:"metrics"`
	Filters    []Filter       `json:"filters,omitempty"`
	OrderBy    *Order         `json:"orderBy,omitempty"`
	Properties map[string]any `json:"properties,omitempty"` // for whoever draws it
}

// WidgetType says how a widget is drawn.
type WidgetType string

// The types.
const (
	Table WidgetType = "table"
	Bar   WidgetType = "bar"
	Line  WidgetType = "line"
	Pie   WidgetType = "pie"
	Tile  WidgetType = "tile"
)

// Dimension is a field by which a widget groups, or which it lists.
type Dimension struct {
	FieldName   string `json:"fieldName"`
	DisplayName string `json:"displayName"`
}

// Metric is a figure over the records of a group.
type Metric struct {
	Function    Function `json:"function"`
	FieldName   string   `json:"fieldName,omitempty"` // none for count
	DisplayName string   `json:"displayName"`
}

// Key is the name of the figure in a row: count, avg_durationMs.
func (m Metric) Key() string {
	if m.Function == Count {
		return string(Count)
	}
	return string(m.Function) + "_" + m.FieldName
}

// Filter keeps records whose field has one of the values.
type Filter struct {
	FieldName string `json:"fieldName"`
	Values    []any  `json:"values"` // numbers for a field of numbers, else strings
}

// Order is by a dimension's field name or a metric's key.
type Order struct {
	FieldName  string `json:"fieldName"`
	Descending bool   `json:"descending,omitempty"`
}
