package reporting_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/search"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/reactors/reporting"
)

// exporting is an exporter with the job that it is given.
type exporting struct {
	*testing.T
	reporting.Exporter
	log   *memory.Log
	files *folder
}

const job = "fj-1"

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

// newExport is given an index at version 3 of its stream, and a job that exports what
// stood there at a version.
func newExport(t *testing.T, version int64) *exporting {
	at, log := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), memory.New()
	x := &exporting{T: t, log: log, files: &folder{files: map[string]string{}}}
	x.Exporter = reporting.Exporter{Store: log.Open(eventstore.Config{Node: "n-1"}), Blobs: x.files, Now: func() time.Time { return at },
		Backoff: func(int) time.Duration { return 0 }, Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(x.Store.Close)
	of := func(id string) search.IndexDefined {
		return search.IndexDefined{IndexID: id, AnswerConfig: json.RawMessage(`{"b":[1,2]}`), ChunkStages: json.RawMessage(`7`)}
	}
	indexes := []event.Payload{of("a"), of("b"), of("si-1"), of("later")}
	require.NoError(t, memory.Put(t.Context(), x.Store, search.Indexes, "acct", search.Stream("acct", "shop"), indexes...))
	requested := exports.Requested{JobID: job, TenantID: "acct", ProjectID: "shop", SearchIndexID: "si-1", IndexVersion: version,
		Features: search.Features(), At: at}
	require.NoError(t, memory.Put(t.Context(), x.Store, exports.Jobs, "acct", exports.Jobs.Stream(job), requested))
	return x
}

func (x *exporting) events() []event.Payload {
	return memory.Events(x.log, exports.Jobs.Category, exports.Jobs.Stream(job))
}

func (x *exporting) last() event.Payload {
	all := x.events()
	return all[len(all)-1]
}

// wake is the job's timer.
func (x *exporting) wake(at time.Time) exports.State {
	x.Helper()
	stream := exports.Jobs.Stream(job)
	res, err := eventstore.Execute(x.Context(), x.Store, exports.Jobs, stream, eventstore.Command{}, exports.Wake{At: at}.Decide)
	require.NoError(x, err)
	return res.State
}

func TestAnExportIsBuiltOnce(t *testing.T) {
	x := newExport(t, 3)
	require.NoError(t, x.Due(t.Context(), job))
	require.NoError(t, x.Due(t.Context(), job), "the event again")
	require.Len(t, x.events(), 3)
	require.Len(t, x.files.files, 1)
	done := x.last().(exports.Succeeded)
	require.Equal(t, []any{"file-1", "si-1-20261120-090000.zip", 1}, []any{done.FileID, done.FileName, done.Attempt})
	require.Equal(t, int64(len(x.files.files[done.Blob])), done.SizeBytes)
}

func TestAnExportWhoseWorkerIsKilledAfterStoringIsTheSameAgain(t *testing.T) {
	x := newExport(t, 3)
	away := func([]*eventstore.Record) error { return errors.New("the log is away") }
	x.files.put = func() error { x.log.Fail(memory.Faults{Append: away}); return nil }
	require.Error(t, x.Due(t.Context(), job), "the file is stored, the outcome is not recorded")
	x.log.Fail(memory.Faults{})
	x.files.put = nil
	require.NoError(t, x.Due(t.Context(), job))
	require.Equal(t, exports.InProgress, x.wake(x.Now()).Status, "the lease holds")

	x.wake(x.Now().Add(time.Hour))
	require.NoError(t, x.Due(t.Context(), job))
	require.Equal(t, 2, x.last().(exports.Succeeded).Attempt)
	require.Len(t, x.files.files, 1, "the same bytes under the same name")
}

func TestAnExportThatCannotBeStored(t *testing.T) {
	x := newExport(t, 3)
	x.files.put = func() error { return errors.New("secret path: no space") }
	for range exports.MaxAttempts {
		require.NoError(t, x.Due(t.Context(), job))
		x.wake(x.Now())
	}
	require.Equal(t, "the file could not be built and stored", x.last().(exports.Failed).Reason)
}

func TestAnExportThatIsInterrupted(t *testing.T) {
	x := newExport(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	x.files.put = func() error { cancel(); return ctx.Err() }
	require.ErrorIs(t, x.Due(ctx, job), context.Canceled)
	require.IsType(t, exports.Started{}, x.last(), "a shutdown is no failure of the job")
}

func TestAnExportOfAnIndexThatIsNotThere(t *testing.T) {
	x := newExport(t, 9)
	require.NoError(t, x.Due(t.Context(), job))
	require.Equal(t, "the search index of the export cannot be found any more", x.last().(exports.Failed).Reason)
}
