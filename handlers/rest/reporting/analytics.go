package reporting

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/analytics"
)

// Analytics is what the analytics and voice analytics operations need.
type Analytics struct {
	Store analyticsStore
	Sound soundedCalls
	Now   func() time.Time
}

// analyticsStore knows the events of a project and the sums of them.
type analyticsStore interface {
	// AsOf is up to when everything is in; false while that is not known.
	AsOf(ctx context.Context) (time.Time, bool, error)
	Aggregate(ctx context.Context, q analytics.Query) ([]analytics.Bucket, error)
	// AggregateAll answers several queries as of one moment.
	AggregateAll(ctx context.Context, of ...analytics.Query) ([][]analytics.Bucket, error)
	Events(ctx context.Context, q analytics.EventsQuery) ([]analytics.Event, int64, error)
}

// mostBuckets is how many one answer may have.
const mostBuckets = 10_000

// AnalyticsHead begins every answer. It is exported so that the schema shows it.
type AnalyticsHead struct {
	Success bool   `json:"success"`
	AsOf    string `json:"asOf,omitempty" format:"date-time" doc:"Everything that was visible then is in. Absent while what was there at first is not all in yet."`
}

// head must be asked for before the figures of the answer: what it says of them (asOf)
// then holds for all of them.
func (a Analytics) head(ctx context.Context) (AnalyticsHead, error) {
	at, known, err := a.Store.AsOf(ctx)
	if err != nil || !known {
		return AnalyticsHead{Success: true}, err
	}
	return AnalyticsHead{Success: true, AsOf: rest.ISOTime(&at)}, nil
}

// DeclareAnalytics adds the operations of analytics and of voice analytics.
func DeclareAnalytics(api *rest.API, a Analytics) {
	a.declareMetrics(api)
	a.declareEvents(api)
	a.declareReports(api)
	a.declareVoice(api)
}

func analyticsOperation(id, method, path, summary string) rest.Operation {
	return rest.Operation{ID: id, Method: method, Path: "/api/projects/{projectId}" + path, Summary: summary, Tags: []string{"Analytics"},
		Requirement: access.Needs(access.PermSessionRead), Resolve: rest.ProjectFrom("projectId"), Reads: true,
		Description: "Events of the whole account, such as a change of a trunk, are shown in each of its projects. Figures may be a moment " +
			"behind: asOf says as of when they are."}
}

// AnalyticsRange is the range that the GET operations take.
type AnalyticsRange struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	From      string `query:"from" maxLength:"40" doc:"ISO 8601, inclusive; UTC without a zone. Default: 24 hours ago, or before to where that is past." example:"2026-11-21T00:00:00Z"`
	To        string `query:"to" maxLength:"40" doc:"ISO 8601, exclusive; a day is all of it. Default: now." example:"2026-11-22T00:00:00+02:00"`
}

// timeRange is the range of a POST.
type timeRange struct {
	From string `json:"from" required:"true" minLength:"1" maxLength:"40" doc:"ISO 8601, inclusive; UTC without a zone." example:"2026-11-21T00:00:00Z"`
	To   string `json:"to" required:"true" minLength:"1" maxLength:"40" doc:"ISO 8601, exclusive; a day is all of it." example:"2026-11-22T00:00:00Z"`
}

const aDay = 24 * time.Hour

// between reads a range; prefix stands before the names of its fields in faults. A day as its end is in it, as in
// reports.
func (a Analytics) between(f *fault.Fields, prefix, from, to string) (start, end time.Time) {
	now := a.Now().UTC()
	return rest.Range{From: prefix + "from", To: prefix + "to", Now: now, End: now, Usual: aDay, Late: "is after to"}.Read(f, from, to)
}

// The names that groupBy and metrics take.
var (
	groupings = []string{"category", "event_type", "agent_name", "channel", "hour", "day"}
	figures   = []string{"count", "avg_duration", "error_rate", "p95_duration", "sum_tokens", "sum_cost"}
)

// namesOf reads a comma list of known names, each once.
func namesOf(f *fault.Fields, field, list string, known []string) []string {
	var out []string
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(known, name) {
			f.Add(field, "has %q, and knows %s", name, strings.Join(known, ", "))
		} else if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

type metricsIn struct {
	AnalyticsRange
	GroupBy  string `query:"groupBy" default:"category" maxLength:"200" shown:"list:category,event_type,agent_name,channel,hour,day" doc:"What to group by."`
	Metrics  string `query:"metrics" default:"count,error_rate" maxLength:"200" shown:"list:count,avg_duration,error_rate,p95_duration,sum_tokens,sum_cost" doc:"Which figures."`
	Category string `query:"category" enum:"session,message,llm,tool,agent,gather,flow,channel,deployment,search,voice,audit,evaluation,feedback,system" doc:"Only events of this category."`
}

// metricBucket is one group: its dimensions and figures by their names.
type metricBucket map[string]any

// Schema implements huma.SchemaProvider.
func (metricBucket) Schema(huma.Registry) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeObject, Description: "Only the dimensions and metrics that were asked for.",
		Properties: map[string]*huma.Schema{}}
	for _, name := range groupings {
		s.Properties[name] = &huma.Schema{Type: huma.TypeString, Nullable: true, Description: "Null for events that have none."}
	}
	s.Properties["hour"] = &huma.Schema{Type: huma.TypeString, Format: "date-time", Description: "When it begins, UTC."}
	s.Properties["day"] = s.Properties["hour"]
	for name, doc := range map[string]string{"count": "Events.",
		"avg_duration": "Milliseconds, over the events that have a duration; null without any.",
		"error_rate":   "Share of the events that are errors, 0 to 1.",
		"p95_duration": "Milliseconds: the nearest rank, of more than a thousand durations within 0.4 %; null without any duration.",
		"sum_tokens":   "Of language models, in and out.",
		"sum_cost":     "Of language models, in dollars: 0 where the price is 0; null where there are tokens and no known price.",
		"unpriced":     "Beside sum_cost: events that took tokens whose price is not known. The sum leaves them out."} {
		unknown := strings.HasSuffix(name, "_duration") || name == "sum_cost"
		s.Properties[name] = &huma.Schema{Type: huma.TypeNumber, Nullable: unknown, Description: doc}
	}
	return s
}

type metricsData struct {
	Buckets []metricBucket `json:"buckets"`
}

type analyticsMetricsOut struct {
	Body struct {
		AnalyticsHead
		Data metricsData `json:"data"`
	}
}

type aggregateIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		TimeRange timeRange       `json:"timeRange" required:"true"`
		GroupBy   []string        `json:"groupBy" required:"true" minItems:"1" maxItems:"6" enum:"category,event_type,agent_name,channel,hour,day"`
		Metrics   []string        `json:"metrics" required:"true" minItems:"1" maxItems:"6" enum:"count,avg_duration,error_rate,p95_duration,sum_tokens,sum_cost"`
		Filters   analyticsFilter `json:"filters,omitempty"`
	}
}

// AnalyticsPick chooses events, in bodies. It is exported so that the schema shows it.
type AnalyticsPick struct {
	Category   string   `json:"category,omitempty" enum:"session,message,llm,tool,agent,gather,flow,channel,deployment,search,voice,audit,evaluation,feedback,system" doc:"Only events of this category."`
	EventTypes []string `json:"eventTypes,omitempty" maxItems:"100" doc:"Only events of these types."`
	SessionID  string   `json:"sessionId,omitempty" maxLength:"256" doc:"Only events of this session."`
	AgentName  string   `json:"agentName,omitempty" maxLength:"256" doc:"Only events of this agent."`
	HasError   *bool    `json:"hasError,omitempty" doc:"true: only events that are errors. false filters nothing."`
}

func (f AnalyticsPick) filter() analytics.Filter {
	return analytics.Filter{Category: analytics.Category(f.Category), EventTypes: f.EventTypes, SessionID: f.SessionID, AgentName: f.AgentName,
		HasError: f.HasError != nil && *f.HasError}
}

// analyticsFilter picks what is added up. Its members have the names that other requests have, and those of groupBy
// and of buckets.
type analyticsFilter struct {
	AnalyticsPick
	Channel   string `json:"channel,omitempty" maxLength:"256" doc:"Only events of this channel, by its slug or as call details show it."`
	EventType string `json:"event_type,omitempty" maxLength:"256" doc:"As eventTypes with this one alone."`
	// Hidden, since clients that are made of the document have one name for both spellings.
	OfSession string `json:"session_id,omitempty" maxLength:"256" hidden:"true" doc:"As sessionId."`
	OfAgent   string `json:"agent_name,omitempty" maxLength:"256" hidden:"true" doc:"As agentName."`
}

// filter is what both spellings say; two that differ are refused.
func (f analyticsFilter) filter(problems *fault.Fields) analytics.Filter {
	out := f.AnalyticsPick.filter()
	spelled := func(member, value string, as *string) {
		if value != "" && *as != "" && value != *as {
			problems.Add("filters."+member, "is another one than in the other spelling")
		} else if value != "" {
			*as = value
		}
	}
	spelled("session_id", f.OfSession, &out.SessionID)
	spelled("agent_name", f.OfAgent, &out.AgentName)
	switch {
	case f.EventType == "":
	case len(out.EventTypes) == 0:
		out.EventTypes = []string{f.EventType}
	case !slices.Equal(out.EventTypes, []string{f.EventType}):
		problems.Add("filters.event_type", "is another one than in the other spelling")
	}
	if f.Channel != "" {
		out.Channels = channels.Spelled(f.Channel)
	}
	return out
}

func (a Analytics) declareMetrics(api *rest.API) {
	rest.Declare(api, analyticsOperation("analytics-metrics", "GET", "/analytics/metrics", "Figures of a project's events in groups"),
		a.metrics)
	rest.Declare(api, analyticsOperation("analytics-aggregate", "POST", "/analytics/aggregate",
		"Figures of a project's events in groups, with filters"), a.aggregate)
}

func (a Analytics) metrics(ctx context.Context, in *metricsIn) (*analyticsMetricsOut, error) {
	var f fault.Fields
	from, to := a.between(&f, "", in.From, in.To)
	groups, metrics := namesOf(&f, "groupBy", in.GroupBy, groupings), namesOf(&f, "metrics", in.Metrics, figures)
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	return a.buckets(ctx, a.query(ctx, from, to, analytics.Filter{Category: analytics.Category(in.Category)}), groups, metrics, "from")
}

func (a Analytics) aggregate(ctx context.Context, in *aggregateIn) (*analyticsMetricsOut, error) {
	var f fault.Fields
	from, to := a.between(&f, "timeRange.", in.Body.TimeRange.From, in.Body.TimeRange.To)
	filter := in.Body.Filters.filter(&f)
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	return a.buckets(ctx, a.query(ctx, from, to, filter), unique(in.Body.GroupBy), unique(in.Body.Metrics), "timeRange")
}

func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// query is one of the caller's project.
func (a Analytics) query(ctx context.Context, from, to time.Time, f analytics.Filter) analytics.Query {
	return analytics.Query{Tenant: rest.PrincipalOf(ctx).TenantID, Project: rest.ProjectOf(ctx).ID, From: from, To: to, Filter: f}
}

// buckets answers a query; rangeField is what a fault about its range names.
func (a Analytics) buckets(ctx context.Context, q analytics.Query, groups, metrics []string, rangeField string) (*analyticsMetricsOut,
	error) {
	for _, g := range groups {
		q.GroupBy = append(q.GroupBy, analytics.Grouping(g))
	}
	q.Durations, q.Most = slices.Contains(metrics, "p95_duration"), mostBuckets
	out := &analyticsMetricsOut{}
	var err error
	if out.Body.AnalyticsHead, err = a.head(ctx); err != nil {
		return nil, err
	}
	found, err := a.Store.Aggregate(ctx, q)
	switch {
	case errors.Is(err, analytics.ErrTooMany):
		return nil, fault.Field("groupBy", "gives more than %d buckets: ask for a shorter range or fewer groups", mostBuckets)
	case errors.Is(err, analytics.ErrTooLong):
		return nil, fault.Field(rangeField, "is more than %d days long: a longer range can be grouped and filtered by one of event_type, "+
			"agent_name and channel only, and not by errors", analytics.LongestRaw/aDay)
	case err != nil:
		return nil, err
	}
	out.Body.Data.Buckets = []metricBucket{}
	for _, b := range found {
		out.Body.Data.Buckets = append(out.Body.Data.Buckets, bucketOf(b, q.GroupBy, metrics))
	}
	return out, nil
}

func bucketOf(b analytics.Bucket, groups []analytics.Grouping, metrics []string) metricBucket {
	out := metricBucket{}
	for _, g := range groups {
		switch g {
		case analytics.GroupHour:
			out[string(g)] = rest.ISOTime(&b.Time)
		case analytics.GroupDay:
			out[string(g)] = rest.ISOTime(&b.Day)
		default:
			out[string(g)] = orNull(b.Keys[g])
		}
	}
	for _, name := range metrics {
		out[name] = figureOf(b.Sums, name)
		if name == "sum_cost" {
			out["unpriced"] = b.Unpriced
		}
	}
	return out
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// figureOf is a metric by its name.
func figureOf(s analytics.Sums, name string) any {
	switch name {
	case "count":
		return s.Count
	case "avg_duration":
		return average(s.DurationMs, s.Timed)
	case "error_rate":
		return ratio(s.Errors, s.Count)
	case "p95_duration":
		return p95(s)
	case "sum_tokens":
		return s.TokensIn + s.TokensOut
	default: // sum_cost
		return sumCost(s)
	}
}

// average is null without anything to average.
func average(sum, n int64) *float64 {
	if n == 0 {
		return nil
	}
	v := float64(sum) / float64(n)
	return &v
}

// ratio is 0 of nothing.
func ratio(part, of int64) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// p95 is the nearest rank; null without any duration.
func p95(s analytics.Sums) *float64 {
	ms, ok := s.Durations.Percentile(95)
	if !ok {
		return nil
	}
	v := float64(ms)
	return &v
}
