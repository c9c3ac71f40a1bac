package analytics

import (
	"maps"
	"math"
	"slices"
)

// gamma makes a bucket's value differ from those in it by 1 % at most.
const gamma = 1.0202

// noTime is the bucket of durations that are zero.
const noTime = -1

// Sketch counts durations by bucket, in the way of DDSketch: bucket b holds those of
// gamma^(b-1) to gamma^b milliseconds. Sketches are merged by adding, in any order.
type Sketch map[int32]int64

// bin is the bucket of a duration in milliseconds. binSQL is the same in SQL.
func bin(ms int64) int32 {
	if ms <= 0 {
		return noTime
	}
	return int32(math.Ceil(math.Log(float64(ms)) / math.Log(gamma)))
}

const binSQL = `CASE WHEN duration_ms <= 0 THEN -1 ELSE ceil(ln(duration_ms::float8) / ln(1.0202::float8))::int END`

// Add counts one duration.
func (s Sketch) Add(ms int64) { s[bin(ms)]++ }

// Merge adds another sketch's counts.
func (s Sketch) Merge(o Sketch) {
	for b, n := range o {
		s[b] += n
	}
}

// Quantile is the duration, in milliseconds, below which the share q of all lies. It is
// within 1 % of one that was added; false without any.
func (s Sketch) Quantile(q float64) (float64, bool) {
	var all int64
	for _, n := range s {
		all += n
	}
	if all == 0 {
		return 0, false
	}
	rank := q * float64(all-1)
	var passed int64
	var last int32
	for _, last = range slices.Sorted(maps.Keys(s)) {
		if passed += s[last]; float64(passed) > rank {
			break
		}
	}
	if last == noTime {
		return 0, true
	}
	return 2 * math.Pow(gamma, float64(last)) / (gamma + 1), true
}

// arrays are the buckets and their counts, as rows keep them.
func (s Sketch) arrays() (bins []int32, counts []int64) {
	bins = slices.AppendSeq(make([]int32, 0, len(s)), maps.Keys(s))
	slices.Sort(bins)
	counts = make([]int64, len(bins))
	for i, b := range bins {
		counts[i] = s[b]
	}
	return bins, counts
}
