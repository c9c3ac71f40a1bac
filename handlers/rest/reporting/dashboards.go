package reporting

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/reporting"
)

// DashboardsAPI is what the data of dashboard widgets needs.
type DashboardsAPI struct{ Dashboards dashboardReads }

// dashboardReads knows the widgets of dashboards and answers them.
type dashboardReads interface {
	Widget(ctx context.Context, tenant, project, dashboard, widget string) (dashboards.Widget, bool, error)
	Rows(ctx context.Context, q reporting.WidgetQuery) ([]map[string]any, error)
}

// WidgetIn is what both methods say.
type WidgetIn struct {
	BotID         string `path:"botId" doc:"Bot or stream id: a project's id or alias."`
	DashboardName string `path:"dashboardName" doc:"Name of the dashboard." example:"Operations"`
	WidgetName    string `path:"widgetName" doc:"Name of the widget." example:"Calls by status"`
	StartDate     string `query:"startDate" required:"true" shown:"date" doc:"yyyy-mm-dd, inclusive, UTC." example:"2026-11-16"`
	EndDate       string `query:"endDate" required:"true" shown:"date" doc:"yyyy-mm-dd, inclusive, UTC." example:"2026-11-22"`
	Limit         int    `query:"limit" default:"50" minimum:"1" maximum:"50" doc:"Records to return."`
}

type filterWidget struct {
	WidgetIn
	Body struct {
		CustomFilters []customFilter `json:"customFilters,omitempty" maxItems:"20" doc:"Only records that pass all of them."`
	}
}

type customFilter struct {
	FilterSource string `json:"filterSource" required:"true" doc:"The widget's data set." example:"interactions"`
	FieldName    string `json:"fieldName" required:"true" doc:"A field of the data set." example:"channel"`
	Values       []any  `json:"values" required:"true" minItems:"1" maxItems:"100" doc:"Strings, or numbers for a field of numbers; one of them must match."`
}

// widgetResult is what dashboard-widget answers.
type widgetResult struct {
	ID            string            `json:"_id" required:"true"`
	Overlay       []any             `json:"overlay" required:"true"`
	Name          string            `json:"name" required:"true"`
	Type          string            `json:"type" required:"true" enum:"table,bar,line,pie,tile"`
	SQLQuery      widgetSQLQuery    `json:"sqlQuery" required:"true"`
	Dimensions    []widgetDimension `json:"dimensions" required:"true"`
	Metrics       []widgetMetric    `json:"metrics" required:"true"`
	Row           []any             `json:"row" required:"true"`
	Properties    map[string]any    `json:"properties" required:"true"`
	QueryResponse widgetRows        `json:"queryResponse" required:"true"`
}

type widgetSQLQuery struct {
	DataSet   string `json:"dataSet" required:"true"`
	Select    string `json:"select" required:"true" doc:"What was asked, in names of fields and figures."`
	StartDate string `json:"startDate" required:"true"`
	EndDate   string `json:"endDate" required:"true"`
	BotID     string `json:"botId" required:"true"`
}

type widgetDimension struct {
	FieldName   string `json:"fieldName" required:"true"`
	DisplayName string `json:"displayName" required:"true"`
	Type        string `json:"type" required:"true" enum:"string,number,date,timestamp"`
}

type widgetMetric struct {
	FieldName   string `json:"fieldName" required:"true" doc:"The figure's name in a row."`
	DisplayName string `json:"displayName" required:"true"`
	Function    string `json:"function" required:"true" enum:"count,sum,avg,min,max,p95"`
	Type        string `json:"type" required:"true" enum:"number"`
}

type widgetRows struct {
	MetaData      map[string]string `json:"metaData" required:"true" doc:"Type of each member of a row: string, number, date or timestamp."`
	QueryResponse []map[string]any  `json:"queryResponse" required:"true" doc:"Rows; a value that is not known is null."`
}

type widgetOut struct{ Body widgetResult }

// DeclareDashboards adds the data of a dashboard's widget, by GET, and with more
// filters by POST.
func DeclareDashboards(api *rest.API, d DashboardsAPI) {
	op := rest.Operation{Path: "/api/public/bot/{botId}/dashboard/{dashboardName}/widget/{widgetName}", Tags: []string{"Dashboards"},
		Description: "Works on the read models, so it shows all that has been acknowledged. Days are those of UTC.",
		Requirement: access.TokenOnly(access.ScopeCustomReports, access.ScopeCustomReportsAdmin),
		Resolve:     rest.ResolveAll(rest.ProjectFrom("botId"), d.widgetOfPath)}
	get, post := op, op
	get.ID, get.Method, get.Summary = "dashboard-widget", http.MethodGet, "The data of a dashboard widget"
	post.ID, post.Method, post.Summary = "filter-dashboard-widget", http.MethodPost, "The data of a dashboard widget, with more filters"
	post.Reads = true
	rest.Declare(api, get, func(ctx context.Context, in *WidgetIn) (*widgetOut, error) { return d.answer(ctx, in, nil) })
	rest.Declare(api, post, func(ctx context.Context, in *filterWidget) (*widgetOut, error) {
		return d.answer(ctx, &in.WidgetIn, in.Body.CustomFilters)
	})
}

// widgetOfPath finds the widget that the path names.
func (d DashboardsAPI) widgetOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	names := [2]string{p.Path("dashboardName"), p.Path("widgetName")}
	for i, name := range names { // in whichever form it was typed
		if names[i] = access.PlainName(name); strings.TrimSpace(name) != name {
			return ctx, fault.New(fault.NotFound, "there is no such widget")
		}
	}
	w, ok, err := d.Dashboards.Widget(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, names[0], names[1])
	if err == nil && !ok {
		err = fault.New(fault.NotFound, "there is no such widget")
	}
	return rest.About(ctx, w), err
}

func (d DashboardsAPI) answer(ctx context.Context, in *WidgetIn, filters []customFilter) (*widgetOut, error) {
	w := rest.Found[dashboards.Widget](ctx)
	q := reporting.WidgetQuery{Tenant: rest.PrincipalOf(ctx).TenantID, Project: rest.ProjectOf(ctx).ID, Widget: w, Limit: in.Limit}
	var f fault.Fields
	var end time.Time
	q.From, end = in.day(&f, "startDate", in.StartDate), in.day(&f, "endDate", in.EndDate)
	if len(f) == 0 && end.Before(q.From) {
		f.Add("endDate", "is before startDate")
	}
	q.Until = end.AddDate(0, 0, 1)
	q.Filters = filtersOf(&f, w.DataSet, filters)
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	rows, err := d.Dashboards.Rows(ctx, q)
	if err != nil {
		return nil, err
	}
	return &widgetOut{Body: in.result(w, q.Project, rows)}, nil
}

func (in *WidgetIn) day(f *fault.Fields, field, value string) time.Time {
	t, err := time.Parse(time.DateOnly, value)
	if err != nil || t.Year() < 1 {
		f.Add(field, "must be a date, yyyy-mm-dd")
	}
	return t
}

func filtersOf(f *fault.Fields, dataSet string, given []customFilter) (filters []dashboards.Filter) {
	set, _ := dashboards.DataSetNamed(dataSet)
	for i, c := range given {
		field := fmt.Sprintf("customFilters[%d]", i)
		if c.FilterSource != dataSet {
			f.Add(field+".filterSource", "must be %s, the data set of the widget", dataSet)
		}
		filter := dashboards.Filter{FieldName: c.FieldName, Values: c.Values}
		set.CheckFilter(f, field, filter)
		filters = append(filters, filter)
	}
	return filters
}

func (in *WidgetIn) result(w dashboards.Widget, project string, rows []map[string]any) widgetResult {
	set, _ := dashboards.DataSetNamed(w.DataSet)
	r := widgetResult{ID: w.ID, Overlay: []any{}, Name: w.Name, Type: string(w.Type), Row: []any{}, Properties: w.Properties,
		Dimensions: []widgetDimension{}, Metrics: []widgetMetric{},
		SQLQuery:      widgetSQLQuery{DataSet: w.DataSet, StartDate: in.StartDate, EndDate: in.EndDate, BotID: project},
		QueryResponse: widgetRows{MetaData: map[string]string{}, QueryResponse: rows}}
	if r.Properties == nil {
		r.Properties = map[string]any{}
	}
	var selected []string
	for _, d := range w.Dimensions {
		t := string(set[d.FieldName])
		r.Dimensions = append(r.Dimensions, widgetDimension{FieldName: d.FieldName, DisplayName: d.DisplayName, Type: t})
		r.QueryResponse.MetaData[d.FieldName] = t
		selected = append(selected, d.FieldName)
	}
	for _, m := range w.Metrics {
		r.Metrics = append(r.Metrics, widgetMetric{FieldName: m.Key(), DisplayName: m.DisplayName, Function: string(m.Function),
			Type: string(dashboards.Number)})
		r.QueryResponse.MetaData[m.Key()] = string(dashboards.Number)
		selected = append(selected, fmt.Sprintf("%s(%s) AS %s", m.Function, orStar(m.FieldName), m.Key()))
	}
	r.SQLQuery.Select = strings.Join(selected, ", ")
	return r
}

func orStar(field string) string {
	if field == "" {
		return "*"
	}
	return field
}
