package audit

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	calls0    = Partition{"parley.calls", 0}
	calls1    = Partition{"parley.calls", 1}
	messages0 = Partition{"parley.messages", 0}
)

// of is a track whose candidates are pairs of an offset and a second.
func of(place Partition, seen int64, pairs ...int64) *track {
	t := &track{place: place, seen: seen}
	for i := 0; i < len(pairs); i += 2 {
		t.found = append(t.found, candidate{pairs[i], time.Unix(pairs[i+1], 0)})
	}
	return t
}

func TestAPageIsInTheOrderOfTimeAndWithinAPartitionInThatOfOffsets(t *testing.T) {
	for _, c := range []struct {
		name   string
		tracks []*track
		q      Query
		limit  int
		want   []pick
		next   Positions
		more   bool
	}{
		{name: "nothing", limit: 5, next: Positions{}},
		{name: "two partitions by time", limit: 5, tracks: []*track{of(calls0, -1, 4, 10, 9, 30), of(calls1, -1, 7, 20)},
			want: []pick{{calls0, 4}, {calls1, 7}, {calls0, 9}}, next: Positions{calls0: 10, calls1: 8}},
		{name: "a clock that went back does not turn a partition round", limit: 5,
			tracks: []*track{of(calls0, -1, 1, 50, 2, 10), of(calls1, -1, 1, 20)},
			want:   []pick{{calls1, 1}, {calls0, 1}, {calls0, 2}}, next: Positions{calls0: 3, calls1: 2}},
		{name: "at one time by topic, then by number", limit: 5,
			tracks: []*track{of(messages0, -1, 1, 10), of(calls1, -1, 1, 10), of(calls0, -1, 1, 10)},
			want:   []pick{{calls0, 1}, {calls1, 1}, {messages0, 1}}, next: Positions{calls0: 2, calls1: 2, messages0: 2}},
		{name: "at one time backward the other way round", limit: 5, q: Query{Descending: true},
			tracks: []*track{of(calls0, -1, 1, 10), of(calls1, -1, 1, 10), of(messages0, -1, 1, 10)},
			want:   []pick{{messages0, 1}, {calls1, 1}, {calls0, 1}}, next: Positions{}},
		{name: "the limit leaves the rest", limit: 2, tracks: []*track{of(calls0, -1, 4, 10, 9, 30), of(calls1, -1, 7, 20)},
			want: []pick{{calls0, 4}, {calls1, 7}}, next: Positions{calls0: 5, calls1: 8}, more: true},
		{name: "a limit that is just enough leaves nothing", limit: 3, tracks: []*track{of(calls0, -1, 4, 10, 9, 30), of(calls1, -1, 7, 20)},
			want: []pick{{calls0, 4}, {calls1, 7}, {calls0, 9}}, next: Positions{calls0: 10, calls1: 8}},
		{name: "one that was not looked at to its end stops the page", limit: 5, tracks: []*track{of(calls0, 99, 4, 10), of(calls1, -1, 7, 20)},
			want: []pick{{calls0, 4}}, next: Positions{calls0: 100}, more: true},
		{name: "a partition with nothing that fits goes on behind what was looked at", limit: 5, tracks: []*track{of(calls0, 99)},
			next: Positions{calls0: 100}, more: true},
		{name: "the first offset of a partition is one like any other", limit: 5, tracks: []*track{of(calls0, 0), of(calls1, -1, 7, 20)},
			next: Positions{calls0: 1}, more: true},
		{name: "what was reached before stays reached", limit: 5, q: Query{From: Positions{messages0: 12, calls0: 3}},
			tracks: []*track{of(calls0, -1, 4, 10), of(messages0, -1)},
			want:   []pick{{calls0, 4}}, next: Positions{calls0: 5, messages0: 12}},
		{name: "backward, done ones are left out", limit: 2, q: Query{Descending: true},
			tracks: []*track{of(calls0, -1, 9, 30, 4, 10), of(calls1, -1, 7, 20)},
			want:   []pick{{calls0, 9}, {calls1, 7}}, next: Positions{calls0: 9}, more: true},
		{name: "backward, one that was not begun goes on at its newest", limit: 1, q: Query{Descending: true},
			tracks: []*track{of(calls0, -1, 9, 30), of(calls1, -1, 7, 20)},
			want:   []pick{{calls0, 9}}, next: Positions{calls1: 8}, more: true},
		{name: "backward, what was looked at is not looked at again", limit: 5, q: Query{Descending: true},
			tracks: []*track{of(calls0, 5, 9, 30)}, want: []pick{{calls0, 9}}, next: Positions{calls0: 5}, more: true},
		{name: "backward, the first offset may fit yet", limit: 5, q: Query{Descending: true},
			tracks: []*track{of(calls0, 0, 9, 30)}, want: []pick{{calls0, 9}}, next: Positions{calls0: 0}, more: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := c.q.From.Clone()
			picked, page := merge(c.tracks, c.q, c.limit)
			require.Equal(t, c.want, picked)
			require.Equal(t, c.next, page.Next)
			require.Equal(t, c.more, page.More)
			if c.q.From != nil {
				require.Equal(t, before, c.q.From, "the caller's positions are the caller's")
			}
		})
	}
}

// Given any events in any partitions, with clocks that disagree: pages of any size, and
// however little of a partition is looked at for each, give all of them once, those of
// a partition in their order.
func TestPagesTogetherAreAllEventsOnce(t *testing.T) {
	for seed := range uint64(300) {
		draw := rand.New(rand.NewPCG(seed, 1))
		all := map[Partition][]candidate{}
		for _, p := range []Partition{calls0, calls1, messages0} {
			offset := int64(0)
			for range draw.IntN(9) {
				offset += 1 + draw.Int64N(3)
				all[p] = append(all[p], candidate{offset, time.Unix(draw.Int64N(6), 0)})
			}
		}
		for _, descending := range []bool{false, true} {
			limit, sight := 1+draw.IntN(4), 1+draw.IntN(4)
			q, got := Query{Descending: descending, Limit: limit}, map[Partition][]int64{}
			for pages := 0; ; pages++ {
				require.Less(t, pages, 100, "seed %d: pages that do not end", seed)
				tracks := looked(all, q, sight)
				draw.Shuffle(len(tracks), func(i, j int) { tracks[i], tracks[j] = tracks[j], tracks[i] }) // their order tells nothing
				picked, page := merge(tracks, q, limit)
				require.LessOrEqual(t, len(picked), limit)
				for _, p := range picked {
					got[p.place] = append(got[p.place], p.offset)
				}
				if q.From = page.Next; !page.More {
					break
				}
			}
			for p, want := range all {
				offsets := make([]int64, len(want))
				for i, c := range want {
					offsets[i] = c.offset
				}
				if descending {
					slices.Reverse(offsets)
				}
				require.Equal(t, offsets, got[p], "seed %d, descending %t", seed, descending)
			}
		}
	}
}

// looked are the tracks of a page that looks at so many events of each partition.
func looked(all map[Partition][]candidate, q Query, sight int) (out []*track) {
	for _, p := range []Partition{calls0, calls1, messages0} {
		from, open := q.From[p]
		if q.Descending && q.From != nil && !open {
			continue
		}
		list := slices.Clone(all[p])
		if q.Descending {
			slices.Reverse(list)
		}
		list = slices.DeleteFunc(list, func(c candidate) bool {
			return open && (q.Descending && c.offset >= from || !q.Descending && c.offset < from)
		})
		t := &track{place: p, found: list, seen: -1}
		if len(list) > sight {
			t.found, t.seen = list[:sight], list[sight-1].offset
		}
		out = append(out, t)
	}
	return out
}

// What a question asks for stands in its arguments, never in its text, and the rule of
// each filter in its text.
func TestFiltersAreArgumentsOfAQuestion(t *testing.T) {
	since, until := time.Unix(1, 0), time.Unix(2, 0)
	hostile := `'; DROP TABLE events; --`
	for _, c := range []struct {
		name     string
		q        Query
		args     []any // behind tenant, topics, numbers, positions and limit
		contains []string
		without  []string
	}{
		{name: "none", contains: []string{"log_offset >= p.next", "ORDER BY log_offset ASC", "LIMIT 10000"}, without: []string{"MATERIALIZED"}},
		{name: "backward", q: Query{Descending: true}, contains: []string{"log_offset < p.next", "ORDER BY log_offset DESC"}},
		{name: "from and to", q: Query{Since: since, Until: until}, args: []any{since, until},
			contains: []string{"time >= $6", "time < $7"}},
		{name: "a type, or any version of it", q: Query{Type: hostile}, args: []any{hostile},
			contains: []string{"(type = $6 OR starts_with(type, $6 || '.v'))"}},
		{name: "a stream", q: Query{Stream: hostile}, args: []any{hostile},
			contains: []string{"tenant = $1 AND stream = $6", "MATERIALIZED"}},
		{name: "a request", q: Query{Correlation: hostile}, args: []any{hostile}, contains: []string{"tenant = $1 AND correlation_id = $6"}},
		{name: "a stream of a request", q: Query{Stream: "s", Correlation: "c"}, args: []any{"c", "s"},
			contains: []string{"tenant = $1 AND stream = $7", "AND correlation_id = $6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.q.Tenant, c.q.Limit = "acme", 20
			sql, args := c.q.scan([]string{"t"}, []int32{1}, []int64{2})
			require.Equal(t, append([]any{"acme", []string{"t"}, []int32{1}, []int64{2}, 21}, c.args...), args)
			for _, part := range c.contains {
				require.Contains(t, sql, part)
			}
			for _, part := range append(c.without, hostile) {
				require.NotContains(t, sql, part)
			}
		})
	}
}
