package reactors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/eventstore"
)

// Config is what a Router needs of its surroundings.
type Config struct {
	// Subscribe makes the subscriber of a reactor's consumer group. It must deliver
	// the records of one key one after the other, unless the reactor takes any order, deliver a nacked one again after a
	// pause, and put headers into the metadata with the record's place beside them
	// (kafka_topic, kafka_partition, kafka_offset, kafka_key). The router closes it.
	Subscribe func(group string) (message.Subscriber, error)
	Publisher message.Publisher // for PoisonTopic, which must exist; stays open
	Positions positions
	Verdicts  verdicts
	Keys      eventstore.Keys // opens what is personal; nil: nothing is sealed

	Attempts      int           // failed tries before an event is set aside; default 20
	HandleTimeout time.Duration // of one try; default 30 s

	// Draining is closed when the subscriber wants a message's partition back; what
	// only waits then stops. Nil: never.
	Draining func(ctx context.Context) <-chan struct{}

	Metrics prometheus.Registerer // nil: none
	Log     *slog.Logger          // default slog.Default()
	Now     func() time.Time      // default time.Now
}

func (c *Config) prepare() error {
	switch {
	case c.Subscribe == nil:
		return errors.New("reactor router: Subscribe is missing")
	case c.Publisher == nil:
		return errors.New("reactor router: Publisher is missing")
	case c.Positions == nil || c.Verdicts == nil:
		return errors.New("reactor router: Positions and Verdicts must be there, else reactors would act on what lost")
	case c.Attempts < 0 || c.HandleTimeout < 0:
		return errors.New("reactor router: Attempts and HandleTimeout must not be negative")
	}
	if c.Attempts == 0 {
		c.Attempts = 20
	}
	if c.HandleTimeout == 0 {
		c.HandleTimeout = 30 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Draining == nil {
		c.Draining = func(context.Context) <-chan struct{} { return nil }
	}
	return nil
}

// Router runs reactors. It is the one recipe: dispatch on the type, correlation,
// accepted events only, recovery from panics, retry, poison, metrics.
type Router struct {
	router      *message.Router
	subscribers []message.Subscriber

	mu      sync.Mutex
	started bool
	closed  bool
	closing chan struct{}
	ended   chan struct{} // Run has returned
}

// unbounded is Watermill's own limit for closing, out of the way of Close's context.
const unbounded = time.Hour

// NewRouter checks the declarations and connects nothing yet.
func NewRouter(cfg Config, reactors ...Reactor) (*Router, error) {
	if err := cfg.prepare(); err != nil {
		return nil, err
	}
	wm, err := message.NewRouter(message.RouterConfig{CloseTimeout: unbounded}, watermill.NewSlogLoggerWithLevelMapping(cfg.Log, quieter))
	if err != nil {
		return nil, fmt.Errorf("reactor router: %w", err)
	}
	metrics := newRouterMetrics(cfg.Now)
	if cfg.Metrics != nil {
		if err := cfg.Metrics.Register(metrics); err != nil {
			return nil, fmt.Errorf("reactor router: %w", err)
		}
	}
	r := &Router{router: wm, closing: make(chan struct{}), ended: make(chan struct{})}
	names := map[string]bool{}
	for _, reactor := range reactors {
		if names[reactor.Name] {
			return nil, fmt.Errorf("reactor %s is declared twice", reactor.Name)
		}
		names[reactor.Name] = true
		if err := r.add(cfg, metrics, reactor); err != nil {
			return nil, errors.Join(err, r.closeSubscribers())
		}
	}
	return r, nil
}

// quieter: Watermill narrates its start and stop at Info, once per handler.
var quieter = map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug}

func (r *Router) add(cfg Config, metrics *routerMetrics, reactor Reactor) error {
	routes, err := reactor.routes()
	if err != nil {
		return err
	}
	sub, err := cfg.Subscribe(reactor.Group())
	if err != nil {
		return fmt.Errorf("reactor %s: %w", reactor.Name, err)
	}
	r.subscribers = append(r.subscribers, sub)
	metrics.knows(reactor)
	tries := &attempts{tries: map[place]int{}}
	for topic, route := range routes {
		h := &handling{cfg: cfg, reactor: reactor, route: route, metrics: metrics, tries: tries, closing: r.closing,
			accepted: acceptedOnly{cfg.Positions, cfg.Verdicts}, log: cfg.Log.With("reactor", reactor.Name, "side", reactor.Side.String())}
		r.router.AddConsumerHandler(reactor.Name+" on "+topic, topic, sub, h.receive)
	}
	return nil
}

// Run reads and handles until ctx ends or Close is called, and returns when the
// handlers have.
func (r *Router) Run(ctx context.Context) error {
	r.mu.Lock()
	if r.closed || r.started {
		defer r.mu.Unlock()
		return errors.New("reactor router: it runs once, and not after Close")
	}
	r.started = true
	r.mu.Unlock()
	defer close(r.ended)
	if err := r.router.Run(ctx); err != nil {
		return fmt.Errorf("reactor router: %w", errors.Join(err, r.closeSubscribers()))
	}
	return nil
}

// Running is closed when every reactor is subscribed.
func (r *Router) Running() <-chan struct{} { return r.router.Running() }

// Close stops taking events and waits, as long as ctx allows, for the handlers at
// work and until their offsets are committed. What only waits, for a checkpoint
// say, stops at once.
func (r *Router) Close(ctx context.Context) error {
	r.mu.Lock()
	started := r.started
	if !r.closed {
		r.closed = true
		close(r.closing)
	}
	r.mu.Unlock()
	done := make(chan error, 1)
	go func() {
		if !started { // Watermill would wait for handlers that never began
			done <- r.closeSubscribers()
			return
		}
		select { // and closed while it starts it would never end
		case <-r.router.Running():
		case <-r.ended:
		}
		done <- r.router.Close()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("reactor router: handlers are still at work: %w", ctx.Err())
	}
}

func (r *Router) closeSubscribers() error {
	var all []error
	for _, s := range r.subscribers {
		all = append(all, s.Close())
	}
	return errors.Join(all...)
}
