package acts

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/fault"
)

// Lines let one caller at a time work on a stream. Those who come meanwhile wait, in the order
// in which they came, rather than turn back: what they were told of may have happened after the
// first one looked.
type Lines struct {
	Most      int // who may wait for one stream; 0: as many as come
	MostOfAll int // who may wait for any, as Fits has it; 0: as many as come

	mu      sync.Mutex
	byName  map[string]*line
	waiting map[string]int // by account
}

type line struct {
	free  chan struct{} // holds one token while nobody works
	users int           // working or waiting
	asked int           // who have come for work that is shared
	done  int           // of these, those for whom it was done; of who works
}

// Waiting is how many wait.
func (t *Lines) Waiting() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := 0
	for _, n := range t.waiting {
		all += n
	}
	return all
}

// Wait counts who waits for something else than the end of a line, of an account; done must be called once.
// Where too many wait already, that is told at once.
func (t *Lines) Wait(account string) (done func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.wait(account)
}

func (t *Lines) wait(account string) (done func(), err error) {
	if t.MostOfAll > 0 && !Fits(t.MostOfAll, t.waiting, account) {
		return nil, fault.New(fault.QueueFull, "%d messages wait on this node already; come again when some of them had their turn",
			t.MostOfAll).After(time.Second)
	}
	if t.waiting == nil {
		t.waiting = map[string]int{}
	}
	t.waiting[account]++
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.waiting[account]--; t.waiting[account] == 0 {
			delete(t.waiting, account)
		}
	}, nil
}

// Share has something done that is the same for all who want it of a stream: who waited while another began it finds it done. What
// fails, or ends with who did it, is done again by the next.
func (t *Lines) Share(ctx context.Context, stream, account string, do func() error) error {
	place, err := t.Join(stream, account)
	if err != nil {
		return err
	}
	came := t.asks(place.line)
	leave, err := place.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if place.line.done >= came {
		return nil
	}
	all := t.asked(place.line)
	if err = do(); err == nil {
		place.line.done = all
	}
	return err
}

func (t *Lines) asks(of *line) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	of.asked++
	return of.asked
}

func (t *Lines) asked(of *line) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return of.asked
}

// EnterFree is Enter for who does not wait: is says that nobody works on the stream or waits for it.
func (t *Lines) EnterFree(stream string) (leave func(), is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName[stream] != nil {
		return nil, false
	}
	mine := t.begin(stream)
	mine.users++
	return func() { mine.free <- struct{}{}; t.quit(stream, mine) }, true
}

// Enter waits for the stream, for an account; leave must be called once. Where too many wait already, that is
// told at once.
func (t *Lines) Enter(ctx context.Context, stream, account string) (leave func(), err error) {
	place, err := t.Join(stream, account)
	if err != nil {
		return nil, err
	}
	return place.Enter(ctx)
}

// Place is one in a line, of somebody who has something to do before he waits. Either Enter or GiveUp
// must be called, once.
type Place struct {
	lines  *Lines
	stream string
	line   *line
	waited func()
}

// Join takes a place in the line of a stream, for an account. Where too many wait already, that is told at once.
func (t *Lines) Join(stream, account string) (*Place, error) {
	mine, waited, err := t.join(stream, account)
	if err != nil {
		return nil, err
	}
	return &Place{t, stream, mine, waited}, nil
}

// Enter waits for the stream; leave must be called once.
func (p *Place) Enter(ctx context.Context) (leave func(), err error) {
	defer p.waited()
	select {
	case <-p.line.free:
		return func() { p.line.free <- struct{}{}; p.lines.quit(p.stream, p.line) }, nil
	case <-ctx.Done():
		p.lines.quit(p.stream, p.line)
		return nil, ctx.Err()
	}
}

// GiveUp leaves the line.
func (p *Place) GiveUp() {
	p.waited()
	p.lines.quit(p.stream, p.line)
}

// join is for who has to be told when he does not wait any more.
func (t *Lines) join(stream, account string) (mine *line, waited func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine, waited = t.byName[stream], func() {}
	switch {
	case mine != nil && t.Most > 0 && mine.users > t.Most:
		return nil, nil, fault.New(fault.QueueFull, "%d wait already; come again when some of them had their turn", t.Most).After(time.Second)
	case mine != nil:
		if waited, err = t.wait(account); err != nil {
			return nil, nil, err
		}
	default:
		mine = t.begin(stream)
		mine.free <- struct{}{}
	}
	mine.users++
	return mine, waited, nil
}

// begin is a line of a stream that has none, where somebody works already.
func (t *Lines) begin(stream string) *line {
	mine := &line{free: make(chan struct{}, 1)}
	if t.byName == nil {
		t.byName = map[string]*line{}
	}
	t.byName[stream] = mine
	return mine
}

func (t *Lines) quit(stream string, mine *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if mine.users--; mine.users == 0 {
		delete(t.byName, stream)
	}
}
