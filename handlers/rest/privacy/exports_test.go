package privacy_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/privacy"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/voicemails"
	api "github.com/parley-platform/parley/handlers/rest/privacy"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/privacy"
)

// everywhere is where one person stands.
type everywhere struct {
	places []erasures.Place
	asked  []privacy.Identity
}

func (e *everywhere) Part(_ context.Context, _ string, of []privacy.Identity, after string, most int) (models.Part, error) {
	e.asked = of
	behind := slices.DeleteFunc(slices.Clone(e.places), func(p erasures.Place) bool { return p.Stream <= after })
	part := models.Part{Places: behind[:min(most, len(behind))], More: len(behind) > most, Of: map[string]int{}}
	for _, p := range e.places {
		if c := catalog.OfStream(p.Stream); c != nil {
			part.Of[c.Name]++
		}
	}
	return part, nil
}

// recordings by name.
type recordings map[string]string

type recording struct{ *bytes.Reader }

func (recording) Close() error { return nil }

func (r recordings) Open(_ context.Context, name string) (io.ReadSeekCloser, error) {
	content, ok := r[name]
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no %s", name)
	}
	return recording{bytes.NewReader([]byte(content))}, nil
}

// unpacked is the ZIP of an answer, by file.
func unpacked(t *testing.T, got *resttest.Reply) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader([]byte(got.Text)), int64(len(got.Text)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(t, err)
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		files[f.Name] = string(content)
	}
	return files
}

const exportsPath = "/api/v1/privacy/exports"

func TestWhatIsKnownOfAPersonIsHandedOut(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermPrivacyExport)
	e := &everywhere{places: []erasures.Place{{Stream: "call-c-1"}, {Stream: "session-none"}, {Stream: "session-s-1"},
		{Stream: "voicemail-v/1"}}}
	blobs := recordings{"voicemails/acme/v-1/5e88": "fLaC", "attachments/1": "PNG", "recordings/acme/c-1/x": "RIFF of a call"}
	var behind error
	x := api.ExportsAPI{Commands: w.Commands, Persons: e, Index: w.Events, Blobs: blobs, Log: slog.New(slog.DiscardHandler),
		Settled: func(context.Context) error { return behind }}
	api.DeclareExports(w.Api, x)
	resttest.Given(w, calls.Calls, "call-c-1", calls.Requested{CallID: "c-1", Target: "tel:+15550001"},
		calls.Recorded{Blob: "recordings/acme/c-1/x", Ms: 9_000, At: time.Now()})
	resttest.Given(w, voicemails.Voicemails, "voicemail-v/1",
		voicemails.Recorded{VoicemailID: "v/1", Blob: "voicemails/acme/v-1/5e88", ContentType: "audio/flac", At: time.Now()})

	resttest.Given(w, sessions.Sessions, "session-s-1", sessions.Attached{AttachmentID: "f/1", FileName: "me.png", Blob: "attachments/1"},
		sessions.Attached{AttachmentID: "f/2", FileName: "no.png", Blob: "gone"}, // with what was taken back
		sessions.MessageTakenBack{MessageID: "m-1", Attachments: []string{"f/2"}})

	const ask = `{"identities":[{"kind":"telephone","value":"+1 555 0001"},{"kind":"telephone","value":"001 5550001"}]}`
	got := w.Ask("POST", exportsPath, ask)
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.Equal(t, "application/zip", got.Header.Get("Content-Type"))
	made := resttest.Only[disclosures.Made](w, disclosures.Disclosures.Category)
	require.Equal(t, map[string]int{"calls": 1, "voicemails": 1, "sessions": 2}, made.Streams)
	require.Contains(t, got.Header.Get("Content-Disposition"), made.DisclosureID+".zip")
	require.Equal(t, []privacy.Identity{{Kind: privacy.Telephone, Value: "+15550001"}}, e.asked, "spellings of one are one")
	files := unpacked(t, got)
	require.Len(t, files, 7, "what is empty has no file")
	require.JSONEq(t, `{"disclosureId":"`+made.DisclosureID+`","at":"2025-03-01T12:00:00.000Z",
		"identities":[{"kind":"telephone","value":"+15550001"}],"streams":{"calls":1,"sessions":2,"voicemails":1}}`, files["about.json"])
	require.Contains(t, files["calls/c-1.json"], `"target": "tel:+15550001"`)
	require.Equal(t, "RIFF of a call", files["recordings/c-1.wav"])
	require.Contains(t, files["calls/c-1.json"], `"type": "parley.calls.requested.v1"`)
	require.Contains(t, files["voicemails/v%2F1.json"], `"voicemailId": "v/1"`)
	require.Equal(t, "fLaC", files["recordings/v%2F1.flac"])
	require.Contains(t, files["sessions/s-1.json"], `"fileName": "me.png"`)
	require.Equal(t, "PNG", files["attachments/f%2F1"])

	behind = errors.New("away")
	w.Refused(w.Ask("POST", exportsPath, ask), http.StatusServiceUnavailable)
	w.Refused(w.Ask("POST", exportsPath, `{"identities":[{"kind":"shoe","value":"42"}]}`), http.StatusBadRequest, "identities[0].kind")
	require.Empty(t, w.Since(), "what is refused is no disclosure")
}

// Given somebody who has left a message of which a voicemail is made, or is still to be made, and who has sent a file that no session
// has taken yet, then each is handed out, once; what is gone keeps nothing back.
func TestWhatNobodyHasTakenYetIsHandedOut(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermPrivacyExport)
	e := &everywhere{places: []erasures.Place{{Stream: "call-c-1"}, {Stream: "call-c-2"}, {Stream: "thread-t-1"}, {Stream: "voicemail-v-1"}}}
	api.DeclareExports(w.Api, api.ExportsAPI{Commands: w.Commands, Persons: e, Index: w.Events, Log: slog.New(slog.DiscardHandler),
		Blobs: recordings{"1.wav": "RIFF", "f-3": "PNG"}, Settled: func(context.Context) error { return nil }})
	left := func(id, blob string) []event.Payload {
		return []event.Payload{calls.Requested{CallID: id}, calls.MessageWanted{}, calls.MessageLeft{VoicemailID: "v-" + blob[:1], Blob: blob}}
	}
	resttest.Given(w, calls.Calls, "call-c-1", left("c-1", "1.wav")...)
	resttest.Given(w, calls.Calls, "call-c-2", left("c-2", "2.wav")...)
	resttest.Given(w, voicemails.Voicemails, "voicemail-v-1",
		voicemails.Recorded{VoicemailID: "v-1", Blob: "1.wav", ContentType: "audio/wav", At: time.Now()})
	sent := func(number int) []event.Payload {
		blob := fmt.Sprint("f-", number)
		return []event.Payload{threads.Received{Number: number}, threads.FilesFetched{Number: number,
			Files: []threads.Fetched{{AttachmentID: blob, Blob: blob}, {Reason: "too large"}}}}
	}
	resttest.Given(w, threads.Threads, "thread-t-1", append(append(sent(1), threads.Taken{Number: 1, SessionID: "s-1"}),
		append(sent(2), sent(3)...)...)...)

	files := unpacked(t, w.Ask("POST", exportsPath, `{"identities":[{"kind":"external","value":"C-1"}]}`))
	require.Len(t, files, 1+4+2, "of a file that is gone others tell")
	require.Equal(t, []string{"RIFF", "PNG"}, []string{files["recordings/v-1.wav"], files["attachments/f-3"]})
}

// Given a contact whose older call, voicemail and session the project has forgotten, with what was beside them, when what
// is known is handed out, then it is whole: what is gone is told as gone, and keeps nothing else back.
func TestWhatAProjectKeepsNoLongerKeepsNothingElseBack(t *testing.T) {
	w := resttest.NewStored(t, nil, access.PermPrivacyExport)
	e := &everywhere{places: []erasures.Place{{Stream: "call-c-1"}, {Stream: "session-s-1"}, {Stream: "voicemail-v-1"}}}
	api.DeclareExports(w.Api, api.ExportsAPI{Commands: w.Commands, Persons: e, Index: w.Events, Blobs: recordings{},
		Log: slog.New(slog.DiscardHandler), Settled: func(context.Context) error { return nil }})
	about := event.Erasure{ErasureID: "er-1", At: time.Now()}
	resttest.Given(w, calls.Calls, "call-c-1", calls.Requested{CallID: "c-1"}, calls.Recorded{Blob: "gone"}, calls.Erased{Erasure: about})
	resttest.Given(w, voicemails.Voicemails, "voicemail-v-1", voicemails.Recorded{VoicemailID: "v-1", Blob: "gone"},
		voicemails.Erased{Erasure: about})
	resttest.Given(w, sessions.Sessions, "session-s-1", sessions.Attached{AttachmentID: "f-1", Blob: "gone"}, sessions.Erased{Erasure: about})

	files := unpacked(t, w.Ask("POST", exportsPath, `{"identities":[{"kind":"external","value":"C-1"}]}`))
	for _, name := range []string{"calls/c-1.json", "sessions/s-1.json", "voicemails/v-1.json"} {
		require.Contains(t, files[name], "erased.v1")
	}
	require.Len(t, files, 4)
}

// made is one disclosure.
type made struct{ down error }

func (m made) List(_ context.Context, tenant string, limit, offset int) ([]models.Disclosure, int, error) {
	return []models.Disclosure{{ID: "dc-1", Actor: "client:" + tenant, Streams: map[string]int{"calls": 2},
		MadeAt: time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)}}, 9, m.down
}

func TestExportsAreListed(t *testing.T) {
	w, m := resttest.NewStored(t, nil, access.PermPrivacyExport), &made{}
	api.DeclareExports(w.Api, api.ExportsAPI{Made: m})
	require.JSONEq(t, `{"success":true,"exports":[{"disclosureId":"dc-1","by":"client:acme","streams":{"calls":2},
		"at":"2025-03-01T12:00:00.000Z"}],"pagination":{"total":9,"limit":2,"offset":1}}`, w.Ask("GET", exportsPath+"?limit=2&offset=1", "").Text)
	m.down = errors.New("away")
	w.Refused(w.Ask("GET", exportsPath, ""), http.StatusInternalServerError)
}

func TestAnExportThatCannotBeWholeIsCut(t *testing.T) {
	for name, stream := range map[string]string{"a recording that is away": "voicemail-v-1", "no category": "shoe-1",
		"another tenant's": "voicemail-v-1", "a call's recording that is away": "call-c-1"} {
		w := resttest.NewStored(t, nil, access.PermPrivacyExport)
		api.DeclareExports(w.Api, api.ExportsAPI{Commands: w.Commands, Persons: &everywhere{places: []erasures.Place{{Stream: stream}}},
			Index: w.Events, Blobs: recordings{}, Log: slog.New(slog.DiscardHandler), Settled: func(context.Context) error { return nil }})
		resttest.Given(w, voicemails.Voicemails, "voicemail-v-1", voicemails.Recorded{VoicemailID: "v-1", Blob: "gone"})
		resttest.Given(w, calls.Calls, "call-c-1", calls.Requested{CallID: "c-1"}, calls.Recorded{Blob: "gone"})
		require.PanicsWithValue(t, http.ErrAbortHandler, func() {
			if name == "another tenant's" {
				w.Token = w.Grant("globex", nil, access.PermPrivacyExport)
			}
			w.Ask("POST", exportsPath, `{"identities":[{"kind":"external","value":"C-1"}]}`)
		}, name)
	}
}
