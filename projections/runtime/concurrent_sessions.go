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

// Beginning is a session that is to begin.
type Beginning struct {
	Tenant, Project string // without a project: among all of the account's
	Session         string // its id: the same for a repeat
}

// Full is whether there are n sessions of a tenant, or of one project, beside the one that is to begin, in which something was
// said since a moment, and when that was in the n-th of them, the one with the newest activity first. Those count that begin at
// this node just now, and no query shows yet. Calls are not counted, nor what providers of channels bring, nor what assists
// people. Who is far from having so many is not counted again for each session that begins.
func (x *Sessions) Full(ctx context.Context, b Beginning, n int, since time.Time) (at time.Time, full bool, err error) {
	of, now := crowd{b.Tenant, b.Project, n}, time.Now()
	if x.crowds.far(of, now) {
		return at, false, nil
	}
	before := x.crowds.begins(of, b.Session, now)
	found, _, err := projections.One[struct {
		Sessions int
		Oldest   time.Time
		Seen     []string
	}](ctx, x.db, "counting concurrent sessions", `SELECT count(*) AS sessions, coalesce(min(active_at), $2) AS oldest,
			(SELECT coalesce(array_agg(session_id), '{}') FROM sessions WHERE session_id = ANY ($7)) AS seen FROM (SELECT active_at
		FROM sessions WHERE tenant = $1 AND status = 'active' AND channel <> 'voice' AND channel <> '`+sessions.AssistChannel+`'
			AND channel <> ALL ($5) AND active_at > $2 AND ($4 = '' OR project_id = $4) AND session_id <> $6
		ORDER BY active_at DESC LIMIT $3) s`, b.Tenant, since, n, b.Project, connections.Carried(), b.Session, before)
	if err != nil {
		x.crowds.gone(of, b.Session)
		return at, false, err
	}
	count := found.Sessions + len(before) - len(found.Seen)
	x.crowds.gone(of, found.Seen...)
	if full = count >= n; full {
		x.crowds.gone(of, b.Session)
	}
	x.crowds.counted(of, count, now)
	return found.Oldest, full, nil
}

// crowds remembers whose sessions are far from being too many. To count tens of thousands of them takes
// longer than a turn does, and few accounts ever come near their bound.
type crowds struct {
	mu        sync.Mutex
	of        map[crowd]places
	beginning map[crowd]map[string]time.Time // sessions, and since when
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

	beginsWithin = 2 * time.Second // a session is shown, or never begins
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

// begins notes a session that is to begin, and tells those of its crowd that were to begin before it and may not be shown yet.
func (c *crowds) begins(of crowd, session string, now time.Time) (before []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other, since := range c.beginning[of] {
		switch {
		case now.Sub(since) >= beginsWithin:
			delete(c.beginning[of], other)
		case other != session:
			before = append(before, other)
		}
	}
	if c.beginning == nil {
		c.beginning = map[crowd]map[string]time.Time{}
	}
	if len(c.beginning) >= mostCrowds {
		maps.DeleteFunc(c.beginning, func(_ crowd, all map[string]time.Time) bool {
			maps.DeleteFunc(all, func(_ string, since time.Time) bool { return now.Sub(since) >= beginsWithin })
			return len(all) == 0
		})
	}
	if c.beginning[of] == nil {
		c.beginning[of] = map[string]time.Time{}
	}
	if _, again := c.beginning[of][session]; !again {
		c.beginning[of][session] = now
	}
	return before
}

// gone lets go of sessions that are shown by now, or do not begin.
func (c *crowds) gone(of crowd, all ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, session := range all {
		delete(c.beginning[of], session)
	}
	if len(c.beginning[of]) == 0 {
		delete(c.beginning, of)
	}
}
