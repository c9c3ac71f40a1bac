package runtime

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
)

// ActiveAt is when something was said last in the n-th of a tenant's sessions, or of those of one
// project, the one with the newest activity first; calls are not counted, nor what providers of
// channels bring, nor what assists people. ok is false where there are fewer since a moment. Who is
// far from having so many is not counted again for each session that begins.
func (x *Sessions) ActiveAt(ctx context.Context, tenant, project string, n int, since time.Time) (at time.Time, ok bool, err error) {
	of, now := crowd{tenant, project, n}, time.Now()
	if x.crowds.far(of, now) {
		return at, false, nil
	}
	found, _, err := projections.One[struct {
		Sessions int
		Oldest   time.Time
	}](ctx, x.db, "counting concurrent sessions", `SELECT count(*) AS sessions, coalesce(min(active_at), $2) AS oldest FROM (SELECT active_at
		FROM sessions WHERE tenant = $1 AND status = 'active' AND channel <> 'voice' AND channel <> '`+sessions.AssistChannel+`'
			AND channel <> ALL ($5) AND active_at > $2 AND ($4 = '' OR project_id = $4)
		ORDER BY active_at DESC LIMIT $3) s`, tenant, since, n, project, connections.Carried())
	if err != nil {
		return at, false, err
	}
	x.crowds.counted(of, found.Sessions, now)
	return found.Oldest, found.Sessions >= n, nil
}

// crowds remembers whose sessions are far from being too many. To count tens of thousands of them takes
// longer than a turn does, and few accounts ever come near their bound.
type crowds struct {
	mu sync.Mutex
	of map[crowd]places
}

// crowd is whose sessions are counted, and up to how many.
type crowd struct {
	tenant, project string
	most            int
}

// places are how many sessions may begin on this node before they are counted again, and until when.
type places struct {
	left  int
	until time.Time
}

// Of the places that are left a node gives away a tenth before it counts again, for others give away theirs,
// and for no longer than a second. Where a tenth is fewer than ten, each session that begins is counted.
const (
	partOfPlaces = 10
	fewestPlaces = 10
	countedFor   = time.Second
	mostCrowds   = 1_000
)

// far takes a place of a crowd that is far from being full.
func (c *crowds) far(of crowd, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.of[of]
	if p.left == 0 || !now.Before(p.until) {
		return false
	}
	p.left--
	c.of[of] = p
	return true
}

// counted notes how many sessions a crowd had.
func (c *crowds) counted(of crowd, sessions int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := (of.most - sessions) / partOfPlaces
	if left < fewestPlaces {
		delete(c.of, of)
		return
	}
	if c.of == nil {
		c.of = map[crowd]places{}
	}
	if len(c.of) >= mostCrowds {
		maps.DeleteFunc(c.of, func(_ crowd, p places) bool { return !now.Before(p.until) })
	}
	c.of[of] = places{left, now.Add(countedFor)}
}
