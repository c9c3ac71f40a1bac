package salvage

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
)

// gap is where the first loss of a partition of the log is.
type gap struct {
	topic     string
	partition int
	first     int64
}

// gaps are the partitions of the log that lost something, each once.
func gaps(missing []logfolder.Missing) (all []gap) {
	ofLog := map[string]bool{}
	for _, c := range catalog.Categories() {
		ofLog[c.Topic()] = true
	}
	seen := map[gap]bool{}
	for _, m := range missing { // in the order of their offsets
		at := gap{topic: m.Topic, partition: m.Partition}
		if ofLog[m.Topic] && !seen[at] {
			seen[at] = true
			all = append(all, gap{m.Topic, m.Partition, m.From})
		}
	}
	return all
}

// orphanCount finds commits whose predecessor is lost. The arbiter judges them
// superseded, as it does those that lost a race: but their parent was never seen.
type orphanCount struct {
	log  readable
	lost map[string]int // by topic
}

// readable is the log of a broker, as far as it is read.
type readable interface {
	Partitions(topic string) (int, error)
	Attach(ctx context.Context, topics ...string) error
	Ends(ctx context.Context) (map[string]map[int]int64, error)
	Fetch(ctx context.Context, topic string, partition int, offset int64) (eventstore.Fetched, error)
}

func (o *orphanCount) partition(ctx context.Context, p gap) error {
	if _, err := o.log.Partitions(p.topic); err != nil {
		if err := o.log.Attach(ctx, p.topic); err != nil {
			return err
		}
	}
	ends, err := o.log.Ends(ctx)
	if err != nil {
		return err
	}
	heads, seen := eventstore.HeadMap{}, map[string]bool{}
	for at := int64(0); at < ends[p.topic][p.partition]; {
		fetched, err := o.log.Fetch(ctx, p.topic, p.partition, at)
		if err != nil {
			return err
		}
		judged := eventstore.Arbitrate(heads, fetched.Entries)
		if judged.Next <= at {
			if at == ends[p.topic][p.partition]-1 || len(fetched.Entries) > 0 {
				return nil // the part of a commit at the end, without its rest
			}
			return fmt.Errorf("%s/%d cannot be read from offset %d on", p.topic, p.partition, at)
		}
		at = judged.Next
		o.judge(p, judged, seen)
	}
	return nil
}

// judge counts in the order of the log, each commit once: what was read piece by piece may
// show the parts of a torn one one by one. Of the commits that were seen, true are those
// that count, or lost a race, and false those that are counted here.
func (o *orphanCount) judge(p gap, judged eventstore.Judged, seen map[string]bool) {
	for _, commit := range judged.Accepted {
		seen[commit[0].Record.Commit] = true
	}
	for _, s := range judged.Skipped {
		switch {
		case s.Record == nil:
		case s.Offset > p.first && (s.Reason == eventstore.Torn || s.Reason == eventstore.Superseded && orphan(s.Record, seen)):
			if _, counted := seen[s.Record.Commit]; !counted {
				seen[s.Record.Commit] = false
				o.lost[p.topic]++
			}
		default:
			seen[s.Record.Commit] = true
		}
	}
}

// orphan tells whether a commit was decided on one that is nowhere on the log.
func orphan(r *eventstore.Record, seen map[string]bool) bool {
	return r.Parent != "" && !seen[r.Parent]
}
