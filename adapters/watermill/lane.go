package watermillkafka

import (
	"time"

	"github.com/cenkalti/backoff/v4"
)

// laneID names what must stay in order: a key of a partition. Records without a
// key promise no order, each is a lane of its own, as are all where any order will do.
type laneID struct {
	partition int
	key       string
	keyless   int64 // offset + 1 of a record that is a lane of its own, else 0
}

func laneOf(partition int, r *record, anyOrder bool) laneID {
	if r.key == nil || anyOrder {
		return laneID{partition: partition, keyless: r.offset + 1}
	}
	return laneID{partition: partition, key: string(r.key)}
}

// lane is the unfinished records of one key. The first is in flight, waits for
// its next try, or is about to be handed out; the others wait behind it.
type lane struct {
	id     laneID
	queue  []*record
	tries  backoff.BackOff // nil until the first record was nacked
	became uint64          // ready, behind others
}

// account is that of its first record.
func (l *lane) account() string { return l.queue[0].account }

func (l *lane) pop() *record {
	r := l.queue[0]
	l.queue[0] = nil
	l.queue = l.queue[1:]
	l.tries = nil
	return r
}

// retryAfter is the delay before the first record is tried again. A backoff that
// gives up keeps its last word to itself: here nothing is ever dropped.
func (l *lane) retryAfter(newBackoff func() backoff.BackOff) time.Duration {
	if l.tries == nil {
		l.tries = newBackoff()
	}
	d := l.tries.NextBackOff()
	if d == backoff.Stop {
		l.tries = newBackoff()
		d = max(0, l.tries.NextBackOff())
	}
	return d
}

// progress knows the lowest unfinished offset of a partition.
type progress struct {
	open []*record // in offset order; the first is unfinished, later ones may be done
	next int64     // everything below was read
}

// span is how many records are held for the sake of order.
func (p *progress) span() int { return len(p.open) }

func (p *progress) add(r *record) { p.open = append(p.open, r) }

// readTo notes that everything below next was read and gives the lowest
// unfinished offset.
func (p *progress) readTo(next int64) int64 {
	p.next = next
	return p.lowest()
}

// finish marks a record done, lets go of its bytes and gives the lowest
// unfinished offset.
func (p *progress) finish(r *record) int64 {
	r.done = true
	r.value, r.headers = nil, nil
	for len(p.open) > 0 && p.open[0].done {
		p.open[0] = nil
		p.open = p.open[1:]
	}
	return p.lowest()
}

func (p *progress) lowest() int64 {
	if len(p.open) > 0 {
		return p.open[0].offset
	}
	return p.next
}
