package node

import (
	"context"

	"github.com/ThreeDotsLabs/watermill/message"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// runReactors registers the reactors, and starts them and the timers if this node
// has the role.
func (n *Node) runReactors(ctx context.Context) error {
	all := slices.Following(n.slices)
	replayer := &reactors.Replayer{Store: n.store, Reactors: all, Now: n.clock.Now, Log: n.log}
	all = append(all, replayer.Reactor())
	if !n.cfg.has(RoleReactor) {
		return n.admit(ctx, all)
	}
	if err := n.kafka.Plain(ctx, 1, reactors.PoisonTopic); err != nil {
		return err
	}
	publisher, err := watermillkafka.NewPublisher(n.cfg.KafkaBrokers, n.kafka.Client())
	if err != nil {
		return err
	}
	n.closing(func(context.Context) { _ = publisher.Close() })
	copies, err := n.acceptedTopics(ctx)
	if err != nil {
		return err
	}
	for i := range copies {
		copies[i].FromStart = true // a copy is of the whole log
	}
	all = append(all, copies...)
	if err := n.admit(ctx, all); err != nil {
		return err
	}
	n.members = newMembers(n.cfg.Data, n.log)
	n.members.leave(ctx, watermillkafka.Groups{Client: n.kafka.Client()})
	router, err := reactors.NewRouter(n.routerConfig(publisher, all), all...)
	if err != nil {
		return err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := router.Run(run); err != nil && run.Err() == nil {
			n.log.Error("the reactors stopped", "error", err)
		}
	}()
	n.closing(func(ctx context.Context) {
		if err := router.Close(ctx); err != nil {
			n.log.Warn("reactors did not stop in time", "error", err)
		} else {
			n.members.forget()
		}
		stop()
		<-done
	})
	go n.watchReactors(run, all)
	n.runTimers(run)
	return nil
}

func (n *Node) routerConfig(p message.Publisher, all []reactors.Reactor) reactors.Config {
	byGroup := map[string]reactors.Reactor{}
	for _, r := range all {
		byGroup[r.Group()] = r
	}
	return reactors.Config{
		Subscribe: func(group string) (message.Subscriber, error) {
			r := byGroup[group]
			return watermillkafka.NewSubscriber(watermillkafka.Config{Brokers: n.cfg.KafkaBrokers, Group: group, Client: n.kafka.Client(),
				Dialer: n.kafka.Dialer(), Logger: n.log,
				StartAt: watermillkafka.StartRefuse, AnyOrder: r.AnyOrder,
				Admit:     func(ctx context.Context) error { return n.admission.Admit(ctx, r) },
				OnMember:  func(topic, member string) { n.members.joined(group, topic, member) },
				OnStopped: func(topic string, partition int, err error) { n.admission.Stopped(r.Name, topic, partition, err) }})
		},
		Now: n.clock.Now, Publisher: p, Positions: n.projector, Verdicts: n.projector.Index(), Keys: n.keys, Draining: watermillkafka.Draining,
		Metrics: n.registry, Log: n.log,
	}
}

// runTimers fires due timers until the context ends.
func (n *Node) runTimers(ctx context.Context) {
	source := projections.NewTimers(n.db.Queries)
	n.registry.MustRegister(newTimerMetrics(source))
	timers := reactors.Timers{Source: source, Gate: n.gate, Log: n.log, Handlers: slices.Firing(n.slices), News: n.timerNews}
	run, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		timers.Run(run)
	}()
	n.closing(func(context.Context) {
		stop()
		<-done
	})
}
