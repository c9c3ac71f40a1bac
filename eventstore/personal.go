package eventstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// Keys are the data keys that personal members of events are sealed with. Package keyring
// has them.
type Keys interface {
	// Take gives a key that nothing was sealed with yet and that every node can find.
	Take(ctx context.Context) (sealed.Key, error)
	// Find gives the keys of the ids, nil for one that is erased.
	Find(ctx context.Context, ids []sealed.ID) (map[sealed.ID]*sealed.Key, error)
}

// Doubtful are keys that may be taken from a copy of their topic that is taken away again. Keys
// may implement it: then what is sealed with such a key can be opened on the right topic, too.
type Doubtful interface {
	// Doubts counts how often it was in doubt which topic the keys stand on.
	Doubts() uint64
	// Again puts keys on the topic, when that is certain, but for those that are erased.
	Again(ctx context.Context, keys []sealed.Key) error
}

// taken is the keys that were taken for one commit.
type taken struct {
	from   Doubtful // nil: there is no doubt about them
	doubts uint64   // before the first was taken
	keys   []sealed.Key
}

// againFor is how long keys may take to be put on their topic once more.
const againFor = time.Minute

// keep sees to it that a commit that is, or may be, on the log can be opened: if it was in doubt
// since its keys were taken which topic they stand on, they are put there once more. It returns
// when they are there, or the caller's time is up.
func (s *Store) keep(ctx context.Context, c *commit, a Ack) {
	t := c.taken
	if len(t.keys) == 0 || t.from.Doubts() == t.doubts || fault.Is(a.Err, fault.NotExecuted) {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), againFor)
		defer cancel()
		if err := t.from.Again(within, t.keys); err != nil {
			s.Log.Error("a change may be sealed with a key that is not on parley.keys: when the right log is in place, run parley keys mend",
				"stream", c.records[0].Stream, "key", t.keys[0].ID, "error", err)
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// sealing seals the events of one commit.
type sealing struct {
	ctx  context.Context
	keys Keys
	id   string      // of the stream's key, as Record.KeyID
	key  *sealed.Key // the stream's, once it was asked for
	any  bool        // something was sealed
	taken
}

// sealingWith goes on with the stream's key, as Record.KeyID has it.
func sealingWith(ctx context.Context, keys Keys, id string) *sealing {
	s := &sealing{ctx: ctx, keys: keys, id: id}
	if from, can := keys.(Doubtful); can {
		s.taken = taken{from: from, doubts: from.Doubts()}
	}
	return s
}

// take takes a key that nothing was sealed with yet.
func (s *sealing) take() (sealed.Key, error) {
	key, err := s.keys.Take(s.ctx)
	if err == nil && s.from != nil {
		s.taken.keys = append(s.taken.keys, key)
	}
	return key, err
}

// seal seals the personal members of an event. Without keys nothing is.
func (s *sealing) seal(r *Record, kind *event.Kind) error {
	if s.keys == nil {
		return nil
	}
	closed, err := sealed.Seal(r.Data, kind.Go, r.ID, s)
	if err != nil {
		return fault.New(fault.NotExecuted, "the personal data of the change cannot be sealed at the moment").After(2 * time.Second).Because(
			fmt.Errorf("sealing %s: %w", kind.Type(), err))
	}
	s.any, r.Sealed = s.any || closed != nil, closed
	return nil
}

// keyID is what the records of the commit carry.
func (s *sealing) keyID() string {
	switch {
	case s.key != nil:
		return s.key.ID.String()
	case s.id == "" && s.any:
		return OwnKeys
	}
	return s.id
}

// OfStream implements sealed.Keys: the key that the stream has, or a new one if it has none
// or that was erased.
func (s *sealing) OfStream() (sealed.Key, error) {
	if s.key != nil {
		return *s.key, nil
	}
	if s.id != "" && s.id != OwnKeys {
		id, err := sealed.ParseID(s.id)
		if err != nil {
			return sealed.Key{}, err
		}
		found, err := s.keys.Find(s.ctx, []sealed.ID{id})
		if err != nil {
			return sealed.Key{}, err
		}
		s.key = found[id]
	}
	if s.key == nil {
		key, err := s.take()
		if err != nil {
			return sealed.Key{}, err
		}
		s.key = &key
	}
	return *s.key, nil
}

// Own implements sealed.Keys.
func (s *sealing) Own() (sealed.Key, error) { return s.take() }

// Open opens the personal members of records of a category, in place: Data is what was
// sealed, with sealed.Erased where a key is gone, and Sealed what stands on the log. Without
// keys, and for records with nothing sealed, it does nothing. When it fails no record has
// changed.
func Open(ctx context.Context, keys Keys, category *event.Category, records ...*Record) error {
	return open(ctx, keys, category, records, func(*Record, sealed.ID) bool { return false })
}

// open is Open, but that some keys count as gone.
func open(ctx context.Context, keys Keys, category *event.Category, records []*Record, gone func(*Record, sealed.ID) bool) error {
	if keys == nil {
		return nil
	}
	var ids []sealed.ID
	any := false
	members := make([]sealed.Members, len(records))
	for n, r := range records {
		if !r.opens(category) {
			continue
		}
		members[n] = sealed.In(r.Data, category.Newest(r.Type))
		for id := range members[n].IDs() {
			if any = true; !gone(r, id) {
				ids = append(ids, id)
			}
		}
	}
	if !any {
		return nil
	}
	found := map[sealed.ID]*sealed.Key{}
	if len(ids) > 0 {
		var err error
		if found, err = keys.Find(ctx, ids); err != nil {
			return fmt.Errorf("opening personal members: %w", err)
		}
	}
	for n, r := range records {
		if !r.opens(category) {
			continue
		}
		opened := members[n].Open(r.ID, func(id sealed.ID) *sealed.Key {
			if gone(r, id) {
				return nil
			}
			return found[id]
		})
		r.Sealed, r.Data = r.Data, opened
	}
	return nil
}

// UsedKeys are the data keys without which a record cannot be opened, or its stream not gone
// on with; some of them may be told more than once.
func UsedKeys(category *event.Category, r *Record) (ids []sealed.ID) {
	if !r.opens(category) {
		return nil
	}
	if id, err := sealed.ParseID(r.KeyID); err == nil { // else it is OwnKeys
		ids = append(ids, id)
	}
	return slices.AppendSeq(ids, sealed.IDs(r.Data, category.Newest(r.Type)))
}

// Shut puts sealed.Closed in the place of what is sealed in records of a category, in place:
// for who has no keys, or may not see it.
func Shut(category *event.Category, records ...*Record) {
	for _, r := range records {
		if r.opens(category) {
			r.Sealed, r.Data = r.Data, sealed.Shut(r.Data, category.Newest(r.Type))
		}
	}
}

// OpenOf is Open of what is sealed with the keys of one person; it shuts what is of others in
// the same records.
func OpenOf(ctx context.Context, keys Keys, category *event.Category, theirs func(*Record, sealed.ID) bool, records ...*Record) error {
	cut := make([]*Record, len(records))
	for n, r := range records {
		c := *r
		if r.opens(category) {
			c.Data = sealed.ShutOthers(r.Data, category.Newest(r.Type), func(id sealed.ID) bool { return theirs(r, id) })
		}
		cut[n] = &c
	}
	if err := Open(ctx, keys, category, cut...); err != nil {
		return err
	}
	for n, r := range records {
		if r.opens(category) {
			r.Sealed, r.Data = r.Data, cut[n].Data
		}
	}
	return nil
}

// opens reports whether there may be something to open. A type that this node does not know
// is left to who decodes it.
func (r *Record) opens(category *event.Category) bool {
	return r.KeyID != "" && r.Sealed == nil && category.Newest(r.Type) != nil
}
