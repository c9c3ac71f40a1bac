package eventstore

import (
	"context"

	"github.com/parley-platform/parley/domain/event"
)

// Loaded is a stream folded from the index.
type Loaded[S any] struct {
	State   S
	Version int64
	Commit  string
	Tenant  string
}

// Read folds a stream from the index: what every query on every node sees, and what
// Execute decides on when it loads. Whatever was answered before Read began is in it; a
// commit that is still on its way, which nobody was told of, may not be. It waits for
// no command, and what the node keeps of the stream for its commands stays as it is. The
// state is the caller's own.
func Read[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (Loaded[S], error) {
	return settled(s, func() (folded[S], error) { return fold(ctx, s, agg, stream) })
}

// ReadAt is Read of a stream as it stood at a version, or as it is if it has not come so
// far. It reads the stream from its first event.
func ReadAt[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, version int64) (Loaded[S], error) {
	return settled(s, func() (f folded[S], err error) {
		records, err := s.load(ctx, agg.Category, stream)
		if err != nil {
			return f, err
		}
		f.requests = map[string]*request{}
		return f, f.add(agg, records[:min(int64(len(records)), max(0, version))])
	})
}

// settled is a stream that was read of an index that did not go back meanwhile.
func settled[S any](s *Store, read func() (folded[S], error)) (Loaded[S], error) {
	f, err := steady(s, read)
	return Loaded[S]{State: f.state, Version: f.head.Version, Commit: f.head.Commit, Tenant: f.head.Tenant}, err
}

// steady is what was read of an index that did not go back meanwhile.
func steady[T any](s *Store, read func() (T, error)) (none T, err error) {
	for {
		epoch := s.Follower.Epoch()
		if err := s.Follower.Gate(); err != nil {
			return none, err
		}
		out, err := read()
		if err != nil {
			return none, err
		}
		if s.Follower.Epoch() == epoch {
			return out, nil
		} // else it may be of an index that went back, and is read again
	}
}

// Told is Loaded with the events that led there, in their order.
type Told[S any] struct {
	Loaded[S]
	Events []Recorded
}

// History is Read with every event of the stream, what is personal in it opened; of who was
// erased [erased] stands there. It reads the stream from its first event.
func History[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (Told[S], error) {
	return steady(s, func() (told Told[S], err error) {
		records, err := s.load(ctx, agg.Category, stream)
		if err != nil {
			return told, err
		}
		for _, r := range records {
			p, err := take(agg, &told.State, r)
			if err != nil {
				return told, err
			}
			told.Events = append(told.Events, Recorded{r, p})
			told.Version, told.Commit, told.Tenant = r.Version, r.Commit, r.Tenant
		}
		return told, nil
	})
}
