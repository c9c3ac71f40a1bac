package node_test

import (
	"net/url"
	"testing"
)

// widgetAnswer is what dashboard-widget answers.
type widgetAnswer struct {
	ID            string           `json:"_id"`
	Overlay       []any            `json:"overlay"`
	Name          string           `json:"name"`
	Type          string           `json:"type"`
	SQLQuery      map[string]any   `json:"sqlQuery"`
	Dimensions    []map[string]any `json:"dimensions"`
	Metrics       []map[string]any `json:"metrics"`
	Row           []any            `json:"row"`
	Properties    map[string]any   `json:"properties"`
	QueryResponse struct {
		MetaData      map[string]string `json:"metaData"`
		QueryResponse []map[string]any  `json:"queryResponse"`
	} `json:"queryResponse"`
}

func widgetPath(widget, query string) string { return widgetOf("Operations", widget, query) }

func widgetOf(dashboard, widget, query string) string {
	return "/api/public/bot/" + mainAlias + "/dashboard/" + url.PathEscape(dashboard) + "/widget/" + url.PathEscape(widget) + query
}

// dashboardTenant has calls that ended in two ways and a dashboard about them.
type dashboardTenant struct{ *tenant }

func (w dashboardTenant) widget(t *testing.T, method, widget, query string, body any) (a widgetAnswer) {
	t.Helper()
	w.on.do(t, method, widgetPath(widget, query), body, "auth", w.token(t)).must(t, 200).into(t, &a)
	return a
}
