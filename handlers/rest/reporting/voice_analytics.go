package reporting

import (
	"context"
	"time"

	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/analytics"
	models "github.com/parley-platform/parley/projections/reporting"
)

type voiceIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Hours     int    `query:"hours" default:"168" minimum:"1" maximum:"8760" doc:"The last hours up to now: 1 is the last sixty minutes."`
}

// voiceHour is one hour of voice-analytics-hourly. What nobody has measured is null, never zero: all of
// it for calls without sound, and for all how the other side heard us.
type voiceHour struct {
	Hour               string   `json:"hour" format:"date-time" doc:"When it begins, UTC. Hours in which no call ended and no agent said anything in one are left out."`
	SessionCount       int64    `json:"session_count" doc:"Calls that ended in this hour; 0 where some only went on."`
	ErrorCount         int64    `json:"error_count" doc:"Those of them that failed or were cut off by a fault."`
	AvgCallDurationMs  *float64 `json:"avg_call_duration_ms" doc:"Of those that were answered, from the answer on; null without any."`
	AvgInboundMos      *float64 `json:"avg_inbound_mos"`
	AvgOutboundMos     *float64 `json:"avg_outbound_mos"`
	AvgInboundJitter   *float64 `json:"avg_inbound_jitter_ms"`
	AvgOutboundJitter  *float64 `json:"avg_outbound_jitter_ms"`
	AvgE2ELatency      *float64 `json:"avg_e2e_latency_ms"`
	AvgBargeInRate     *float64 `json:"avg_barge_in_rate"`
	AvgDTMFFallback    *float64 `json:"avg_dtmf_fallback_rate"`
	AvgASRScore        *float64 `json:"avg_asr_score"`
	AvgTTSProxyMos     *float64 `json:"avg_tts_proxy_mos"`
	AvgSilencePercent  *float64 `json:"avg_silence_percent"`
	TotalTurns         int64    `json:"total_turns" doc:"Turns of agents in this hour, also in calls that end in a later one."`
	TotalBargeInCount  *int64   `json:"total_barge_in_count"`
	TotalDTMFTurnCount *int64   `json:"total_dtmf_turn_count"`
}

type voiceHourlyOut struct {
	Body struct {
		AnalyticsHead
		Data []voiceHour `json:"data" doc:"Oldest first."`
	}
}

// voiceSummary is what voice-analytics-summary answers.
type voiceSummary struct {
	TotalCalls         int64    `json:"total_calls" doc:"Calls that ended."`
	TotalErrors        int64    `json:"total_errors" doc:"Those of them that failed or were cut off by a fault."`
	AvgCallDurationMs  *float64 `json:"avg_call_duration_ms" doc:"Of those that were answered, from the answer on; null without any."`
	InboundMos         *float64 `json:"overall_avg_inbound_mos"`
	OutboundMos        *float64 `json:"overall_avg_outbound_mos"`
	Latency            *float64 `json:"overall_avg_latency_ms"`
	BargeInRate        *float64 `json:"overall_barge_in_rate"`
	DTMFFallbackRate   *float64 `json:"overall_dtmf_fallback_rate"`
	ASRScore           *float64 `json:"overall_asr_score"`
	TotalTurns         int64    `json:"total_turns" doc:"Turns of agents."`
	TotalBargeInCount  *int64   `json:"total_barge_in_count"`
	TotalDTMFTurnCount *int64   `json:"total_dtmf_turn_count"`
}

type voiceSummaryOut struct {
	Body struct {
		AnalyticsHead
		Data voiceSummary `json:"data"`
	}
}

func (a Analytics) declareVoice(api *rest.API) {
	operation := func(of, summary string) rest.Operation {
		op := analyticsOperation("voice-analytics-"+of, "GET", "/voice-analytics/"+of, summary)
		op.Tags = []string{"Voice analytics"}
		op.Description += " Figures of sound are those of the calls that had some: of what we heard (mos by the E-model, jitter), " +
			"and of turns. " +
			"How the other side heard us nobody tells: avg_outbound_* and avg_tts_proxy_mos are null."
		return op
	}
	rest.Declare(api, operation("hourly", "Figures of voice calls by hour"), a.voiceHourly)
	rest.Declare(api, operation("summary", "Figures of voice calls"), a.voiceSummary)
}

func (a Analytics) voiceHourly(ctx context.Context, in *voiceIn) (*voiceHourlyOut, error) {
	head, err := a.head(ctx)
	if err != nil {
		return nil, err
	}
	from, to := a.lastHours(in.Hours)
	found, err := a.calls(ctx, from, to, analytics.GroupHour)
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	sounded, err := a.Sound.SoundByHour(ctx, project.TenantID, project.ID, from, to)
	if err != nil {
		return nil, err
	}
	of := map[time.Time]models.Sound{}
	for _, s := range sounded {
		of[s.Hour.UTC()] = s
	}
	out := &voiceHourlyOut{}
	out.Body.AnalyticsHead, out.Body.Data = head, []voiceHour{}
	for _, c := range found {
		hour := voiceHour{Hour: rest.ISOTime(&c.hour), SessionCount: c.ended.Count, ErrorCount: c.ended.Errors,
			AvgCallDurationMs: average(c.ended.DurationMs, c.ended.Timed), TotalTurns: c.turns}
		if s, measured := of[c.hour.UTC()]; measured {
			hour.AvgInboundMos, hour.AvgInboundJitter, hour.AvgE2ELatency = s.MOS, s.JitterMs, s.LatencyMs
			hour.AvgASRScore, hour.AvgSilencePercent = s.Confidence, s.Silence
			hour.AvgBargeInRate, hour.AvgDTMFFallback = rateOf(s.BargeIns, s.Turns), rateOf(s.DigitTurns, s.Turns)
			hour.TotalBargeInCount, hour.TotalDTMFTurnCount = &s.BargeIns, &s.DigitTurns
		}
		out.Body.Data = append(out.Body.Data, hour)
	}
	return out, nil
}

func (a Analytics) voiceSummary(ctx context.Context, in *voiceIn) (*voiceSummaryOut, error) {
	head, err := a.head(ctx)
	if err != nil {
		return nil, err
	}
	from, to := a.lastHours(in.Hours)
	found, err := a.calls(ctx, from, to)
	if err != nil {
		return nil, err
	}
	project := rest.ProjectOf(ctx)
	s, err := a.Sound.SoundOf(ctx, project.TenantID, project.ID, from, to)
	if err != nil {
		return nil, err
	}
	out := &voiceSummaryOut{}
	out.Body.AnalyticsHead = head
	for _, c := range found { // one, or none without calls
		out.Body.Data = voiceSummary{TotalCalls: c.ended.Count, TotalErrors: c.ended.Errors, AvgCallDurationMs: average(c.ended.DurationMs,
			c.ended.Timed), TotalTurns: c.turns}
	}
	if d := &out.Body.Data; s.Measured > 0 {
		d.InboundMos, d.Latency, d.ASRScore = s.MOS, s.LatencyMs, s.Confidence
		d.BargeInRate, d.DTMFFallbackRate = rateOf(s.BargeIns, s.Turns), rateOf(s.DigitTurns, s.Turns)
		d.TotalBargeInCount, d.TotalDTMFTurnCount = &s.BargeIns, &s.DigitTurns
	}
	return out, nil
}

// soundedCalls knows how calls sounded.
type soundedCalls interface {
	SoundByHour(ctx context.Context, tenant, project string, from, to time.Time) ([]models.Sound, error)
	SoundOf(ctx context.Context, tenant, project string, from, to time.Time) (models.Sound, error)
}

// rateOf is a part of all turns; nil: there were none.
func rateOf(part, all int64) *float64 {
	if all == 0 {
		return nil
	}
	rate := float64(part) / float64(all)
	return &rate
}

// callFigures are those of the calls of one hour, or of all hours.
type callFigures struct {
	hour  time.Time
	ended analytics.Sums // what calls tell at their end; failed ones have no duration
	turns int64          // of agents
}

// calls gives the figures of calls of [from, to), oldest first, apart by what is asked for.
func (a Analytics) calls(ctx context.Context, from, to time.Time, groups ...analytics.Grouping) ([]callFigures, error) {
	q := a.query(ctx, from, to, analytics.Filter{EventTypes: []string{analytics.CallCompleted, analytics.CallFailed, analytics.CallSaid}})
	q.GroupBy = append(groups, analytics.GroupEventType)
	found, err := a.Store.Aggregate(ctx, q)
	if err != nil {
		return nil, err
	}
	var out []callFigures
	for _, b := range found {
		if len(out) == 0 || !out[len(out)-1].hour.Equal(b.Time) {
			out = append(out, callFigures{hour: b.Time})
		}
		if last := &out[len(out)-1]; b.Keys[analytics.GroupEventType] == analytics.CallSaid {
			last.turns += b.Count
		} else {
			last.ended.Add(b.Sums)
		}
	}
	return out, nil
}

// lastHours end now.
func (a Analytics) lastHours(n int) (from, to time.Time) {
	to = a.Now().UTC()
	return to.Add(-time.Duration(n) * time.Hour), to
}
