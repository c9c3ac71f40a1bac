package audit

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// bellEvery is how often the checkpoints are looked at while anybody follows.
const bellEvery = 100 * time.Millisecond

// bell tells those who follow the events of a tenant that there are new ones. One
// look at the checkpoints and one question to the index serve all followers of a
// node, whoever projects; what a follower gets, it reads from the index itself.
type bell struct {
	audit *Audit

	mu        sync.Mutex
	followers map[*Follower]struct{}
	stop      context.CancelFunc // of the loop; nil while nobody follows
}

func newBell(a *Audit) *bell { return &bell{audit: a, followers: map[*Follower]struct{}{}} }

// Follower is woken when its tenant has new events.
type Follower struct {
	bell   *bell
	tenant string
	news   chan struct{} // holds one
}

// Follow begins to listen for events of the tenant: what is visible later than a
// read that began after Follow rings C. Stop must be called.
func (a *Audit) Follow(tenant string) *Follower {
	b := a.bell
	f := &Follower{bell: b, tenant: tenant, news: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.followers[f] = struct{}{}
	if b.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		b.stop = stop
		go b.run(ctx)
	}
	return f
}

// C gives a value when there may be something new.
func (f *Follower) C() <-chan struct{} { return f.news }

// Stop ends the listening.
func (f *Follower) Stop() {
	f.bell.mu.Lock()
	defer f.bell.mu.Unlock()
	delete(f.bell.followers, f)
	if len(f.bell.followers) == 0 && f.bell.stop != nil {
		f.bell.stop()
		f.bell.stop = nil
	}
}

// run looks until the last follower has gone. What went wrong is looked at again.
func (b *bell) run(ctx context.Context) {
	var known Positions
	for {
		start := time.Now()
		if now, err := b.look(ctx, known); err == nil {
			known = now
		}
		if sink.Pause(ctx, max(bellEvery, 4*time.Since(start))) != nil {
			return
		}
	}
}

// look rings for what lies between the known checkpoints and those of now, which it
// returns. While the read models catch up nothing is said.
func (b *bell) look(ctx context.Context, known Positions) (Positions, error) {
	if err := b.audit.gate.Gate(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	now, err := b.audit.checkpoints(ctx)
	if err != nil {
		return nil, err
	}
	if known == nil {
		b.ring(nil)
		return now, nil
	}
	var moved []Partition
	for p, next := range now {
		if next > known[p] {
			moved = append(moved, p)
		}
	}
	tenants := b.tenants()
	if len(moved) == 0 || len(tenants) == 0 {
		return now, nil
	}
	news, err := b.audit.withNews(ctx, tenants, moved, known, now)
	if err != nil {
		return nil, err
	}
	b.ring(news)
	return now, nil
}

// ring wakes the followers of the tenants; nil are all.
func (b *bell) ring(tenants map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for f := range b.followers {
		if tenants == nil || tenants[f.tenant] {
			select {
			case f.news <- struct{}{}:
			default:
			}
		}
	}
}

func (b *bell) tenants() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[string]struct{}{}
	for f := range b.followers {
		all[f.tenant] = struct{}{}
	}
	return slices.Collect(maps.Keys(all))
}

// withNews are those of the tenants that have events between two positions of the
// partitions.
func (a *Audit) withNews(ctx context.Context, tenants []string, moved []Partition, from, to Positions) (map[string]bool, error) {
	topics, numbers := columnsOf(moved)
	next := projections.Column(moved, func(p Partition) int64 { return from[p] }) // of one that was not there, all is new
	end := projections.Column(moved, func(p Partition) int64 { return to[p] })
	type of struct{ Tenant string }
	found, err := projections.All[of](ctx, a.db, "looking for news", `SELECT DISTINCT t.tenant FROM unnest($1::text[]) AS t(tenant),
		unnest($2::text[], $3::int[], $4::bigint[], $5::bigint[]) AS p(topic, number, next, behind),
		LATERAL (SELECT 1 FROM events e WHERE hashtextextended(e.tenant || '/' || e.topic, e.partition) = hashtextextended(t.tenant || '/' ||
		p.topic, p.number)
		AND e.tenant = t.tenant AND e.topic = p.topic AND e.partition = p.number AND e.log_offset >= p.next AND e.log_offset < p.behind
		LIMIT 1) found`,
		tenants, topics, numbers, next, end)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, f := range found {
		out[f.Tenant] = true
	}
	return out, nil
}
