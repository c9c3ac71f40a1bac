package eventstore

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Batches writes records to one partition of the log as ONE batch, acknowledged
// by all replicas, and returns the offset of the first. An error that wraps
// ErrNotWritten says that nothing was appended; any other error leaves it open.
type Batches interface {
	Produce(ctx context.Context, topic string, partition int, records []*Record) (base int64, err error)
}

// ErrNotWritten marks a produce that certainly appended nothing.
var ErrNotWritten = errors.New("not written")

// Limits of the producer (docs/architecture.md "Writing to the log").
const (
	MaxBatchBytes  = MaxCommitBytes   // a batch closes here; a larger commit is refused
	MaxQueue       = 2000             // commits waiting for one partition
	produceTimeout = 10 * time.Second // one try
	resendFor      = 15 * time.Second // all tries of one batch
)

// Producer is the group-committing writer: one batch in flight per partition;
// commits that arrive meanwhile form the next batch at once, without a timer. A
// commit is never split over batches, and a resend has the same bytes.
type Producer struct {
	batches Batches
	mu      sync.Mutex
	queues  map[place]*queue
	closed  bool
	done    sync.WaitGroup
	observe func(ProduceStats)
}

// ProduceStats describes one finished batch, for metrics.
type ProduceStats struct {
	Topic   string
	Commits int
	Records int
	Bytes   int
	Tries   int
	Took    time.Duration
	Err     error
}

type place struct {
	topic     string
	partition int
}

// Ack is the outcome of one commit's append.
type Ack struct {
	Offset int64 // of the commit's first record
	Resent bool  // some earlier try was not answered: the same bytes may come once more
	Err    error // a *fault.Error: NOT_EXECUTED or OUTCOME_UNKNOWN
}

type pending struct {
	ctx     context.Context
	records []*Record
	bytes   int
	ack     chan Ack // buffered: the loop never waits for a caller that went away
}

type queue struct {
	place
	waiting []*pending
	wake    chan struct{} // buffered by one
}

// NewProducer starts no goroutine: each partition gets its loop with its first commit.
func NewProducer(b Batches, observe func(ProduceStats)) *Producer {
	if observe == nil {
		observe = func(ProduceStats) {}
	}
	return &Producer{batches: b, queues: map[place]*queue{}, observe: observe}
}

// Append queues one commit and returns the channel on which its outcome comes.
// Commits of one partition are written in the order of these calls.
func (p *Producer) Append(ctx context.Context, topic string, partition int, records []*Record) (<-chan Ack, error) {
	job := &pending{ctx: ctx, records: records, ack: make(chan Ack, 1)}
	for _, r := range records {
		job.bytes += r.size()
	}
	if job.bytes > MaxBatchBytes {
		return nil, fault.New(fault.TooLarge, "the change takes %d bytes on the log, the most is %d", job.bytes, MaxBatchBytes)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, fault.New(fault.NotExecuted, "this node is shutting down").After(time.Second)
	}
	at := place{topic, partition}
	q := p.queues[at]
	if q == nil {
		q = &queue{place: at, wake: make(chan struct{}, 1)}
		p.queues[at] = q
		p.done.Add(1)
		go p.run(q)
	}
	if len(q.waiting) >= MaxQueue {
		return nil, fault.New(fault.QueueFull, "too many changes are waiting for the log").After(500 * time.Millisecond)
	}
	q.waiting = append(q.waiting, job)
	q.signal()
	return job.ack, nil
}

// withdraw takes a commit back that has not been sent; false when it is too late.
func (p *Producer) withdraw(topic string, partition int, ack <-chan Ack) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queues[place{topic, partition}]
	for i, job := range q.waiting {
		if job.ack == ack {
			q.waiting = slices.Delete(q.waiting, i, i+1)
			return true
		}
	}
	return false
}

func unsent(cause error) error {
	return fault.New(fault.NotExecuted, "the request ended before its change was sent to the log").After(time.Second).Because(cause)
}

// Depth is the number of commits that wait, over all partitions.
func (p *Producer) Depth() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, q := range p.queues {
		n += len(q.waiting)
	}
	return n
}

// Close refuses new commits, writes those that wait, and returns when all have
// their outcome.
func (p *Producer) Close() {
	p.mu.Lock()
	p.closed = true
	for _, q := range p.queues {
		q.signal()
	}
	p.mu.Unlock()
	p.done.Wait()
}

func (q *queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// run writes the batches of one partition until Close has emptied the queue.
func (p *Producer) run(q *queue) {
	defer p.done.Done()
	for {
		batch, end := p.take(q)
		if len(batch) > 0 {
			p.write(q, batch)
			continue
		}
		if end {
			return
		}
		<-q.wake
	}
}

// take removes what fits into one batch, in order; commits whose caller has gone
// before they were sent are answered NOT_EXECUTED.
func (p *Producer) take(q *queue) (batch []*pending, end bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bytes, n := 0, 0
	for _, job := range q.waiting {
		if err := job.ctx.Err(); err != nil {
			job.ack <- Ack{Err: unsent(err)}
			n++
			continue
		}
		if len(batch) > 0 && bytes+job.bytes > MaxBatchBytes {
			break
		}
		bytes += job.bytes
		batch = append(batch, job)
		n++
	}
	q.waiting = append(q.waiting[:0:0], q.waiting[n:]...)
	return batch, p.closed && len(q.waiting) == 0
}

// write sends one batch until it is acknowledged, certainly not written, or given up.
func (p *Producer) write(q *queue, batch []*pending) {
	var records []*Record
	stats := ProduceStats{Topic: q.topic, Commits: len(batch)}
	for _, job := range batch {
		records = append(records, job.records...)
		stats.Bytes += job.bytes
	}
	stats.Records = len(records)
	start := time.Now()
	base, open, err := p.send(q.place, records, &stats.Tries)
	stats.Took, stats.Err = time.Since(start), err
	p.observe(stats)
	for _, job := range batch {
		job.ack <- Ack{Offset: base, Resent: open, Err: outcome(open, err)}
		base += int64(len(job.records))
	}
}

// send tries with the same bytes for resendFor. Once one try is open ("may have
// landed"), the whole send stays open whatever later tries say.
func (p *Producer) send(at place, records []*Record, tries *int) (base int64, open bool, err error) {
	deadline := time.Now().Add(resendFor)
	for delay := 20 * time.Millisecond; ; delay = min(2*delay, time.Second) {
		*tries++
		ctx, cancel := context.WithTimeout(context.Background(), produceTimeout)
		base, err := p.batches.Produce(ctx, at.topic, at.partition, records)
		cancel()
		if err == nil {
			return base, open, nil
		}
		open = open || !errors.Is(err, ErrNotWritten)
		if time.Now().Add(delay).After(deadline) || errors.Is(err, ErrRefused) {
			return 0, open, err
		}
		time.Sleep(delay/2 + rand.N(delay/2))
	}
}

// ErrRefused marks a produce that no repetition will make succeed, such as a log
// whose partition count changed. It comes with ErrNotWritten.
var ErrRefused = errors.New("refused")

// outcome turns the result of a send into what the caller is told.
func outcome(open bool, err error) error {
	switch {
	case err == nil:
		return nil
	case open:
		return fault.New(fault.OutcomeUnknown, "the log did not acknowledge the change; it may yet take effect: repeat with the same "+
			"Idempotency-Key").After(2 * time.Second).Because(err)
	default:
		return fault.New(fault.NotExecuted, "the log cannot be written at the moment").After(2 * time.Second).Because(err)
	}
}
