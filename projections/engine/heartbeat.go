package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

const (
	heartbeat   = time.Second
	nodeSeconds = 5
	lookEvery   = 250 * time.Millisecond // at checkpoints of other nodes that somebody waits for
)

// tend keeps this node's leases, takes its fair share, and watches the rows.
func (p *Projector) tend(ctx context.Context) {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	p.beat(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-beat.C:
			p.beat(ctx)
		case <-look.C:
			if p.strangersAwaited() {
				p.look(ctx)
			}
		case <-p.freed:
			p.beat(ctx)
		case s := <-p.asked:
			p.stalled(ctx, s)
		case s := <-p.heard:
			p.takeOver(ctx, s)
		}
	}
}

// strangersAwaited reports whether somebody waits for a partition that another
// node projects.
func (p *Projector) strangersAwaited() bool {
	waiting := p.watch.waiting()
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := range waiting {
		if p.workers[at] == nil {
			return true
		}
	}
	return false
}

// beat is one heartbeat.
func (p *Projector) beat(ctx context.Context) {
	once, cancel := context.WithTimeout(ctx, 3*time.Second)
	err := p.beatOnce(once)
	cancel()
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		p.Logger.Warn("heartbeat failed", "error", err)
	}
	if sink.MissingTable(err) || errors.Is(err, errEmptied) {
		p.anew()
		p.Reset("the database was made anew")
	}
	if p.unprepared() {
		p.prepareAgain(ctx)
	}
}

// prepareAgain makes what the database may lack, until it is there: whoever made it
// empty need not start a node again.
func (p *Projector) prepareAgain(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := p.prepare(ctx); err != nil {
		p.gate.blocked(whyUnprepared(err))
		p.Logger.Error("the database cannot be prepared; it is tried again", "error", err)
	}
}

// whyUnprepared is why the database cannot be prepared, in words that anybody may read, and more of it for /readyz: what is to be done
// about what the database says.
func whyUnprepared(err error) (words string, more error) {
	if projections.Away(err) {
		return projections.Plainly(err), nil
	}
	return "the database cannot be prepared, see /readyz", err
}

var errEmptied = errors.New("the database lacks some of the checkpoints")

func (p *Projector) beatOnce(ctx context.Context) error {
	if p.unprepared() {
		return nil
	}
	began := time.Now()
	var nodes, before, serving, live int // others that project, those of a lower name, others that serve the API, and all others
	var unlike []string
	if err := p.Queries.QueryRow(ctx, `WITH me AS (INSERT INTO nodes (node, seen_at, projects, serves, process, settings)
			VALUES ($1, now(), $2, $3, $5, $6::jsonb)
			ON CONFLICT (node) DO UPDATE SET seen_at = now(), projects = excluded.projects, serves = excluded.serves,
			process = excluded.process, settings = excluded.settings),
		others AS (SELECT * FROM nodes WHERE node <> $1 AND seen_at > now() - make_interval(secs => $4))
		SELECT count(*) FILTER (WHERE projects), count(*) FILTER (WHERE projects AND node COLLATE "C" < $1),
			count(*) FILTER (WHERE serves), count(*),
			(SELECT array_agg(DISTINCT theirs.key ORDER BY theirs.key) FROM others o, jsonb_each(o.settings) theirs
			WHERE o.settings <> $6::jsonb AND theirs.value <> $6::jsonb -> theirs.key) FROM others`,
		p.Node, !p.idle(), p.Serves, nodeSeconds, p.process, p.settings()).Scan(&nodes, &before, &serving, &live, &unlike); err != nil {
		return fmt.Errorf("saying that this node lives: %w", err)
	}
	p.differ(unlike)
	p.serving.Store(int64(serving + 1))
	p.live.Store(int64(live + 1))
	p.projectors.note(p.idle(), nodes, time.Now())
	p.mu.Lock()
	p.present = p.present.beaten(began, time.Now())
	p.mu.Unlock()
	if live > 0 {
		p.alone.found(began, false)
	}
	rows, err := p.look(ctx)
	if err == nil && len(rows) < len(p.Places()) {
		err = errEmptied
	}
	if err == nil {
		err = p.compareVersions(ctx)
	}
	if err != nil || p.Idle {
		return err
	}
	if yields, err := p.yields(ctx); yields {
		return err
	}
	p.metrics.nodes.Set(float64(nodes + 1))
	lasting, err := p.renew(ctx)
	if err != nil {
		return err
	}
	p.alone.found(began, live == 0 && lasting)
	return p.share(ctx, rows, before, nodes+1)
}

// settings are those of this node, as others read them.
func (p *Projector) settings() map[string]string {
	if p.Settings == nil {
		return map[string]string{}
	}
	return p.Settings
}

// differ notes which settings others have otherwise, and tells who reads the log when that changes.
func (p *Projector) differ(unlike []string) {
	was := p.Unlike()
	p.unlike.Store(&unlike)
	switch {
	case slices.Equal(was, unlike):
	case len(unlike) > 0:
		p.Logger.Warn("another node has settings that all should have alike; parley doctor says which node has which", "unlike", unlike)
	default:
		p.Logger.Info("all nodes have the same settings again")
	}
}

// Process names this run of the node: another one of the same node has another name.
func (p *Projector) Process() string { return p.process }

// Lives is whether a run of a node has given a sign of life lately.
func (p *Projector) Lives(ctx context.Context, process string) (lives bool, err error) {
	err = p.Queries.QueryRow(ctx, `SELECT EXISTS (SELECT FROM nodes WHERE process = $1 AND seen_at > now() - make_interval(secs => $2))`,
		process, nodeSeconds).Scan(&lives)
	if err != nil {
		return false, fmt.Errorf("looking whether a node lives: %w", err)
	}
	return lives, nil
}
