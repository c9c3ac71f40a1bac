package engine

import (
	"slices"
	"time"
)

// backlog remembers when the end of a partition was seen to rise, so that it can be
// said for how long the oldest record that is not projected has been waiting.
type backlog struct {
	rises   []rise
	spacing time.Duration // rises closer than this are one
}

type rise struct {
	end int64
	at  time.Time // of this node's clock, for a difference only
}

// mostRises bounds what is remembered of one partition; beyond it the spacing grows,
// and ages get coarser by as much.
const mostRises = 256

// rose notes the end of the partition.
func (b *backlog) rose(end int64, now time.Time) {
	n := len(b.rises)
	switch {
	case n > 0 && end <= b.rises[n-1].end:
		return
	case n > 0 && now.Sub(b.rises[n-1].at) < b.spacing:
		b.rises[n-1].end = end
		return
	}
	b.rises = append(b.rises, rise{end, now})
	if n < mostRises {
		return
	}
	b.spacing = max(2*b.spacing, 2*now.Sub(b.rises[0].at)/mostRises)
	kept := b.rises[:1]
	for _, r := range b.rises[1:] {
		if last := &kept[len(kept)-1]; r.at.Sub(last.at) < b.spacing {
			last.end = r.end
		} else {
			kept = append(kept, r)
		}
	}
	b.rises = kept
}

// age is how long the record at the checkpoint has been seen on the log; 0 when
// there is none. What the checkpoint has passed is forgotten.
func (b *backlog) age(passed int64, now time.Time) time.Duration {
	waiting := slices.IndexFunc(b.rises, func(r rise) bool { return r.end > passed })
	if waiting < 0 {
		*b = backlog{}
		return 0
	}
	b.rises = b.rises[waiting:]
	return now.Sub(b.rises[0].at)
}
