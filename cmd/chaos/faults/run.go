package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
	"github.com/parley-platform/parley/cmd/chaos/proxy"
)

// Scene is what faults are done to.
type Scene struct {
	Cluster *cluster.Cluster
	Log     func(format string, args ...any)
	// Silence stops all callers and Sound lets them go on.
	Silence, Sound func()

	nodes    []sync.Mutex // one fault of a process at a time
	database sync.Mutex
	brokers  sync.Mutex
}

// Run does the plan and returns when all is undone.
func (x *Scene) Run(ctx context.Context, plan Plan) error {
	x.nodes = make([]sync.Mutex, len(x.Cluster.Nodes))
	errs := make(chan error, len(plan))
	began := time.Now()
	for _, f := range plan {
		go func() {
			wait(ctx, f.After-time.Since(began))
			x.Log("fault %s: node %d, broker %d", f, f.Node, f.Broker)
			err := x.do(ctx, f)
			x.Log("fault %s is over: %v", f.Name, err)
			if err != nil {
				err = fmt.Errorf("fault %s: %w", f.Name, err)
			}
			errs <- err
		}()
	}
	var first error
	for range plan {
		if err := <-errs; err != nil && first == nil {
			first = err
		}
	}
	return first
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// known says whether there is something to do under a name.
func known(name string) bool { return deeds[name] != nil }

// do does one fault and undoes it.
func (x *Scene) do(ctx context.Context, f Fault) error {
	if !known(f.Name) {
		return fmt.Errorf("there is no fault %q", f.Name)
	}
	return deeds[f.Name](x, ctx, f)
}

// deed does one fault and undoes it.
type deed func(x *Scene, ctx context.Context, f Fault) error

var deeds = map[string]deed{
	"hold-produce":             (*Scene).hold,
	"hold-ack":                 (*Scene).hold,
	"freeze-node":              (*Scene).freeze,
	"kill-node":                (*Scene).kill,
	"kill-between":             (*Scene).killBetween,
	"stop-postgres":            (*Scene).stopPostgres,
	"stop-postgres-in-silence": (*Scene).stopPostgresInSilence,
	"drop-database":            (*Scene).dropDatabase,
	"kill-broker":              (*Scene).killBroker,
	"freeze-broker":            (*Scene).freezeBroker,
	"rebuild":                  (*Scene).rebuild,
	"poison": func(x *Scene, ctx context.Context, f Fault) error {
		return poison(ctx, f, x.Cluster.Brokers.Addresses())
	},
	"cut-log":      func(x *Scene, ctx context.Context, _ Fault) error { return x.cutLog(ctx) },
	"damaged-log":  (*Scene).damagedLog,
	"lose-offsets": func(x *Scene, ctx context.Context, _ Fault) error { return x.loseOffsets(ctx) },

	"cut-kafka":              on(toKafka, (*proxy.Link).Cut),
	"cut-postgres":           on(toPostgres, (*proxy.Link).Cut),
	"cut-callers":            on(fromCallers, (*proxy.Link).Cut),
	"hold-kafka":             on(toKafka, (*proxy.Link).Hold),
	"hold-postgres":          on(toPostgres, (*proxy.Link).Hold),
	"half-open-kafka":        on(toKafka, (*proxy.Link).HalfOpen),
	"half-open-postgres":     on(toPostgres, (*proxy.Link).HalfOpen),
	"kafka-away":             on(everyones(toKafka), (*proxy.Link).Cut),
	"kafka-away-a-minute":    on(everyones(toKafka), (*proxy.Link).Cut),
	"postgres-away":          on(everyones(toPostgres), (*proxy.Link).Cut),
	"postgres-away-a-minute": on(everyones(toPostgres), (*proxy.Link).Cut),
	"slow-kafka":             slowly(toKafka),
	"slow-postgres":          slowly(toPostgres),
	"reset-kafka":            resets(toKafka),
	"reset-postgres":         resets(toPostgres),
}

// which chooses the links that a fault is about.
type which func(c *cluster.Cluster, node int) []*proxy.Link

func toKafka(c *cluster.Cluster, node int) []*proxy.Link { return c.Nodes[node].ToKafka }
func toPostgres(c *cluster.Cluster, node int) []*proxy.Link {
	return []*proxy.Link{c.Nodes[node].ToDB}
}
func fromCallers(c *cluster.Cluster, node int) []*proxy.Link {
	return []*proxy.Link{c.Nodes[node].FromHere}
}

func everyones(of which) which {
	return func(c *cluster.Cluster, _ int) (all []*proxy.Link) {
		for node := range c.Nodes {
			all = append(all, of(c, node)...)
		}
		return all
	}
}

// on does something to links and heals them.
func on(of which, do func(*proxy.Link)) deed {
	return func(x *Scene, ctx context.Context, f Fault) error {
		links := of(x.Cluster, f.Node)
		for _, l := range links {
			do(l)
		}
		wait(ctx, f.For)
		for _, l := range links {
			l.Heal()
		}
		return nil
	}
}

func slowly(of which) deed {
	return func(x *Scene, ctx context.Context, f Fault) error {
		by := time.Duration(5+f.Seed%100) * time.Millisecond
		return on(of, func(l *proxy.Link) { l.Slow(by) })(x, ctx, f)
	}
}

// resets breaks connections again and again.
func resets(of which) deed {
	return func(x *Scene, ctx context.Context, f Fault) error {
		r := rand.New(rand.NewPCG(f.Seed, 2))
		for end := time.Now().Add(f.For); time.Now().Before(end) && ctx.Err() == nil; {
			for _, l := range of(x.Cluster, f.Node) {
				l.Reset()
			}
			wait(ctx, time.Duration(r.Int64N(int64(500*ms))))
		}
		return nil
	}
}

func (x *Scene) stopPostgres(ctx context.Context, f Fault) error {
	x.database.Lock()
	defer x.database.Unlock()
	if err := x.Cluster.Database.StopImmediate(); err != nil {
		return err
	}
	wait(ctx, f.For)
	return x.Cluster.Database.Start(context.WithoutCancel(ctx))
}

// stopPostgresInSilence lets nothing move afterwards that could tell the nodes what
// was lost.
func (x *Scene) stopPostgresInSilence(ctx context.Context, f Fault) error {
	x.Silence()
	defer x.Sound()
	wait(ctx, 50*time.Millisecond)
	err := x.stopPostgres(ctx, f)
	wait(ctx, 2*time.Second)
	return err
}

func (x *Scene) dropDatabase(ctx context.Context, f Fault) error {
	x.database.Lock()
	defer x.database.Unlock()
	return x.Cluster.Database.Drop(ctx, f.For)
}

func (x *Scene) killBroker(ctx context.Context, f Fault) error {
	x.brokers.Lock()
	defer x.brokers.Unlock()
	if err := x.Cluster.Brokers.Kill(f.Broker); err != nil {
		return err
	}
	wait(ctx, f.For)
	return x.Cluster.Brokers.Restart(context.WithoutCancel(ctx), f.Broker)
}

func (x *Scene) freezeBroker(ctx context.Context, f Fault) error {
	x.brokers.Lock()
	defer x.brokers.Unlock()
	if err := x.Cluster.Brokers.Pause(f.Broker); err != nil {
		return err
	}
	wait(ctx, f.For)
	return x.Cluster.Brokers.Resume(f.Broker)
}

// rebuild builds all read models anew beside the live ones, past all links.
func (x *Scene) rebuild(ctx context.Context, _ Fault) error {
	c := x.Cluster
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := c.Rebuild(ctx); err != nil {
		x.Log("the rebuild did not come to its end: %v", err) // as with any other fault at the same time
	}
	return nil
}
