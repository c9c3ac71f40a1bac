package voice

import (
	"sync"

	"github.com/parley-platform/parley/domain/calls"
)

// factsOnTheirWay are told and not read yet; the line keeps what is more.
const factsOnTheirWay = 64

// Telling is what a leg tells whose sound is a line's: the line's facts, and behind them how the leg ended. It ends
// once, by whoever is first.
type Telling struct {
	facts chan calls.Fact
	ends  sync.Once
	over  chan struct{}
	last  *calls.Fact
}

// NewTelling has told nothing.
func NewTelling() *Telling {
	return &Telling{facts: make(chan calls.Fact, factsOnTheirWay), over: make(chan struct{})}
}

// Facts are what is told, in its order. It is closed behind the last.
func (t *Telling) Facts() <-chan calls.Fact { return t.facts }

// Over is closed when the leg has ended; there may be facts still.
func (t *Telling) Over() <-chan struct{} { return t.over }

// End ends it, and reports whether it had not ended. last is told at last; nil: we have ended it ourselves.
func (t *Telling) End(last *calls.Fact) (first bool) {
	t.ends.Do(func() {
		t.last, first = last, true
		close(t.over)
	})
	return first
}

// Tell passes on the facts of the leg's line until that is closed, and at last how the leg ended.
func (t *Telling) Tell(line <-chan calls.Fact) {
	defer close(t.facts)
	for f := range line {
		select {
		case t.facts <- f:
		case <-t.over:
			t.behind(f)
		}
	}
	<-t.over
	if t.last != nil {
		t.behind(*t.last)
	}
}

// behind passes on what is told behind the end; where nobody reads any more, closing says as much.
func (t *Telling) behind(f calls.Fact) {
	select {
	case t.facts <- f:
	default:
	}
}
