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
	requests answered
	ours     string // source of this node's records
	others   bool   // some that were read are another's
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
	leave(s, agg, stream, f, read)
	return f, nil
}

// leave has a stream that was read kept for the next reader, if so many records were read that it is worth it.
func leave[S any](s *Store, agg *event.Aggregate[S], stream string, f *folded[S], read int) {
	f.requests.forget(s.Index, f.head.Version, mostRead)
	if read > snapshotAfter {
		data := pack(&f.state, f.requests) // now: the state is the caller's
		s.keepSnapshot(stream, snapshotKey(agg), f.head, func() []byte { return data })
	}
}

func foldFromStart[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], int, error) {
	records, err := s.load(ctx, agg.Category, stream)
	if err != nil {
		return nil, 0, err
	}
	f := &folded[S]{requests: noneAnswered(), ours: s.Source()}
	return f, len(records), f.add(agg, records)
}

func foldFromSnapshot[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], int, error) {
	f, behind, err := fromSnapshot(ctx, s, agg, stream)
	if err != nil || f == nil {
		return nil, 0, err
	}
	return f, len(behind), f.add(agg, behind)
}

// fromSnapshot is the newest snapshot, and the records behind it; without one, the stream before its first event and all
// records. It is nil when this index keeps no snapshots, or a snapshot cannot be used. What is wrong with one costs the
// reading of the whole stream, never a command.
func fromSnapshot[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], []*Record, error) {
	index, ok := s.Index.(Snapshots)
	if !ok {
		return nil, nil, nil
	}
	data, records, err := index.LoadFrom(ctx, stream, snapshotKey(agg))
	if err := s.opened(ctx, agg.Category, stream, records, err); err != nil {
		return nil, nil, err
	}
	if data != nil && len(records) > 0 && erased(agg, records[1:]) {
		return nil, nil, nil
	}
	f := &folded[S]{requests: noneAnswered(), ours: s.Source()}
	if data == nil {
		return f, records, nil
	}
	if f.state, f.requests, err = unpack[S](data); err != nil || len(records) == 0 {
		s.Log.Warn("a snapshot is passed over, its stream is read from its first event", "stream", stream, "error", err)
		return nil, nil, nil
	}
	f.place(records[0]) // the last event that the snapshot holds
	return f, records[1:], nil
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
			f.requests.of[r.RequestID] = requestOf(r)
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
func (s *Store) keepSnapshot(stream, key string, head Head, packed func() []byte) {
	index, ok := s.Index.(Snapshots)
	if !ok {
		return
	}
	select {
	case s.saving <- struct{}{}:
	default:
		return
	}
	s.saves.Go(func() {
		defer func() { <-s.saving }()
		data := packed()
		if data == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), snapshotLimit)
		defer cancel()
		if err := index.SaveSnapshot(ctx, stream, key, head.Version, head.Commit, data); err != nil {
			s.Log.Info("a snapshot was not kept", "stream", stream, "version", head.Version, "error", err)
		}
	})
}
