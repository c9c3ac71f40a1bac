package voice

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
)

// heard is the sound of a line: what it still hears when it is closed.
type heard struct {
	Sound
	facts chan calls.Fact
	last  string
}

func (h heard) Facts() <-chan calls.Fact { return h.facts }
func (h heard) Close() {
	h.facts <- calls.Fact{Kind: calls.FactWords, Text: h.last}
	close(h.facts)
}

func newLine(last string) *line {
	l := &line{facts: make(chan calls.Fact, factsOnTheir), still: make(chan struct{}), sound: heard{facts: make(chan calls.Fact), last: last}}
	go l.hear()
	return l
}

// told is what a line has told so far.
func told(l *line) (all []string) {
	for {
		select {
		case f, open := <-l.facts:
			if !open {
				return append(all, "closed")
			}
			all = append(all, string(f.Kind)+f.Digit+f.Text)
		default:
			return all
		}
	}
}

// Given keys that are pressed, then each is one fact, whatever is made of them; none comes behind the end, and
// what was heard last comes before it.
func TestEachKeyIsOneFact(t *testing.T) {
	l := newLine(" goodbye")
	press := func(keys ...string) {
		for _, key := range keys {
			l.pressed(key)
		}
	}
	press("1", "#", "#", "*", "D")
	require.Equal(t, []string{"digit1", "digit#", "digit#", "digit*", "digitD"}, told(l))
	press("", "12", "E", "é", " ")
	require.Empty(t, told(l), "no keys")
	press("8")
	l.over(calls.Fact{Kind: calls.FactHungUp})
	press("9", "#")
	require.Equal(t, []string{"digit8", "words goodbye", string(calls.FactHungUp), "closed"}, told(l))
}
