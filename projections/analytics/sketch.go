package analytics

import (
	"math"
	"slices"
)

// gamma makes a bucket's value differ from those in it by 1 % at most.
const gamma = 1.0202

// noTime is the bucket of durations that are zero.
const noTime = -1

// Sketch counts durations by bucket, in the way of DDSketch: bucket b holds those of
// gamma^(b-1) to gamma^b milliseconds. Sketches are merged by adding, in any order. It is
// what a row of analytics_hours keeps; the zero value has none.
type Sketch struct {
	bins   []int32 // ascending
	counts []int64 // of each of the bins
}

// bin is the bucket of a duration in milliseconds. binSQL is the same in SQL.
func bin(ms int64) int32 {
	if ms <= 0 {
		return noTime
	}
	return int32(math.Ceil(math.Log(float64(ms)) / math.Log(gamma)))
}

const binSQL = `CASE WHEN duration_ms <= 0 THEN -1 ELSE ceil(ln(duration_ms::float8) / ln(1.0202::float8))::int END`

// Add counts one duration.
func (s *Sketch) Add(ms int64) { s.count(bin(ms), 1) }

// Merge adds another sketch's counts.
func (s *Sketch) Merge(o Sketch) {
	if len(s.bins) == 0 { // as it mostly is: each hour's row is read once
		s.bins, s.counts = slices.Clone(o.bins), slices.Clone(o.counts)
		return
	}
	for i, b := range o.bins {
		s.count(b, o.counts[i])
	}
}

func (s *Sketch) count(bin int32, times int64) {
	i, found := slices.BinarySearch(s.bins, bin)
	if !found {
		s.bins, s.counts = slices.Insert(s.bins, i, bin), slices.Insert(s.counts, i, 0)
	}
	s.counts[i] += times
}

// Quantile is the duration, in milliseconds, below which the share q of all lies. It is
// within 1 % of one that was added; false without any.
func (s Sketch) Quantile(q float64) (float64, bool) {
	var all int64
	for _, n := range s.counts {
		all += n
	}
	if all == 0 {
		return 0, false
	}
	rank := q * float64(all-1)
	var passed int64
	var last int32
	for i, n := range s.counts {
		last = s.bins[i]
		if passed += n; float64(passed) > rank {
			break
		}
	}
	if last == noTime {
		return 0, true
	}
	return 2 * math.Pow(gamma, float64(last)) / (gamma + 1), true
}
