package reporting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/search"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/handlers/reactors"
)

// ExportStore is what the exporter needs of the event store.
type ExportStore interface {
	// Load folds the stream of a job.
	Load(ctx context.Context, jobID string) (exports.State, error)
	// Decide appends what decide says, at most once for each step of a job. replayed
	// says that the step was done before.
	Decide(ctx context.Context, jobID, step string, decide func(exports.State) ([]event.Payload, error)) (accepted []event.Payload,
		replayed bool, err error)
	// Index is the search index of a project as it stood at a version of its stream.
	Index(ctx context.Context, tenant, project string, version int64) (search.State, error)
}

const (
	exportLease  = 12 * time.Second // how long an export outlives the node that builds it
	exportWithin = 10 * time.Second // of one attempt
)

// Exporter builds the files of export jobs. It errs on the side of at least once: a
// node that dies while it builds leaves the job to its lease, and the next node builds
// the same bytes under the same name.
type Exporter struct {
	Store   ExportStore
	Blobs   reactors.Blobs
	Now     func() time.Time
	Backoff func(attempt int) time.Duration // the pause after that attempt failed
	Log     *slog.Logger
}

// Reactor declares it.
func (x Exporter) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "exporter", Categories: []*event.Category{exports.Jobs.Category}, Side: reactors.AtLeastOnce,
		Events: []event.Payload{exports.Requested{}, exports.Requeued{}},
		Handle: func(ctx context.Context, e reactors.Event) error { return x.Due(ctx, exports.Jobs.StreamID(e.Stream)) }}
}

// Due makes the attempt that a job wants, if it wants one. An error is a fault of the
// store, or the end of ctx: what was begun is left to its lease then.
func (x Exporter) Due(ctx context.Context, jobID string) error {
	job, err := x.Store.Load(ctx, jobID)
	if err != nil {
		return fmt.Errorf("folding export %s: %w", jobID, err)
	}
	if !job.Wanted() {
		return nil
	}
	attempt, now := job.Attempt+1, x.Now()
	accepted, replayed, err := x.Store.Decide(ctx, jobID, fmt.Sprintf("start/%d", attempt),
		exports.Start{At: now, LeaseUntil: now.Add(exportLease)}.Decide)
	if err != nil {
		return fmt.Errorf("starting attempt %d of export %s: %w", attempt, jobID, err)
	}
	if replayed || len(accepted) == 0 {
		return nil // another worker has it, or had it: its lease decides
	}
	file, err := x.build(ctx, job.Request)
	if ended := ctx.Err(); err != nil && ended != nil {
		return ended
	}
	outcome := exports.Finish{File: file, At: x.Now()}.Decide
	if err != nil {
		x.Log.Warn("an export failed", "job", jobID, "attempt", attempt, "error", err)
		outcome = exports.FailAttempt{Attempt: attempt, Reason: exportReason(err), Final: errors.Is(err, errIndexGone), Delay: x.Backoff(attempt),
			At: x.Now()}.Decide
	}
	if _, _, err := x.Store.Decide(ctx, jobID, fmt.Sprintf("outcome/%d", attempt), outcome); err != nil {
		return fmt.Errorf("recording attempt %d of export %s: %w", attempt, jobID, err)
	}
	return nil
}

// errIndexGone cannot come about: a stream keeps its versions.
var errIndexGone = errors.New("the search index of the export cannot be found any more")

// exportReason is what callers are told; the rest is in the log.
func exportReason(err error) string {
	if errors.Is(err, errIndexGone) {
		return errIndexGone.Error()
	}
	return "the file could not be built and stored"
}

func (x Exporter) build(ctx context.Context, job exports.Requested) (exports.File, error) {
	ctx, cancel := context.WithTimeout(ctx, exportWithin)
	defer cancel()
	index, err := x.Store.Index(ctx, job.TenantID, job.ProjectID, job.IndexVersion)
	if err != nil {
		return exports.File{}, fmt.Errorf("reading the search index: %w", err)
	}
	if index.ID != job.SearchIndexID {
		return exports.File{}, errIndexGone
	}
	content, err := exportArchive(index, job.Features, job.At)
	if err != nil {
		return exports.File{}, err
	}
	name, err := x.Blobs.Put(ctx, "exports/"+job.TenantID+"/"+job.JobID, exports.ContentType, content)
	if err != nil {
		return exports.File{}, err
	}
	sum := sha256.Sum256(content)
	return exports.File{ID: voicemails.FileIDPrefix + strings.TrimPrefix(job.JobID, exports.IDPrefix), Name: job.SearchIndexID + "-" +
		job.At.UTC().Format("20060102-150405") + ".zip",
		Blob: name, SizeBytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, nil
}
