package memory

import "github.com/parley-platform/parley/eventstore"

// Faults is what goes wrong between a store and its surroundings. Each is asked every
// time; nil, and an answer of nil, mean that all is well. They may take their time, and
// are called by many at once.
type Faults struct {
	// Gate shuts the gate: no command runs and nothing is read; the error is what callers
	// are told, a CATCHING_UP fault for example.
	Gate func() error
	// Read makes the index unreachable: NOT_EXECUTED.
	Read func(stream string) error
	// Append makes the log refuse the batch that holds the commit: NOT_EXECUTED.
	Append func(commit []*eventstore.Record) error
	// Acknowledge loses the answer to a batch that was appended: it is sent once more,
	// with the same bytes.
	Acknowledge func(commit []*eventstore.Record) error
	// Verdict hides what became of the version that a commit was written for; commit is
	// the one that holds it, if one does. The caller hears OUTCOME_UNKNOWN, or the fault
	// itself if that is PROJECTION_FAILED.
	Verdict func(commit []*eventstore.Record) error
}

// Fail replaces the faults from now on; the zero value ends them.
func (l *Log) Fail(f Faults) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.faults = f
}

func (l *Log) failing() Faults {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.faults
}

// asked is what a fault says of a commit, if there is one.
func asked(fault func([]*eventstore.Record) error, commit []*eventstore.Record) error {
	if fault == nil {
		return nil
	}
	return fault(commit)
}
