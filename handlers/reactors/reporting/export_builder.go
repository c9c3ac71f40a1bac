package reporting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	reportingmodels "github.com/parley-platform/parley/projections/reporting"
)

const (
	exportLease  = 12 * time.Second // how long an export outlives the node that builds it
	exportWithin = 10 * time.Second // of one attempt
)

// Exporter builds the files of export jobs. It errs on the side of at least once: a
// node that dies while it builds leaves the job to its lease, and the next node builds
// the same bytes under the same name.
type Exporter struct {
	Store *eventstore.Store
	Blobs reactors.Blobs
	Now   func() time.Time
	Log   *slog.Logger
}

// Attempts declares it.
func (x Exporter) Attempts() *reactors.Attempts[exports.State] {
	return &reactors.Attempts[exports.State]{Name: "exporter", Of: exports.Jobs, Timer: reportingmodels.ExportTimer,
		Side:   reactors.AtLeastOnce,
		Events: []event.Payload{exports.Requested{}, exports.Requeued{}}, Rules: exports.Attempts, Do: x.export,
		Within: exportWithin, Lease: exportLease, Problem: "the file could not be built and stored", Command: exportCommand,
		Store: x.Store, Now: x.Now, Log: x.Log}
}

// exportCommand names the steps of an attempt as they were before there was one machine.
func exportCommand(e reactors.Event, step reactors.Step, s exports.State) eventstore.Command {
	return eventstore.Command{Actor: "reactor:exporter", RequestID: eventstore.CauseID("exporter", exports.Jobs.StreamID(e.Stream),
		fmt.Sprintf("%s/%d", step, s.Attempt.Number))}
}

func (x Exporter) export(ctx context.Context, job exports.State) (attempt.Decision[exports.State], error) {
	file, err := x.build(ctx, job.Request)
	return exports.Finish{File: file, At: x.Now()}.Decide, err
}

// errIndexGone cannot come about: a stream keeps its versions.
var errIndexGone = fault.New(fault.Validation, "the search index of the export cannot be found any more")

func (x Exporter) build(ctx context.Context, job exports.Requested) (exports.File, error) {
	found, err := eventstore.ReadAt(ctx, x.Store, searchindexes.Indexes, searchindexes.Stream(job.TenantID, job.ProjectID), job.IndexVersion)
	if err != nil { // the store's words are not for who asked for the file
		return exports.File{}, fmt.Errorf("reading the search index: %v", err)
	}
	index := found.State
	if index.ID != job.SearchIndexID {
		return exports.File{}, errIndexGone
	}
	content, err := exportArchive(index, job.Features, job.At)
	if err != nil {
		return exports.File{}, err
	}
	name, err := x.Blobs.Put(ctx, exports.Folder(job.TenantID, job.JobID), exports.ContentType, content)
	if err != nil {
		return exports.File{}, err
	}
	sum := sha256.Sum256(content)
	return exports.File{ID: voicemails.FileIDPrefix + strings.TrimPrefix(job.JobID, exports.IDPrefix), Name: job.SearchIndexID + "-" +
		job.At.UTC().Format("20060102-150405") + ".zip",
		Blob: name, SizeBytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}, nil
}
