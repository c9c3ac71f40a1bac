package runtime

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
)

type chatUsageIn struct {
	ProjectID string `query:"projectId" required:"true" minLength:"1" maxLength:"128" doc:"A project's id or alias."`
	StartDate string `query:"startDate" maxLength:"64" doc:"A day or a moment; 30 days ago, or before the end where that is past, unless said." example:"2026-11-01"`
	EndDate   string `query:"endDate" maxLength:"64" doc:"A day, which is included, or a moment, which is not; now unless said."`
	GroupBy   string `query:"groupBy" enum:"model" doc:"model: each by itself as well."`
}

// usageSummary is that of all.
type usageSummary struct {
	TotalTokens      int64   `json:"totalTokens"`
	TotalCost        float64 `json:"totalCost" doc:"US dollars, of those whose price is known."`
	RequestCount     int64   `json:"requestCount" doc:"Those that failed or were given up are counted as well."`
	UnpricedRequests int64   `json:"unpricedRequests" doc:"That took tokens whose price is not known."`
	AvgLatency       float64 `json:"avgLatency" doc:"Milliseconds."`
}

type modelUsageShown struct {
	ModelID          string  `json:"modelId" doc:"Empty: no model began to answer."`
	Provider         string  `json:"provider"`
	TotalTokens      int64   `json:"totalTokens"`
	TotalCost        float64 `json:"totalCost" doc:"US dollars, of those whose price is known."`
	RequestCount     int64   `json:"requestCount"`
	UnpricedRequests int64   `json:"unpricedRequests" doc:"That took tokens whose price is not known."`
}

type chatUsageOut struct {
	Body struct {
		Success bool               `json:"success"`
		Summary usageSummary       `json:"summary"`
		ByModel *[]modelUsageShown `json:"byModel,omitempty" doc:"With groupBy=model: what took most tokens first."`
	}
}

func (x CompletionsAPI) usage(ctx context.Context, in *chatUsageIn) (*chatUsageOut, error) {
	from, to, err := usageRange(in.StartDate, in.EndDate, x.Now())
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	took, err := x.Took.Usage(ctx, project.TenantID, project.ID, from, to)
	if err != nil {
		return nil, err
	}
	out, models := &chatUsageOut{}, []modelUsageShown{}
	out.Body.Success = true
	for _, m := range took {
		if m.Together {
			out.Body.Summary = usageSummary{m.Tokens, completions.Dollars(m.Cost), m.Requests, m.Unpriced, m.LatencyMs}
			continue
		}
		models = append(models, modelUsageShown{m.ModelID, m.Provider, m.Tokens, completions.Dollars(m.Cost), m.Requests, m.Unpriced})
	}
	if in.GroupBy != "" {
		out.Body.ByModel = &models
	}
	return out, nil
}

const (
	usualUsage = 30 * 24 * time.Hour
	mostUsage  = 366 * 24 * time.Hour
)

// usageRange reads days and moments. A day as the end is included.
func usageRange(start, end string, now time.Time) (from, to time.Time, err error) {
	var f fault.Fields
	from, to = rest.Range{From: "startDate", To: "endDate", Now: now, End: now.Add(time.Millisecond), // what was answered just now is in it
		Usual: usualUsage, Late: "must not be after endDate"}.Read(&f, start, end)
	if len(f) == 0 && to.Sub(from) > mostUsage && now.Sub(from) > mostUsage { // what is to come holds nothing
		f.Add("startDate", "must be at most 366 days before endDate")
	}
	return from, to, f.InOrder().Err()
}
