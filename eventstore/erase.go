package eventstore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// Erase appends an Erased to a stream, unless nothing stands there since the last one that it
// would be about, and returns the data keys of all that it is about, for the caller to erase.
// Only now it is fixed which events are meant, those before it, so a key that was used
// meanwhile is among them. From then on nobody who folds the stream finds the person in it,
// whether the keys are gone yet or not. It may be repeated.
func Erase[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, cmd Command, e event.Erased) ([]sealed.ID, error) {
	ids, _, err := EraseWhen(ctx, s, agg, stream, cmd, e, func(S) ([]event.Payload, error) { return []event.Payload{e}, nil })
	return ids, err
}

// EraseWhen is Erase of a stream that itself decides whether this is the time, in one commit with the Erased: what
// comes to it at the same moment is either seen by the decision or stands behind the erasure, which is not about it.
// Where it is not, the decision gives nothing, and nothing is done.
func EraseWhen[S any](ctx context.Context, s *Store, agg *event.Aggregate[S], stream string, cmd Command, e event.Erased,
	decide func(S) ([]event.Payload, error)) (ids []sealed.ID, done bool, err error) {
	known, err := s.erasures(ctx, agg.Category, stream)
	if err != nil {
		return nil, false, err
	}
	if known.lacks(e.Erased()) {
		noted := func(state S) (events []event.Payload, err error) {
			events, err = decide(state)
			done = len(events) > 0
			return events, err
		}
		if err := Do(ctx, s, agg, stream, cmd, noted); err != nil || !done {
			return nil, false, err
		}
		if known, err = s.erasures(ctx, agg.Category, stream); err != nil {
			return nil, false, err
		}
	}
	ids, err = known.keysOf(e.Erased())
	return ids, err == nil, err
}

// erasureSet are the erasures of one stream, or of its end.
type erasureSet struct {
	records []*Record
	whole   int64               // version of the last one of the stream's customer; 0: none
	of      map[sealed.ID]int64 // and of the last one that names the own key of somebody else
}

// erasures reads those of a stream.
func (s *Store) erasures(ctx context.Context, c *event.Category, stream string) (erasureSet, error) {
	return steady(s, func() (erasureSet, error) {
		records, err := s.Index.Load(ctx, stream)
		if err != nil {
			return erasureSet{}, unavailable(stream, err)
		}
		return erasuresOf(c, records)
	})
}

func erasuresOf(c *event.Category, records []*Record) (found erasureSet, err error) {
	found = erasureSet{records: records, of: map[sealed.ID]int64{}}
	for _, r := range records {
		if !c.Erases(r.Type) {
			continue
		}
		var e event.Erasure
		if err := json.Unmarshal(r.Data, &e); err != nil {
			return found, fmt.Errorf("%s v%d: decoding %s: %w", r.Stream, r.Version, r.Type, err)
		}
		if len(e.Keys) == 0 {
			found.whole = r.Version
		}
		ids, err := parseIDs(e.Keys)
		if err != nil {
			return found, fmt.Errorf("%s v%d: %w", r.Stream, r.Version, err)
		}
		for _, id := range ids {
			found.of[id] = r.Version
		}
	}
	return found, nil
}

// lacks reports whether something that the erasure is about came after the last like it.
func (f erasureSet) lacks(e event.Erasure) bool {
	if len(e.Keys) == 0 {
		return len(f.records) > 0 && f.records[len(f.records)-1].Version > f.whole
	}
	ids, err := parseIDs(e.Keys)
	for _, id := range ids {
		if f.of[id] == 0 {
			return true
		}
	}
	return err != nil // which keysOf says
}

// keysOf are those that the erasure is about.
func (f erasureSet) keysOf(e event.Erasure) ([]sealed.ID, error) {
	if len(e.Keys) > 0 {
		return parseIDs(e.Keys)
	}
	var ids []sealed.ID
	seen := map[string]bool{"": true, OwnKeys: true}
	for _, r := range f.records {
		if r.Version > f.whole {
			break
		}
		if seen[r.KeyID] {
			continue
		}
		seen[r.KeyID] = true
		id, err := sealed.ParseID(r.KeyID)
		if err != nil {
			return nil, fmt.Errorf("%s v%d: %w", r.Stream, r.Version, err)
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// ErasedKeys are the data keys that may open nothing any more, by the erasures among the
// events of a stream: for who puts together again which keys are erased. Of events that are
// no erasures it wants the version and the key's id alone.
func ErasedKeys(c *event.Category, records []*Record) ([]sealed.ID, error) {
	found, err := erasuresOf(c, records)
	if err != nil {
		return nil, err
	}
	ids := slices.Collect(maps.Keys(found.of))
	if found.whole == 0 {
		return ids, nil
	}
	ofStream, err := found.keysOf(event.Erasure{})
	return append(ids, ofStream...), err
}

// gone reports whether who a member of a record was sealed for was erased behind it.
func (f erasureSet) gone(r *Record, id sealed.ID) bool {
	return r.Version < f.of[id] || r.Version < f.whole && id.String() == r.KeyID
}

func parseIDs(texts []string) ([]sealed.ID, error) {
	ids := make([]sealed.ID, len(texts))
	for i, text := range texts {
		var err error
		if ids[i], err = sealed.ParseID(text); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// open opens what is personal in records of one stream. They end where it ends, or erasures are those behind them.
func (s *Store) open(ctx context.Context, c *event.Category, records []*Record, erasures ...*Record) error {
	found, err := erasuresOf(c, slices.Concat(records, erasures))
	if err != nil {
		return err
	}
	return open(ctx, s.Keys, c, records, found.gone)
}

// erases reports whether the commit says that somebody was erased, and whether that is the
// customer whom the stream is about.
func (c *commit) erases() (anybody, customer bool) {
	for _, p := range c.payloads {
		if e, ok := p.(event.Erased); ok {
			anybody, customer = true, customer || len(e.Erased().Keys) == 0
		}
	}
	return anybody, customer
}
