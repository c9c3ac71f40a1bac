package node

import (
	"context"
	"maps"
	gslices "slices"
	"sync"

	"github.com/ThreeDotsLabs/watermill/message"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// runReactors registers the reactors, and starts those of this node's roles, and their timers.
func (n *Node) runReactors(ctx context.Context) error {
	media := slices.OnMedia(n.slices)
	all, ours := n.reactorsOf(media)
	if len(ours) == 0 {
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
	if n.cfg.has(RoleReactor) {
		copies, err := n.acceptedTopics(ctx)
		if err != nil {
			return err
		}
		for i := range copies {
			copies[i].FromStart = true // a copy is of the whole log
		}
		all, ours = append(all, copies...), append(ours, copies...)
	}
	n.runs = ours
	if err := n.admit(ctx, all); err != nil {
		return err
	}
	run, err := n.startReactors(ctx, publisher, ours)
	if err != nil {
		return err
	}
	n.runTimers(run, media.Timers)
	if n.cfg.has(RoleReactor) {
		for _, s := range n.slices {
			n.runBeside(run, s.Run)
		}
	}
	if n.cfg.has(RoleMedia) {
		n.runBeside(run, media.Run)
	}
	return nil
}

// startReactors follows the log with reactors, once nobody of this node's last run is a member of their groups. What goes on beside
// them ends with run.
func (n *Node) startReactors(ctx context.Context, publisher message.Publisher, ours []reactors.Reactor) (run context.Context, err error) {
	n.members = newMembers(n.cfg.Data, n.log)
	n.members.leave(ctx, watermillkafka.Groups{Client: n.kafka.Client()})
	router, err := reactors.NewRouter(n.routerConfig(publisher, ours), ours...)
	if err != nil {
		return nil, err
	}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := router.Run(run); err != nil && run.Err() == nil {
			n.log.Error("the reactors stopped", "error", err)
		}
	}()
	n.closingReactors(func(ctx context.Context) {
		if err := router.Close(ctx); err != nil {
			n.log.Warn("reactors did not stop in time", "error", err)
		} else {
			n.members.forget()
		}
		stop()
		<-done
	})
	go n.watchReactors(run, ours)
	return run, nil
}

// reactorsOf are all reactors that there are, and those of this node's roles.
func (n *Node) reactorsOf(media slices.Media) (all, ours []reactors.Reactor) {
	followers := slices.Following(n.slices)
	replayer := &reactors.Replayer{Store: n.store, Reactors: append(gslices.Clone(followers), media.Reactors...), Now: n.clock.Now, Log: n.log}
	followers = append(followers, replayer.Reactor())
	if n.cfg.has(RoleReactor) {
		ours = append(ours, followers...)
	}
	if n.cfg.has(RoleMedia) {
		ours = append(ours, media.Reactors...)
	}
	return append(followers, media.Reactors...), ours
}

// runBeside starts what is done beside the reactors.
func (n *Node) runBeside(ctx context.Context, all []func(context.Context)) {
	run, stop := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, do := range all {
		running.Go(func() { do(run) })
	}
	n.closingReactors(func(context.Context) {
		stop()
		running.Wait()
	})
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

// runTimers fires due timers until the context ends: those that this version knows where this node has the role
// reactor, else those of media nodes. Others are left to nodes that know them, which a claim would keep from it.
func (n *Node) runTimers(ctx context.Context, names []string) {
	source, handlers := projections.NewTimers(n.db.Queries), slices.Firing(n.slices)
	if n.cfg.has(RoleReactor) {
		n.registry.MustRegister(newTimerMetrics(source))
		names = nil
		for _, byName := range handlers {
			names = gslices.AppendSeq(names, maps.Keys(byName))
		}
	}
	timers := reactors.Timers{Source: source.Called(names...), Gate: n.gate, Log: n.log, Handlers: handlers, News: n.timerNews}
	run, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		timers.Run(run)
	}()
	n.closingReactors(func(context.Context) {
		stop()
		<-done
	})
}
