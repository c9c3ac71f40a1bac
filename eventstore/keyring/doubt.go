package keyring

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/eventstore/sealed"
)

// doubtTimeout is how long a command waits for the topic to be followed again.
const doubtTimeout = 5 * time.Second

// doubt is whether the topic may be another one than the node followed: it could not be read.
// Whoever exchanges the log ends the brokers, and that ends the read that waits there.
type doubt struct {
	mu   sync.Mutex
	over chan struct{} // closed when it is over; nil: there is none
	why  error

	count atomic.Uint64 // how many there were
}

func (d *doubt) begin(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.why = why; d.over == nil {
		d.over = make(chan struct{})
		d.count.Add(1)
	}
}

func (d *doubt) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over != nil {
		close(d.over)
		d.over = nil
	}
}

func (d *doubt) state() (over chan struct{}, why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.over, d.why
}

// wait returns when there is no doubt, or says why there is.
func (d *doubt) wait(ctx context.Context) error {
	over, _ := d.state()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-time.After(doubtTimeout):
		_, why := d.state()
		return fmt.Errorf("new data keys wait until the keys of the log can be followed: %w", why)
	case <-ctx.Done():
		return fmt.Errorf("waiting for the keys of the log to be followed: %w", ctx.Err())
	}
}

// doubts has no key taken until the topic is followed again, and forgets those made ahead:
// they may stand on another copy of the topic only.
func (r *Ring) doubts(why error) {
	r.doubt.begin(why)
	r.lot.drop()
}

// sure ends a doubt where the topic reaches as far as it was read. What was made during the
// doubt may stand on another copy too.
func (r *Ring) sure(ctx context.Context, at int64) error {
	if over, _ := r.doubt.state(); over == nil {
		return nil
	}
	end, err := r.Topic.End(ctx)
	if err == nil && end < at {
		err = fmt.Errorf("they end at %d, and were read up to %d: the topic was cut, or an older copy stands in its place", end, at)
	}
	if err != nil {
		err = fmt.Errorf("asking where the keys end: %w", err)
		r.doubt.begin(err)
		return err
	}
	r.lot.drop()
	r.doubt.end()
	return nil
}

// Doubts counts how often it was in doubt which topic the keys stand on. A key that was taken
// at another count may stand on another copy of the topic only.
func (r *Ring) Doubts() uint64 { return r.doubt.count.Load() }

// Again puts keys on the topic once more, when that is followed again: something that was
// sealed with them has come to the log since it was in doubt. An erased key stays erased.
func (r *Ring) Again(ctx context.Context, keys []sealed.Key) error {
	for over, why := r.doubt.state(); over != nil; over, why = r.doubt.state() {
		select {
		case <-over:
		case <-ctx.Done():
			return fmt.Errorf("waiting for the keys of the log to be followed: %w: %w", ctx.Err(), why)
		}
	}
	var records []Record
	for _, key := range keys {
		if known, is := r.known.get(key.ID); is && known == nil {
			continue
		}
		wrapped, err := key.Wrapped(func(secret []byte) (string, error) { return r.Wrapper.Seal(secret, wrapped(key.ID)) })
		if err != nil {
			return fmt.Errorf("wrapping a data key: %w", err)
		}
		records = append(records, Record{ID: key.ID, Wrapped: wrapped, MadeAt: r.Now().UTC()})
	}
	if len(records) == 0 {
		return nil
	}
	if err := r.Topic.Append(ctx, records); err != nil {
		return fmt.Errorf("putting data keys on the log once more: %w", err)
	}
	return nil
}
