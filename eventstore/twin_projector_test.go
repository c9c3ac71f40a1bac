package eventstore_test

import "github.com/parley-platform/parley/eventstore"

// projector is one of several rivals for the partition. It keeps checkpoint, index
// and heads as the real one does: the two former move in one transaction with a
// compare-and-set on the checkpoint, the latter are its memory.
type projector struct {
	t     *twin
	node  int // whose waiters it tells
	ready bool
	next  int64
	heads *cachedHeads
	work  *judgement // judged, not yet written
}

type judgement struct {
	boot   int
	judged eventstore.Judged
}

// cachedHeads reads what it does not know from the database, and keeps changes
// apart until they are written.
type cachedHeads struct {
	db     *database
	known  eventstore.HeadMap
	staged eventstore.HeadMap
}

func (h *cachedHeads) Get(stream string) eventstore.Head {
	if s, ok := h.staged[stream]; ok {
		return s
	}
	if _, ok := h.known[stream]; !ok {
		h.known[stream] = h.db.head(stream)
	}
	return h.known[stream]
}

func (h *cachedHeads) Set(stream string, head eventstore.Head) { h.staged[stream] = head }

func (h *cachedHeads) keep() {
	for s, head := range h.staged {
		h.known[s] = head
	}
	h.staged = eventstore.HeadMap{}
}

// step judges the next entries, or writes what was judged: two steps, so that
// rivals and crashes come between.
func (p *projector) step() {
	if p.work != nil {
		p.write()
		return
	}
	t := p.t
	if !p.ready {
		p.ready, p.next = true, t.db.next
		p.heads = &cachedHeads{known: eventstore.HeadMap{}, staged: eventstore.HeadMap{}}
	}
	if p.next != t.db.next { // the heartbeat finds the row elsewhere
		p.lost()
		return
	}
	to := min(int(p.next)+1+t.rnd.IntN(4), len(t.log))
	if int(p.next) >= to {
		return
	}
	p.heads.db = t.db
	var judged eventstore.Judged
	for ; ; to++ { // a fetch brings whole commits, if they are there
		p.heads.staged = eventstore.HeadMap{}
		judged = t.judge(p.heads, t.log[p.next:to])
		if judged.Next > p.next || to == len(t.log) {
			break
		}
	}
	if judged.Next > p.next {
		p.work = &judgement{boot: t.db.boot, judged: judged}
	}
}

// write is the transaction: checkpoint and index, if the checkpoint is where it was.
func (p *projector) write() {
	t, w := p.t, p.work
	p.work = nil
	if t.db.boot != w.boot || t.db.next != p.next {
		p.lost()
		return
	}
	accepted, next := w.judged.Accepted, w.judged.Next
	if t.off == transactionEndsInsideCommit {
		accepted, next = cut(accepted, next)
	}
	t.db = t.db.with(next, accepted)
	t.checkGaps()
	t.hist = append(t.hist, t.db)
	p.next = next
	p.heads.keep()
	if t.rnd.IntN(6) == 0 { // the answer was lost, or the process died
		p.lost()
		return
	}
	n := t.nodes[p.node]
	if n.boot == t.db.boot {
		n.passed = max(n.passed, next)
		for _, commit := range accepted {
			n.told[commit[0].Record.Commit] = true
		}
		n.wake()
	}
}

// cut ends a transaction after the first record of its last commit.
func cut(accepted [][]eventstore.Entry, next int64) ([][]eventstore.Entry, int64) {
	if len(accepted) == 0 || len(accepted[len(accepted)-1]) < 2 {
		return accepted, next
	}
	last := accepted[len(accepted)-1]
	return append(accepted[:len(accepted)-1:len(accepted)-1], last[:1]), last[0].Offset + 1
}

// lost starts over from the row.
func (p *projector) lost() {
	if p.t.off == headsKept && p.heads != nil {
		p.heads.keep() // what the failed transaction changed stays, too
		p.next = p.t.db.next
		return
	}
	p.ready = false
}

// judge is the accept rule, or what is left of it.
func (t *twin) judge(heads eventstore.Heads, entries []eventstore.Entry) eventstore.Judged {
	switch t.off {
	case parentUnchecked:
		return judgeByVersion(heads, entries)
	case tornAccepted:
		return judgeEach(heads, entries)
	}
	return eventstore.Arbitrate(heads, entries)
}

// judgeByVersion is the accept rule without the parent.
func judgeByVersion(heads eventstore.Heads, entries []eventstore.Entry) eventstore.Judged {
	blind := make([]eventstore.Entry, len(entries))
	for i, e := range entries {
		blind[i] = e
		if e.Record != nil {
			r := *e.Record
			r.Parent = ""
			blind[i].Record = &r
		}
	}
	return eventstore.Arbitrate(blindHeads{heads}, blind)
}

type blindHeads struct{ eventstore.Heads }

func (b blindHeads) Get(stream string) eventstore.Head {
	h := b.Heads.Get(stream)
	h.Commit = ""
	return h
}

// judgeEach is the accept rule record by record, not commit by commit.
func judgeEach(heads eventstore.Heads, entries []eventstore.Entry) eventstore.Judged {
	out := eventstore.Judged{Next: entries[0].Offset}
	for i, e := range entries {
		out.Next = e.Offset + 1
		r := e.Record
		if r == nil {
			continue
		}
		h := heads.Get(r.Stream)
		if r.Version == h.Version+1 && (r.CommitIndex == 0 && r.Parent == h.Commit || r.CommitIndex > 0 && r.Commit == h.Commit) {
			heads.Set(r.Stream, eventstore.Head{Version: r.Version, Commit: r.Commit, Tenant: r.Tenant})
			out.Accepted = append(out.Accepted, entries[i:i+1])
		}
	}
	return out
}
