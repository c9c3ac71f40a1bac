package telephony

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// mostRemembered is how many legs that are over the carrier can still tell of.
const mostRemembered = 10_000

// book holds the legs of one carrier: all that run and the last that are over. A leg
// that ran in another process is not in it, which is why the carrier says of few legs
// that nobody asked for them.
type book struct {
	now  func() time.Time
	node string // whose calls all go through this carrier since; empty: nobody's

	mu     sync.Mutex
	legs   map[string]*Leg // by SID
	ended  []string        // SIDs in the order of their ends
	silent time.Time       // of what was dialled until then, some is not in the book
}

// Serves says that all calls of the node go through this carrier from now on. now is
// the clock that all nodes share.
func (s *Simulated) Serves(node string, now func() time.Time) *Simulated {
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	s.calls.node, s.calls.now = node, now
	s.calls.silent = now().Add(time.Second) // that clock may be set a little
	return s
}

// Lookup tells of a leg of this process: of every one that runs, and of the last
// 10,000 that are over. A leg that it does not know was never asked for if it is one
// of the node that it serves and young enough; of others it cannot tell: another
// process may have placed them.
func (s *Simulated) Lookup(ctx context.Context, q calls.LegQuery) (calls.LegReport, error) {
	if err := ctx.Err(); err != nil {
		return calls.LegReport{}, err
	}
	b := &s.calls
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.legs[q.SID]; l != nil {
		return l.reported(), nil
	}
	if b.node != "" && q.Node == b.node && q.DialedAt.After(b.silent) {
		return calls.LegReport{Status: calls.LegUnheard}, nil
	}
	return calls.LegReport{}, nil
}

// Cut hangs up a leg of this process.
func (s *Simulated) Cut(ctx context.Context, sid string) error {
	s.calls.mu.Lock()
	l := s.calls.legs[sid]
	s.calls.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.HangUp(ctx)
}

func (b *book) enter(sid string, l *Leg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.dialed = b.now()
	l.report.Status = calls.LegRinging
	b.legs[sid] = l
}

// over keeps what can be told of a leg that is over, and forgets the oldest.
func (b *book) over(sid string, l *Leg) {
	l.end()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, sid)
	if len(b.ended) <= mostRemembered {
		return
	}
	oldest := b.ended[0]
	b.ended = slices.Delete(b.ended, 0, 1)
	if gone := b.legs[oldest]; gone != nil {
		if gone.dialed.After(b.silent) {
			b.silent = gone.dialed
		}
		delete(b.legs, oldest)
	}
}

// tell notes a fact for those who ask later; words are not for them.
func (l *Leg) tell(f calls.Fact) {
	if f.Kind != calls.FactRinging && f.Kind != calls.FactAnswered && !final(f) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.report.Facts = append(l.report.Facts, f)
	switch {
	case f.Kind == calls.FactAnswered:
		l.report.Status = calls.LegTalking
	case final(f):
		l.report.Status, l.report.EndedAt = calls.LegOver, f.At
	}
}

// end notes the end of a leg that we hung up.
func (l *Leg) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.report.Status != calls.LegOver {
		l.report.Status, l.report.EndedAt = calls.LegOver, time.Now()
	}
}

func (l *Leg) reported() calls.LegReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	report := l.report
	report.Facts = slices.Clone(report.Facts)
	return report
}
