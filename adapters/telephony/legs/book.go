// Package legs remembers what can be told of the legs of one carrier on this node: all that run, and the
// last that are over. It places none and hangs up none by itself.
package legs

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// mostRemembered is how many legs that are over a carrier can still tell of.
const mostRemembered = 10_000

// Leg is what is remembered while it runs.
type Leg interface {
	HangUp(ctx context.Context) error
}

// Book holds the legs of one carrier: all that run and the last that are over. A leg
// that ran in another process is not in it, which is why the carrier says of few legs
// that nobody asked for them.
type Book struct {
	now  func() time.Time
	node string // whose calls all go through this carrier since; empty: nobody's

	mu     sync.Mutex
	legs   map[string]*History // by SID
	ended  []*History          // in the order of their ends
	silent time.Time           // of what was dialled until then, some is not in the book
}

// NewBook is an empty one, of a carrier that serves no node.
func NewBook() *Book { return &Book{legs: map[string]*History{}, now: time.Now} }

// History is what can be told of one leg.
type History struct {
	sid    string
	dialed time.Time // on the clock of the book

	mu     sync.Mutex
	leg    Leg // nil when it is over: its facts need much more room than its history
	report calls.LegReport
}

// Serves says that all calls of the node go through this carrier from now on. now is
// the clock that all nodes share.
func (b *Book) Serves(node string, now func() time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.node, b.now = node, now
	b.silent = now().Add(time.Second) // that clock may be set a little
}

// Lookup tells of a leg of this process: of every one that runs, and of the last
// 10,000 that are over. A leg that it does not know was never asked for if it is one
// of the node that it serves and young enough; of others it cannot tell: another
// process may have placed them.
func (b *Book) Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
	if err := ctx.Err(); err != nil {
		return calls.LegReport{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if h := b.legs[q.SID]; h != nil {
		report, _ := h.told()
		return report, nil
	}
	if b.node != "" && q.Node == b.node && q.DialedAt.After(b.silent) {
		return calls.LegReport{Status: calls.LegUnheard}, nil
	}
	return calls.LegReport{}, nil
}

// Cut hangs up a leg of this process.
func (b *Book) Cut(ctx context.Context, sid string) error {
	b.mu.Lock()
	h := b.legs[sid]
	b.mu.Unlock()
	if h == nil {
		return nil
	}
	_, leg := h.told()
	if leg == nil {
		return nil
	}
	return leg.HangUp(ctx)
}

// Enter begins the history of a leg that is dialled now.
func (b *Book) Enter(sid string, l Leg) *History {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := &History{sid: sid, dialed: b.now(), leg: l, report: calls.LegReport{Status: calls.LegRinging}}
	b.legs[sid] = h
	return h
}

// Over keeps what can be told of a leg that is over, and forgets the oldest.
func (b *Book) Over(h *History) {
	h.end()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, h)
	if len(b.ended) <= mostRemembered {
		return
	}
	oldest := b.ended[0]
	b.ended[0], b.ended = nil, b.ended[1:]
	if oldest.dialed.After(b.silent) {
		b.silent = oldest.dialed
	}
	if b.legs[oldest.sid] == oldest {
		delete(b.legs, oldest.sid)
	}
}

// Final facts end a leg.
func Final(f calls.Fact) bool {
	return f.Kind == calls.FactHungUp || f.Kind == calls.FactRejected || f.Kind == calls.FactLost
}

// Tell notes a fact for those who ask later; words are not for them.
func (h *History) Tell(f calls.Fact) {
	if f.Kind != calls.FactRinging && f.Kind != calls.FactAnswered && !Final(f) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.report.Facts = append(h.report.Facts, f)
	switch {
	case f.Kind == calls.FactAnswered:
		h.report.Status = calls.LegTalking
	case Final(f):
		h.report.Status, h.report.EndedAt = calls.LegOver, f.At
	}
}

// end notes the end of a leg, also of one that we hung up, which is no fact.
func (h *History) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leg = nil
	if h.report.Status != calls.LegOver {
		h.report.Status, h.report.EndedAt = calls.LegOver, time.Now()
	}
}

func (h *History) told() (calls.LegReport, Leg) {
	h.mu.Lock()
	defer h.mu.Unlock()
	report := h.report
	report.Facts = slices.Clone(report.Facts)
	return report, h.leg
}
