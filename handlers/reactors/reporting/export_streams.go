package reporting

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/search"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// ExportStreams is the ExportStore on the event store.
type ExportStreams struct {
	Store   *eventstore.Store
	History reactors.History
}

// Load implements ExportStore.
func (x ExportStreams) Load(ctx context.Context, jobID string) (exports.State, error) {
	l, err := eventstore.Read(ctx, x.Store, exports.Jobs, exports.Jobs.Stream(jobID))
	return l.State, err
}

// Decide implements ExportStore.
func (x ExportStreams) Decide(ctx context.Context, jobID, step string, decide func(exports.State) ([]event.Payload,
	error)) (accepted []event.Payload, replayed bool, err error) {
	cmd := eventstore.Command{Actor: "reactor:exporter", RequestID: eventstore.CauseID("exporter", jobID, step)}
	res, err := eventstore.Execute(ctx, x.Store, exports.Jobs, exports.Jobs.Stream(jobID), cmd, decide)
	return res.Payloads(), res.Replayed, err
}

// Index implements ExportStore: it folds the stream no further than the version.
func (x ExportStreams) Index(ctx context.Context, tenant, project string, version int64) (s search.State, err error) {
	records, err := x.History.Load(ctx, search.Stream(tenant, project))
	if err != nil {
		return s, fmt.Errorf("loading the stream of search indexes: %w", err)
	}
	for _, r := range records {
		if r.Version > version {
			break
		}
		payload, err := search.Indexes.Decode(r.Type, r.Data)
		if err != nil {
			return s, fmt.Errorf("reading version %d of the search index: %w", r.Version, err)
		}
		search.Indexes.Fold(&s, payload)
	}
	return s, nil
}
