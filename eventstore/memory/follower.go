package memory

import (
	"context"

	"github.com/parley-platform/parley/eventstore"
)

// Gate implements eventstore.Follower.
func (l *Log) Gate() error {
	if gate := l.failing().Gate; gate != nil {
		return gate()
	}
	return nil
}

// Epoch implements eventstore.Follower.
func (l *Log) Epoch() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.epoch
}

// Expect implements eventstore.Follower.
func (l *Log) Expect(topic string, partition int, stream string, version int64, commit string) eventstore.Expectation {
	return expectation{l, place{topic, partition}, stream, version, commit}
}

type expectation struct {
	log     *Log
	at      place
	stream  string
	version int64
	commit  string
}

// Wait implements eventstore.Expectation.
func (e expectation) Wait(ctx context.Context, end int64) (bool, error) {
	for {
		passed, commit, moved := e.look(end)
		if passed {
			if err := asked(e.log.failing().Verdict, commit); err != nil {
				return false, err
			}
			return len(commit) > 0 && commit[0].Commit == e.commit, nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// look says whether the partition is judged up to an offset, and which commit then
// holds the version.
func (e expectation) look(end int64) (passed bool, holds []*eventstore.Record, moved <-chan struct{}) {
	e.log.mu.Lock()
	defer e.log.mu.Unlock()
	if p := e.log.places[e.at]; p == nil || p.next < end {
		return false, nil, e.log.moved
	}
	if records := e.log.streams[e.stream]; int64(len(records)) >= e.version {
		holder := records[e.version-1]
		first := e.version - 1 - int64(holder.CommitIndex)
		holds = records[first : first+int64(holder.CommitSize)]
	}
	return true, holds, nil
}

// Cancel implements eventstore.Expectation.
func (expectation) Cancel() {}
