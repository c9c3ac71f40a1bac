package eventstore

// Bounds of a commit, which are part of the accept rule: nobody has to read on without
// end to learn that a commit is not whole. Writers keep to them.
const (
	MaxCommitBytes   = 4 << 20                         // of all its records, as Record.size counts
	MaxCommitRecords = MaxCommitBytes / smallestRecord // more do not fit into the bytes
)

// Head is the last accepted commit of a stream. The zero Head is an empty stream.
type Head struct {
	Version int64  // of the commit's last event
	Commit  string // the commit's id
	Tenant  string // whose stream it is, set by its first commit
}

// Entry is one offset of a partition in the order of the log.
type Entry struct {
	Offset int64
	Record *Record // nil for a record that does not take part: genesis, or malformed
	Err    error   // why a record does not parse; nil for genesis
	Mark   string  // identity of the record on the log: leader epoch, append time, commit
}

// Reason says why a commit was passed over.
type Reason string

// The reasons, as they appear in metrics.
const (
	Duplicate  Reason = "duplicate"  // the same commit again: a resend that was not needed
	Superseded Reason = "superseded" // another commit holds its version, or its parent is one that lost
	Torn       Reason = "torn"       // part of a commit without the rest
	Malformed  Reason = "malformed"  // an envelope that cannot be judged
	Foreign    Reason = "foreign"    // another tenant than its stream's
)

// Skip is a record or commit that was passed over.
type Skip struct {
	Offset  int64 // of its first record
	Records int
	Reason  Reason
	Record  *Record // the first record; nil when malformed
	Err     error
}

// Judged is what Arbitrate found.
type Judged struct {
	Accepted [][]Entry // whole commits, in log order
	Skipped  []Skip
	Next     int64 // the offset to read on from: behind the last judged record
}

// Heads is what the arbiter knows of the streams it judges. Get returns the zero
// Head for a stream without events.
type Heads interface {
	Get(stream string) Head
	Set(stream string, h Head)
}

// HeadMap is a Heads in memory, for readers that start at offset 0.
type HeadMap map[string]Head

// Get implements Heads.
func (m HeadMap) Get(stream string) Head { return m[stream] }

// Set implements Heads.
func (m HeadMap) Set(stream string, h Head) { m[stream] = h }

// Arbitrate is the accept rule: the only arbiter of which commits of a partition
// count, used by the projector, by replay and by consumers. It is given the
// entries of one partition in offset order, from a commit boundary on, and the
// heads as they were before the first entry.
//
// A commit is judged whole: CommitSize records of one stream at consecutive
// offsets with one commit id, indexes 0..n-1 and consecutive versions, of no more
// than MaxCommitBytes in all. It is accepted if its first version is the head's plus one and its parent is the
// head's commit; then it becomes the head. Otherwise all of it is skipped. A
// commit that is incomplete at the end of the entries is left for the next call:
// Next is its first offset.
func Arbitrate(heads Heads, entries []Entry) Judged {
	var out Judged
	if len(entries) > 0 {
		out.Next = entries[0].Offset
	}
	for i := 0; i < len(entries); {
		first := entries[i]
		if first.Record == nil {
			if first.Err != nil {
				out.skip(entries[i:i+1], Malformed)
			}
			i++
			out.Next = first.Offset + 1
			continue
		}
		j := i + wholeness(entries[i:])
		whole := first.Record.CommitIndex == 0 && j-i == first.Record.CommitSize
		if !whole && first.Record.CommitIndex == 0 && j == len(entries) {
			return out // not complete yet: wait for the rest
		}
		if reason := judge(heads, entries[i:j], whole); reason != "" {
			out.skip(entries[i:j], reason)
		} else {
			last := entries[j-1].Record
			heads.Set(last.Stream, Head{Version: last.Version, Commit: last.Commit, Tenant: last.Tenant})
			out.Accepted = append(out.Accepted, entries[i:j])
		}
		i = j
		out.Next = entries[j-1].Offset + 1
	}
	return out
}

// wholeness counts the entries from the first on that belong to its commit. What
// would make it larger than any commit may be does not.
func wholeness(entries []Entry) int {
	a := entries[0].Record
	n, bytes := 1, a.size()
	for n < len(entries) && n < a.CommitSize-a.CommitIndex {
		e := entries[n]
		b := e.Record
		if b == nil || e.Offset != entries[0].Offset+int64(n) || b.Stream != a.Stream || b.Commit != a.Commit ||
			b.CommitSize != a.CommitSize || b.CommitIndex != a.CommitIndex+n || b.Version != a.Version+int64(n) || b.Tenant != a.Tenant {
			break
		}
		if bytes += b.size(); bytes > MaxCommitBytes {
			break
		}
		n++
	}
	return n
}

// judge says why a commit does not count, or nothing when it does.
func judge(heads Heads, commit []Entry, whole bool) Reason {
	r := commit[0].Record
	if !whole {
		return Torn
	}
	head := heads.Get(r.Stream)
	switch {
	case head.Tenant != "" && head.Tenant != r.Tenant:
		return Foreign
	case r.Version == head.Version+1 && r.Parent == head.Commit:
		return ""
	case head.Commit == r.Commit:
		return Duplicate
	}
	return Superseded
}

func (j *Judged) skip(entries []Entry, why Reason) {
	j.Skipped = append(j.Skipped, Skip{Offset: entries[0].Offset, Records: len(entries), Reason: why, Record: entries[0].Record,
		Err: entries[0].Err})
}
