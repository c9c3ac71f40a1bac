package timeline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/voice/timeline"
	"github.com/parley-platform/parley/projections/voice"
)

// known are the calls of acme's project p-1.
type known struct{ down error }

func (x known) Of(_ context.Context, tenant, project, call string) (voice.Call, bool, error) {
	if x.down != nil {
		return voice.Call{}, false, x.down
	}
	return voice.Call{ConversationID: call, Status: voice.CallCompleted, RequestedAt: noon}, tenant+"/"+project+"/"+call == "acme/p-1/c-1", nil
}

// tapes has one recording.
type tapes struct {
	down   error
	noRows error // of calls
}

func (x tapes) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	if name != "b-1" || x.down != nil {
		return nil, errors.Join(errors.New("there is none"), x.down)
	}
	return struct {
		io.ReadSeeker
		io.Closer
	}{strings.NewReader("RIFF of a call"), io.NopCloser(nil)}, nil
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func after(ms int) time.Time { return noon.Add(time.Duration(ms) * time.Millisecond) }

const hostile = `</text><script>alert("1")</script>&amp;` + "\x00\x1b \xff]]>"

// talked is a call in which all happened that a call shows.
func talked() []event.Payload {
	return []event.Payload{
		calls.Requested{CallID: "c-1", TenantID: "acme", ProjectID: "p-1", Target: "tel:+15550001", Provider: "sip",
			MachineDetection: calls.DetectionDetect, Flow: calls.Flow{Recorded: true}, At: noon, DialBy: after(60_000)},
		calls.AttemptStarted{AttemptID: "t", SID: "s", Provider: "sip", Node: "n1", At: after(100), LeaseUntil: after(30_000)},
		calls.Ringing{At: after(500)},
		calls.Answered{SessionID: "s-1", At: after(2_000), Agent: &calls.Agent{}},
		calls.Said{Text: "Good day, Ada", Message: 1, At: after(2_000)},
		calls.LeaseRenewed{At: after(2_500)},
		calls.AmdDetected{Detection: calls.Detection{Result: calls.AmdHumanDetected, Reason: "short greeting"}, At: after(3_000)},
		calls.Played{Message: 1, Ms: 500, Interrupted: true, Heard: "Good", At: after(2_700)},
		calls.Heard{Number: 1, Text: hostile, Confidence: 0.5, At: after(3_200)},
		calls.DigitsPressed{Number: 2, Digits: "4111111111111111", At: after(5_000)},
		calls.Adopted{Try: "u", Node: "n2", At: after(5_200), LeaseUntil: after(35_000)},
		calls.PersonCalled{TransferID: "t-1", ClaimID: "t-1-1", Target: "sip:maria@pbx.example", Summary: "Wants to pay.", At: after(5_300)},
		calls.LegTransferred{TransferID: "t-1", ClaimID: "t-1-1", Code: 486, Reason: "486 Busy Here", At: after(5_400)},
		calls.MessageWanted{VoicemailID: "v-1", TransferID: "t-1", At: after(5_410)},
		calls.MessageMissed{VoicemailID: "v-1", TransferID: "t-1", Reason: "nothing was said", At: after(5_420)},
		calls.MessageWanted{VoicemailID: "v-2", TransferID: "t-1", At: after(5_430)},
		calls.MessageLeft{VoicemailID: "v-2", TransferID: "t-1", Blob: "b-2", Ms: 4_000, By: calls.EndedByKey, At: after(5_440)},
		calls.StatusTold{Status: calls.ToldInProgress, Raw: "in-progress", Late: true, At: after(5_450)},
		calls.RecordingFailed{Reason: "no space left on device", At: after(5_500)},
		calls.PersonFreed{TransferID: "t-1", At: after(5_600)},
		calls.Completed{At: after(12_000), By: calls.ByCallee, ReasonCode: calls.ReasonCallerDisconnected, DurationMs: 10_000},
		calls.QualityMeasured{Sounded: calls.Sounded{Quality: calls.Quality{Received: 500, RFactor: 93}, Turns: 2, BargeIns: 1,
			Levels: &calls.Levels{EveryMs: 20, Heard: []byte{0, 50, 90, 255}, Said: []byte{10, 0, 0, 0}}}, At: after(12_100)},
		calls.Recorded{Blob: "b-1", SHA256: "abc", SizeBytes: 14, Ms: 9_000, Channels: 2, At: after(12_200)},
	}
}

// unrecorded is the same, before it was measured and its recording kept.
func unrecorded() []event.Payload { return talked()[:21] }

func newCall(t *testing.T, from tapes, past ...event.Payload) *resttest.Stored {
	t.Helper()
	w := resttest.NewStored(t, nil, access.PermSessionRead)
	timeline.Declare(w.Api, timeline.API{Commands: w.Commands, Calls: known{from.noRows}, Recordings: from})
	resttest.Given(w, calls.Calls, "call-c-1", past...)
	return w
}

const path = "/api/v1/projects/p-1/interactions/c-1"

func TestACallIsShown(t *testing.T) {
	w := newCall(t, tapes{}, talked()...)
	got := w.Ask("GET", path, "")
	require.Equal(t, 200, got.Status, got.Text)
	var out struct {
		Timeline  []struct{ Kind, Who, Text, Detail string }
		Sound     struct{ Levels struct{ Heard []int } }
		Recording struct{ DurationMs int }
	}
	require.NoError(t, json.Unmarshal([]byte(got.Text), &out))
	var kinds []string
	for _, e := range out.Timeline {
		kinds = append(kinds, e.Kind)
	}
	require.Equal(t, []string{"requested", "attempt-started", "ringing", "answered", "said", "amd-detected", "played", "heard",
		"digits-pressed", "adopted", "person-called", "leg-transferred", "message-wanted", "message-missed", "message-wanted", "message-left",
		"status-told", "recording-failed", "person-freed", "completed", "recorded"}, kinds)
	require.Equal(t, []string{"nothing was said", "4000 ms, ended by key", "in-progress, late"}, []string{out.Timeline[13].Detail,
		out.Timeline[15].Detail, out.Timeline[16].Detail})
	require.Equal(t, []any{"node n2", "sip:maria@pbx.example", "Wants to pay.", "486 Busy Here"}, []any{out.Timeline[9].Detail,
		out.Timeline[10].Detail, out.Timeline[10].Text, out.Timeline[11].Detail})
	require.Equal(t, "16 keys", out.Timeline[8].Detail)
	require.NotContains(t, got.Text, "4111")
	require.Equal(t, []int{0, 50, 90, 255}, out.Sound.Levels.Heard)
	require.Equal(t, 9_000, out.Recording.DurationMs)
	for _, other := range []string{"/api/v1/projects/p-1/interactions/c-2", "/api/v1/projects/p-2/interactions/c-1",
		"/api/v1/projects/p-1/interactions/c%2F1"} {
		for _, what := range []string{"", "/timeline.svg", "/recording"} {
			require.Equal(t, 404, w.Ask("GET", other+what, "").Status, other+what)
		}
	}
	require.Equal(t, 401, w.Call("GET", path, "").Status)
}

// Given a call in which somebody said what is markup elsewhere, then the picture is well formed, has nothing of it but text, and says in
// words what it shows.
func TestACallIsDrawn(t *testing.T) {
	many := talked()
	for i := range 500 {
		many = append(many, calls.Heard{Number: 10 + i, Text: strings.Repeat("a", 4_000), At: after(6_000)})
	}
	for name, past := range map[string][]event.Payload{"all": talked(), "many": many, "nothing yet": talked()[:1], "no sound": unrecorded()} {
		w := newCall(t, tapes{}, past...)
		got := w.Ask("GET", path+"/timeline.svg", "")
		require.Equal(t, 200, got.Status, name)
		require.Equal(t, "image/svg+xml", got.Header.Get("Content-Type"))
		require.Contains(t, got.Header.Get("Content-Security-Policy"), "default-src 'none'")
		require.Less(t, len(got.Text), 200_000, name)
		elements := map[string]int{}
		for d := xml.NewDecoder(bytes.NewReader([]byte(got.Text))); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, name)
			if start, is := token.(xml.StartElement); is {
				elements[start.Name.Local]++
			}
		}
		require.Zero(t, elements["script"])
		require.Equal(t, []int{1, 1}, []int{elements["title"], elements["desc"]})
		require.NotContains(t, got.Text, "4111")
		if name == "all" {
			require.Equal(t, 2, elements["path"])
			require.Contains(t, got.Text, "amd_human_detected")
		}
	}
}

func TestARecordingIsPlayed(t *testing.T) {
	w := newCall(t, tapes{}, talked()...)
	got := w.Ask("GET", path+"/recording", "")
	require.Equal(t, []any{200, "RIFF of a call", "audio/wav"}, []any{got.Status, got.Text, got.Header.Get("Content-Type")})
	part := w.Ask("GET", path+"/recording", "", "Range", "bytes=5-6")
	require.Equal(t, []any{206, "of"}, []any{part.Status, part.Text})
	require.Equal(t, 404, newCall(t, tapes{}, unrecorded()...).Ask("GET", path+"/recording", "").Status, "there is none")
	require.Equal(t, 404, newCall(t, tapes{}, append(talked(), calls.Erased{})...).Ask("GET", path+"/recording", "").Status)
	away := newCall(t, tapes{down: errors.New("away")}, talked()...).Ask("GET", path+"/recording", "")
	require.Equal(t, []any{503, fault.Unavailable}, []any{away.Status, away.Code()}, "as every other refusal is told")
	require.NotContains(t, away.Text, "away")
	lost := newCall(t, tapes{down: fault.New(fault.NotFound, "the file is not there any more")}, talked()...).Ask("GET", path+"/recording", "")
	require.Equal(t, []any{404, fault.NotFound}, []any{lost.Status, lost.Code()})
}

// Given a database that is away, then nobody is told that there is no such call.
func TestACallThatCannotBeLookedUpIsNotUnknown(t *testing.T) {
	w := newCall(t, tapes{noRows: errors.New("connection refused")}, talked()...)
	for _, what := range []string{"", "/timeline.svg", "/recording"} {
		require.GreaterOrEqual(t, w.Ask("GET", path+what, "").Status, 500, what)
	}
}
