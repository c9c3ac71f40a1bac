package reporting_test

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/reactors/reactorstest"
	"github.com/parley-platform/parley/handlers/reactors/reporting"
)

// folder is a blob storage in memory.
type folder struct {
	files map[string]string
	put   func() error // before each, may be nil
}

func (f *folder) Put(_ context.Context, prefix, _ string, content []byte) (string, error) {
	if f.put != nil {
		if err := f.put(); err != nil {
			return "", err
		}
	}
	name := fmt.Sprintf("%s/%x", prefix, sha256.Sum256(content))
	f.files[name] = string(content)
	return name, nil
}

func (f *folder) Open(context.Context, string) (io.ReadSeekCloser, error) {
	return nil, errors.New("not here")
}

var at = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// exporting is one job, of an index that was changed after it was asked for.
type exporting struct {
	*reactorstest.World
	files *folder
	does  *reactors.Attempts[exports.State]
}

func newExport(t *testing.T, indexID string) *exporting {
	w := &exporting{World: reactorstest.New(t, at), files: &folder{files: map[string]string{}}}
	index := searchindexes.Stream(reactorstest.Tenant, "shop")
	defined := searchindexes.IndexDefined{TenantID: reactorstest.Tenant, ProjectID: "shop", IndexID: "si-1",
		AnswerConfig: json.RawMessage(`7`)}
	reactorstest.Given(w.World, searchindexes.Indexes, index, defined)
	reactorstest.Given(w.World, exports.Jobs, "export-fj-1", exports.Requested{JobID: "fj-1", TenantID: reactorstest.Tenant, ProjectID: "shop",
		SearchIndexID: indexID, IndexVersion: 1, Features: searchindexes.Features(), At: at})
	defined.AnswerConfig = json.RawMessage(`8`)
	reactorstest.Given(w.World, searchindexes.Indexes, index, defined)
	w.does = w.worker()
	return w
}

// worker is one that remembers nothing: another node, or this one after a kill.
func (w *exporting) worker() *reactors.Attempts[exports.State] {
	return reporting.Exporter{Store: w.Store, Blobs: w.files, Now: w.Now, Log: w.Quiet}.Attempts()
}

func (w *exporting) job() exports.State {
	return reactorstest.State(w.World, exports.Jobs, "export-fj-1")
}

func (w *exporting) last() event.Payload {
	all := memory.Events(w.Log, exports.Jobs.Category, "export-fj-1")
	return all[len(all)-1]
}

func TestAnExportIsBuiltOnce(t *testing.T) {
	w := newExport(t, "si-1")
	for range 2 { // the event again
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	}
	require.Len(t, memory.Events(w.Log, exports.Jobs.Category, "export-fj-1"), 3)
	require.Len(t, w.files.files, 1)
	done := w.last().(exports.Succeeded)
	require.Equal(t, []any{"file-1", "si-1-20261120-090000.zip", 1}, []any{done.FileID, done.FileName, done.Attempt})
	require.Equal(t, int64(len(w.files.files[done.Blob])), done.SizeBytes)
	archive, err := zip.NewReader(strings.NewReader(w.files.files[done.Blob]), done.SizeBytes)
	require.NoError(t, err)
	setting, err := fs.ReadFile(archive, "answerConfig.json")
	require.NoError(t, err)
	require.Equal(t, "7\n", string(setting), "as it was when it was asked for")
}

func TestAnExportWhoseWorkerIsKilledAfterStoringIsTheSameAgain(t *testing.T) {
	w := newExport(t, "si-1")
	w.files.put = func() error {
		w.Log.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errors.New("the log is away") }})
		return nil
	}
	require.Error(t, w.Play(t.Context(), w.does.Reactor()), "the file is stored, the outcome is not recorded")
	w.Log.Fail(memory.Faults{})
	w.files.put, w.does = nil, w.worker()
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, exports.InProgress, w.job().Status, "the lease holds")

	w.Passes(12 * time.Second)
	require.NoError(t, w.Wake(t.Context(), w.does, "export-fj-1"))
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, 2, w.last().(exports.Succeeded).Attempt)
	require.Len(t, w.files.files, 1, "the same bytes under the same name")
}

func TestAnExportThatCannotBeStored(t *testing.T) {
	w := newExport(t, "si-1")
	w.files.put = func() error { return errors.New("secret path: no space") }
	for range exports.MaxAttempts {
		require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
		w.Passes(time.Hour)
		require.NoError(t, w.Wake(t.Context(), w.does, "export-fj-1"))
	}
	require.Equal(t, "the file could not be built and stored", w.last().(exports.Failed).Reason)
}

func TestAnExportThatIsInterrupted(t *testing.T) {
	w := newExport(t, "si-1")
	ctx, cancel := context.WithCancel(t.Context())
	w.files.put = func() error { cancel(); return ctx.Err() }
	require.ErrorIs(t, w.Play(ctx, w.does.Reactor()), context.Canceled)
	require.IsType(t, exports.Started{}, w.last(), "a shutdown is no failure of the job")
}

func TestAnExportOfAnIndexThatIsNotThere(t *testing.T) {
	w := newExport(t, "si-2")
	require.NoError(t, w.Play(t.Context(), w.does.Reactor()))
	require.Equal(t, "the search index of the export cannot be found any more", w.last().(exports.Failed).Reason)
}
