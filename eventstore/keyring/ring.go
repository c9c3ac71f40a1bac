package keyring

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// Config is what a Ring is built from.
type Config struct {
	Topic    Topic
	Table    Table
	Wrapper  Wrapper
	Now      func() time.Time
	Log      *slog.Logger
	Remember int // how many keys it remembers at most; 0 means 100,000
}

// Ring is the keys of one node. It is safe for concurrent use.
type Ring struct {
	Config
	known *memory
	lot   lot
	fresh fresh
	doubt doubt

	mu      sync.Mutex
	moved   chan struct{} // closed when this node has put something into the table
	lacking atomic.Bool   // somebody waits for the table, which is behind the topic
}

// New makes a ring; Run keeps it going.
func New(c Config) *Ring {
	if c.Remember == 0 {
		c.Remember = 100_000
	}
	r := &Ring{Config: c, known: newMemory(c.Remember), moved: make(chan struct{})}
	r.lot.make = r.make
	return r
}

// Erasures counts the erasures that this node has heard of, and each time that it may have missed some: who keeps in memory what
// may be about a person forgets it when there are more of them.
func (r *Ring) Erasures() uint64 { return r.known.mark() }

// Take gives a key that nothing was sealed with yet. It is on the topic already;
// while it is in doubt which topic that is, none is given.
func (r *Ring) Take(ctx context.Context) (sealed.Key, error) {
	if err := r.doubt.wait(ctx); err != nil {
		return sealed.Key{}, err
	}
	key, err := r.lot.take(ctx)
	if err == nil {
		r.known.put(key.ID, &key)
	}
	return key, err
}

// purpose is what the master key wraps data keys for.
const purpose = "data-key"

// idTime is how many bytes an id begins with that tell when it was made: keys of one time lie side by side in the index of
// the table, so adding them takes half as long. What follows is random, 80 bits of it.
const idTime = 6

// begunAt is an id of that millisecond, of which the rest is to be filled in.
func begunAt(at time.Time) (id sealed.ID) {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:idTime], ms[8-idTime:])
	return id
}

// make makes keys and puts them on the topic.
func (r *Ring) make(ctx context.Context, n int) ([]sealed.Key, error) {
	keys, records := make([]sealed.Key, n), make([]Record, n)
	now := r.Now().UTC()
	random := make([]byte, n*(len(sealed.ID{})-idTime+sealed.SecretSize))
	_, _ = rand.Read(random) // never fails
	for i := range n {
		id := begunAt(now)
		var secret [sealed.SecretSize]byte
		random = random[copy(id[idTime:], random):]
		random = random[copy(secret[:], random):]
		wrapped, err := r.Wrapper.Seal(secret[:], wrapped(id))
		if err != nil {
			return nil, fmt.Errorf("wrapping a data key: %w", err)
		}
		keys[i], records[i] = sealed.NewKey(id, secret), Record{ID: id, Wrapped: wrapped, MadeAt: now}
	}
	r.fresh.add(records)
	if err := r.Topic.Append(ctx, records); err != nil {
		return nil, fmt.Errorf("putting new data keys on the log: %w", err)
	}
	return keys, nil
}

// Find gives the keys of the ids: nil for one that is erased. An error that wraps ErrLost
// says that one is neither there nor erased.
func (r *Ring) Find(ctx context.Context, ids []sealed.ID) (map[sealed.ID]*sealed.Key, error) {
	found := make(map[sealed.ID]*sealed.Key, len(ids))
	missing := r.remembered(ids, found)
	if len(missing) == 0 {
		return found, nil
	}
	missing, err := r.look(ctx, missing, found)
	if err != nil || len(missing) == 0 {
		return found, err
	}
	if err := r.catchUp(ctx); err != nil {
		return nil, err
	}
	if missing, err = r.look(ctx, missing, found); err == nil && len(missing) > 0 {
		err = fmt.Errorf("data key %s: %w", missing[0], ErrLost)
	}
	return found, err
}

func (r *Ring) remembered(ids []sealed.ID, found map[sealed.ID]*sealed.Key) (missing []sealed.ID) {
	for _, id := range ids {
		if key, ok := r.known.get(id); ok {
			found[id] = key
		} else if _, asked := found[id]; !asked {
			missing = append(missing, id)
		}
	}
	return missing
}

// look asks the table.
func (r *Ring) look(ctx context.Context, ids []sealed.ID, found map[sealed.ID]*sealed.Key) (missing []sealed.ID, err error) {
	mark := r.known.mark()
	records, err := r.Table.Find(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("looking for data keys: %w", err)
	}
	there := map[sealed.ID]bool{}
	for _, record := range records {
		key, err := unwrap(r.Wrapper, record)
		if err != nil {
			return nil, err
		}
		found[record.ID], there[record.ID] = key, true
		r.known.putSince(mark, record.ID, key)
	}
	for _, id := range ids {
		if !there[id] {
			missing = append(missing, id)
		}
	}
	return missing, nil
}

// unwrap is nil for an erased key.
func unwrap(wrapper Wrapper, record Record) (*sealed.Key, error) {
	if record.Erased() {
		return nil, nil
	}
	secret, err := wrapper.Unseal(record.Wrapped, wrapped(record.ID))
	if err != nil || len(secret) != sealed.SecretSize {
		return nil, fmt.Errorf("data key %s: %w", record.ID, ErrShut)
	}
	key := sealed.NewKey(record.ID, [sealed.SecretSize]byte(secret))
	return &key, nil
}
