package reporting

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/projections"
)

// records is where a data set's records are: a table with the columns tenant and
// project_id, which of its rows are meant, the column of the moment that decides about a
// range, and the column of each field.
type records struct {
	from, where, moment string
	columns             map[string]string
}

// recordsOf says where the data sets of domain/dashboards are. All text that becomes
// part of a query is here; a test compares the fields.
var recordsOf = map[string]records{
	"interactions": {"interactions i", "true", "requested_at", map[string]string{
		"conversationId": "conversation_id", "sessionId": "session_id", "channel": "channel", "direction": "direction", "status": "status",
		"userId":   "user_id",
		"centerId": "center_id", "agentName": "agent_name", "machineDetection": "verdict", "reasonCode": "reason_code",
		"finalStatus": projections.FinalStatusOfCall,
		"requestedAt": "requested_at", "startedAt": "started_at", "endedAt": "ended_at", "durationMs": "duration_ms",
	}},
	// As call details and analytics have them: neither what a test did nor what assists people is a conversation.
	"sessions": {"sessions", "NOT test AND assists = ''", "opened_at", map[string]string{
		"sessionId": "session_id", "channel": "channel", "agentName": "agent_name", "status": "status", "openedAt": "opened_at",
		"endedAt": "ended_at",
		// As analytics have it; of a session that is still open nothing is known yet.
		"durationMs": "CASE WHEN ended_at IS NOT NULL THEN greatest(0, trunc(extract(epoch FROM ended_at - opened_at) * 1000)) END",
	}},
	"notifications": {"deliveries", "true", "queued_at", map[string]string{
		"status": "status", "attempts": "attempts", "queuedAt": "queued_at", "finishedAt": "finished_at",
	}},
}

// WidgetQuery is what a widget asks about a range of days.
type WidgetQuery struct {
	Tenant, Project string
	Widget          dashboards.Widget
	From, Until     time.Time           // the moment of a record is at or after From and before Until
	Filters         []dashboards.Filter // beside the widget's own
	Limit           int
}

// Rows answers a widget: one map per row, with the field names of dimensions and the
// keys of metrics. A value that is not known is nil.
func (d *Dashboards) Rows(ctx context.Context, q WidgetQuery) ([]map[string]any, error) {
	sql, args, err := q.sql()
	if err != nil {
		return nil, err
	}
	rows, err := d.db.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("asking for widget %q: %w", q.Widget.Name, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowToMap)
	if err != nil {
		return nil, fmt.Errorf("asking for widget %q: %w", q.Widget.Name, err)
	}
	return out, nil
}

// sql builds the statement from columns that are known here; every value is bound.
func (q WidgetQuery) sql() (string, []any, error) {
	set, ok := dashboards.DataSetNamed(q.Widget.DataSet)
	r, there := recordsOf[q.Widget.DataSet]
	if !ok || !there {
		return "", nil, fmt.Errorf("the data set %q of widget %q is not known to this version", q.Widget.DataSet, q.Widget.Name)
	}
	r.columns = maps.Clone(r.columns)
	r.columns["date"] = fmt.Sprintf("(%s AT TIME ZONE 'UTC')::date", r.moment)
	r.columns["hour"] = fmt.Sprintf("extract(hour FROM %s AT TIME ZONE 'UTC')", r.moment)
	b := &widgetSQL{set: set, records: r, args: []any{q.Tenant, q.Project, q.From, q.Until}}
	for _, d := range q.Widget.Dimensions {
		b.dimension(d.FieldName)
	}
	for _, m := range q.Widget.Metrics {
		b.metric(m)
	}
	for _, f := range append(q.Widget.Filters, q.Filters...) {
		b.filter(f)
	}
	return b.statement(q)
}

// widgetSQL gathers the parts of a widget's statement.
type widgetSQL struct {
	set     dashboards.DataSet
	records records
	selects []string
	groups  []string
	orders  map[string]string // what a row's member can be ordered by
	where   []string
	args    []any
	err     error
}

// column is the expression of a field. A field that is not known is a manifest of a
// newer version.
func (b *widgetSQL) column(field string) string {
	column, ok := b.records.columns[field]
	if !ok && b.err == nil {
		b.err = fmt.Errorf("the field %q is not known to this version", field)
	}
	return column
}

func (b *widgetSQL) add(key, shown, order string) {
	b.selects = append(b.selects, shown+" AS "+pgx.Identifier{key}.Sanitize())
	if b.orders == nil {
		b.orders = map[string]string{}
	}
	b.orders[key] = order
}

// shown is a field as rows show it and as filters are compared with it.
func (b *widgetSQL) shown(field string) string {
	column := b.column(field)
	switch b.set[field] {
	case dashboards.Date:
		return fmt.Sprintf("to_char(%s, 'YYYY-MM-DD')", column)
	case dashboards.Timestamp:
		return fmt.Sprintf(`to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`, column)
	case dashboards.Number:
		return fmt.Sprintf("(%s)::float8", column)
	}
	return column
}

func (b *widgetSQL) dimension(field string) {
	column := b.column(field)
	b.groups = append(b.groups, column)
	b.add(field, b.shown(field), column)
}

func (b *widgetSQL) metric(m dashboards.Metric) {
	expression := "count(*)"
	switch m.Function {
	case dashboards.Count:
	case dashboards.P95:
		expression = fmt.Sprintf("percentile_disc(0.95) WITHIN GROUP (ORDER BY %s)", b.column(m.FieldName))
	case dashboards.Sum, dashboards.Avg, dashboards.Min, dashboards.Max:
		expression = fmt.Sprintf("%s(%s)", m.Function, b.column(m.FieldName))
	default:
		b.err = fmt.Errorf("the function %q is not known to this version", m.Function)
	}
	b.add(m.Key(), "("+expression+")::float8", expression)
}

func (b *widgetSQL) filter(f dashboards.Filter) {
	texts := valuesOf[string](f)
	for i, text := range texts {
		texts[i] = b.set[f.FieldName].Shown(text)
	}
	if f.FieldName == "channel" {
		texts = spelled(texts)
	}
	values, array := any(texts), "text[]"
	if b.set[f.FieldName] == dashboards.Number {
		values, array = valuesOf[float64](f), "float8[]"
	}
	b.args = append(b.args, values)
	b.where = append(b.where, fmt.Sprintf("%s = ANY($%d::%s)", b.shown(f.FieldName), len(b.args), array))
}

// spelled are the channels of records that callers mean by any of their names.
func spelled(names []string) (channel []string) {
	for _, name := range names {
		channel = append(channel, channels.Spelled(name)...)
	}
	return channel
}

// valuesOf are the values of a filter, of which CheckFilter has seen that they are of
// the type.
func valuesOf[T any](f dashboards.Filter) []T {
	out := make([]T, len(f.Values))
	for i, v := range f.Values {
		out[i], _ = v.(T)
	}
	return out
}

func (b *widgetSQL) statement(q WidgetQuery) (string, []any, error) {
	if b.err != nil {
		return "", nil, fmt.Errorf("widget %q: %w", q.Widget.Name, b.err)
	}
	sql := "SELECT " + strings.Join(b.selects, ", ") + " FROM " + b.records.from +
		fmt.Sprintf(" WHERE tenant = $1 AND project_id = $2 AND %[1]s >= $3 AND %[1]s < $4 AND %[2]s", b.records.moment, b.records.where)
	for _, w := range b.where {
		sql += " AND " + w
	}
	grouped := len(q.Widget.Metrics) > 0
	if grouped && len(b.groups) > 0 {
		sql += " GROUP BY " + strings.Join(b.groups, ", ")
	}
	if order := b.order(q.Widget, grouped); order != "" {
		sql += " ORDER BY " + order
	}
	b.args = append(b.args, q.Limit)
	return sql + fmt.Sprintf(" LIMIT $%d", len(b.args)), b.args, nil
}

// order is what the widget says, then all dimensions, so that a page is the same when
// it is asked for again. Records come newest first.
func (b *widgetSQL) order(w dashboards.Widget, grouped bool) string {
	var by []string
	if w.OrderBy != nil {
		direction := " ASC NULLS LAST"
		if w.OrderBy.Descending {
			direction = " DESC NULLS LAST"
		}
		by = append(by, b.orders[w.OrderBy.FieldName]+direction)
	}
	if !grouped {
		by = append(by, b.records.moment+" DESC")
	}
	return strings.Join(append(by, b.groups...), ", ")
}
