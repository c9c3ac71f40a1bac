package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/projections/rebuild"
	"github.com/parley-platform/parley/projections/sink"
)

// upgrades is what a node knows of the versions of the read models.
type upgrades struct {
	behind   atomic.Pointer[[]string] // names that are stored in an older version than this binary makes
	outdated atomic.Pointer[string]   // why this binary may not write; nil: it may
	running  atomic.Pointer[string]   // the rebuild that is under way, whoever does it
}

// versions are those that this binary makes.
func (p *Projector) versions() map[string]int {
	out := map[string]int{rebuild.IndexName: rebuild.IndexVersion}
	for _, m := range p.Models {
		out[m.Name] = m.Version
	}
	return out
}

// registerVersions notes what the tables hold before anything is projected into
// them: in a database that nothing was projected into yet, what this binary makes; in
// another one, a read model that nobody has noted was never built (version 0).
func (p *Projector) registerVersions(ctx context.Context) error {
	for name, v := range p.versions() {
		if _, err := p.Queries.Exec(ctx, `INSERT INTO projections (name, version)
			SELECT $1, CASE WHEN EXISTS (SELECT 1 FROM checkpoints WHERE projection = $3 AND next_offset > 0) THEN 0 ELSE $2::int END
			ON CONFLICT DO NOTHING`, name, v, sink.Live); err != nil {
			return fmt.Errorf("noting the versions of the read models: %w", err)
		}
	}
	return nil
}

// compareVersions looks what the tables hold, and which rebuild is under way. It is
// part of each heartbeat.
func (p *Projector) compareVersions(ctx context.Context) error {
	stored, err := rebuild.StoredVersions(ctx, p.Queries)
	if err != nil {
		return err
	}
	var behind []string
	outdated := newer(stored, p.versions())
	for name, v := range p.versions() {
		if stored[name] < v {
			behind = append(behind, name)
		}
	}
	p.upgrades.behind.Store(&behind)
	if outdated != "" && p.upgrades.outdated.Load() == nil {
		p.Logger.Error("this node projects nothing any more: " + outdated)
	}
	if outdated == "" {
		p.upgrades.outdated.Store(nil)
	} else {
		p.upgrades.outdated.Store(&outdated)
	}
	running, err := rebuild.RunningRebuild(ctx, p.Queries)
	if err != nil {
		return err
	}
	p.upgrades.running.Store(&running)
	return nil
}

// newer names a read model that is stored in a newer version than this binary makes, or that it does not make at all: what this
// node projected would be missing there, and no version would say so.
func newer(stored, made map[string]int) string {
	for name, v := range stored {
		switch makes, known := made[name]; {
		case v <= makes:
		case known:
			return fmt.Sprintf("the read model %s is stored in version %d, this binary makes version %d: upgrade this node", sink.Spoken(name),
				v, makes)
		case name != rebuild.AnalyticsName: // they are written by themselves
			return fmt.Sprintf("the read model %s is stored in version %d, this binary does not know it: upgrade this node", sink.Spoken(name), v)
		}
	}
	return ""
}

// refuseNewer keeps a worker from writing rows of an older version. It is asked each
// time a worker begins with a checkpoint. A rebuild gives every checkpoint a new epoch
// when it switches, so a worker that was there before fails with its next transaction,
// begins anew, and asks.
func (p *Projector) refuseNewer(ctx context.Context) error {
	stored, err := rebuild.StoredVersions(ctx, p.Queries)
	if err != nil {
		return err
	}
	if why := newer(stored, p.versions()); why != "" {
		return fmt.Errorf("%w: %s", sink.ErrGivenUp, why)
	}
	return nil
}

// yields reports whether this node leaves all projecting to newer ones; what it
// still holds is handed over.
func (p *Projector) yields(ctx context.Context) (bool, error) {
	if p.upgrades.outdated.Load() == nil {
		return false, nil
	}
	p.mu.Lock()
	var held []sink.Place
	for at := range p.workers {
		held = append(held, at)
	}
	p.mu.Unlock()
	for _, at := range held {
		if err := p.release(ctx, at); err != nil {
			return true, err
		}
	}
	// a node that does not project has no share, and nobody is to wait until it is missed; it lives on
	if _, err := p.Queries.Exec(ctx, `WITH yielded AS (UPDATE nodes SET projects = false WHERE node = $1),
		given AS (UPDATE checkpoints SET owner = NULL, lease_until = '-infinity' WHERE owner = $1 RETURNING 1) SELECT pg_notify($2, $3) FROM given
		LIMIT 1`, p.Node, sink.Channel, sink.Freed); err != nil {
		return true, fmt.Errorf("handing the leases over: %w", err)
	}
	return true, nil
}

// idle reports whether the node takes no leases.
func (p *Projector) idle() bool { return p.Idle || p.upgrades.outdated.Load() != nil }

// upgradeEvery is how often a node looks whether something has to be rebuilt.
const upgradeEvery = 500 * time.Millisecond

// upgrade rebuilds what is stored in an older version than this binary makes. The old
// rows are served until then. Of several nodes one does it.
func (p *Projector) upgrade(ctx context.Context) {
	if p.Idle {
		return
	}
	for wait := upgradeEvery; sink.Pause(ctx, wait) == nil; {
		wait = upgradeEvery
		behind := p.upgrades.behind.Load()
		if behind == nil || len(*behind) == 0 || p.gate.Err() != nil || p.idle() {
			continue
		}
		if err := p.rebuildBehind(ctx, *behind); err != nil && ctx.Err() == nil {
			wait = 2 * time.Second
			if !errors.Is(err, rebuild.ErrRebuildRunning) {
				p.Logger.Error("the rebuild for this version failed; it is tried again", "error", err)
				wait = 10 * time.Second
			}
		}
	}
}

func (p *Projector) rebuildBehind(ctx context.Context, names []string) error {
	report, err := rebuild.Rebuild(ctx, rebuild.Config{Database: p.Queries, Log: p.Log, Categories: p.Categories, Keys: p.Keys,
		Models: p.Models, Names: rebuild.Together(p.Models, names), By: p.Node, Logger: p.Logger, StillWanted: p.stillBehind})
	if errors.Is(err, errNotWanted) {
		return nil
	}
	if err != nil {
		return err
	}
	p.Logger.Warn("read models were rebuilt for this version", "names", strings.Join(report.Names, ", "), "events", report.Events, "took",
		report.Took, "held", report.Held)
	once, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return p.compareVersions(once)
}

var errNotWanted = errors.New("another node has done it meanwhile")

// stillBehind looks again, now that nobody else can be rebuilding.
func (p *Projector) stillBehind(ctx context.Context) error {
	if err := p.compareVersions(ctx); err != nil {
		return err
	}
	if len(*p.upgrades.behind.Load()) == 0 {
		return errNotWanted
	}
	return nil
}
