package keyring

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// Copy is all keys of the topic, for tools that read the log beside the nodes. It gives no
// new ones. It is safe for concurrent use.
type Copy struct {
	topic   Topic
	wrapper Wrapper

	mu      sync.Mutex
	next    int64
	records map[sealed.ID]Record
}

// ReadCopy reads the topic from its beginning to its end.
func ReadCopy(ctx context.Context, topic Topic, wrapper Wrapper) (*Copy, error) {
	c := &Copy{topic: topic, wrapper: wrapper, records: map[sealed.ID]Record{}}
	return c, c.readOn(ctx)
}

// Follow takes what has come since: an erased key is not given any more.
func (c *Copy) Follow(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.readOn(ctx)
}

// readOn takes what has come since.
func (c *Copy) readOn(ctx context.Context) error {
	end, err := c.topic.End(ctx)
	if err != nil {
		return fmt.Errorf("asking where the keys end: %w", err)
	}
	for c.next < end {
		records, next, err := c.topic.Read(ctx, c.next)
		if err != nil {
			return fmt.Errorf("reading keys: %w", err)
		}
		if next == c.next {
			return fmt.Errorf("reading keys: nothing stands at %d, and they end at %d", next, end)
		}
		for _, r := range records {
			if old, known := c.records[r.ID]; !known || !old.Erased() {
				c.records[r.ID] = r
			}
		}
		c.next = next
	}
	return nil
}

// Find implements eventstore.Keys. A key that is not known may be new: then it reads on.
func (c *Copy) Find(ctx context.Context, ids []sealed.ID) (map[sealed.ID]*sealed.Key, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := make(map[sealed.ID]*sealed.Key, len(ids))
	for _, id := range ids {
		if _, twice := found[id]; twice {
			continue
		}
		record, known := c.records[id]
		if !known {
			if err := c.readOn(ctx); err != nil {
				return nil, err
			}
			if record, known = c.records[id]; !known {
				return nil, fmt.Errorf("data key %s: %w", id, ErrLost)
			}
		}
		key, err := unwrap(c.wrapper, record)
		if err != nil {
			return nil, err
		}
		found[id] = key
	}
	return found, nil
}

// Take implements eventstore.Keys: there is none.
func (c *Copy) Take(context.Context) (sealed.Key, error) {
	return sealed.Key{}, errors.New("a copy of the keys gives no new ones")
}

// Has reports whether a key stands on the topic, erased or not.
func (c *Copy) Has(id sealed.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, known := c.records[id]
	return known
}

// Counts is how many keys there are.
type Counts struct {
	Live   int // not erased
	Erased int
	Closed int // of the live ones, that do not open with the master key
	Older  int // that open, and that an older key of the keyset has wrapped
}

// Count tries the master key on all of them.
func (c *Copy) Count(master Rewrapper) (n Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.records {
		if r.Erased() {
			n.Erased++
			continue
		}
		n.Live++
		if _, err := unwrap(master, r); err != nil {
			n.Closed++
		} else if newest, err := master.Newest(r.Wrapped); err == nil && !newest {
			n.Older++
		}
	}
	return n
}
