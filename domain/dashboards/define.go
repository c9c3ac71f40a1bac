package dashboards

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
)

// Limits of a dashboard.
const (
	MaxWidgets    = 50
	MaxDimensions = 20
	MaxMetrics    = 20
	MaxFilters    = 20
	MaxValues     = 100    // of one filter
	MaxValue      = 1000   // characters of one value
	MaxProperties = 16_384 // bytes of JSON
)

// DefineDashboard makes or changes a dashboard (manifest kind Dashboard).
type DefineDashboard struct {
	TenantID  string
	ProjectID string   // spec.projectId, resolved
	ID        string   // metadata.id
	Name      string   // metadata.name, which stands in paths
	Widgets   []Widget // spec.widgets; display names may be left out
}

// DashboardDefined says what the dashboard now shows.
type DashboardDefined struct {
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	Dashboard
}

var _ = event.Register[DashboardDefined](Dashboards, "defined", 1)

// Decide checks the dashboard by itself, then against the project's others.
func (c DefineDashboard) Decide(s State) ([]event.Payload, error) {
	d, err := c.dashboard()
	if err != nil {
		return nil, err
	}
	if old, exists := s.Dashboards[d.ID]; exists && reflect.DeepEqual(old, d) {
		return nil, nil
	}
	for id, other := range s.Dashboards {
		if id != d.ID && other.Name == d.Name {
			return nil, fault.New(fault.Conflict, "the dashboard name %q belongs to dashboard %s", d.Name, id)
		}
	}
	return []event.Payload{DashboardDefined{TenantID: c.TenantID, ProjectID: c.ProjectID, Dashboard: d}}, nil
}

func (c DefineDashboard) dashboard() (Dashboard, error) {
	var f fault.Fields
	access.CheckID(&f, "metadata.id", c.ID)
	access.CheckID(&f, "spec.projectId", c.ProjectID)
	d := Dashboard{ID: c.ID, Name: access.CheckPathName(&f, "metadata.name", c.Name), Widgets: []Widget{}}
	if n := len(c.Widgets); n == 0 || n > MaxWidgets {
		f.Add("spec.widgets", "must be 1 to %d, are %d", MaxWidgets, n)
	}
	for i, w := range c.Widgets {
		field := fmt.Sprintf("spec.widgets[%d]", i)
		w = checkWidget(&f, field, w)
		if slices.ContainsFunc(d.Widgets, func(o Widget) bool { return o.Name == w.Name }) {
			f.Add(field+".name", "is the name of an earlier widget")
		}
		if slices.ContainsFunc(d.Widgets, func(o Widget) bool { return o.ID == w.ID }) {
			f.Add(field+".id", "is the id of an earlier widget")
		}
		d.Widgets = append(d.Widgets, w)
	}
	return d, f.Err()
}

var widgetTypes = []WidgetType{Table, Bar, Line, Pie, Tile}

func checkWidget(f *fault.Fields, field string, w Widget) Widget {
	access.CheckID(f, field+".id", w.ID)
	w.Name = access.CheckPathName(f, field+".name", w.Name)
	if !slices.Contains(widgetTypes, w.Type) {
		f.Add(field+".type", "must be table, bar, line, pie or tile")
	}
	set, ok := DataSetNamed(w.DataSet)
	if !ok {
		f.Add(field+".dataSet", "must be one of %s", strings.Join(DataSets(), ", "))
		return w
	}
	if len(w.Dimensions)+len(w.Metrics) == 0 {
		f.Add(field, "needs dimensions or metrics")
	}
	w.Dimensions = checkDimensions(f, field+".dimensions", set, w.Dimensions)
	w.Metrics = checkMetrics(f, field+".metrics", set, w.Metrics)
	if len(w.Filters) > MaxFilters {
		f.Add(field+".filters", "must be at most %d, are %d", MaxFilters, len(w.Filters))
	}
	for i, filter := range w.Filters {
		set.CheckFilter(f, fmt.Sprintf("%s.filters[%d]", field, i), filter)
	}
	if w.OrderBy != nil && !w.shows(w.OrderBy.FieldName) {
		f.Add(field+".orderBy.fieldName", "is neither a dimension nor a metric of the widget")
	}
	if data, err := json.Marshal(w.Properties); err != nil || len(data) > MaxProperties {
		f.Add(field+".properties", "must be at most %d bytes of JSON", MaxProperties)
	}
	return w
}

// shows reports whether a row of the widget has the member.
func (w Widget) shows(key string) bool {
	return slices.ContainsFunc(w.Dimensions, func(d Dimension) bool { return d.FieldName == key }) ||
		slices.ContainsFunc(w.Metrics, func(m Metric) bool { return m.Key() == key })
}

func checkDimensions(f *fault.Fields, field string, set DataSet, dimensions []Dimension) []Dimension {
	if len(dimensions) > MaxDimensions {
		f.Add(field, "must be at most %d, are %d", MaxDimensions, len(dimensions))
	}
	out := []Dimension{}
	for i, d := range dimensions {
		at := fmt.Sprintf("%s[%d]", field, i)
		set.checkField(f, at+".fieldName", d.FieldName)
		if slices.ContainsFunc(out, func(o Dimension) bool { return o.FieldName == d.FieldName }) {
			f.Add(at+".fieldName", "is a dimension already")
		}
		d.DisplayName = displayName(f, at+".displayName", d.DisplayName, d.FieldName)
		out = append(out, d)
	}
	return out
}

func checkMetrics(f *fault.Fields, field string, set DataSet, metrics []Metric) []Metric {
	if len(metrics) > MaxMetrics {
		f.Add(field, "must be at most %d, are %d", MaxMetrics, len(metrics))
	}
	out := []Metric{}
	for i, m := range metrics {
		at := fmt.Sprintf("%s[%d]", field, i)
		switch {
		case !slices.Contains(Functions(), m.Function):
			f.Add(at+".function", "must be count, sum, avg, min, max or p95")
		case m.Function == Count && m.FieldName != "":
			f.Add(at+".fieldName", "does not belong to count, which counts records")
		case m.Function != Count && set[m.FieldName] != Number:
			f.Add(at+".fieldName", "must be a field of numbers: %s", strings.Join(set.numbers(), ", "))
		}
		if slices.ContainsFunc(out, func(o Metric) bool { return o.Key() == m.Key() }) {
			f.Add(at, "is a metric already")
		}
		m.DisplayName = displayName(f, at+".displayName", m.DisplayName, m.Key())
		out = append(out, m)
	}
	return out
}

func displayName(f *fault.Fields, field, given, otherwise string) string {
	if given == "" {
		return otherwise
	}
	return access.CheckName(f, field, given)
}

func (d DataSet) checkField(f *fault.Fields, field, name string) bool {
	if _, ok := d[name]; !ok {
		f.Add(field, "must be one of %s", strings.Join(d.Fields(), ", "))
		return false
	}
	return true
}

func (d DataSet) numbers() (names []string) {
	for _, name := range d.Fields() {
		if d[name] == Number {
			names = append(names, name)
		}
	}
	return names
}

// CheckFilter notes what is wrong with a filter on the data set: of a widget, or of a
// request.
func (d DataSet) CheckFilter(f *fault.Fields, field string, filter Filter) {
	if !d.checkField(f, field+".fieldName", filter.FieldName) {
		return
	}
	if n := len(filter.Values); n == 0 || n > MaxValues {
		f.Add(field+".values", "must be 1 to %d, are %d", MaxValues, n)
	}
	for i, v := range filter.Values {
		if problem := d[filter.FieldName].refuses(v); problem != "" {
			f.Add(fmt.Sprintf("%s.values[%d]", field, i), "%s", problem)
		}
	}
}

// refuses says why a value cannot be compared with a field of the type.
func (t FieldType) refuses(value any) (problem string) {
	if _, isNumber := value.(float64); t == Number {
		if !isNumber {
			return "must be a number"
		}
		return ""
	}
	text, ok := value.(string)
	switch {
	case !ok:
		return "must be a string"
	case utf8.RuneCountInString(text) > MaxValue:
		return fmt.Sprintf("must be at most %d characters", MaxValue)
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return "must not contain null characters"
	case t == Date:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return "must be a date, yyyy-mm-dd"
		}
	case t == Timestamp:
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "must be an ISO 8601 date and time with zone"
		}
	}
	return ""
}

// Shown is a value of a filter as rows show it: a moment is the same in whichever zone it is told.
func (t FieldType) Shown(value string) string {
	if moment, err := time.Parse(time.RFC3339, value); t == Timestamp && err == nil {
		return moment.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return value
}

// Apply folds the event.
func (e DashboardDefined) Apply(s *State) {
	if s.Dashboards == nil {
		s.Dashboards = map[string]Dashboard{}
	}
	e.Widgets = slices.Clone(e.Widgets)
	s.Dashboards[e.ID] = e.Dashboard
}

// RemoveDashboard takes a dashboard away.
type RemoveDashboard struct{ TenantID, ProjectID, ID string }

// DashboardRemoved says that the dashboard is gone and its name free.
type DashboardRemoved struct {
	TenantID    string `json:"tenantId"`
	ProjectID   string `json:"projectId"`
	DashboardID string `json:"dashboardId"`
}

var _ = event.Register[DashboardRemoved](Dashboards, "removed", 1)

// Decide does nothing for a dashboard that is not there.
func (c RemoveDashboard) Decide(s State) ([]event.Payload, error) {
	if _, ok := s.Dashboards[c.ID]; !ok {
		return nil, nil
	}
	return []event.Payload{DashboardRemoved{TenantID: c.TenantID, ProjectID: c.ProjectID, DashboardID: c.ID}}, nil
}

// Apply folds the event.
func (e DashboardRemoved) Apply(s *State) {
	s.Dashboards = maps.Clone(s.Dashboards)
	delete(s.Dashboards, e.DashboardID)
}
