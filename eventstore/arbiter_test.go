package eventstore

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// id is a commit id that tests can name.
func id(name string) string {
	if name == "" {
		return ""
	}
	return uuid.NewSHA1(uuid.Nil, []byte(name)).String()
}

// written is one record on the log: part of a commit of stream s by tenant acme.
func written(commit, parent string, version int64, index, size int) Entry {
	r := &Record{Stream: "s", Tenant: "acme", Version: version, Commit: id(commit), CommitIndex: index, CommitSize: size}
	if index == 0 {
		r.Parent = id(parent)
	}
	return Entry{Record: r}
}

// whole is a commit as its writer sends it: size records from the version on.
func whole(commit, parent string, version int64, size int) (out []Entry) {
	for i := range size {
		out = append(out, written(commit, parent, version+int64(i), i, size))
	}
	return out
}

func of(e []Entry, change func(*Record)) []Entry {
	for _, x := range e {
		change(x.Record)
	}
	return e
}

var (
	genesisEntry = Entry{}
	badEntry     = Entry{Err: errors.New("no ce_tenant")}
)

// onLog numbers entries; a jump is made with an entry that already has an offset.
func onLog(parts ...[]Entry) (out []Entry) {
	for _, p := range parts {
		for _, e := range p {
			if n := len(out); n > 0 && e.Offset == 0 {
				e.Offset = out[n-1].Offset + 1
			}
			out = append(out, e)
		}
	}
	return out
}

func at(offset int64, e []Entry) []Entry {
	for i := range e {
		e[i].Offset = offset + int64(i)
	}
	return e
}

func TestTheAcceptRule(t *testing.T) {
	one := func(e Entry) []Entry { return []Entry{e} }
	foreign := func(r *Record) { r.Tenant = "evil" }
	other := func(r *Record) { r.Stream = "t" }
	for name, c := range map[string]struct {
		log      []Entry
		accepted []int64 // offsets of the first records
		skipped  map[int64]Reason
		next     int64
	}{
		"nothing":            {nil, nil, nil, 0},
		"a chain of commits": {onLog(whole("a", "", 1, 2), whole("b", "a", 3, 1)), []int64{0, 2}, nil, 3},
		"streams do not mind each other": {onLog(whole("a", "", 1, 1), of(whole("x", "", 1, 1), other), whole("b", "a", 2, 1)), []int64{0, 1, 2},
			nil, 3},
		"the same commit again": {onLog(whole("a", "", 1, 2), whole("a", "", 1, 2)), []int64{0}, map[int64]Reason{2: Duplicate}, 4},
		"the same commit again, later": {onLog(whole("a", "", 1, 1), whole("b", "a", 2, 1), whole("a", "", 1, 1)), []int64{0, 1},
			map[int64]Reason{2: Superseded}, 3},
		"two decided on the same head": {onLog(whole("a", "", 1, 1), whole("b", "a", 2, 1), whole("c", "a", 2, 2)), []int64{0, 1},
			map[int64]Reason{2: Superseded}, 4},
		"decided on a loser": {onLog(whole("a", "", 1, 1), whole("b", "", 1, 1), whole("c", "b", 2, 1)), []int64{0},
			map[int64]Reason{1: Superseded, 2: Superseded}, 3},
		"right version, wrong parent":  {onLog(whole("a", "", 1, 1), whole("b", "x", 2, 1)), []int64{0}, map[int64]Reason{1: Superseded}, 2},
		"right parent, wrong version":  {onLog(whole("a", "", 1, 1), whole("b", "a", 3, 1)), []int64{0}, map[int64]Reason{1: Superseded}, 2},
		"a first commit with a parent": {onLog(whole("a", "x", 1, 1)), nil, map[int64]Reason{0: Superseded}, 1},
		"late, but its head has come": {onLog(whole("b", "a", 2, 1), whole("a", "", 1, 1), whole("b", "a", 2, 1)), []int64{1, 2},
			map[int64]Reason{0: Superseded}, 3},

		"torn in the middle":           {onLog(whole("a", "", 1, 3)[:2], whole("b", "", 1, 1)), []int64{2}, map[int64]Reason{0: Torn}, 3},
		"torn, then sent again":        {onLog(whole("a", "", 1, 3)[:1], whole("a", "", 1, 3)), []int64{1}, map[int64]Reason{0: Torn}, 4},
		"a tail without its beginning": {onLog(whole("a", "", 1, 3)[1:], whole("b", "", 1, 1)), []int64{2}, map[int64]Reason{0: Torn}, 3},
		"a tail alone at the end":      {onLog(whole("a", "", 1, 3)[1:]), nil, map[int64]Reason{0: Torn}, 2},
		"a tail that is only a part":   {onLog(whole("a", "", 1, 4)[1:3]), nil, map[int64]Reason{0: Torn}, 2},
		"a hole inside": {onLog(one(whole("a", "", 1, 3)[0]), one(whole("a", "", 1, 3)[2]), whole("b", "", 1, 1)), []int64{2},
			map[int64]Reason{0: Torn, 1: Torn}, 3},
		"two in one another": {onLog(one(whole("a", "", 1, 2)[0]), whole("b", "", 1, 1), one(whole("a", "", 1, 2)[1])), []int64{1},
			map[int64]Reason{0: Torn, 2: Torn}, 3},
		"malformed inside": {onLog(whole("a", "", 1, 2)[:1], one(badEntry), whole("a", "", 1, 2)[1:]), nil,
			map[int64]Reason{0: Torn, 1: Malformed, 2: Torn}, 3},
		"another commit's end": {onLog(whole("a", "", 1, 2)[:1], whole("b", "", 1, 2)[1:]), nil, map[int64]Reason{0: Torn, 1: Torn}, 2},
		"another stream's end": {onLog(whole("a", "", 1, 2)[:1], of(whole("a", "", 1, 2)[1:], other)), nil,
			map[int64]Reason{0: Torn, 1: Torn}, 2},
		"another tenant's end": {onLog(whole("a", "", 1, 2)[:1], of(whole("a", "", 1, 2)[1:], foreign)), nil,
			map[int64]Reason{0: Torn, 1: Torn}, 2},
		"versions that do not follow": {onLog(one(written("a", "", 1, 0, 2)), one(written("a", "", 3, 1, 2))), nil,
			map[int64]Reason{0: Torn, 1: Torn}, 2},
		"indexes that do not follow": {onLog(one(written("a", "", 1, 0, 3)), one(written("a", "", 2, 2, 3)), one(written("a", "", 3, 1, 3))),
			nil, map[int64]Reason{0: Torn, 1: Torn, 2: Torn}, 3},
		"sizes that differ": {onLog(one(written("a", "", 1, 0, 2)), one(written("a", "", 2, 1, 3))), nil,
			map[int64]Reason{0: Torn, 1: Torn}, 2},
		"offsets that do not follow": {onLog(whole("a", "", 1, 2)[:1], at(7, whole("a", "", 1, 2)[1:])), nil,
			map[int64]Reason{0: Torn, 7: Torn}, 8},
		"offsets may jump in between":   {onLog(whole("a", "", 1, 1), at(7, whole("b", "a", 2, 2))), []int64{0, 7}, nil, 9},
		"incomplete at the end":         {onLog(whole("a", "", 1, 1), whole("b", "a", 2, 3)[:2]), []int64{0}, nil, 1},
		"incomplete from the beginning": {at(5, whole("a", "", 1, 2)[:1]), nil, nil, 5},

		"another tenant": {onLog(whole("a", "", 1, 1), of(whole("b", "a", 2, 1), foreign), whole("c", "a", 2, 1)), []int64{0, 2},
			map[int64]Reason{1: Foreign}, 3},
		"the first one is the owner": {onLog(of(whole("b", "", 1, 1), foreign), whole("a", "b", 2, 1)), []int64{0}, map[int64]Reason{1: Foreign},
			2},
		"malformed stops nothing": {onLog(one(badEntry), whole("a", "", 1, 1), one(badEntry)), []int64{1}, map[int64]Reason{0: Malformed,
			2: Malformed}, 3},
		"genesis":                 {onLog(one(genesisEntry), whole("a", "", 1, 1)), []int64{1}, nil, 2},
		"nodes raced for genesis": {onLog(one(genesisEntry), one(genesisEntry), whole("a", "", 1, 1)), []int64{2}, nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			got := Arbitrate(HeadMap{}, c.log)
			var accepted []int64
			for _, commit := range got.Accepted {
				accepted = append(accepted, commit[0].Offset)
				require.Len(t, commit, commit[0].Record.CommitSize)
			}
			skipped := map[int64]Reason{}
			for _, s := range got.Skipped {
				skipped[s.Offset] = s.Reason
			}
			if c.skipped == nil {
				c.skipped = map[int64]Reason{}
			}
			require.Equal(t, c.accepted, accepted)
			require.Equal(t, c.skipped, skipped)
			require.Equal(t, c.next, got.Next)
		})
	}
}

// sized makes each record count for so many bytes: give it only those that are used.
func sized(commit []Entry, bytes int) []Entry {
	return of(commit, func(r *Record) { r.Data = make([]byte, bytes-r.size()) })
}

// A commit that is larger than any may be is torn as soon as that shows: nobody reads
// on for the rest of it.
func TestNoCommitIsLargerThanItMayBe(t *testing.T) {
	half := MaxCommitBytes / 2
	for name, c := range map[string]struct {
		log      []Entry
		accepted int
		skipped  []Reason
		next     int64
	}{
		"as large as it may be": {onLog(sized(whole("a", "", 1, 2), half)), 1, nil, 2},
		"one byte more": {onLog(sized(whole("a", "", 1, 1), half), sized(whole("b", "a", 2, 2), half+1)), 1,
			[]Reason{Torn, Torn}, 3},
		"too large, without its end": {onLog(sized(whole("a", "", 1, 1000)[:3], half)), 0, []Reason{Torn, Torn}, 3},
		"not too large yet":          {onLog(sized(whole("a", "", 1, 1000)[:2], half)), 0, nil, 0},
		"too large, and something follows": {onLog(sized(whole("a", "", 1, 1000)[:5], half), whole("b", "", 1, 1)), 1, []Reason{Torn, Torn, Torn},
			6},
	} {
		t.Run(name, func(t *testing.T) {
			got := Arbitrate(HeadMap{}, c.log)
			var reasons []Reason
			for _, s := range got.Skipped {
				reasons = append(reasons, s.Reason)
			}
			require.Len(t, got.Accepted, c.accepted)
			require.Equal(t, c.skipped, reasons)
			require.Equal(t, c.next, got.Next)
			for cut := range c.log { // wherever the log was cut meanwhile
				heads := HeadMap{}
				first := Arbitrate(heads, c.log[:cut])
				rest := Arbitrate(heads, c.log[first.Next:])
				require.Len(t, append(first.Accepted, rest.Accepted...), c.accepted)
				require.Equal(t, c.next, max(first.Next, rest.Next))
			}
		})
	}
}

func TestAnIncompleteCommitIsAcceptedWhenTheRestComes(t *testing.T) {
	heads := HeadMap{}
	log := onLog(whole("a", "", 1, 3), whole("b", "a", 4, 1))
	got := Arbitrate(heads, log[:2])
	require.Empty(t, got.Accepted)
	require.Empty(t, got.Skipped)
	require.Zero(t, got.Next)
	got = Arbitrate(heads, log[got.Next:])
	require.Len(t, got.Accepted, 2)
	require.Equal(t, Head{Version: 4, Commit: id("b"), Tenant: "acme"}, heads["s"])
}

func TestTheJudgementDoesNotDependOnHowTheLogIsCut(t *testing.T) {
	log := onLog([]Entry{genesisEntry}, whole("a", "", 1, 2), whole("b", "a", 3, 3), []Entry{badEntry}, whole("c", "a", 3, 1),
		whole("b", "a", 3, 3), whole("d", "b", 6, 2)[:1], whole("e", "b", 6, 2))
	all := Arbitrate(HeadMap{}, log)
	for step := 1; step <= len(log); step++ {
		heads, from := HeadMap{}, 0
		var accepted [][]Entry
		for to := step; from < len(log); to += step {
			got := Arbitrate(heads, log[from:min(to, len(log))])
			accepted = append(accepted, got.Accepted...)
			from = int(got.Next)
		}
		require.Equal(t, all.Accepted, accepted, "read %d at a time", step)
	}
}

func TestASkipTellsWhatWasSkipped(t *testing.T) {
	got := Arbitrate(HeadMap{}, onLog([]Entry{badEntry}, whole("a", "x", 1, 2)))
	require.Equal(t, []Skip{
		{Offset: 0, Records: 1, Reason: Malformed, Err: badEntry.Err},
		{Offset: 1, Records: 2, Reason: Superseded, Record: got.Skipped[1].Record},
	}, got.Skipped)
	require.Equal(t, id("a"), got.Skipped[1].Record.Commit)
}
