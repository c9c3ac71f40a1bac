package privacy_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/privacy"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
)

// sweeping is a folder of files, and who deletes those that nothing names.
type sweeping struct {
	*reactorstest.World
	files   *blob.Store
	settled error
	does    *privacy.Sweeper
}

func newSweeping(t *testing.T) *sweeping {
	url, err := blob.FolderURL(t.TempDir())
	require.NoError(t, err)
	files, err := blob.Open(t.Context(), url)
	require.NoError(t, err)
	w := &sweeping{World: reactorstest.New(t, time.Now()), files: files}
	w.does = w.another()
	return w
}

// another is who does so on another node.
func (w *sweeping) another() *privacy.Sweeper {
	return &privacy.Sweeper{Store: w.Another("b"), Blobs: w.files, Now: w.Now, Log: w.Quiet,
		Settled: func(context.Context) error { return w.settled }}
}

// stores puts a file, as one does who is killed before he tells of it.
func (w *sweeping) stores(folder string) string {
	w.Helper()
	name, err := w.files.Put(w.Context(), folder, "text/plain", []byte("what somebody said"))
	require.NoError(w, err)
	return name
}

func (w *sweeping) there(name string) bool {
	w.Helper()
	r, err := w.files.Open(w.Context(), name)
	if errors.Is(err, blob.ErrNotFound) {
		return false
	}
	require.NoError(w, errors.Join(err, r.Close()))
	return true
}

func (w *sweeping) noted() int {
	w.Helper()
	notes, err := w.files.Unnamed(w.Context())
	require.NoError(w, err)
	return len(notes)
}

// looks has it looked twice, the second time when the day is over.
func (w *sweeping) looks() {
	w.Helper()
	require.NoError(w, w.does.Look(w.Context()))
	w.Passes(25 * time.Hour)
	require.NoError(w, w.does.Look(w.Context()))
}

// kinds are all files that are stored before an event names them.
var kinds = map[string]struct {
	folder func(id string) string
	told   func(w *sweeping, id, blob string)
}{
	"a file that is given to a session": {func(id string) string { return sessions.AttachmentFolder(reactorstest.Tenant, id, "f-1") },
		func(w *sweeping, id, blob string) {
			reactorstest.Given(w.World, sessions.Sessions, "session-"+id, sessions.Attached{AttachmentID: "f-1", Blob: blob})
		}},
	"a file of a message": {func(id string) string { return sessions.AttachmentFolder(reactorstest.Tenant, id, "f-1") },
		func(w *sweeping, id, blob string) {
			reactorstest.Given(w.World, threads.Threads, "thread-"+id, threads.Received{Number: 1},
				threads.FilesFetched{Number: 1, Files: []threads.Fetched{{AttachmentID: "f-1", Blob: blob}}})
		}},
	"a recording of a call": {func(id string) string { return calls.RecordingFolder(reactorstest.Tenant, id) },
		func(w *sweeping, id, blob string) {
			reactorstest.Given(w.World, calls.Calls, "call-"+id, calls.Recorded{Blob: blob})
		}},
	"a voicemail": {func(id string) string { return voicemails.Folder(reactorstest.Tenant, id) },
		func(w *sweeping, id, blob string) {
			reactorstest.Given(w.World, voicemails.Voicemails, "voicemail-"+id, voicemails.Recorded{VoicemailID: id, Blob: blob})
		}},
	"an answer of a model": {func(id string) string { return completions.Folder(reactorstest.Tenant, id) },
		func(w *sweeping, id, blob string) {
			reactorstest.Given(w.World, completions.Completions, "completion-"+id, completions.Finished{Blob: blob})
		}},
	"an export": {func(id string) string { return exports.Folder(reactorstest.Tenant, id) },
		func(w *sweeping, id, blob string) {
			reactorstest.Given(w.World, exports.Jobs, "export-"+id, exports.Succeeded{Blob: blob})
		}},
}

// Given who stores a file and is killed before the event that names it, when the day is over, then the file is gone; that of who told
// of it stays, and nobody asks for it again.
func TestAFileThatNothingNamesIsDeleted(t *testing.T) {
	for kind, k := range kinds {
		t.Run(kind, func(t *testing.T) {
			w := newSweeping(t)
			left, named := w.stores(k.folder("1")), w.stores(k.folder("2"))
			k.told(w, "2", named)
			require.NoError(t, w.does.Look(w.Context()))
			require.Equal(t, 1, w.noted())
			w.Passes(23 * time.Hour)
			require.NoError(t, w.does.Look(w.Context()))
			require.True(t, w.there(left), "it may be told of")
			w.Passes(2 * time.Hour)
			require.NoError(t, w.does.Look(w.Context()))
			require.False(t, w.there(left))
			require.True(t, w.there(named))
			require.Zero(t, w.noted())
		})
	}
}

// Given a file that was stored, when an event names it late, when it is stored again, or when what the streams say is not
// known, then it is there.
func TestAFileThatMayBeNamedStays(t *testing.T) {
	attach := kinds["a file that is given to a session"]
	for name, c := range map[string]struct {
		between func(w *sweeping, blob string)
		fails   bool
	}{
		"it is told of a day later":        {func(w *sweeping, blob string) { attach.told(w, "1", blob) }, false},
		"it is stored again":               {func(w *sweeping, _ string) { w.stores(attach.folder("1")) }, false},
		"another node has just begun":      {func(w *sweeping, _ string) { w.does = w.another() }, false},
		"the log is ahead of the tables":   {func(w *sweeping, _ string) { w.settled = context.DeadlineExceeded }, true},
		"the tables are being built again": {func(w *sweeping, _ string) { w.Log.Fail(memory.Faults{Gate: errShut}) }, true},
		"the database is away": {func(w *sweeping, _ string) {
			w.Log.Fail(memory.Faults{Read: func(string) error { return errShut() }})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSweeping(t)
			left := w.stores(attach.folder("1"))
			require.NoError(t, w.does.Look(w.Context()))
			w.Passes(25 * time.Hour)
			c.between(w, left)
			err := w.does.Look(w.Context())
			require.Equal(t, c.fails, err != nil, "%v", err)
			require.True(t, w.there(left))
		})
	}
}

func errShut() error { return errors.New("not now") }

// Given a recording that was erased with its caller, when a repeat stores it again and is killed, then it goes with what nothing names.
func TestAnEventBeforeAnErasureNamesNoFile(t *testing.T) {
	w := newSweeping(t)
	voicemail := kinds["a voicemail"]
	left := w.stores(voicemail.folder("1"))
	voicemail.told(w, "1", left)
	reactorstest.Given(w.World, voicemails.Voicemails, "voicemail-1", voicemails.Erased{Erasure: event.Erasure{ErasureID: "er-1"}})
	w.looks()
	require.False(t, w.there(left))
}

// Given files of whom nobody knows which stream could name them, then they stay.
func TestWhatNobodyKnowsStays(t *testing.T) {
	w := newSweeping(t)
	for _, folder := range []string{"pictures/acme/1", "attachments/acme/1/2/3", "voicemails/a/b/1", "exports"} {
		name := w.stores(folder)
		w.looks()
		require.True(t, w.there(name), folder)
	}
}
