package kafka

import (
	"context"
	"net"
	"sync"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol/fetch"
	"github.com/segmentio/kafka-go/protocol/metadata"
	"github.com/segmentio/kafka-go/protocol/produce"
)

// The rhythm of reads that wait for something to come.
const (
	beat   = 2 * time.Second       // all waits end at its multiples, so that they can go on together
	muster = 5 * time.Millisecond  // how long those of one beat wait for one another
	soon   = 50 * time.Millisecond // after something came, what follows it is waited for by itself
)

const (
	// mostLone is how many first reads and questions (offsets, groups, settings) are under
	// way at once: each has a connection, and a node that starts has some hundreds. What
	// is appended waits for none of them.
	mostLone = 16
	// yield is how long one gives way to others. Where a broker does not answer, what is
	// asked of the others must not wait for it.
	yield = time.Second
)

// gatherer is a transport that lets the waiting reads of many partitions share
// requests. A node reads each partition for the read models and for every reactor:
// some three hundred readers that mostly wait, each of which would keep a request, a
// connection and its goroutines on both sides busy.
//
// A read first asks by itself what is there, and does not wait for more. One that finds
// nothing, or was told so when it asked the same before, is quiet: it waits together
// with the other quiet ones. What comes for one of them is handed to it alone; the
// others go on waiting. A read in a hurry that just got something does not gather with
// the others yet: the next commit of a turn is there before they have. A request never has
// a partition twice, so there are as many as the most-read partition has readers. When a shared request fails, each of
// its reads goes out by itself, to get its own answer or its own error.
type gatherer struct {
	next kafkago.RoundTripper
	lone chan struct{} // places for reads that go out by themselves

	mu      sync.Mutex
	quiet   map[place]int64     // the offset where nothing was, last time
	came    map[place]time.Time // when something last did
	waiting []*wait             // for the next shared request
}

type place struct {
	brokers   string
	topic     string
	partition int32
}

// wait is one quiet read.
type wait struct {
	place   place
	addr    net.Addr
	request *fetch.Request
	until   time.Time
	gone    <-chan struct{}        // the reader does not wait any more
	answer  chan<- *fetch.Response // nil: ask by yourself
	last    *fetch.Response        // what it was told while it waited; nil: nothing yet
}

func newGatherer(next kafkago.RoundTripper) *gatherer {
	return &gatherer{next: next, lone: make(chan struct{}, mostLone), quiet: map[place]int64{}, came: map[place]time.Time{}}
}

// RoundTrip implements kafkago.RoundTripper.
func (g *gatherer) RoundTrip(ctx context.Context, addr net.Addr, r kafkago.Request) (kafkago.Response, error) {
	request, ok := r.(*fetch.Request)
	if !ok || !shareable(request) {
		if _, appends := r.(*produce.Request); !appends {
			leave, err := g.enter(ctx)
			if err != nil {
				return nil, err
			}
			defer leave()
		}
		return g.next.RoundTrip(ctx, addr, r)
	}
	topic := request.Topics[0]
	at := place{addr.String(), topic.Topic, topic.Partitions[0].Partition}
	switch ask := g.first; {
	case g.isWarm(at, request):
		ask = g.behind
		fallthrough
	case !g.isQuiet(at, topic.Partitions[0].FetchOffset):
		res, err := ask(ctx, addr, at, request)
		if err != nil || !empty(res) {
			return res, err
		}
	}
	if g.isQuiet(at, topic.Partitions[0].FetchOffset) {
		answer := make(chan *fetch.Response, 1)
		g.join(&wait{place: at, addr: addr, request: request, until: time.Now().Add(patience(request)), gone: ctx.Done(), answer: answer})
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case res := <-answer:
			if res != nil {
				return res, nil
			}
		}
	}
	return g.alone(ctx, addr, at, request)
}

// first asks what is there now, without waiting for more: a read that finds nothing
// waits together with the other quiet ones, and not on a connection of its own.
func (g *gatherer) first(ctx context.Context, addr net.Addr, at place, request *fetch.Request) (kafkago.Response, error) {
	leave, err := g.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return g.askFor(ctx, addr, at, request, 0)
}

// behind asks for what comes right behind something else.
func (g *gatherer) behind(ctx context.Context, addr net.Addr, at place, request *fetch.Request) (kafkago.Response, error) {
	return g.askFor(ctx, addr, at, request, int32(soon.Milliseconds()))
}

// enter waits for a place among the questions that are under way, but not for long.
func (g *gatherer) enter(ctx context.Context) (leave func(), err error) {
	giveWay := time.NewTimer(yield)
	defer giveWay.Stop()
	select {
	case g.lone <- struct{}{}:
		return func() { <-g.lone }, nil
	case <-giveWay.C:
		return func() {}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// empty says that a partition was read well and nothing came.
func empty(res kafkago.Response) bool {
	f, ok := res.(*fetch.Response)
	if !ok || f.ErrorCode != 0 || len(f.Topics) != 1 || len(f.Topics[0].Partitions) != 1 {
		return false
	}
	p := f.Topics[0].Partitions[0]
	return p.ErrorCode == 0 && p.RecordSet.Records == nil
}

// shareable is a read of one partition that has time to wait.
func shareable(r *fetch.Request) bool {
	return len(r.Topics) == 1 && len(r.Topics[0].Partitions) == 1 && r.MinBytes <= 1 && r.IsolationLevel == 0 && patience(r) >= beat
}

func patience(r *fetch.Request) time.Duration {
	return time.Duration(r.MaxWaitTime) * time.Millisecond
}

// alone asks for one partition, and waits no longer than until the next beat.
func (g *gatherer) alone(ctx context.Context, addr net.Addr, at place, request *fetch.Request) (kafkago.Response, error) {
	return g.askFor(ctx, addr, at, request, min(request.MaxWaitTime, untilBeat(time.Now())))
}

// askFor asks for one partition, and waits so many milliseconds for something to come.
func (g *gatherer) askFor(ctx context.Context, addr net.Addr, at place, request *fetch.Request, wait int32) (kafkago.Response, error) {
	own := *request
	own.MaxWaitTime = wait
	res, err := g.next.RoundTrip(ctx, addr, &own)
	if err != nil {
		return nil, err
	}
	if f, ok := res.(*fetch.Response); ok && f.ErrorCode == 0 && len(f.Topics) == 1 && len(f.Topics[0].Partitions) == 1 {
		g.note(at, request.Topics[0].Partitions[0].FetchOffset, &f.Topics[0].Partitions[0])
	}
	return res, nil
}

// untilBeat is the wait, in milliseconds, that ends at a beat: the next one, or the one
// after when that is near.
func untilBeat(now time.Time) int32 {
	left := now.Truncate(beat).Add(beat).Sub(now)
	if left < beat/2 {
		left += beat
	}
	return int32(left.Milliseconds())
}

// nothing says that the partition ends where it was read, and all is well with it.
func nothing(offset int64, p *fetch.ResponsePartition) bool {
	return p.ErrorCode == 0 && p.RecordSet.Records == nil && p.HighWatermark == offset
}

func (g *gatherer) isQuiet(at place, offset int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	was, ok := g.quiet[at]
	return ok && was == offset
}

func (g *gatherer) note(at place, offset int64, p *fetch.ResponsePartition) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if nothing(offset, p) {
		g.quiet[at] = offset
	}
	if p.ErrorCode == 0 && p.RecordSet.Records != nil {
		g.came[at] = time.Now()
	}
}

// isWarm says that a read is in a hurry, which is one that has no more time than a beat, and
// that something came just now.
func (g *gatherer) isWarm(at place, r *fetch.Request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return patience(r) == beat && time.Since(g.came[at]) < soon
}

// join puts reads among those of the next shared requests; the first of them says
// when these go out.
func (g *gatherer) join(w ...*wait) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.waiting) == 0 && len(w) > 0 {
		time.AfterFunc(muster, g.send)
	}
	g.waiting = append(g.waiting, w...)
}

func (g *gatherer) send() {
	g.mu.Lock()
	waiting := g.waiting
	g.waiting = nil
	g.mu.Unlock()
	byBrokers := map[string][]*wait{}
	for _, w := range waiting {
		byBrokers[w.place.brokers] = append(byBrokers[w.place.brokers], w)
	}
	for _, w := range byBrokers {
		leaders, err := g.leaders(w[0].addr)
		if err != nil {
			sendAway(w)
			continue
		}
		for _, s := range share(w, leaders) {
			go g.ask(s)
		}
	}
}

type leadership map[string]map[int32]int32 // broker by topic and partition

// leaders is what the transport below knows, without asking anybody.
func (g *gatherer) leaders(addr net.Addr) (leadership, error) {
	ctx, cancel := context.WithTimeout(context.Background(), beat)
	defer cancel()
	res, err := g.next.RoundTrip(ctx, addr, &metadata.Request{})
	if err != nil {
		return nil, err
	}
	out := leadership{}
	for _, t := range res.(*metadata.Response).Topics {
		out[t.Name] = map[int32]int32{}
		for _, p := range t.Partitions {
			out[t.Name][p.PartitionIndex] = p.LeaderID
		}
	}
	return out, nil
}

// share makes one request per leader and per reader that a partition has.
func share(waiting []*wait, leaders leadership) []*shared {
	type slot struct {
		leader int32
		reader int
	}
	var out []*shared
	bySlot := map[slot]*shared{}
	readers := map[place]int{}
	for _, w := range waiting {
		leader, known := leaders[w.place.topic][w.place.partition]
		if !known {
			sendAway([]*wait{w})
			continue
		}
		at := slot{leader, readers[w.place]}
		readers[w.place]++
		s := bySlot[at]
		if s == nil {
			s = &shared{addr: w.addr, reads: map[place]*wait{}}
			bySlot[at] = s
			out = append(out, s)
		}
		s.reads[w.place] = w
	}
	return out
}

// sendAway lets each reader ask by itself.
func sendAway(waiting []*wait) {
	for _, w := range waiting {
		w.answer <- nil
	}
}
