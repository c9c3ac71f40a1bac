package eventstore

import (
	"context"
	"time"

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
// no command to end. What the node keeps of the stream for its commands stays as it is, but spares
// the reading of what it holds. The state is the caller's own.
func Read[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (Loaded[S], error) {
	return settled(s, func() (*folded[S], error) {
		f, err := foldFromKept(ctx, s, agg, stream)
		if err == nil && f == nil {
			f, err = fold(ctx, s, agg, stream)
		}
		return f, err
	})
}

// foldFromKept folds what the index has behind what is kept of the stream; nil: nothing is that could be gone on from.
func foldFromKept[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], error) {
	index, can := s.Index.(Newer)
	if !can {
		return nil, nil
	}
	f := kept[S](ctx, s, stream)
	if f == nil {
		return nil, nil
	}
	records, follow, err := newer(ctx, s, agg, index, stream, f.head)
	if err != nil || !follow {
		return nil, err
	}
	return f, f.add(agg, records)
}

// whileDecided is how long a reader waits for who decides on the stream at the moment. Most need far less, a question to the
// index at most, and the whole stream takes more to read.
const whileDecided = 5 * time.Millisecond

// kept is a copy of what the node keeps of a stream, as it was before what is on its way; nil: it keeps nothing of that, or
// somebody takes long to decide on it.
func kept[S any](ctx context.Context, s *Store, stream string) *folded[S] {
	e := peek[S](s.cache, stream, s.Follower.Epoch())
	if e == nil {
		return nil
	}
	select {
	case e.turn <- struct{}{}:
	default:
		within, cancel := context.WithTimeout(ctx, whileDecided)
		defer cancel()
		if e.take(within) != nil {
			return nil
		}
	}
	defer e.pass()
	if !e.loaded || e.dead {
		return nil
	}
	e.read = true
	f := &folded[S]{state: *e.state, head: e.head, trail: e.trail}
	if e.last != nil {
		if f = e.seen; f == nil {
			return nil
		}
	}
	return &folded[S]{state: *copyOf(&f.state), head: f.head, trail: f.trail, requests: noneAnswered(), ours: s.Source()}
}

// ReadAt is Read of a stream as it stood at a version, or as it is if it has not come so
// far. It reads the stream from its first event.
func ReadAt[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, version int64) (Loaded[S], error) {
	return settled(s, func() (*folded[S], error) {
		records, err := s.load(ctx, agg.Category, stream)
		if err != nil {
			return nil, err
		}
		f := &folded[S]{requests: noneAnswered()}
		return f, f.add(agg, records[:min(int64(len(records)), max(0, version))])
	})
}

// settled is a stream that was read of an index that did not go back meanwhile.
func settled[S any](s *Store, read func() (*folded[S], error)) (loaded Loaded[S], err error) {
	f, err := steady(s, read)
	if err == nil {
		loaded = Loaded[S]{State: f.state, Version: f.head.Version, Commit: f.head.Commit, Tenant: f.head.Tenant}
	}
	return loaded, err
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
	told, err := steady(s, func() (*Told[S], error) {
		records, err := s.load(ctx, agg.Category, stream)
		if err != nil {
			return nil, err
		}
		told := &Told[S]{}
		for _, r := range records {
			p, err := take(agg, &told.State, r)
			if err != nil {
				return nil, err
			}
			told.Events = append(told.Events, Recorded{r, p})
			told.Version, told.Commit, told.Tenant = r.Version, r.Commit, r.Tenant
		}
		return told, nil
	})
	if err != nil {
		return Told[S]{}, err
	}
	return *told, nil
}
