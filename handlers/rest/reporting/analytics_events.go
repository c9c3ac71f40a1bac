package reporting

import (
	"context"
	"strings"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/jsontext"
	"github.com/parley-platform/parley/projections/analytics"
)

type analyticsEventsIn struct {
	AnalyticsRange
	Category   string `query:"category" enum:"session,message,llm,tool,agent,gather,flow,channel,deployment,search,voice,audit,evaluation,feedback,system" doc:"Only events of this category."`
	EventTypes string `query:"eventTypes" maxLength:"4096" shown:"list" doc:"Only events of these types." example:"call_answered,call_completed"`
	SessionID  string `query:"sessionId" maxLength:"256" doc:"Only events of this session."`
	AgentName  string `query:"agentName" maxLength:"256" doc:"Only events of this agent."`
	HasError   bool   `query:"hasError" doc:"true: only events that are errors."`
	Limit      int    `query:"limit" default:"100" minimum:"1" maximum:"10000" doc:"Events to return."`
	Offset     int    `query:"offset" default:"0" minimum:"0" maximum:"1000000000" doc:"Events to skip."`
}

type analyticsQueryIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Body      struct {
		TimeRange timeRange `json:"timeRange" required:"true"`
		AnalyticsPick
		Limit  *int `json:"limit,omitempty" default:"100" minimum:"1" maximum:"10000" doc:"Events to return."`
		Offset int  `json:"offset,omitempty" default:"0" minimum:"0" maximum:"1000000000" doc:"Events to skip."`
	}
}

// analyticsEvent is one event as analytics-events shows it.
type analyticsEvent struct {
	ID         string         `json:"id" format:"uuid" doc:"The event's id on the log."`
	Category   string         `json:"category" enum:"session,message,llm,tool,agent,gather,flow,channel,deployment,search,voice,audit,evaluation,feedback,system"`
	EventType  string         `json:"event_type" example:"call_answered"`
	AgentName  *string        `json:"agent_name"`
	SessionID  *string        `json:"session_id"`
	Timestamp  string         `json:"timestamp" format:"date-time"`
	DurationMs *int64         `json:"duration_ms"`
	Error      *string        `json:"error"`
	Metadata   jsontext.Shown `json:"metadata" doc:"Such as model, tokens_in, tokens_out; for acts of administration actor and stream."`
}

// AnalyticsPaging is what is said of a page. The API's documents can be read to put it
// in data or beside it, so it stands in both. It is exported so that the schema shows
// it.
type AnalyticsPaging struct {
	Total   int64 `json:"total" doc:"All that fit, whatever the limit."`
	HasMore bool  `json:"hasMore" doc:"Whether there are more behind this page."`
}

type analyticsPage struct {
	Events []analyticsEvent `json:"events" doc:"Newest first."`
	AnalyticsPaging
}

type analyticsEventsOut struct {
	Body struct {
		AnalyticsHead
		Data analyticsPage `json:"data"`
		AnalyticsPaging
	}
}

func (a Analytics) declareEvents(api *rest.API) {
	rest.Declare(api, analyticsOperation("analytics-events", "GET", "/analytics/events", "List a project's analytics events, newest first"),
		a.events)
	rest.Declare(api, analyticsOperation("analytics-query", "POST", "/analytics/query",
		"List a project's analytics events by a query in the body, newest first"), a.eventsOfQuery)
}

func (a Analytics) events(ctx context.Context, in *analyticsEventsIn) (*analyticsEventsOut, error) {
	var f fault.Fields
	q := analytics.EventsQuery{Limit: in.Limit, Offset: in.Offset,
		Filter: analytics.Filter{Category: analytics.Category(in.Category), SessionID: in.SessionID, AgentName: in.AgentName,
			HasError: in.HasError}}
	for _, name := range strings.Split(in.EventTypes, ",") {
		if name = strings.TrimSpace(name); name != "" {
			q.Filter.EventTypes = append(q.Filter.EventTypes, name)
		}
	}
	q.From, q.To = a.between(&f, "", in.From, in.To)
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	return a.page(ctx, q)
}

func (a Analytics) eventsOfQuery(ctx context.Context, in *analyticsQueryIn) (*analyticsEventsOut, error) {
	var f fault.Fields
	b := in.Body
	q := analytics.EventsQuery{Limit: 100, Offset: b.Offset, Filter: b.filter()}
	if b.Limit != nil {
		q.Limit = *b.Limit
	}
	q.From, q.To = a.between(&f, "timeRange.", b.TimeRange.From, b.TimeRange.To)
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	return a.page(ctx, q)
}

func (a Analytics) page(ctx context.Context, q analytics.EventsQuery) (*analyticsEventsOut, error) {
	q.Tenant, q.Project = rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID
	out := &analyticsEventsOut{}
	var err error
	if out.Body.AnalyticsHead, err = a.head(ctx); err != nil {
		return nil, err
	}
	found, total, err := a.Store.Events(ctx, q)
	if err != nil {
		return nil, err
	}
	d := &out.Body.Data
	d.Events, d.AnalyticsPaging = []analyticsEvent{}, AnalyticsPaging{Total: total, HasMore: int64(q.Offset)+int64(len(found)) < total}
	out.Body.AnalyticsPaging = d.AnalyticsPaging
	for _, e := range found {
		d.Events = append(d.Events, analyticsEvent{ID: e.ID, Category: string(e.Category), EventType: e.Type, AgentName: orNull(e.AgentName),
			SessionID: orNull(e.SessionID),
			Timestamp: rest.ISOTime(&e.Time), DurationMs: e.DurationMs, Error: e.Error, Metadata: jsontext.Shown(e.Metadata)})
	}
	return out, nil
}
