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
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

const (
	exportLease  = 12 * time.Second // how long an export outlives the node that builds it
	exportWithin = 10 * time.Second // of one attempt
)

// Exporter builds the files of export jobs. It errs on the side of at least once: a
// node that dies while it builds leaves the job to its lease, and the next node builds
// the same bytes under the same name.
type Exporter struct {
	Store   *eventstore.Store
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
	stream := exports.Jobs.Stream(jobID)
	read, err := eventstore.Read(ctx, x.Store, exports.Jobs, stream)
	if err != nil {
		return fmt.Errorf("folding export %s: %w", jobID, err)
	}
	job := read.State
	if !job.Wanted() {
		return nil
	}
	attempt, now := job.Attempt+1, x.Now()
	start := exports.Start{At: now, LeaseUntil: now.Add(exportLease)}
	started, err := eventstore.Execute(ctx, x.Store, exports.Jobs, stream, exporting(jobID, fmt.Sprintf("start/%d", attempt)), start.Decide)
	if err != nil {
		return fmt.Errorf("starting attempt %d of export %s: %w", attempt, jobID, err)
	}
	if started.Replayed || len(started.Events) == 0 {
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
	cmd := exporting(jobID, fmt.Sprintf("outcome/%d", attempt))
	if _, err := eventstore.Execute(ctx, x.Store, exports.Jobs, stream, cmd, outcome); err != nil {
		return fmt.Errorf("recording attempt %d of export %s: %w", attempt, jobID, err)
	}
	return nil
}

// exporting is a step of a job, which is made once.
func exporting(jobID, step string) eventstore.Command {
	return eventstore.Command{Actor: "reactor:exporter", RequestID: eventstore.CauseID("exporter", jobID, step)}
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
	found, err := eventstore.ReadAt(ctx, x.Store, search.Indexes, search.Stream(job.TenantID, job.ProjectID), job.IndexVersion)
	if err != nil {
		return exports.File{}, fmt.Errorf("reading the search index: %w", err)
	}
	index := found.State
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
