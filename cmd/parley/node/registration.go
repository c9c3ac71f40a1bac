package node

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/rest"
)

// gate is the projector's, and shut until every reactor of this binary is registered:
// what the API accepts before would be past for a reactor that is registered after.
func (n *Node) gate() error {
	if err := n.projector.Gate(); err != nil {
		return err
	}
	if !n.registered.Load() {
		return fault.New(fault.CatchingUp, "the reactors are being registered").After(time.Second)
	}
	return nil
}

// admit prepares where reactors begin, and registers them as soon as the store answers.
func (n *Node) admit(ctx context.Context, all []reactors.Reactor) error {
	groups := watermillkafka.Groups{Client: n.kafka.Client()}
	n.admission = &reactors.Admission{Store: n.store, Groups: groups, From: n.cfg.ReactorFrom, Node: n.id, Now: n.clock.Now, Log: n.log}
	if err := n.admission.Expect(all...); err != nil {
		return exit.Wrongf("%s", err)
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			err := n.admission.Register(run)
			if err == nil {
				n.registered.Store(true)
				return
			}
			if run.Err() != nil {
				return
			}
			n.log.Error("the reactors cannot be registered, trying again", "error", err)
			select {
			case <-run.Done():
				return
			case <-time.After(time.Second):
			}
		}
	}()
	n.closing(func(context.Context) {
		stop()
		<-done
	})
	return nil
}

const lagEvery = 10 * time.Second

// watchReactors keeps the figures of how far the reactors are behind.
func (n *Node) watchReactors(ctx context.Context, all []reactors.Reactor) {
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		n.registry.MustRegister(g)
		return g
	}
	events := gauge("parley_reactor_lag_events", "Records on the log behind the group's committed offsets.", "reactor", "side")
	age := gauge("parley_reactor_lag_seconds", "Age of the oldest record behind the group's committed offsets; 0 when there is none.",
		"reactor", "side")
	refused := gauge("parley_reactor_refused", "1 while the reactor does not start because its group has lost its place: restart with "+
		"--reactor-from, see /readyz and the log.", "reactor", "side")
	on := &reactors.Edges{Groups: watermillkafka.Groups{Client: n.kafka.Client()}}
	look := func() {
		states := n.admission.States()
		for _, r := range all {
			side, bad := r.Side.String(), 0.0
			if states[r.Name].State == reactors.StateRefused {
				bad = 1
			}
			refused.WithLabelValues(r.Name, side).Set(bad)
			lag, err := reactors.LagOf(ctx, on, n.kafka, n.clock.Now(), r.Group(), r.Topics(), nil)
			if err != nil {
				n.log.Debug("how far a reactor is behind could not be found out", "reactor", r.Name, "error", err)
				continue
			}
			events.WithLabelValues(r.Name, side).Set(float64(lag.Events))
			age.WithLabelValues(r.Name, side).Set(lag.Age.Seconds())
		}
	}
	tick := time.NewTicker(lagEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			look()
		}
	}
}

// reactorsPart is what /readyz says. A refused reactor does not make the node unready:
// every node would be, and with them the API.
func (n *Node) reactorsPart() rest.Part {
	states, ours := n.admission.States(), map[string]reactors.Standing{}
	for _, r := range n.runs {
		ours[r.Name] = states[r.Name]
	}
	return rest.Part{Name: "reactors", Ready: true, Detail: ours}
}
