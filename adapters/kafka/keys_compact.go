package kafka

import (
	"bytes"
	"context"
	"fmt"
	"time"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
)

// keysFill is the key of a record that fills a segment, so that what follows stands in
// another.
const keysFill = "fill"

// Compacted is what a compaction came to.
type Compacted struct {
	Kept    int // records that hold
	Dropped int // that something later was said of, such as that the key is erased
}

// CompactedAt is when the topic was compacted last, or begun.
func (k *Keys) CompactedAt(ctx context.Context) (time.Time, error) {
	first, err := k.first(ctx)
	if err != nil {
		return time.Time{}, err
	}
	found, _, err := k.fetch(ctx, first)
	if err != nil || len(found) == 0 {
		return time.Time{}, err
	}
	return found[0].time, nil
}

// Compact does what Apache Kafka does by itself, on a broker that does not: what holds is
// written once more, behind everything, and then all before it is dropped, with the bytes of
// erased keys. Nodes write and read meanwhile. Killed at any moment it loses nothing: until
// the end everything stands there, some of it twice.
func (k *Keys) Compact(ctx context.Context, drop func(topic string, partition int32, before int64) error) (Compacted, error) {
	c := compaction{Keys: k, last: map[string]int64{}}
	if err := c.run(ctx); err != nil {
		return c.Compacted, fmt.Errorf("compacting %s: %w", KeysTopic, err)
	}
	if err := drop(KeysTopic, 0, c.begin); err != nil {
		return c.Compacted, fmt.Errorf("dropping what of %s holds no more: %w", KeysTopic, err)
	}
	return c.Compacted, nil
}

type compaction struct {
	*Keys
	Compacted
	last  map[string]int64 // by key, where what holds stands
	begin int64            // of what is written anew
}

// run reads twice: first what holds, then its values, so that never all are in memory.
func (c *compaction) run(ctx context.Context) error {
	end, err := c.End(ctx)
	if err != nil {
		return err
	}
	all := 0
	if err := c.each(ctx, 0, end, func(found []keyRecord) error {
		for _, r := range found {
			if r.isKey() {
				c.last[r.key] = r.offset
				all++
			}
		}
		return nil
	}); err != nil {
		return err
	}
	if err := c.beginAnew(ctx); err != nil {
		return err
	}
	if err := c.each(ctx, 0, end, func(found []keyRecord) error {
		return c.write(ctx, found, func(r keyRecord) bool { return c.last[r.key] == r.offset })
	}); err != nil {
		return err
	}
	c.Kept, c.Dropped = len(c.last), all-len(c.last)
	// What others wrote until here would be dropped as well.
	return c.each(ctx, end, c.begin, func(found []keyRecord) error {
		return c.write(ctx, found, func(keyRecord) bool { return true })
	})
}

// each reads from one offset to another.
func (c *compaction) each(ctx context.Context, at, end int64, visit func([]keyRecord) error) error {
	for at < end {
		found, next, err := c.fetch(ctx, at)
		if err != nil {
			return err
		}
		for len(found) > 0 && found[len(found)-1].offset >= end {
			found = found[:len(found)-1]
		}
		if err := visit(found); err != nil {
			return err
		}
		at = next
	}
	return nil
}

// beginAnew fills the segment that is written to, and begins the next with the genesis.
func (c *compaction) beginAnew(ctx context.Context) error {
	if _, err := c.append(ctx, []kafkago.Record{{Key: kafkago.NewBytes([]byte(keysFill)), Value: kafkago.NewBytes(bytes.Repeat([]byte{' '},
		keysSegment)), Headers: eventstore.NoteHeaders(keysType, keysFill), Time: time.Now()}}); err != nil {
		return err
	}
	var err error
	c.begin, err = c.writeGenesis(ctx)
	return err
}

// write appends once more what is wanted, in batches.
func (c *compaction) write(ctx context.Context, found []keyRecord, wanted func(keyRecord) bool) error {
	const most = 2000
	var batch []kafkago.Record
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		_, err := c.append(ctx, batch)
		batch = nil
		return err
	}
	for _, r := range found {
		if !r.isKey() || !wanted(r) {
			continue
		}
		batch = append(batch, kafkago.Record{Key: kafkago.NewBytes([]byte(r.key)), Value: kafkago.NewBytes(r.value), Headers: r.headers,
			Time: r.time})
		if len(batch) == most {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

var _ keyring.Topic = (*Keys)(nil)
