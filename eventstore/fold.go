package eventstore

import (
	"context"
	"slices"

	"github.com/parley-platform/parley/domain/event"
)

// folded is a stream as the index has it.
type folded[S any] struct {
	state    S
	head     Head
	trail    trail
	requests map[string]*request // by request id
	ours     string              // source of this node's records
	others   bool                // some that were read are another's
}

// fold reads a stream: from its newest usable snapshot, else from its first event.
// Who has read a long one leaves a snapshot for the next.
func fold[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], error) {
	f, read, err := foldFromSnapshot(ctx, s, agg, stream)
	if err == nil && f == nil {
		f, read, err = foldFromStart(ctx, s, agg, stream)
	}
	if err != nil {
		return nil, err
	}
	if read > snapshotAfter {
		s.keepSnapshot(stream, snapshotKey(agg), f.head, pack(&f.state, f.requests))
	}
	return f, nil
}

func foldFromStart[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], int, error) {
	records, err := s.load(ctx, agg.Category, stream)
	if err != nil {
		return nil, 0, err
	}
	f := &folded[S]{requests: map[string]*request{}, ours: s.Source()}
	return f, len(records), f.add(agg, records)
}

// foldFromSnapshot is nil when this index keeps no snapshots, or a snapshot cannot be
// used. What is wrong with one costs the reading of the whole stream, never a command.
func foldFromSnapshot[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], int, error) {
	index, ok := s.Index.(Snapshots)
	if !ok {
		return nil, 0, nil
	}
	data, records, err := index.LoadFrom(ctx, stream, snapshotKey(agg))
	if err == nil {
		err = s.open(ctx, agg.Category, records)
	}
	if err != nil {
		return nil, 0, unavailable(stream, err)
	}
	if data != nil && len(records) > 0 && erased(agg, records[1:]) {
		return nil, 0, nil
	}
	f := &folded[S]{requests: map[string]*request{}, ours: s.Source()}
	if data == nil {
		return f, len(records), f.add(agg, records)
	}
	if f.state, f.requests, err = unpack[S](data); err != nil || len(records) == 0 {
		s.Log.Warn("a snapshot is passed over, its stream is read from its first event", "stream", stream, "error", err)
		return nil, 0, nil
	}
	f.place(records[0]) // the last event that the snapshot holds
	return f, len(records) - 1, f.add(agg, records[1:])
}

// erased is whether records erase somebody, whom a state of before them knows.
func erased[S any](agg *event.Aggregate[S], records []*Record) bool {
	return slices.ContainsFunc(records, func(r *Record) bool { return agg.Erases(r.Type) })
}

// add folds records in version order.
func (f *folded[S]) add(agg *event.Aggregate[S], records []*Record) error {
	for _, r := range records {
		if _, err := take(agg, &f.state, r); err != nil {
			return err
		}
		f.place(r)
		if r.RequestID != "" {
			f.requests[r.RequestID] = &request{hash: r.RequestHash, from: r.Version, to: r.Version + int64(r.CommitSize) - 1}
		}
	}
	return nil
}

func (f *folded[S]) place(r *Record) {
	f.head = Head{Version: r.Version, Commit: r.Commit, Tenant: r.Tenant}
	f.trail = trail{r.CorrelationID, r.ID, r.KeyID}
	f.others = f.others || r.Source != f.ours
}

// keepSnapshot writes beside the command, if it is worth it and nobody is busy with
// others. Whether it succeeds makes no difference to anybody.
func (s *Store) keepSnapshot(stream, key string, head Head, data []byte) {
	index, ok := s.Index.(Snapshots)
	if !ok || data == nil {
		return
	}
	select {
	case s.saving <- struct{}{}:
	default:
		return
	}
	s.saves.Go(func() {
		defer func() { <-s.saving }()
		ctx, cancel := context.WithTimeout(context.Background(), snapshotLimit)
		defer cancel()
		if err := index.SaveSnapshot(ctx, stream, key, head.Version, head.Commit, data); err != nil {
			s.Log.Info("a snapshot was not kept", "stream", stream, "version", head.Version, "error", err)
		}
	})
}
