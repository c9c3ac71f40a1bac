package voice_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/fault"
	voicemodels "github.com/parley-platform/parley/projections/voice"
)

const ended = `{"conversationId":"call-1","channel":"voice","direction":"Outbound","status":"failed","userId":"tel:+15550001",
	"centerId":"15550100",
	"agentName":"greeter","sessionId":"s-1","machineDetection":"amd_human_detected","reasonCode":"480","reason":"No answer",
	"requestedAt":"2025-03-01T12:00:00.000Z","startedAt":"2025-03-01T12:00:01.000Z","endedAt":"2025-03-01T12:00:02.500Z","durationMs":0}`

const dialing = `{"conversationId":"call-1","channel":"voice","direction":"Outbound","status":"dialing","userId":"tel:+15550001",
	"centerId":"15550100","requestedAt":"2025-03-01T12:00:00.000Z"}`

func interactionsOf(at time.Time) (ended, dialing voicemodels.Call) {
	start, end, nothing := at.Add(time.Second).In(time.FixedZone("", 3600)), at.Add(2500*time.Millisecond), int64(0)
	dialing = voicemodels.Call{ConversationID: "call-1", Channel: "voice", Direction: "Outbound", Status: "dialing",
		CustomerID: "tel:+15550001", CenterID: "15550100", RequestedAt: at}
	ended = dialing
	ended.Status, ended.AgentName, ended.SessionID, ended.Verdict = "failed", "greeter", "s-1", "amd_human_detected"
	ended.ReasonCode, ended.Reason, ended.StartedAt, ended.EndedAt, ended.DurationMs = "480", "No answer", &start, &end, &nothing
	return ended, dialing
}

func TestHowFarACallIs(t *testing.T) {
	w, b := newSwitchboard(t)
	over, begun := interactionsOf(w.Now)
	for call, want := range map[*voicemodels.Call]string{&over: ended, &begun: dialing} {
		b.placed = map[string]voicemodels.Call{"acme/p-1/call-1": *call}
		for _, bot := range []string{"p-1", "main"} {
			got := w.Ask("GET", "/api/1.1/public/bot/"+bot+"/assist/dialout/call-1", "")
			require.Equal(t, 200, got.Status, got.Text)
			require.JSONEq(t, want, got.Text)
		}
	}
	for path, status := range map[string]int{"p-1/assist/dialout/call-2": 404, "p-9/assist/dialout/call-1": 404,
		"p-2/assist/dialout/call-1":                      404,
		"p-1/assist/dialout/" + strings.Repeat("c", 128): 404, "p-1/assist/dialout/" + strings.Repeat("c", 129): 400} {
		require.Equal(t, status, w.Ask("GET", "/api/1.1/public/bot/"+path, "").Status, path)
	}
	require.Equal(t, 401, w.Call("GET", dialout+"/call-1", "").Status)
	b.down = fault.New(fault.CatchingUp, "behind")
	require.Equal(t, 503, w.Ask("GET", dialout+"/call-1", "").Status)
}

func TestTheListOfInteractions(t *testing.T) {
	w, b := newSwitchboard(t)
	got := w.Ask("GET", "/api/v1/projects/main/interactions", "")
	require.Equal(t, 200, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"interactions":[],"pagination":{"total":0,"limit":50,"offset":0}}`, got.Text)

	over, _ := interactionsOf(w.Now)
	b.placed, b.total = map[string]voicemodels.Call{"acme/p-1/call-1": over}, 9
	got = w.Ask("GET", "/api/v1/projects/p-1/interactions?status=failed&limit=200&offset=8", "")
	require.JSONEq(t, `{"success":true,"interactions":[`+ended+`],"pagination":{"total":9,"limit":200,"offset":8}}`, got.Text)
	require.Equal(t, []string{`["acme","p-1","",50,0]`, `["acme","p-1","failed",200,8]`}, b.listed)

	for query, field := range map[string]string{"status=ended": "status", "limit=0": "limit", "limit=201": "limit", "offset=-1": "offset"} {
		w.Refused(w.Ask("GET", "/api/v1/projects/p-1/interactions?"+query, ""), 400, field)
	}
	w.Refused(w.Ask("GET", "/api/v1/projects/p-2/interactions", ""), 404)
	w.Token = w.Grant("acme", nil)
	w.Refused(w.Ask("GET", "/api/v1/projects/p-1/interactions", ""), 403)
	require.Len(t, b.listed, 2)
	w.Token = w.Grant("acme", nil, "session:*")
	b.down = fault.New(fault.CatchingUp, "behind")
	require.Equal(t, 503, w.Ask("GET", "/api/v1/projects/p-1/interactions", "").Status)
}
