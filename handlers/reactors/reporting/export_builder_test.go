package reporting_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/search"
	"github.com/parley-platform/parley/handlers/reactors/reporting"
)

// exportLog is the stream of one job, in memory.
type exportLog struct {
	events []event.Payload
	steps  map[string]bool
	away   bool // from the next command on
}

func (l *exportLog) Load(context.Context, string) (exports.State, error) {
	return exports.Jobs.State(l.events...), nil
}

func (l *exportLog) Decide(_ context.Context, _, step string, decide func(exports.State) ([]event.Payload, error)) ([]event.Payload, bool,
	error) {
	if l.away {
		return nil, false, errors.New("the log is away")
	}
	if l.steps[step] {
		return nil, true, nil
	}
	events, err := decide(exports.Jobs.State(l.events...))
	l.events = append(l.events, events...)
	l.steps[step] = len(events) > 0
	return events, false, err
}

func (l *exportLog) Index(_ context.Context, _, _ string, version int64) (search.State, error) {
	if version != 3 {
		return search.State{}, nil
	}
	return search.State{ID: "si-1", Settings: map[search.Feature]json.RawMessage{search.AnswerConfig: json.RawMessage(`{"b":[1,2]}`),
		search.ChunkStages: json.RawMessage(`7`)}}, nil
}

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
	name := prefix + "/" + string(content)
	f.files[name] = string(content)
	return name, nil
}

func (f *folder) Open(context.Context, string) (io.ReadSeekCloser, error) {
	return nil, errors.New("not here")
}

func newExport(version int64) (*exportLog, *folder, reporting.Exporter) {
	at := time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)
	log := &exportLog{steps: map[string]bool{}, events: []event.Payload{exports.Requested{JobID: "fj-1", TenantID: "acct", ProjectID: "shop",
		SearchIndexID: "si-1", IndexVersion: version,
		Features: search.Features(), At: at}}}
	files := &folder{files: map[string]string{}}
	return log, files, reporting.Exporter{Store: log, Blobs: files, Now: func() time.Time { return at }, Backoff: func(int) time.Duration {
		return 0
	}, Log: slog.New(slog.DiscardHandler)}
}

func (l *exportLog) last(t *testing.T) event.Payload {
	t.Helper()
	return l.events[len(l.events)-1]
}

func TestAnExportIsBuiltOnce(t *testing.T) {
	log, files, x := newExport(3)
	require.NoError(t, x.Due(t.Context(), "fj-1"))
	require.NoError(t, x.Due(t.Context(), "fj-1"), "the event again")
	require.Len(t, log.events, 3)
	require.Len(t, files.files, 1)
	done := log.last(t).(exports.Succeeded)
	require.Equal(t, []any{"file-1", "si-1-20261120-090000.zip", 1}, []any{done.FileID, done.FileName, done.Attempt})
	require.Equal(t, int64(len(files.files[done.Blob])), done.SizeBytes)
}

func TestAnExportWhoseWorkerIsKilledAfterStoringIsTheSameAgain(t *testing.T) {
	log, files, x := newExport(3)
	files.put = func() error { log.away = true; return nil }
	require.Error(t, x.Due(t.Context(), "fj-1"), "the file is stored, the outcome is not recorded")
	log.away, files.put = false, nil
	require.NoError(t, x.Due(t.Context(), "fj-1"))
	require.Equal(t, exports.InProgress, exports.Jobs.State(log.events...).Status, "the lease holds")

	wake, err := exports.Wake{At: x.Now().Add(time.Hour)}.Decide(exports.Jobs.State(log.events...))
	require.NoError(t, err)
	log.events = append(log.events, wake...)
	require.NoError(t, x.Due(t.Context(), "fj-1"))
	require.Equal(t, 2, log.last(t).(exports.Succeeded).Attempt)
	require.Len(t, files.files, 1, "the same bytes under the same name")
}

func TestAnExportThatCannotBeStored(t *testing.T) {
	log, files, x := newExport(3)
	files.put = func() error { return errors.New("secret path: no space") }
	for range exports.MaxAttempts {
		require.NoError(t, x.Due(t.Context(), "fj-1"))
		wake, err := exports.Wake{At: x.Now()}.Decide(exports.Jobs.State(log.events...))
		require.NoError(t, err)
		log.events = append(log.events, wake...)
	}
	require.Equal(t, "the file could not be built and stored", log.last(t).(exports.Failed).Reason)
}

func TestAnExportThatIsInterrupted(t *testing.T) {
	log, files, x := newExport(3)
	ctx, cancel := context.WithCancel(t.Context())
	files.put = func() error { cancel(); return ctx.Err() }
	require.ErrorIs(t, x.Due(ctx, "fj-1"), context.Canceled)
	require.IsType(t, exports.Started{}, log.last(t), "a shutdown is no failure of the job")
}

func TestAnExportOfAnIndexThatIsNotThere(t *testing.T) {
	log, _, x := newExport(9)
	require.NoError(t, x.Due(t.Context(), "fj-1"))
	require.Equal(t, "the search index of the export cannot be found any more", log.last(t).(exports.Failed).Reason)
}
