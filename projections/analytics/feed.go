package analytics

import (
	"sync"

	"github.com/parley-platform/parley/projections/sink"
)

// The most that a feed holds: what the writer lacks beyond that is on the log.
const (
	mostFed      = 20_000
	mostFedBytes = 16 << 20
)

// Feed is what the engine of this node has projected and the analytics have not written
// yet: its events as they were judged and decoded, so that nobody reads them from the log,
// asks the index what counts and decodes them once more. It promises nothing. What was
// lost on the way, or came while another node wrote, is read from the log.
type Feed struct {
	mu      sync.Mutex
	wanted  bool // this node writes the analytics
	parts   map[sink.Place][]sink.Passage
	records int
	bytes   int
}

// bytesOf is what a passage takes of the room of a feed.
func bytesOf(x sink.Passage) (n int) {
	for _, r := range x.Records {
		n += len(r.Data)
	}
	return n
}

// NewFeed is an empty feed.
func NewFeed() *Feed { return &Feed{parts: map[sink.Place][]sink.Passage{}} }

// Wanted tells whether this node writes the analytics.
func (f *Feed) Wanted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.wanted
}

// Give takes what was projected, if somebody here will write it.
func (f *Feed) Give(x sink.Passage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.wanted {
		return
	}
	if held := f.parts[x.Place]; len(held) > 0 && held[len(held)-1].To != x.From {
		// Something between them was not told, or it is projected again.
		f.drop(x.Place, len(held))
	}
	f.records, f.bytes = f.records+len(x.Records), f.bytes+bytesOf(x)
	f.parts[x.Place] = append(f.parts[x.Place], x)
	if f.records > mostFed || f.bytes > mostFedBytes {
		f.clear()
	}
}

// want says whether this node writes the analytics.
func (f *Feed) want(yes bool) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.wanted = yes; !yes {
		f.clear()
	}
}

// take gives, and forgets, about so many records that follow an offset, as far as the
// checkpoint of the awaited read models. Where it has none of them, it says up to where the
// log is to be read instead.
func (f *Feed) take(g gap, most int) (fed []sink.Passage, read int64) {
	if f == nil {
		return nil, g.end
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	at := g.Place
	held, passed := f.parts[at], 0
	for passed < len(held) && held[passed].From < g.next {
		passed++
	}
	held, read = held[passed:], g.end
	if len(held) > 0 {
		read = min(read, held[0].From)
	}
	if read == g.next {
		for records := 0; len(fed) < len(held) && held[len(fed)].To <= g.end && records < most; {
			records += len(held[len(fed)].Records)
			fed = held[:len(fed)+1]
		}
	}
	f.drop(at, passed+len(fed))
	if read == g.next && len(fed) == 0 { // its first passage ends behind the checkpoint: the log is read
		f.drop(at, len(f.parts[at]))
		read = g.end
	}
	return fed, read
}

// drop forgets the first passages of a partition.
func (f *Feed) drop(at sink.Place, n int) {
	for _, x := range f.parts[at][:n] {
		f.records, f.bytes = f.records-len(x.Records), f.bytes-bytesOf(x)
	}
	if f.parts[at] = f.parts[at][n:]; len(f.parts[at]) == 0 {
		delete(f.parts, at)
	}
}

func (f *Feed) clear() {
	clear(f.parts)
	f.records, f.bytes = 0, 0
}
