package reporting_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/projections/analytics"
	models "github.com/parley-platform/parley/projections/reporting"
)

// Given calls that were measured, then voice analytics have figures of their sound; what nobody measures stays null.
func TestFiguresOfSound(t *testing.T) {
	hour := time.Date(2025, 3, 1, 11, 0, 0, 0, time.UTC)
	mos, latency, silence := 4.2, 350.0, 12.5
	s := &figuresStore{asOf: hour, sounds: []models.Sound{{Hour: hour, Measured: 2, Turns: 8, BargeIns: 2, DigitTurns: 1, MOS: &mos,
		LatencyMs: &latency, Silence: &silence}}, answers: map[analytics.Grouping][]analytics.Bucket{
		analytics.GroupHour:      {{Time: hour, Keys: map[analytics.Grouping]string{analytics.GroupEventType: analytics.CallCompleted}}},
		analytics.GroupEventType: {{Keys: map[analytics.Grouping]string{analytics.GroupEventType: analytics.CallCompleted}}}}}
	ask := analyst(t, s)
	got := ask("GET", "/voice-analytics/hourly", "")
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	for _, want := range []string{`"avg_inbound_mos":4.2`, `"avg_outbound_mos":null`, `"avg_e2e_latency_ms":350`, `"avg_barge_in_rate":0.25`,
		`"avg_dtmf_fallback_rate":0.125`, `"avg_asr_score":null`, `"avg_silence_percent":12.5`, `"total_barge_in_count":2`} {
		require.Contains(t, got.Text, want)
	}
	got = ask("GET", "/voice-analytics/summary", "")
	for _, want := range []string{`"overall_avg_inbound_mos":4.2`, `"overall_avg_outbound_mos":null`, `"overall_barge_in_rate":0.25`,
		`"total_dtmf_turn_count":1`} {
		require.Contains(t, got.Text, want)
	}
	s.sounds = nil
	require.Contains(t, ask("GET", "/voice-analytics/summary", "").Text, `"overall_barge_in_rate":null`)
}

// Given an hour in which a call was talked and none ended, then it has the turns, and of calls nothing.
func TestAnHourInWhichCallsOnlyWentOn(t *testing.T) {
	hour := time.Date(2025, 3, 1, 11, 0, 0, 0, time.UTC)
	keys := map[analytics.Grouping]string{analytics.GroupEventType: analytics.CallSaid}
	s := &figuresStore{asOf: hour, answers: map[analytics.Grouping][]analytics.Bucket{
		analytics.GroupHour: {{Time: hour, Keys: keys, Sums: analytics.Sums{Count: 3}}}}}
	got := analyst(t, s)("GET", "/voice-analytics/hourly", "")
	for _, want := range []string{`"session_count":0`, `"error_count":0`, `"avg_call_duration_ms":null`, `"total_turns":3`} {
		require.Contains(t, got.Text, want)
	}
}

// Given a clock that goes on while an answer is made, then its calls and their sound are of the same hours.
func TestSoundIsOfTheHoursOfTheCalls(t *testing.T) {
	w, s := resttest.NewWorld(t), &figuresStore{}
	reporting.DeclareAnalytics(w.Api, reporting.Analytics{Store: s, Sound: s, Now: func() time.Time {
		w.Now = w.Now.Add(time.Millisecond)
		return w.Now
	}})
	for i, of := range []string{"hourly", "summary"} {
		w.Call("GET", "/api/projects/main/voice-analytics/"+of, "", "auth", w.Token())
		require.Equal(t, [2]time.Time{s.queries[i].From, s.queries[i].To}, s.heard[i], of)
	}
}
