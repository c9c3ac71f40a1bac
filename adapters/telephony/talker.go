package telephony

import (
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// How the callee talks who has lines to say.
const (
	replyAfter = 600 * time.Millisecond // behind the last text that was said to it
	wordEvery  = 300 * time.Millisecond
	pauseAfter = 600 * time.Millisecond // behind a line
	patience   = 10 * time.Minute       // without anything that is said to it, or that it has to say
)

// mostFacts is how many facts lines can come to, with the hanging up behind them.
func mostFacts(lines []string) int {
	n := 1
	for _, line := range lines {
		n += len(strings.Fields(line)) + 1
	}
	return n
}

// talk says a line after each thing that is said to the callee, and waits when there is none left.
func (l *Leg) talk(lines []string) {
	reply, bored := time.NewTimer(0), time.NewTimer(l.scaled(patience))
	reply.Stop()
	defer reply.Stop()
	defer bored.Stop()
	for {
		select {
		case <-l.hungUp:
			return
		case <-l.said:
			reply.Reset(l.scaled(replyAfter))
		case <-reply.C:
			if len(lines) == 0 {
				continue
			}
			if !l.play(time.Now(), spoken(lines[0])) {
				return
			}
			lines = lines[1:]
		case <-bored.C:
			l.play(time.Now(), []step{{0, calls.Fact{Kind: calls.FactHungUp}}})
			return
		}
		bored.Reset(l.scaled(patience))
	}
}

// spoken is a line, word by word, since its first.
func spoken(line string) (out []step) {
	at := time.Duration(0)
	for i, word := range strings.Fields(line) {
		at = time.Duration(i) * wordEvery
		out = append(out, step{at, calls.Fact{Kind: calls.FactWords, Text: word}})
	}
	if len(out) == 0 {
		return nil
	}
	return append(out, step{at + pauseAfter, calls.Fact{Kind: calls.FactSilence}})
}
