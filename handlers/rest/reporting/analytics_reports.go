package reporting

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/analytics"
)

func (a Analytics) declareReports(api *rest.API) {
	rest.Declare(api, analyticsOperation("analytics-agent", "GET", "/analytics/agents/{name}", "Figures of one agent"), a.agent)
	rest.Declare(api, analyticsOperation("analytics-cost-breakdown", "GET", "/analytics/cost-breakdown",
		"What language models cost, by model, agent and day"), a.costs)
	rest.Declare(api, analyticsOperation("analytics-session-metrics", "GET", "/analytics/session-metrics", "Figures of sessions"), a.sessions)
}

type agentAnalyticsIn struct {
	AnalyticsRange
	Name string `path:"name" maxLength:"256" doc:"The agent's name."`
}

// agentCategory is what one agent did of one category.
type agentCategory struct {
	Category    string   `json:"category"`
	Count       int64    `json:"count"`
	ErrorRate   float64  `json:"error_rate"`
	AvgDuration *float64 `json:"avg_duration"`
}

type agentFigures struct {
	AgentName   string          `json:"agent_name"`
	Count       int64           `json:"count" doc:"Events."`
	ErrorCount  int64           `json:"error_count"`
	ErrorRate   float64         `json:"error_rate" doc:"0 to 1."`
	AvgDuration *float64        `json:"avg_duration" doc:"Milliseconds; null without any duration."`
	P95Duration *float64        `json:"p95_duration" doc:"Milliseconds: the nearest rank, of over a thousand within 0.4 %; null without any."`
	SumTokens   int64           `json:"sum_tokens"`
	SumCost     *float64        `json:"sum_cost" doc:"Dollars: 0 where the price is 0; null where there are tokens and no known price."`
	Unpriced    int64           `json:"unpriced" doc:"Events that took tokens whose price is not known. The sum leaves them out."`
	ByCategory  []agentCategory `json:"by_category"`
}

type agentAnalyticsOut struct {
	Body struct {
		AnalyticsHead
		Data agentFigures `json:"data"`
	}
}

func (a Analytics) agent(ctx context.Context, in *agentAnalyticsIn) (*agentAnalyticsOut, error) {
	q, head, err := a.report(ctx, in.AnalyticsRange)
	if err != nil {
		return nil, err
	}
	q.Filter.AgentName, q.GroupBy, q.Durations = in.Name, []analytics.Grouping{analytics.GroupCategory}, true
	found, err := a.Store.Aggregate(ctx, q)
	if err != nil {
		return nil, err
	}
	out := &agentAnalyticsOut{}
	out.Body.AnalyticsHead = head
	d := &out.Body.Data
	d.AgentName, d.ByCategory = in.Name, []agentCategory{}
	var all analytics.Sums
	for _, b := range found {
		all.Add(b.Sums)
		d.ByCategory = append(d.ByCategory, agentCategory{Category: b.Keys[analytics.GroupCategory], Count: b.Count,
			ErrorRate: ratio(b.Errors, b.Count), AvgDuration: average(b.DurationMs, b.Timed)})
	}
	d.Count, d.ErrorCount, d.ErrorRate, d.AvgDuration, d.P95Duration = all.Count, all.Errors, ratio(all.Errors, all.Count),
		average(all.DurationMs, all.Timed), p95(all)
	d.SumTokens, d.SumCost, d.Unpriced = all.TokensIn+all.TokensOut, sumCost(all), all.Unpriced
	return out, nil
}

// report begins a report: its query, and its head.
func (a Analytics) report(ctx context.Context, in AnalyticsRange) (analytics.Query, AnalyticsHead, error) {
	var f fault.Fields
	from, to := a.between(&f, "", in.From, in.To)
	if err := f.InOrder().Err(); err != nil {
		return analytics.Query{}, AnalyticsHead{}, err
	}
	head, err := a.head(ctx)
	return a.query(ctx, from, to, analytics.Filter{}), head, err
}

// CostFigure is what one model, agent or day has used up.
type CostFigure struct {
	TokensIn  int64    `json:"tokens_in"`
	TokensOut int64    `json:"tokens_out"`
	SumTokens int64    `json:"sum_tokens"`
	SumCost   *float64 `json:"sum_cost" doc:"Dollars: 0 where the price is 0; null where there are tokens and no known price."`
	Unpriced  int64    `json:"unpriced" doc:"Events that took tokens whose price is not known. The sum leaves them out."`
}

func costOf(s analytics.Sums) CostFigure {
	return CostFigure{TokensIn: s.TokensIn, TokensOut: s.TokensOut, SumTokens: s.TokensIn + s.TokensOut, SumCost: sumCost(s),
		Unpriced: s.Unpriced}
}

// sumCost is null where there are tokens and no price of them is known. Hours that a version before has
// summed do not say how many have one, until they are built anew.
func sumCost(s analytics.Sums) *float64 {
	if s.Priced == 0 && s.Cost == 0 && s.TokensIn+s.TokensOut > 0 {
		return nil
	}
	known := completions.Dollars(s.Cost)
	return &known
}

type modelCost struct {
	Model string `json:"model"`
	Count int64  `json:"count" doc:"Events with this model."`
	CostFigure
}

type agentCost struct {
	AgentName *string `json:"agent_name"`
	CostFigure
}

type dayCost struct {
	Day string `json:"day" format:"date-time"`
	CostFigure
}

type costFigures struct {
	CostFigure
	ByModel []modelCost `json:"by_model"`
	ByAgent []agentCost `json:"by_agent"`
	ByDay   []dayCost   `json:"by_day"`
}

type costBreakdownOut struct {
	Body struct {
		AnalyticsHead
		Data costFigures `json:"data"`
	}
}

func (a Analytics) costs(ctx context.Context, in *AnalyticsRange) (*costBreakdownOut, error) {
	q, head, err := a.report(ctx, *in)
	if err != nil {
		return nil, err
	}
	by := func(g analytics.Grouping, models bool) analytics.Query {
		of := q
		of.GroupBy, of.Filter.Model = []analytics.Grouping{g}, models
		return of
	}
	found, err := a.Store.AggregateAll(ctx, by(analytics.GroupModel, true), by(analytics.GroupAgent, false), by(analytics.GroupDay, false))
	if err != nil {
		return nil, err
	}
	out := &costBreakdownOut{}
	out.Body.AnalyticsHead = head
	d := &out.Body.Data
	d.ByModel, d.ByAgent, d.ByDay = []modelCost{}, []agentCost{}, []dayCost{}
	for _, b := range found[0] {
		d.ByModel = append(d.ByModel, modelCost{Model: b.Keys[analytics.GroupModel], Count: b.Count, CostFigure: costOf(b.Sums)})
	}
	for _, b := range used(found[1]) {
		d.ByAgent = append(d.ByAgent, agentCost{AgentName: orNull(b.Keys[analytics.GroupAgent]), CostFigure: costOf(b.Sums)})
	}
	var all analytics.Sums
	for _, b := range used(found[2]) {
		d.ByDay = append(d.ByDay, dayCost{Day: rest.ISOTime(&b.Day), CostFigure: costOf(b.Sums)})
		all.Add(b.Sums)
	}
	d.CostFigure = costOf(all)
	return out, nil
}

// used are the buckets in which something was used up.
func used(buckets []analytics.Bucket) []analytics.Bucket {
	return slices.DeleteFunc(buckets, func(b analytics.Bucket) bool { return b.TokensIn+b.TokensOut+b.Cost == 0 })
}

type sessionFigures struct {
	TotalSessions int64    `json:"total_sessions" doc:"Opened in the range."`
	EndedSessions int64    `json:"ended_sessions" doc:"Ended in the range."`
	ErrorCount    int64    `json:"error_count" doc:"Errors of the category session."`
	AvgDurationMs *float64 `json:"avg_duration_ms" doc:"Of those that ended; null without any."`
	P95DurationMs *float64 `json:"p95_duration_ms" doc:"Of those that ended: the nearest rank, of over a thousand within 0.4 %."`
	MessageCount  int64    `json:"message_count" doc:"Events of the category message."`
	AvgMessages   *float64 `json:"avg_messages_per_session" doc:"Messages by sessions opened; null without any."`
}

type sessionMetricsOut struct {
	Body struct {
		AnalyticsHead
		Data sessionFigures `json:"data"`
	}
}

func (a Analytics) sessions(ctx context.Context, in *AnalyticsRange) (*sessionMetricsOut, error) {
	q, head, err := a.report(ctx, *in)
	if err != nil {
		return nil, err
	}
	ofTypes := q
	q.GroupBy = []analytics.Grouping{analytics.GroupCategory}
	ofTypes.GroupBy, ofTypes.Durations = []analytics.Grouping{analytics.GroupEventType}, true
	ofTypes.Filter.EventTypes = []string{analytics.SessionOpened, analytics.SessionEnded}
	found, err := a.Store.AggregateAll(ctx, q, ofTypes)
	if err != nil {
		return nil, err
	}
	out := &sessionMetricsOut{}
	out.Body.AnalyticsHead = head
	d := &out.Body.Data
	for _, b := range found[0] {
		switch analytics.Category(b.Keys[analytics.GroupCategory]) {
		case analytics.Session:
			d.ErrorCount = b.Errors
		case analytics.Message:
			d.MessageCount = b.Count
		}
	}
	for _, b := range found[1] {
		switch b.Keys[analytics.GroupEventType] {
		case analytics.SessionOpened:
			d.TotalSessions = b.Count
		case analytics.SessionEnded:
			d.EndedSessions, d.AvgDurationMs, d.P95DurationMs = b.Count, average(b.DurationMs, b.Timed), p95(b.Sums)
		}
	}
	d.AvgMessages = average(d.MessageCount, d.TotalSessions)
	return out, nil
}
