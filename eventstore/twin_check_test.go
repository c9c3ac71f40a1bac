package eventstore_test

import (
	"fmt"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// violation is a broken invariant.
type violation string

const (
	ackedLost      violation = "acked-lost"      // answered 2xx, and nothing of it is accepted
	wrongReply     violation = "wrong-reply"     // answered with something else than what was accepted
	executedTwice  violation = "executed-twice"  // one request, or one call, accepted more than once
	lied           violation = "lied"            // answered that nothing was done, and it was
	tornCommit     violation = "torn-commit"     // part of a decision accepted
	partialVisible violation = "partial-visible" // part of a decision readable
	ghostDecision  violation = "ghost-decision"  // accepted on another state than it was made on
	ghostAnswer    violation = "ghost-answer"    // answered on a state that never was
	diverged       violation = "diverged"        // the index is not the fold of the log
	staleAnswer    violation = "stale-answer"    // answered on less than was acknowledged before
	indexGap       violation = "index-gap"       // a version written without the one before
	resendDiffers  violation = "resend-differs"  // one commit id, two different bytes
	wrongState     violation = "wrong-state"     // answered with another state than the accepted events left
	stuck          violation = "stuck"           // a call without an answer although all is well again
)

func (t *twin) violated(v violation, format string, args ...any) {
	if _, known := t.found[v]; !known {
		t.found[v] = fmt.Sprintf(format, args...)
	}
}

func (t *twin) checkGaps() {
	for stream, records := range t.db.index {
		for i, r := range records {
			if r.Version != int64(i+1) {
				t.violated(indexGap, "version %d of %s is written in place %d", r.Version, stream, i+1)
			}
		}
	}
}

// truth is what a reader finds who starts at offset 0.
type truth struct {
	streams  map[string][]*eventstore.Record
	decided  map[string]map[string]int // accepted events by call and decision
	commits  map[string]string         // decision by commit id
	requests map[string]map[string]bool
	prints   map[string]map[uint64]bool  // every state each stream ever had
	states   map[string]map[int64]uint64 // the state at each version
}

func (t *twin) readAll() *truth {
	x := &truth{map[string][]*eventstore.Record{}, map[string]map[string]int{}, map[string]string{}, map[string]map[string]bool{},
		map[string]map[uint64]bool{}, map[string]map[int64]uint64{}}
	states := map[string]*notebook{}
	for _, commit := range t.judge(eventstore.HeadMap{}, t.log).Accepted {
		for _, e := range commit {
			r := e.Record
			s := states[r.Stream]
			if s == nil {
				s = &notebook{}
				states[r.Stream] = s
				x.prints[r.Stream] = map[uint64]bool{0: true}
				x.states[r.Stream] = map[int64]uint64{}
			}
			p, err := notebooks.Decode(r.Type, r.Data)
			if err != nil {
				panic(err)
			}
			n := p.(noted)
			if n.Part == 0 && n.Base != s.Print {
				t.violated(ghostDecision, "%s was decided on another state than it was accepted on, at offset %d", n.Text, e.Offset)
			}
			n.Apply(s)
			x.note(r, n)
			x.states[r.Stream][r.Version] = s.Print
			if r.CommitIndex == r.CommitSize-1 {
				x.prints[r.Stream][s.Print] = true
			}
		}
	}
	return x
}

func (x *truth) note(r *eventstore.Record, n noted) {
	x.streams[r.Stream] = append(x.streams[r.Stream], r)
	if x.decided[n.Call] == nil {
		x.decided[n.Call] = map[string]int{}
	}
	x.decided[n.Call][n.Text]++
	x.commits[r.Commit] = n.Text
	if r.RequestID != "" {
		key := r.Stream + " " + r.RequestID
		if x.requests[key] == nil {
			x.requests[key] = map[string]bool{}
		}
		x.requests[key][n.Text] = true
	}
}

// check compares everything that was answered with the truth.
func (t *twin) check() {
	x := t.readAll()
	for key, decisions := range x.requests {
		if len(decisions) > 1 {
			t.violated(executedTwice, "%s: %v", key, decisions)
		}
	}
	t.done["accepted"] += len(x.commits)
	for _, c := range t.calls {
		t.checkCall(x, c)
	}
	t.checkIndex(x)
}

func (t *twin) checkCall(x *truth, c *call) {
	if len(x.decided[c.name]) > 1 {
		t.violated(executedTwice, "%s: %v", c.name, x.decided[c.name])
	}
	for text, parts := range x.decided[c.name] {
		if parts != c.wish.parts {
			t.violated(tornCommit, "%d of %d events of %s are accepted", parts, c.wish.parts, text)
		}
	}
	switch {
	case !c.over:
		t.violated(stuck, "%s has no answer", c.name)
	case c.sawState():
		if !x.prints[c.wish.stream][c.saw.Print] && c.saw.Print != 0 {
			t.violated(ghostAnswer, "%s was answered on a state that never was", c.name)
		}
	case c.err == nil && len(c.res.Events) > 0 && !c.node.dead:
		t.checkReply(x, c)
	}
	if c.err != nil && !fault.Is(c.err, fault.OutcomeUnknown) && len(x.decided[c.name]) > 0 {
		t.violated(lied, "%s was answered %v, and %v was accepted", c.name, c.err, x.decided[c.name])
	}
}

func (t *twin) checkReply(x *truth, c *call) {
	first := c.res.Events[0]
	said := first.Payload.(noted).Text
	accepted, ok := x.commits[t.named(first.Commit)]
	switch {
	case !ok && len(x.requests[c.wish.stream+" "+c.wish.key]) == 0:
		t.violated(ackedLost, "%s was answered with %s, nothing of it is accepted", c.name, said)
	case accepted != said:
		t.violated(wrongReply, "%s was answered with %s, accepted is %q", c.name, said, accepted)
	case len(c.res.Events) != c.wish.parts:
		t.violated(wrongReply, "%s was answered with %d events of %d", c.name, len(c.res.Events), c.wish.parts)
	default:
		t.checkState(x, c)
	}
}

// checkState compares the state of an answer with that of its last event: also long after
// it was given, when others have changed the stream.
func (t *twin) checkState(x *truth, c *call) {
	last := c.res.Events[len(c.res.Events)-1]
	if s := c.res.State; s.Notes != last.Version || s.Print != x.states[last.Stream][last.Version] || !s.whole() {
		t.violated(wrongState, "%s was answered with version %d of %s, and a state of %d notes: %v",
			c.name, last.Version, last.Stream, s.Notes, s.Parts)
	}
}

// checkIndex compares the read model with the fold from offset 0.
func (t *twin) checkIndex(x *truth) {
	if t.db.next != t.judge(eventstore.HeadMap{}, t.log).Next {
		t.violated(diverged, "the projectors stopped at %d", t.db.next)
	}
	for stream := range t.db.index {
		if len(x.streams[stream]) == 0 {
			t.violated(diverged, "%s is in the index, the log has nothing of it", stream)
		}
	}
	for stream, records := range x.streams {
		got := t.db.index[stream]
		same := len(got) == len(records)
		for i := 0; same && i < len(got); i++ {
			same = got[i].ID == records[i].ID
		}
		if !same {
			t.violated(diverged, "the index has %d events of %s, the log %d, or others", len(got), stream, len(records))
		}
	}
}
