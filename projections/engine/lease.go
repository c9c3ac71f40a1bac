package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/projections/sink"
)

const leaseSeconds = 10

// row is one checkpoint as the database has it.
type row struct {
	at    sink.Place
	next  int64
	owner string
	epoch int64
	free  bool  // nobody holds the lease, or it ran out, or its node is gone
	index int64 // identity of the stream index's table: another one after its rebuild
	as    identity
}

// look reads all checkpoints, tells those who wait, and notices rows that are not
// where a worker left them or that went back.
func (p *Projector) look(ctx context.Context) ([]row, error) {
	p.looking.Lock() // rows read earlier must not be compared later
	defer p.looking.Unlock()
	rs, err := p.Queries.Query(ctx, `SELECT c.topic, c.partition, c.next_offset, coalesce(c.owner, ''), c.owner_epoch,
		c.owner IS NULL OR c.lease_until < now() OR (c.owner <> $2 AND n.seen_at IS NULL), coalesce(to_regclass('events')::oid::bigint, 0),
		c.tableoid::bigint, pg_relation_filenode(c.tableoid)::bigint FROM checkpoints c
		LEFT JOIN nodes n ON n.node = c.owner AND n.projects AND n.seen_at > now() - make_interval(secs => $3)
		WHERE c.projection = $1`, sink.Live, p.Node, nodeSeconds)
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoints: %w", err)
	}
	rows, err := pgx.CollectRows(rs, func(r pgx.CollectableRow) (row, error) {
		var x row
		err := r.Scan(&x.at.Topic, &x.at.Partition, &x.next, &x.owner, &x.epoch, &x.free, &x.index, &x.as.table, &x.as.file)
		return x, err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the checkpoints: %w", err)
	}
	p.compare(rows)
	return rows, nil
}

// compare holds what the rows say against what this node believes.
func (p *Projector) compare(rows []row) {
	back, rebuilt, now := "", false, time.Now()
	p.mu.Lock()
	for _, r := range rows {
		p.tenures[r.at] = p.tenures[r.at].seen(r, now)
		if p.known != (identity{}) && r.as != p.known {
			back = "the tables of the read models were made anew or emptied"
			clear(p.furthest)
		}
		p.known = r.as
		rebuilt = rebuilt || p.indexed != 0 && r.index != p.indexed
		p.indexed = r.index
		if r.next < p.seen[r.at] {
			back = fmt.Sprintf("the checkpoint of %s/%d went back from %d to %d", r.at.Topic, r.at.Partition, p.seen[r.at], r.next)
		}
		p.seen[r.at] = r.next
	}
	p.mu.Unlock()
	if back != "" {
		p.Reset(back)
		return
	}
	if rebuilt { // the states that this node keeps were folded from the old one, which may have been spoiled
		p.Logger.Info("the stream index was rebuilt: cached states are forgotten")
		p.gate.renew()
	}
	for _, r := range rows {
		p.watch.moved(r.at, r.next, nil)
	}
}

// renew prolongs the leases of this node's workers and ends workers without one. A row that a
// worker is about to move is left as it is: nobody takes it, and the other leases do not wait. lasting is whether none
// of the leases was about to run out.
func (p *Projector) renew(ctx context.Context) (lasting bool, err error) {
	rs, err := p.Queries.Query(ctx,
		`WITH still AS (SELECT topic, partition FROM checkpoints WHERE projection = $1 AND owner = $2 FOR UPDATE SKIP LOCKED),
			kept AS (UPDATE checkpoints c SET lease_until = now() + make_interval(secs => $3) FROM still s
				WHERE c.projection = $1 AND c.topic = s.topic AND c.partition = s.partition)
		SELECT topic, partition, owner_epoch, next_offset, lease_until > now() + make_interval(secs => $4)
			FROM checkpoints WHERE projection = $1 AND owner = $2`,
		sink.Live, p.Node, leaseSeconds, leaseLeft.Seconds())
	if err != nil {
		return false, fmt.Errorf("renewing leases: %w", err)
	}
	mine := map[sink.Place]row{}
	var r row
	var lasts bool
	lasting = true
	if _, err := pgx.ForEachRow(rs, []any{&r.at.Topic, &r.at.Partition, &r.epoch, &r.next, &lasts},
		func() error { mine[r.at], lasting = r, lasting && lasts; return nil }); err != nil {
		return false, fmt.Errorf("renewing leases: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for at, w := range p.workers {
		if r, ok := mine[at]; !ok || r.epoch != w.epoch {
			w.stop()
			delete(p.workers, at)
		}
	}
	return lasting, nil
}

// share takes leases up to the fair share, and gives back what is above it. Of n nodes the i-th by name prefers the
// numbers that groups of readers give it too, so that what its reactors append is projected here.
func (p *Projector) share(ctx context.Context, rows []row, i, n int) error {
	fair, order := (len(rows)+n-1)/n, preferred(rows, i, n)
	p.mu.Lock()
	held := len(p.workers)
	p.mu.Unlock()
	given := map[sink.Place]bool{}
	for _, r := range slices.Backward(order) {
		if held <= fair {
			break
		}
		if p.holds(r.at) {
			if err := p.release(ctx, r.at); err != nil {
				return err
			}
			given[r.at] = true
			held--
		}
	}
	for _, r := range order {
		own := p.holds(r.at) || given[r.at]
		if !own && p.leaves(ctx, r) {
			continue
		}
		stray := p.stray(r)
		if !own && (r.owner == p.Node || (r.free && (held < fair || stray))) {
			took, err := p.take(ctx, r)
			if err != nil {
				return err
			}
			if took {
				held++
			}
		}
	}
	return nil
}

func (p *Projector) holds(at sink.Place) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.workers[at] != nil
}

// preferred puts the partitions first that the i-th of n nodes wants: of each topic a range of its numbers.
func preferred(rows []row, i, n int) []row {
	count := map[string]int{}
	for _, r := range rows {
		count[r.at.Topic]++
	}
	wants := func(r row) bool {
		all := count[r.at.Topic]
		return r.at.Partition >= i*all/n && r.at.Partition < (i+1)*all/n
	}
	return slices.SortedFunc(slices.Values(rows), func(a, b row) int {
		if wants(a) != wants(b) {
			if wants(a) {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.at.Topic, b.at.Topic), cmp.Compare(a.at.Partition, b.at.Partition))
	})
}

// take makes this node the owner of a partition, unless somebody was faster, or the row has
// moved since it was read, or is about to: who holds it writes a transaction.
func (p *Projector) take(ctx context.Context, r row) (bool, error) {
	var epoch int64
	err := p.Queries.QueryRow(ctx, `WITH still AS (SELECT FROM checkpoints
			WHERE projection = $1 AND topic = $2 AND partition = $3 AND owner_epoch = $5 AND next_offset = $7 FOR UPDATE SKIP LOCKED)
		UPDATE checkpoints SET owner = $4, owner_epoch = owner_epoch + 1, lease_until = now() + make_interval(secs => $6)
		WHERE projection = $1 AND topic = $2 AND partition = $3 AND EXISTS (SELECT FROM still)
		RETURNING owner_epoch`, sink.Live, r.at.Topic, r.at.Partition, p.Node, r.epoch, leaseSeconds, r.next).Scan(&epoch)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("taking %s/%d: %w", r.at.Topic, r.at.Partition, err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if old := p.workers[r.at]; old != nil {
		old.stop()
	}
	p.workers[r.at] = p.startWorker(r.at, p.Places()[r.at], epoch)
	return true, nil
}

// release hands a partition back after the transaction at hand. One that takes longer than a
// heartbeat may is not waited for: the node would seem to be gone. The next ones see to it.
func (p *Projector) release(ctx context.Context, at sink.Place) error {
	p.mu.Lock()
	w := p.workers[at]
	delete(p.workers, at)
	p.mu.Unlock()
	if w == nil {
		return nil
	}
	w.stop()
	select {
	case <-w.done:
	case <-ctx.Done():
		return fmt.Errorf("handing %s/%d back behind its transaction: %w", at.Topic, at.Partition, ctx.Err())
	}
	_, err := p.Queries.Exec(ctx, `WITH given AS (UPDATE checkpoints SET owner = NULL, lease_until = '-infinity'
		WHERE projection = $1 AND topic = $2 AND partition = $3 AND owner = $4 AND owner_epoch = $5) SELECT pg_notify($6, $7)`,
		sink.Live, at.Topic, at.Partition, p.Node, w.epoch, sink.Channel, sink.Freed)
	if err != nil {
		return fmt.Errorf("handing %s/%d back: %w", at.Topic, at.Partition, err)
	}
	return nil
}

// takeOver is asked for where somebody sees no progress: whoever holds the lease
// does not move, and the epoch keeps it from harm if it wakes up. An owner that has just
// come is given its time, and so is one that may not know of this node yet.
func (p *Projector) takeOver(ctx context.Context, s stall) {
	p.mu.Lock()
	own := p.workers[s.at] != nil
	p.mu.Unlock()
	if own || p.idle() || p.shuns(s.at) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	rows, err := p.look(ctx)
	if err != nil || p.watch.passed(s.at) > s.next {
		return
	}
	for _, r := range rows {
		if r.at != s.at || !r.free && (p.settling(r) || p.unseen()) {
			continue
		}
		once, cancel := context.WithTimeout(ctx, takeWithin)
		took, err := p.take(once, r)
		cancel()
		if err != nil {
			p.Logger.Warn("take-over failed", "error", err)
		}
		if took {
			p.Logger.Warn("taking over a partition that does not move", "topic", s.at.Topic, "partition", s.at.Partition, "owner", r.owner)
		}
	}
}
