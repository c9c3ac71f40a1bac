package eventstore

import (
	"context"
	"fmt"
	"slices"
)

// Fetcher reads a partition of the log as it stands there, from an offset on.
type Fetcher interface {
	Fetch(ctx context.Context, topic string, partition int, offset int64) (Fetched, error)
}

// ReadAccepted reads a partition from its first record to where it ends by then, and gives
// the commits that count to take, in the order of the log. It returns the offset behind the
// last commit that could be judged. It is for tools that read the log without a node: the
// heads of all streams of the partition are in memory.
func ReadAccepted(ctx context.Context, log Fetcher, topic string, partition int, take func(commit []Entry) error) (next int64, err error) {
	heads := HeadMap{}
	var rest []Entry
	for at := int64(0); ; {
		got, err := log.Fetch(ctx, topic, partition, at)
		if err != nil {
			return next, fmt.Errorf("reading %s/%d at %d: %w", topic, partition, at, err)
		}
		rest = append(rest, got.Entries...)
		judged := Arbitrate(heads, rest)
		for _, commit := range judged.Accepted {
			if err := take(commit); err != nil {
				return next, err
			}
		}
		next = max(next, judged.Next)
		rest = slices.DeleteFunc(rest, func(e Entry) bool { return e.Offset < judged.Next })
		if n := len(got.Entries); n > 0 {
			at = got.Entries[n-1].Offset + 1
		}
		if at >= got.End {
			return next, nil
		}
		if err := ctx.Err(); err != nil {
			return next, fmt.Errorf("reading %s/%d at %d of %d: %w", topic, partition, at, got.End, err)
		}
	}
}
