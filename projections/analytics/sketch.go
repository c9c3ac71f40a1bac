package analytics

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"
)

// mostExact is of how many durations each is known as it was.
const mostExact = 1000

// significant is how many leading bits are known of each of more durations: it is in the
// middle of those that share them, so it is off by 1 in 256 at most, 0.4 %.
const significant = 8

// Sketch counts durations, in milliseconds: each as it is while there are a thousand at
// most, and by its leading bits when there are more. What it holds depends only on what
// was added, never on the order or on how it was merged. It is what a row of
// analytics_hours keeps; the zero value has none.
type Sketch struct {
	n         int64
	durations []int64 // ascending
	counts    []int64 // of each of them
}

// coarse is what is known of one of many durations. Of what is coarse it is the same.
func coarse(ms int64) int64 {
	shift := bits.Len64(uint64(ms)) - significant
	if shift <= 0 {
		return ms
	}
	return ms>>shift<<shift + 1<<(shift-1)
}

// Add counts one duration. Two clocks may disagree about an order: less than none is none.
func (s *Sketch) Add(ms int64) { s.count(max(0, ms), 1) }

func (s *Sketch) count(ms, times int64) {
	s.n += times
	if s.n > mostExact {
		if s.n-times <= mostExact {
			s.coarsen()
		}
		ms = coarse(ms)
	}
	i, found := slices.BinarySearch(s.durations, ms)
	if !found {
		s.durations, s.counts = slices.Insert(s.durations, i, ms), slices.Insert(s.counts, i, 0)
	}
	s.counts[i] += times
}

// coarsen forgets what is not known of many durations.
func (s *Sketch) coarsen() {
	kept := 0
	for i, ms := range s.durations {
		ms = coarse(ms)
		if kept > 0 && s.durations[kept-1] == ms {
			s.counts[kept-1] += s.counts[i]
			continue
		}
		s.durations[kept], s.counts[kept] = ms, s.counts[i]
		kept++
	}
	s.durations, s.counts = s.durations[:kept], s.counts[:kept]
}

// Merge adds another sketch's durations.
func (s *Sketch) Merge(o Sketch) {
	switch len(o.durations) {
	case 0:
		return
	case 1:
		s.count(o.durations[0], o.counts[0])
		return
	}
	most := len(s.durations) + len(o.durations)
	both := Sketch{n: s.n + o.n, durations: make([]int64, 0, most), counts: make([]int64, 0, most)}
	i, j := 0, 0
	for i < len(s.durations) || j < len(o.durations) {
		switch {
		case j == len(o.durations) || i < len(s.durations) && s.durations[i] < o.durations[j]:
			both.durations, both.counts = append(both.durations, s.durations[i]), append(both.counts, s.counts[i])
			i++
		case i == len(s.durations) || o.durations[j] < s.durations[i]:
			both.durations, both.counts = append(both.durations, o.durations[j]), append(both.counts, o.counts[j])
			j++
		default:
			both.durations, both.counts = append(both.durations, s.durations[i]), append(both.counts, s.counts[i]+o.counts[j])
			i, j = i+1, j+1
		}
	}
	if *s = both; s.n > mostExact {
		s.coarsen()
	}
}

// Percentile is the nearest rank: the least duration that is as long as at least this
// many in a hundred of all. Of a thousand or fewer it is one that was added; of more it
// is within 0.4 % of that. False without any.
func (s Sketch) Percentile(percent int64) (ms int64, ok bool) {
	if s.n == 0 {
		return 0, false
	}
	rank := max(1, (s.n*percent+99)/100)
	for i, n := range s.counts {
		if rank -= n; rank <= 0 {
			return s.durations[i], true
		}
	}
	return s.durations[len(s.durations)-1], true
}

// errNoSketch is why a row's bytes are no sketch.
var errNoSketch = errors.New("these are no durations and counts")

// bytes are the durations, each as its distance from the one before, and its count.
func (s Sketch) bytes() []byte {
	out, before := make([]byte, 0, 4*len(s.durations)), int64(0)
	for i, ms := range s.durations {
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(ms-before)), uint64(s.counts[i]))
		before = ms
	}
	return out
}

// sketchOf is the sketch that bytes gave.
func sketchOf(b []byte) (Sketch, error) {
	s, before := Sketch{durations: make([]int64, 0, len(b)/2), counts: make([]int64, 0, len(b)/2)}, int64(0)
	for len(b) > 0 {
		ms, read := binary.Uvarint(b)
		if read <= 0 {
			return Sketch{}, errNoSketch
		}
		n, more := binary.Uvarint(b[read:])
		if more <= 0 {
			return Sketch{}, errNoSketch
		}
		before += int64(ms)
		s.durations, s.counts, s.n, b = append(s.durations, before), append(s.counts, int64(n)), s.n+int64(n), b[read+more:]
	}
	return s, nil
}
