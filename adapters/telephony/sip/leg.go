package sip

import (
	"context"
	"sync"
	"time"

	"github.com/emiago/sipgo/sip"

	"github.com/parley-platform/parley/adapters/telephony/legs"
	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/trunks"
)

// Leg is one call over a trunk. One goroutine follows it from its INVITE to its end; requests of the
// peer and what the call's dialer wants come from others.
type Leg struct {
	agent   *Agent
	request calls.LegRequest
	history *legs.History
	facts   *factQueue

	hungUp chan struct{} // closed: our side has
	byed   chan struct{} // closed: theirs has
	once   sync.Once
	gone   sync.Once
	acks   chan *sip.Request // of our answer to a call that came in

	left    chan struct{} // closed: another node has the call
	moved   chan struct{} // a value for each other dialog in which it goes on
	quietly sync.Once

	// Of the goroutine that follows the leg.
	more   []Trunk     // that may be tried when one does not take the call
	spared *calls.Fact // of a trunk that did not
	rang   bool

	mu      sync.Mutex
	trunk   Trunk
	dialog  *dialog // nil before the answer
	talks   bool    // it is acknowledged
	key     string  // of the agent's dialogs
	media   *media
	offer   offered     // how we describe ourselves
	theirs  description // what the peer said last
	mine    []byte      // our key of SDES; nil: the sound is in the clear
	held    bool
	asking  int // re-INVITEs of ours that are on their way, and a takeover: the peer's are told to wait
	expires refresh

	referral *referral // the last time that the peer was asked to call somebody; nil: never
}

func newLeg(a *Agent, r calls.LegRequest) *Leg {
	return &Leg{agent: a, request: r, facts: newFactQueue(), hungUp: make(chan struct{}), byed: make(chan struct{}),
		acks: make(chan *sip.Request, 1), left: make(chan struct{}),
		moved: make(chan struct{}, 1)}
}

// Facts give what happens, in order. They end with the leg.
func (l *Leg) Facts() <-chan calls.Fact { return l.facts.out }

// Say says a text to the callee, behind what was said before.
func (l *Leg) Say(ctx context.Context, text, language string) error {
	line := l.Line()
	if line == nil {
		return voice.ErrClosed
	}
	return line.Say(ctx, text, language)
}

// SayAs is Say with an id, by which the fact knows it that it was played.
func (l *Leg) SayAs(ctx context.Context, id, text, language string) error {
	line := l.Line()
	if line == nil {
		return voice.ErrClosed
	}
	return line.SayAs(ctx, id, text, language)
}

// Play is SayAs of what is sound already.
func (l *Leg) Play(ctx context.Context, id string, samples []int16) error {
	line := l.Line()
	if line == nil {
		return voice.ErrClosed
	}
	return line.Play(ctx, id, samples)
}

// Hush cuts off what is said.
func (l *Leg) Hush() {
	if line := l.Line(); line != nil {
		line.Hush()
	}
}

// HangUp ends the leg, ringing or answered. The peer is told behind it.
func (l *Leg) HangUp(context.Context) error {
	l.once.Do(func() { close(l.hungUp) })
	return nil
}

// Line is the leg's sound; nil before there is any.
func (l *Leg) Line() *voice.Line {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.media == nil {
		return nil
	}
	return l.media.line
}

// Tap has all frames told, heard and said, of a leg that is answered.
func (l *Leg) Tap(tap func(heard, said []int16)) {
	if line := l.Line(); line != nil {
		line.Tap(tap)
	}
}

// Quality is how well the other side was heard so far.
func (l *Leg) Quality() calls.Quality {
	if line := l.Line(); line != nil {
		return line.Quality()
	}
	return calls.Quality{}
}

// Press sends digits, as the trunk wants them.
func (l *Leg) Press(ctx context.Context, digits string) error {
	l.mu.Lock()
	d, m, way := l.dialog, l.media, l.trunk.DTMF
	l.mu.Unlock()
	if d == nil {
		return errNoDialog
	}
	if way == trunks.DTMFInfo {
		for _, digit := range digits {
			if _, err := d.ask(ctx, sip.INFO, "application/dtmf-relay", []byte("Signal="+string(digit)+"\r\nDuration=160\r\n")); err != nil {
				return err
			}
		}
		return nil
	}
	if !m.takesEvents() {
		return m.line.Press(digits)
	}
	return m.press(digits)
}

// tell says a fact.
func (l *Leg) tell(f calls.Fact) {
	if f.At.IsZero() {
		f.At = time.Now()
	}
	l.history.Tell(f)
	l.facts.put(f)
}

// run follows the leg to its end.
func (l *Leg) run(of *try, more []Trunk) {
	defer l.agent.book.Over(l.history)
	defer l.facts.close()
	defer l.silence()
	for l.more = more; of != nil; {
		l.spared = nil
		l.ring(of)
		l.gives(l.request.SID, of.trunk)
		of = nil
		for l.spared != nil && of == nil && len(l.more) > 0 {
			next := l.more[0]
			l.more = l.more[1:]
			of, _ = l.prepare(l.agent.working, next)
		}
		if of == nil && l.spared != nil {
			l.tell(*l.spared)
		}
	}
}

// gives ends the call of the leg on its trunk. One that another node has counts there, as soon as that says so.
func (l *Leg) gives(id string, t Trunk) {
	if l.elsewhere() {
		l.agent.limits.forget(id, t)
		return
	}
	l.agent.limits.give(id, t)
}

// silence ends the sound, and hands on what it still told.
func (l *Leg) silence() {
	l.mu.Lock()
	m := l.media
	l.mu.Unlock()
	if m != nil {
		m.close()
	}
}

// hungUpThere ends the leg that the other side has hung up, behind the last that was heard of it.
func (l *Leg) hungUpThere() {
	at := time.Now()
	l.silence()
	l.facts.sources.Wait()
	l.tell(calls.Fact{Kind: calls.FactHungUp, At: at})
}

// begin makes the sound of a leg whose law is known, once.
func (l *Leg) begin(law voice.Law) {
	if l.media.started() {
		return
	}
	o := voice.Options{}
	if l.agent.cfg.Sound != nil {
		o = l.agent.cfg.Sound(l.request)
	}
	line := voice.NewLine(o)
	l.media.tones = l.trunk.DTMF != trunks.DTMFInfo
	l.media.start(line, law, l.agent.cfg.Pacer)
	l.facts.follow(line.Facts())
}

// enter makes the leg's dialog known to what peers send.
func (l *Leg) enter(d *dialog) {
	l.mu.Lock()
	l.dialog, l.key = d, dialogKey(d.now().CallID, tagOf(d.now().Local))
	key := l.key
	l.mu.Unlock()
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	l.agent.dialogs[key] = l
}

// moves goes on in another dialog, and forgets the one before.
func (l *Leg) moves(d *dialog) {
	l.mu.Lock()
	was := l.key
	l.mu.Unlock()
	l.enter(d)
	l.agent.mu.Lock()
	defer l.agent.mu.Unlock()
	delete(l.agent.dialogs, was)
}

// spoken is the dialog in which the leg is spoken to.
func (l *Leg) spoken() *dialog {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dialog
}

// leave forgets the dialog, some time after its end: what the peer has sent before it knew is answered.
func (l *Leg) leave() {
	l.mu.Lock()
	key := l.key
	l.mu.Unlock()
	time.AfterFunc(lingering, func() {
		l.agent.mu.Lock()
		defer l.agent.mu.Unlock()
		delete(l.agent.dialogs, key)
	})
}

const lingering = 32 * time.Second

// factQueue is a channel whose writers never wait. What is too much for a reader who is stuck is lost, but not
// how the leg ended.
type factQueue struct {
	out     chan calls.Fact
	wake    chan struct{}
	sources sync.WaitGroup

	mu      sync.Mutex
	waiting []calls.Fact
	closed  bool
}

func newFactQueue() *factQueue {
	q := &factQueue{out: make(chan calls.Fact, 16), wake: make(chan struct{}, 1)}
	go q.pump()
	return q
}

func (q *factQueue) put(f calls.Fact) {
	q.mu.Lock()
	if !q.closed && (len(q.waiting) < voice.MostUnread || legs.Final(f)) {
		q.waiting = append(q.waiting, f)
	}
	q.mu.Unlock()
	q.signal()
}

func (q *factQueue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// follow hands on what the leg's sound tells.
func (q *factQueue) follow(facts <-chan calls.Fact) {
	q.sources.Go(func() {
		for f := range facts {
			q.put(f)
		}
	})
}

// close ends the channel behind what waits. The leg's sound is over by then.
func (q *factQueue) close() {
	q.sources.Wait()
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.signal()
}

// unread is how long a reader that has gone is waited for.
const unread = time.Minute

func (q *factQueue) pump() {
	defer close(q.out)
	for {
		q.mu.Lock()
		waiting, closed := q.waiting, q.closed
		q.waiting = nil
		q.mu.Unlock()
		for _, f := range waiting {
			select {
			case q.out <- f:
				continue
			default:
			}
			if !q.wait(f) {
				return
			}
		}
		if len(waiting) == 0 {
			if closed {
				return
			}
			<-q.wake
		}
	}
}

// wait hands a fact to a reader that is late; one that comes no more, behind the end, is given up.
func (q *factQueue) wait(f calls.Fact) bool {
	for {
		again := time.NewTimer(unread)
		select {
		case q.out <- f:
			again.Stop()
			return true
		case <-again.C:
		}
		q.mu.Lock()
		closed := q.closed
		q.mu.Unlock()
		if closed {
			return false
		}
	}
}

// Join lets the two sides hear each other, until one of them is gone.
func (l *Leg) Join(other any) error { return l.Line().JoinLeg(other) }
