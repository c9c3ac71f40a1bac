package eventstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
	return settled(s, func() (*folded[S], error) { return latest(ctx, s, agg, stream) })
}

// latest folds a stream as the index has it.
func latest[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string) (*folded[S], error) {
	f, err := foldFromKept(ctx, s, agg, stream)
	if err == nil && f == nil {
		f, err = fold(ctx, s, agg, stream)
	}
	return f, err
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
// far. It reads the stream from a snapshot of before, else from its first event.
func ReadAt[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, version int64) (Loaded[S], error) {
	return settled(s, func() (*folded[S], error) { return foldUpTo(ctx, s, agg, stream, version) })
}

// partOfAStream is how many events are in memory at once of a stream that is folded up to a version: many may ask for an old one of a
// long stream at the same moment.
const partOfAStream = 500

// foldUpTo folds a stream as it stood at a version, and reads nothing behind that where no snapshot is of before. Who read much behind one
// leaves another: commands that go on from what the node keeps leave none.
func foldUpTo[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, version int64) (*folded[S], error) {
	f, records, err := fromSnapshot(ctx, s, agg, stream)
	if err != nil {
		return nil, err
	}
	if f != nil && f.head.Version <= version {
		if len(records) > snapshotAfter {
			newest := *f
			newest.state, newest.requests.of = *copyOf(&f.state), maps.Clone(f.requests.of)
			if newest.add(agg, records) == nil {
				leave(s, agg, stream, &newest, len(records))
			}
		}
		return f, f.add(agg, records[:min(int64(len(records)), version-f.head.Version)])
	}
	f = &folded[S]{requests: noneAnswered(), ours: s.Source()}
	for f.head.Version < version {
		part, err := s.part(ctx, agg.Category, stream, f.head.Version, min(version, f.head.Version+partOfAStream))
		if err != nil || len(part) == 0 {
			return f, err
		}
		if err := f.add(agg, part); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// settled is a stream that was read of an index that did not go back meanwhile.
func settled[S any](s *Store, read func() (*folded[S], error)) (loaded Loaded[S], err error) {
	f, err := steady(s, read)
	if err == nil {
		loaded = f.loaded()
	}
	return loaded, err
}

func (f *folded[S]) loaded() Loaded[S] {
	return Loaded[S]{State: f.state, Version: f.head.Version, Commit: f.head.Commit, Tenant: f.head.Tenant}
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

// recentFirst is how many of the newest events Recent reads at first; it reads four times as many each time that they are not enough.
var recentFirst int64 = 64 // tests read fewer

// Recent is History without its oldest events: of the newest ones it has as many as enough is content with, and perhaps some before
// those, or all there are. It reads the stream from its end, so that it costs what is looked for, however long the stream is.
func Recent[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, enough func([]Recorded) bool) (Told[S], error) {
	if _, can := s.Index.(Newer); !can {
		return History(ctx, s, agg, stream)
	}
	return steady(s, func() (told Told[S], err error) {
		f, err := latest(ctx, s, agg, stream)
		if err != nil {
			return told, err
		}
		told.Loaded = f.loaded()
		from := told.Version
		for most := recentFirst; from > 0 && !enough(told.Events); most *= 4 {
			before := from
			from = max(0, from-most)
			older, err := between(ctx, s, agg, stream, from, before)
			if err != nil {
				return told, err
			}
			told.Events = append(older, told.Events...)
		}
		return told, nil
	})
}

// BackTo has Recent read back to an event.
func BackTo(is func(event.Payload) bool) (enough func([]Recorded) bool) {
	return func(newest []Recorded) bool {
		return slices.ContainsFunc(newest, func(r Recorded) bool { return is(r.Payload) })
	}
}

// Parts reads a part of a stream that does not end where the stream does. An Index may implement it beside Load.
type Parts interface {
	Newer
	// Erasures returns the accepted records behind a version that say that somebody was erased, in version order.
	Erasures(ctx context.Context, stream string, version int64) ([]*Record, error)
}

// part are the records of a stream behind one version, up to another, if there are so many. Who was erased behind them is not in them.
func (s *Store) part(ctx context.Context, c *event.Category, stream string, from, to int64) (records []*Record, err error) {
	index, can := s.Index.(Parts)
	if !can {
		records, err = s.load(ctx, c, stream)
		all := int64(len(records))
		return records[min(from, all):min(to, all)], err
	}
	var erasures []*Record
	if records, err = index.After(ctx, stream, from, int(to-from)); err == nil && len(records) > 0 && s.Keys != nil {
		erasures, err = index.Erasures(ctx, stream, records[len(records)-1].Version)
	}
	return records, s.opened(ctx, c, stream, records, err, erasures...)
}

// between are the events of a stream behind one version, up to another.
func between[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, from, to int64) ([]Recorded, error) {
	records, err := s.part(ctx, agg.Category, stream, from, to)
	if err != nil {
		return nil, err
	}
	if int64(len(records)) != to-from {
		return nil, unavailable(stream, fmt.Errorf("of the events behind %d up to %d there are %d", from, to, len(records)))
	}
	return recorded(agg, records)
}

// recorded are records with their events.
func recorded[S any](agg *event.Aggregate[S], records []*Record) ([]Recorded, error) {
	events := make([]Recorded, len(records))
	for i, r := range records {
		p, err := agg.Decode(r.Type, r.Data)
		if err != nil {
			return nil, unreadable(r, err)
		}
		events[i] = Recorded{r, p}
	}
	return events, nil
}
