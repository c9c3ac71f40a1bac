package audit

import (
	"cmp"
	"maps"

	"github.com/parley-platform/parley/projections"
)

// Partition names one partition of the log.
type Partition struct {
	Topic  string
	Number int
}

func comparePartitions(a, b Partition) int {
	return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Number, b.Number))
}

// Positions is a place in the events of a tenant: for each partition the offset to
// go on at. Going forward, a partition that is absent has not been begun, so that
// positions are as long as the list of partitions in which the tenant has events.
// Going backward, offsets are exclusive and a partition that is absent is done.
type Positions map[Partition]int64

// Clone is a copy that can be changed.
func (p Positions) Clone() Positions {
	out := make(Positions, len(p)+1)
	maps.Copy(out, p)
	return out
}

// pick is an event that the page has room for.
type pick struct {
	place  Partition
	offset int64
}

// merge puts the candidates of all partitions into one order by time, without ever
// changing the order within a partition, and stops at the limit, or where a
// partition has not been looked at far enough to know whose turn it is.
func merge(tracks []*track, q Query, limit int) ([]pick, Page) {
	next := make([]int, len(tracks)) // of each track's candidates
	var picked []pick
	for len(picked) < limit {
		best := -1
		for i, t := range tracks {
			switch {
			case next[i] < len(t.found):
				if best < 0 || t.before(tracks[best], next[i], next[best], q.Descending) {
					best = i
				}
			case t.seen >= 0:
				return picked, end(tracks, next, q)
			}
		}
		if best < 0 {
			break
		}
		t := tracks[best]
		picked = append(picked, pick{t.place, t.found[next[best]].offset})
		next[best]++
	}
	return picked, end(tracks, next, q)
}

// before reports whether the candidate i of the track goes before j of another. At
// the same time, the order of the partitions decides.
func (t *track) before(o *track, i, j int, descending bool) bool {
	order := cmp.Or(t.found[i].time.Compare(o.found[j].time), comparePartitions(t.place, o.place))
	if descending {
		order = -order
	}
	return order < 0
}

// end is where the next page goes on, after so many candidates of each track.
func end(tracks []*track, next []int, q Query) Page {
	page := Page{Next: Positions{}}
	if !q.Descending {
		page.Next = q.From.Clone()
	}
	for i, t := range tracks {
		left := len(t.found) - next[i]
		page.More = page.More || left > 0 || t.seen >= 0
		if at, moved := t.behind(next[i], q.Descending); moved && (!q.Descending || left > 0 || t.seen >= 0) {
			page.Next[t.place] = at
		}
	}
	return page
}

// behind is the position of the track after n of its candidates.
func (t *track) behind(n int, descending bool) (at int64, moved bool) {
	step := int64(1)
	if descending {
		step = 0
	}
	switch {
	case n == len(t.found) && t.seen >= 0:
		return t.seen + step, true
	case n > 0:
		return t.found[n-1].offset + step, true
	case descending && len(t.found) > 0:
		return t.found[0].offset + 1, true
	}
	return 0, false
}

// columnsOf turns partitions into the arrays of a query.
func columnsOf(places []Partition) (topics []string, numbers []int32) {
	return projections.Column(places, func(p Partition) string { return p.Topic }),
		projections.Column(places, func(p Partition) int32 { return int32(p.Number) })
}
