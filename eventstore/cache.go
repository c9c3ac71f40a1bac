package eventstore

import "sync"

// cache keeps the stream states a node used last. It has two generations: a
// lookup moves an entry to the young one; when that is full the old one is
// forgotten. So it is bounded, and needs no list of uses.
type cache struct {
	mu         sync.Mutex
	most       int // of one generation
	epoch      uint64
	young, old map[string]any
}

func newCache(streams int) *cache {
	return &cache{most: max(1, streams/2), young: map[string]any{}, old: map[string]any{}}
}

// entryOf returns the cached entry of a stream, making an empty one when there is
// none or when everything cached belongs to another epoch.
func entryOf[S any](c *cache, stream string, epoch uint64) *entry[S] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		c.epoch, c.young, c.old = epoch, map[string]any{}, map[string]any{}
	}
	if e, ok := c.young[stream].(*entry[S]); ok {
		return e
	}
	e, ok := c.old[stream].(*entry[S])
	if !ok {
		e = newEntry[S]()
	}
	if len(c.young) >= c.most {
		c.young, c.old = make(map[string]any, c.most), c.young
	}
	c.young[stream] = e
	return e
}

// peek is the cached entry of a stream; nil: there is none of this epoch.
func peek[S any](c *cache, stream string, epoch uint64) *entry[S] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != epoch {
		return nil
	}
	if e, ok := c.young[stream].(*entry[S]); ok {
		return e
	}
	e, _ := c.old[stream].(*entry[S])
	return e
}

// replace puts another entry in the place of one, if the stream still has that.
func (c *cache) replace(stream string, e, other any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range []map[string]any{c.young, c.old} {
		if m[stream] == e {
			m[stream] = other
		}
	}
}

// drop forgets a stream, if it still has this entry.
func (c *cache) drop(stream string, e any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range []map[string]any{c.young, c.old} {
		if m[stream] == e {
			delete(m, stream)
		}
	}
}
