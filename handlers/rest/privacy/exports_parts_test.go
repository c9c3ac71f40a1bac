package privacy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

// pages tells how many events of a stream were in memory at once.
type pages struct {
	eventstore.Newer
	largest int
	asked   int
}

func (p *pages) After(ctx context.Context, stream string, version int64, most int) ([]*eventstore.Record, error) {
	records, err := p.Newer.After(ctx, stream, version, most)
	p.largest, p.asked = max(p.largest, len(records)), p.asked+1
	return records, err
}

// exporting is an account's world in which somebody left that many voicemails.
func exporting(t *testing.T, voicemailsLeft int, most api.Most) (*resttest.Stored, *pages) {
	w := resttest.NewStored(t, nil, access.PermPrivacyExport)
	e, blobs := &everywhere{}, recordings{}
	for n := range voicemailsLeft {
		id := fmt.Sprintf("v-%02d", n)
		resttest.Given(w, voicemails.Voicemails, "voicemail-"+id, voicemails.Recorded{VoicemailID: id, ContentType: "audio/wav", Blob: id})
		e.places = append(e.places, erasures.Place{Stream: "voicemail-" + id})
		blobs[id] = strings.Repeat("sound", 20)
	}
	p := &pages{Newer: w.Events}
	api.DeclareExports(w.Api, api.ExportsAPI{Commands: w.Commands, Persons: e, Index: p, Blobs: blobs, Most: most,
		Log: slog.New(slog.DiscardHandler), Settled: func(context.Context) error { return nil }})
	return w, p
}

func asked(after string) string {
	return `{"identities":[{"kind":"external","value":"C-1"}],"after":"` + after + `"}`
}

// handedOut asks for part after part, and tells the voicemails of each and the events of it.
func handedOut(t *testing.T, w *resttest.Stored) (parts [][]string) {
	t.Helper()
	for after := ""; ; {
		got := w.Ask("POST", exportsPath, asked(after))
		require.Equal(t, http.StatusOK, got.Status, got.Text)
		var part []string
		files := unpacked(t, got)
		for name := range files {
			if id, ok := strings.CutPrefix(name, "voicemails/"); ok {
				part = append(part, strings.TrimSuffix(id, ".json"))
				require.Contains(t, files, "recordings/"+strings.TrimSuffix(id, ".json")+".wav")
			}
		}
		slices.Sort(part)
		parts = append(parts, part)
		var about struct {
			After   string         `json:"after"`
			Streams map[string]int `json:"streams"`
		}
		require.NoError(t, json.Unmarshal([]byte(files["about.json"]), &about))
		require.Equal(t, after, about.After)
		require.Equal(t, 7, about.Streams["voicemails"], "of the person in all")
		if files["more.json"] == "" {
			return parts
		}
		var more struct{ After, Do string }
		require.NoError(t, json.Unmarshal([]byte(files["more.json"]), &more))
		require.NotEqual(t, after, more.After)
		require.Contains(t, more.Do, "Ask again")
		after = more.After
	}
}

// Given somebody in more streams than one answer holds, when all is asked for, then it is
// refused with what to do, and nothing is handed out; and when that is done, then the parts
// together are everything, each once, and each is on the log.
func TestSomebodyInMoreStreamsThanAnAnswerHoldsIsHandedOutInParts(t *testing.T) {
	w, _ := exporting(t, 7, api.Most{Streams: 3})
	w.Since()
	got := w.Ask("POST", exportsPath, `{"identities":[{"kind":"external","value":"C-1"}]}`)
	w.Refused(got, http.StatusRequestEntityTooLarge)
	for _, part := range []string{"in 7 streams, and one answer holds 3", `\"after\":\"\"`, "more.json"} {
		require.Contains(t, got.Text, part)
	}
	require.Empty(t, w.Since())

	require.Equal(t, [][]string{{"v-00", "v-01", "v-02"}, {"v-03", "v-04", "v-05"}, {"v-06"}}, handedOut(t, w))
	var counts []int
	for _, r := range w.Since() {
		made, err := disclosures.Disclosures.Decode(r.Type, r.Data)
		require.NoError(t, err)
		counts = append(counts, made.(disclosures.Made).Streams["voicemails"])
	}
	require.Equal(t, []int{3, 3, 1}, counts)
}

// Given more recordings than one answer holds bytes, when all is asked for, then the ZIP says
// in its last file that it is not all, and what to ask for next.
func TestWhatIsLargerThanAnAnswerIsHandedOutInParts(t *testing.T) {
	w, _ := exporting(t, 7, api.Most{Bytes: 1200})
	first := unpacked(t, w.Ask("POST", exportsPath, `{"identities":[{"kind":"external","value":"C-1"}]}`))
	require.Contains(t, first["more.json"], `"after": "voicemail-v-`)

	parts := handedOut(t, w)
	require.Greater(t, len(parts), 2)
	require.Equal(t, []string{"v-00", "v-01", "v-02", "v-03", "v-04", "v-05", "v-06"}, slices.Concat(parts...))

	w, _ = exporting(t, 7, api.Most{Bytes: 1})
	require.Len(t, handedOut(t, w), 7, "a stream is never cut, however small an answer may be")
}

// Given a stream of very many events, when it is handed out, then few of them are in memory
// at once, and its file has all of them, in their order.
func TestAStreamOfVeryManyEventsIsHandedOutSomeAtATime(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermPrivacyExport)
	var all []event.Payload
	for n := range 100 {
		all = append(all, sessions.Attached{AttachmentID: fmt.Sprintf("f-%03d", n), Blob: "b"})
	}
	resttest.Given(w, sessions.Sessions, "session-s-1", all...)
	p := &pages{Newer: w.Events}
	api.DeclareExports(w.Api, api.ExportsAPI{Commands: w.Commands, Persons: &everywhere{places: []erasures.Place{{Stream: "session-s-1"}}},
		Index: p, Blobs: recordings{"b": "PNG"}, Log: slog.New(slog.DiscardHandler), Settled: func(context.Context) error { return nil }})

	files := unpacked(t, w.Ask("POST", exportsPath, `{"identities":[{"kind":"external","value":"C-1"}]}`))
	require.LessOrEqual(t, p.largest, 16)
	require.Len(t, files, 2+len(all))
	var told struct {
		Stream string
		Events []struct {
			Type string
			Data struct{ AttachmentID string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(files["sessions/s-1.json"]), &told))
	require.Equal(t, "session-s-1", told.Stream)
	require.Len(t, told.Events, len(all))
	for n, e := range told.Events {
		require.Equal(t, fmt.Sprintf("f-%03d", n), e.Data.AttachmentID)
	}
}
