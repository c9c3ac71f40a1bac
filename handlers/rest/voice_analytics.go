package rest

import (
	"context"
	"time"

	"github.com/parley-platform/parley/projections/analytics"
)

type voiceIn struct {
	ProjectID string `path:"projectId" doc:"A project's id or alias."`
	Hours     int    `query:"hours" default:"168" minimum:"1" maximum:"8760" doc:"How many hours back, the running one included."`
}

// voiceHour is spec/3 "Voice analytics". What is known only when sound is carried is
// null until then, never zero.
type voiceHour struct {
	Hour               string   `json:"hour" format:"date-time" doc:"When it begins, UTC. Hours without calls are left out."`
	SessionCount       int64    `json:"session_count" doc:"Calls that ended in this hour."`
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
	TotalTurns         int64    `json:"total_turns" doc:"Turns of agents."`
	TotalBargeInCount  *int64   `json:"total_barge_in_count"`
	TotalDTMFTurnCount *int64   `json:"total_dtmf_turn_count"`
}

type voiceHourlyOut struct {
	Body struct {
		AnalyticsHead
		Data []voiceHour `json:"data" doc:"Oldest first."`
	}
}

// voiceSummary is spec/3 "Voice analytics", Summary.
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

func (a Analytics) declareVoice(api *API) {
	for _, op := range []Operation{
		analyticsOperation("voice-analytics-hourly", "GET", "/voice-analytics/hourly", "Figures of voice calls by hour"),
		analyticsOperation("voice-analytics-summary", "GET", "/voice-analytics/summary", "Figures of voice calls"),
	} {
		op.Tags = []string{"Voice analytics"}
		if op.Description += " Figures of sound are null: no sound is carried yet."; op.ID == "voice-analytics-hourly" {
			Declare(api, op, a.voiceHourly)
		} else {
			Declare(api, op, a.voiceSummary)
		}
	}
}

func (a Analytics) voiceHourly(ctx context.Context, in *voiceIn) (*voiceHourlyOut, error) {
	out := &voiceHourlyOut{}
	out.Body.Data = []voiceHour{}
	head, err := a.calls(ctx, in.Hours, []analytics.Grouping{analytics.GroupHour, analytics.GroupEventType}, func(b analytics.Bucket) {
		data := &out.Body.Data
		if hour := isoTime(&b.Time); len(*data) == 0 || (*data)[len(*data)-1].Hour != hour {
			*data = append(*data, voiceHour{Hour: hour})
		}
		h := &(*data)[len(*data)-1]
		if b.Keys[analytics.GroupEventType] == analytics.CallSaid {
			h.TotalTurns += b.Count
			return
		}
		h.SessionCount += b.Count
		h.ErrorCount += b.Errors
		if b.Timed > 0 {
			h.AvgCallDurationMs = average(b.DurationMs, b.Timed)
		}
	})
	out.Body.AnalyticsHead = head
	return out, err
}

func (a Analytics) voiceSummary(ctx context.Context, in *voiceIn) (*voiceSummaryOut, error) {
	out := &voiceSummaryOut{}
	head, err := a.calls(ctx, in.Hours, []analytics.Grouping{analytics.GroupEventType}, func(b analytics.Bucket) {
		d := &out.Body.Data
		if b.Keys[analytics.GroupEventType] == analytics.CallSaid {
			d.TotalTurns += b.Count
			return
		}
		d.TotalCalls += b.Count
		d.TotalErrors += b.Errors
		if b.Timed > 0 {
			d.AvgCallDurationMs = average(b.DurationMs, b.Timed)
		}
	})
	out.Body.AnalyticsHead = head
	return out, err
}

// calls hands on the sums of what calls tell at their end, and of what agents said.
// Failed calls have no duration, so that those of completed ones are all there are.
func (a Analytics) calls(ctx context.Context, hours int, groups []analytics.Grouping, each func(analytics.Bucket)) (AnalyticsHead, error) {
	head, err := a.head(ctx)
	if err != nil {
		return head, err
	}
	from, to := a.lastHours(hours)
	q := a.query(ctx, from, to, analytics.Filter{EventTypes: []string{analytics.CallCompleted, analytics.CallFailed, analytics.CallSaid}})
	q.GroupBy = groups
	found, err := a.Store.Aggregate(ctx, q)
	for _, b := range found {
		each(b)
	}
	return head, err
}

// lastHours are whole hours, the one that is running included.
func (a Analytics) lastHours(n int) (from, to time.Time) {
	to = a.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	return to.Add(-time.Duration(n) * time.Hour), to
}
