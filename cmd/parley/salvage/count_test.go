package salvage

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
	"github.com/parley-platform/parley/eventstore"
)

func TestEachPartitionOfTheLogIsReadOnceFromItsFirstLoss(t *testing.T) {
	require.Equal(t, []gap{{"parley.calls", 1, 7}, {"parley.calls", 0, 3}, {"parley.sessions", 1, 0}}, gaps([]logfolder.Missing{
		{Topic: "parley.calls", Partition: 1, From: 7, To: 9}, {Topic: "__consumer_offsets", From: 1, To: 2},
		{Topic: "parley.calls", Partition: 0, From: 3, To: 4}, {Topic: "parley.calls", Partition: 1, From: 20, To: 30},
		{Topic: "parley.poison", From: 0, To: 1}, {Topic: "parley.sessions", Partition: 1, From: 0, To: 1}}))
	require.Empty(t, gaps(nil))
}

// salvaged is a log with one partition, that is read a few entries at a time.
type salvaged struct {
	entries  []eventstore.Entry
	piece    int
	attached []string
	end      int64 // 0: behind the last entry
	down     map[string]error
}

func (s *salvaged) Partitions(topic string) (int, error) {
	if len(s.attached) == 0 {
		return 0, errors.New("not opened")
	}
	return 1, nil
}

func (s *salvaged) Attach(_ context.Context, topics ...string) error {
	s.attached = append(s.attached, topics...)
	return s.down["Attach"]
}

func (s *salvaged) Ends(context.Context) (map[string]map[int]int64, error) {
	end := s.end
	if end == 0 {
		end = int64(len(s.entries))
	}
	return map[string]map[int]int64{"parley.calls": {1: end}}, s.down["Ends"]
}

func (s *salvaged) Fetch(_ context.Context, _ string, _ int, offset int64) (eventstore.Fetched, error) {
	from := min(int(offset), len(s.entries))
	return eventstore.Fetched{Entries: s.entries[from:min(from+s.piece, len(s.entries))]}, s.down["Fetch"]
}

// commit is one of a stream at the next version: its id, and the one that it was decided on.
type commit struct {
	stream, id, parent string
	version            int64
	size               int // 0: 1
	torn               int // so many of its records are not there
}

// lost stands at an offset that is lost.
var lost = commit{}

func logOf(commits ...commit) (entries []eventstore.Entry) {
	for _, c := range commits {
		if c == lost {
			entries = append(entries, eventstore.Entry{Offset: int64(len(entries))})
			continue
		}
		size := max(1, c.size)
		for i := c.torn; i < size; i++ {
			entries = append(entries, eventstore.Entry{Offset: int64(len(entries)), Record: &eventstore.Record{Stream: c.stream, Commit: c.id,
				Parent: c.parent, Version: c.version + int64(i), CommitIndex: i, CommitSize: size, Tenant: "acme"}})
		}
	}
	return entries
}

// What is lost takes those with it that were decided on it, and those on these; a commit that
// lost a race did not count before either.
func TestCommitsThatCountNoMoreAreCounted(t *testing.T) {
	for name, c := range map[string]struct {
		log   []commit
		first int64 // loss
		want  int
	}{
		"nothing is lost":                  {[]commit{{"a", "1", "", 1, 0, 0}, {"a", "2", "1", 2, 0, 0}}, 9, 0},
		"the end of a stream":              {[]commit{{"a", "1", "", 1, 0, 0}, lost}, 1, 0},
		"one in the middle, and so all on": {[]commit{{"a", "1", "", 1, 0, 0}, lost, {"a", "3", "2", 3, 0, 0}, {"a", "4", "3", 4, 0, 0}}, 1, 2},
		"other streams go on":              {[]commit{{"b", "1", "", 1, 0, 0}, lost, {"b", "2", "1", 2, 0, 0}, {"c", "3", "", 1, 0, 0}}, 1, 0},
		"a stream whose beginning is lost": {[]commit{lost, {"a", "2", "1", 2, 0, 0}}, 0, 1},
		"one that lost a race": {[]commit{{"a", "1", "", 1, 0, 0}, lost, {"a", "2", "1", 2, 0, 0}, {"a", "2b", "1", 2, 0, 0},
			{"a", "3b", "2b", 3, 0, 0}}, 1, 0},
		"one that lost a race before":    {[]commit{{"a", "1", "", 1, 0, 0}, {"a", "x", "", 1, 0, 0}, lost, {"a", "y", "x", 2, 0, 0}}, 2, 0},
		"a beginning that came too late": {[]commit{{"a", "1", "", 1, 0, 0}, lost, {"a", "1b", "", 1, 0, 0}}, 1, 0},
		"a commit of which a part is lost, is one": {[]commit{{"a", "1", "", 1, 0, 0}, lost, {"a", "2", "1", 2, 3, 1}, {"a", "3", "2", 5, 0, 0}},
			1, 2},
		"a part without the rest, before the loss": {[]commit{{"a", "1", "", 1, 3, 1}, {"b", "2", "", 1, 0, 0}, lost}, 2, 0},
		"a part at the end, without its rest":      {[]commit{lost, {"a", "1", "", 1, 0, 0}, {"a", "2", "1", 2, 2, 0}}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			entries := logOf(c.log...)
			if name == "a part at the end, without its rest" {
				entries = entries[:len(entries)-1]
			}
			for _, piece := range []int{3, 100} {
				log := &salvaged{entries: entries, piece: piece}
				o := orphanCount{log: log, lost: map[string]int{}}
				require.NoError(t, o.partition(t.Context(), gap{"parley.calls", 1, c.first}))
				require.Equal(t, c.want, o.lost["parley.calls"], "%d entries at a time", piece)
				require.NoError(t, o.partition(t.Context(), gap{"parley.calls", 0, 0}), "a partition without a record")
				require.Equal(t, []string{"parley.calls"}, log.attached, "once")
			}
		})
	}
}

func TestALogThatCannotBeReadIsAnError(t *testing.T) {
	for _, away := range []string{"Attach", "Ends", "Fetch"} {
		broken := errors.New(away + " failed")
		o := orphanCount{log: &salvaged{entries: logOf(lost), piece: 1, down: map[string]error{away: broken}}, lost: map[string]int{}}
		require.ErrorIs(t, o.partition(t.Context(), gap{"parley.calls", 1, 0}), broken)
	}
	o := orphanCount{log: &salvaged{end: 5, piece: 1}, lost: map[string]int{}}
	require.EqualError(t, o.partition(t.Context(), gap{"parley.calls", 1, 0}), "parley.calls/1 cannot be read from offset 0 on")
}
