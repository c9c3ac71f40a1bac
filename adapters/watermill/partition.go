package watermillkafka

import (
	"context"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
)

// partition hands out the records of one assigned partition. One goroutine owns
// all of its state; the reader, the answers and the timers talk to it by channels.
type partition struct {
	session *session
	sub     *subscription
	number  int
	from    int64 // committed offset, negative when there is none

	lanes    map[laneID]*lane
	ready    accounts // lanes with a record to hand out
	inFlight map[*delivery]struct{}
	offered  *delivery // next to be handed out, not yet taken
	progress progress
	bytes    int // of the records that are not finished

	asked   bool
	want    chan struct{} // asks the reader for one more fetch
	fetched chan fetched
	answers chan answer
	wakes   chan *lane
	gone    chan struct{}
}

// delivery is one handing out of one record.
type delivery struct {
	lane   *lane
	msg    *message.Message
	cancel context.CancelFunc
	done   chan struct{} // closed when the handler has answered
}

type answer struct {
	delivery *delivery
	acked    bool
}

func newPartition(s *session, a kafka.PartitionAssignment) *partition {
	return &partition{session: s, sub: s.sub, number: a.ID, from: a.Offset,
		lanes: map[laneID]*lane{}, inFlight: map[*delivery]struct{}{},
		ready: accounts{inFlight: s.sub.cfg.InFlight, ready: map[string][]*lane{}, busy: map[string]int{}},
		want:  make(chan struct{}, 1), fetched: make(chan fetched), answers: make(chan answer), wakes: make(chan *lane),
		gone: make(chan struct{})}
}

// run works until ctx ends, then drains.
func (p *partition) run(ctx context.Context) {
	defer close(p.gone)
	base := context.WithValue(p.sub.base, drainingKey{}, ctx.Done())
	go p.read(ctx)
	for ctx.Err() == nil {
		p.ask()
		out, msg := p.offer(base)
		select {
		case <-ctx.Done():
		case out <- msg:
			p.handedOut()
		case f := <-p.fetched:
			p.admit(f)
		case a := <-p.answers:
			p.settle(a)
		case l := <-p.wakes:
			p.ready.add(l)
		}
	}
	p.drain()
}

// ask lets the reader fetch once more when there is room.
func (p *partition) ask() {
	if !p.asked && p.progress.span() < p.sub.cfg.Window && p.bytes < fetchBytes {
		p.asked = true
		p.want <- struct{}{}
	}
}

// admit queues what was read behind the earlier records of the same keys.
func (p *partition) admit(f fetched) {
	p.asked = false
	for _, r := range f.records {
		p.progress.add(r)
		p.bytes += r.size()
		id := laneOf(p.number, r, p.sub.cfg.AnyOrder)
		l := p.lanes[id]
		if l != nil {
			l.queue = append(l.queue, r)
			continue
		}
		p.lanes[id] = &lane{id: id, queue: []*record{r}}
		p.open(p.lanes[id])
	}
	p.session.reach(p.number, p.progress.readTo(f.next))
}

// open makes a new lane ready, at once or when an abandoned handler of the same
// key has returned.
func (p *partition) open(l *lane) {
	before := p.sub.orphan(l.id)
	if before == nil {
		p.ready.add(l)
		return
	}
	p.sub.log.Warn("a handler of an earlier generation is still at work, its key waits", "partition", p.number)
	go func() {
		select {
		case <-before:
			p.wake(l)
		case <-p.gone:
		}
	}()
}

func (p *partition) wake(l *lane) {
	select {
	case p.wakes <- l:
	case <-p.gone:
	}
}

// offer prepares the next delivery; the nil channel blocks when there is none.
func (p *partition) offer(base context.Context) (chan<- *message.Message, *message.Message) {
	if p.offered == nil {
		l := p.ready.next()
		if l == nil {
			return nil, nil
		}
		ctx, cancel := context.WithCancel(base)
		p.offered = &delivery{lane: l, msg: l.queue[0].message(ctx, p.sub.topic, p.number), cancel: cancel, done: make(chan struct{})}
	}
	return p.sub.out, p.offered.msg
}

func (p *partition) handedOut() {
	d := p.offered
	p.offered = nil
	p.inFlight[d] = struct{}{}
	go p.watch(d)
}

// watch waits for the handler's answer, beyond the generation if need be.
func (p *partition) watch(d *delivery) {
	defer d.cancel()
	defer close(d.done)
	a := answer{delivery: d}
	select {
	case <-d.msg.Acked():
		a.acked = true
	case <-d.msg.Nacked():
	case <-p.sub.ended:
		return
	}
	d.cancel()
	select {
	case p.answers <- a:
	case <-p.gone:
	}
}

// settle takes an answer: the lane goes on, or tries again after a while.
func (p *partition) settle(a answer) {
	l := a.delivery.lane
	delete(p.inFlight, a.delivery)
	p.ready.end(l.account())
	if !a.acked {
		time.AfterFunc(l.retryAfter(p.sub.cfg.Backoff), func() { p.wake(l) })
		return
	}
	r := l.pop()
	p.bytes -= r.size()
	p.session.reach(p.number, p.progress.finish(r))
	if len(l.queue) == 0 {
		delete(p.lanes, l.id)
		return
	}
	p.ready.add(l)
}

// drain waits for the handlers at work. Those that take too long are told by
// their context and left behind; their records come again, to whoever has the
// partition next.
func (p *partition) drain() {
	if p.offered != nil {
		p.offered.cancel()
	}
	late := time.NewTimer(p.sub.cfg.DrainTimeout)
	defer late.Stop()
	for len(p.inFlight) > 0 {
		select {
		case a := <-p.answers:
			p.settle(a)
		case <-late.C:
			p.sub.log.Warn("handlers outlived the drain, their records will be delivered again", "partition", p.number, "handlers", len(p.inFlight))
			for d := range p.inFlight {
				p.sub.abandon(d.lane.id, d.done)
				d.cancel()
			}
			return
		}
	}
}
