package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/parley-platform/parley/adapters/blob"
	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/adapters/rtc"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/reference"
	"github.com/parley-platform/parley/migrations"
	"github.com/parley-platform/parley/projections/analytics"
	"github.com/parley-platform/parley/projections/engine"
)

// Node is one running Parley node.
type Node struct {
	cfg       Config
	id        string
	about     *resource.Resource // this process, to those who observe it
	log       *slog.Logger
	registry  *prometheus.Registry
	vault     *vault.Vault
	blobs     *blob.Store
	kafka     *kafka.Log
	keys      *keyring.Ring
	broker    *embedded.Broker // nil: Kafka is elsewhere
	db        *postgres.DB
	projector *engine.Projector
	analytics *analytics.Projector
	store     *eventstore.Store
	slices    []slices.Slice
	clock     *postgres.Clock // the one that all nodes share
	admission *reactors.Admission
	members   *members
	runs      []reactors.Reactor // of its roles

	timerNews     chan struct{} // see news.go
	analyticsNews chan struct{}

	login          *embedded.Login // of the embedded broker, if it is the generated one
	embeddedTables bool            // Postgres is, too

	registered atomic.Bool // every reactor of this binary is
	developer  atomic.Pointer[reference.Developer]
	listener   net.Listener
	mail       net.Listener // nil: no mail comes in
	pages      *rtc.Server  // nil: no page calls
	api        *rest.API
	closers    []func(context.Context)
	reacting   []func(context.Context) // those of them that end reactors and what runs beside
}

// Start brings a node up. It returns when the API listens; what is asked of it
// before the read models have caught up is answered CATCHING_UP.
func Start(ctx context.Context, cfg Config) (*Node, error) {
	cfg = cfg.filled()
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	n := &Node{cfg: cfg, registry: prometheus.NewRegistry()}
	n.registry.MustRegister(outgoing.Durations, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	type parts = []func(context.Context) error
	err := n.bring(ctx, startTimeout, parts{n.ground, n.introduce, n.sendTraces, n.listen, n.openBlobs, n.findDatabase})
	if err == nil {
		err = n.openLog(ctx) // waits for Kafka, however long that takes
	}
	if err == nil {
		err = n.bring(ctx, startTimeout, parts{n.holdKeyset, n.openDatabase, n.openStore, n.openPages,
			n.takeSlices, n.runReactors, n.serveAPI, n.takeMail})
	}
	if err != nil {
		n.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return n, nil
}

// startTimeout bounds each half of a start, what comes before Kafka and what comes after.
const startTimeout = 3 * time.Minute

// bring starts parts one after the other.
func (n *Node) bring(ctx context.Context, atMost time.Duration, parts []func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	n.closing(func(context.Context) { cancel() })
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close drains the node: it lets calls end, stops accepting, finishes what is under way, flushes,
// hands leases and groups over, and stops the embedded parts.
func (n *Node) Close(ctx context.Context) {
	n.drainCalls(ctx)
	for i := len(n.closers) - 1; i >= 0; i-- {
		n.closers[i](ctx)
	}
	n.closers = nil
}

func (n *Node) closing(f func(context.Context)) { n.closers = append(n.closers, f) }

// ground takes the data folder, and looks whether the master key can be read.
func (n *Node) ground(context.Context) error {
	id, err := nodeID(n.cfg.Data)
	if err != nil {
		return err
	}
	n.id = id
	n.log = n.cfg.Logger.With("node", id)
	release, err := datafolder.Lock(n.cfg.Data)
	if err != nil {
		return err
	}
	n.closing(func(context.Context) { release() })
	if _, err = vault.Open(n.cfg.Keyset); errors.Is(err, fs.ErrNotExist) {
		return nil // whether one may be made the log says
	}
	if err != nil {
		return exit.Wrongf("%s", err)
	}
	return nil
}

// listen takes the addresses of the API and of health, and of mail, before anything is started
// that would be in vain if it is not to be had. Who connects already waits.
func (n *Node) listen(context.Context) error {
	l, err := net.Listen("tcp", n.cfg.Listen)
	if err != nil {
		return slices.NotHeard("listen", n.cfg.Listen, err)
	}
	n.listener = l
	n.closing(func(context.Context) { _ = l.Close() })
	if n.cfg.SMTPListen == "" || n.cfg.SMTPDoor != nil || !n.cfg.has(RoleAPI) {
		return nil
	}
	door, err := net.Listen("tcp", n.cfg.SMTPListen)
	if err != nil {
		return slices.NotHeard("smtp-listen", n.cfg.SMTPListen, err)
	}
	n.cfg.SMTPDoor = door
	n.closing(func(context.Context) { _ = door.Close() }) // of a node that does not come as far as taking mail
	return nil
}

// openLog connects to Kafka, or starts the embedded broker.
func (n *Node) openLog(ctx context.Context) error {
	brokers, replicas := n.cfg.KafkaBrokers, 0
	if len(brokers) == 0 {
		b, err := embedded.StartBroker(embedded.BrokerConfig{Dir: filepath.Join(n.cfg.Data, "kafka"), Listen: n.cfg.KafkaListen,
			Access: n.cfg.KafkaAccess, Reserve: n.cfg.KafkaReserve, Known: n.knownEnds(ctx), Log: n.log.With("part", "broker")})
		if bind := (*net.OpError)(nil); n.cfg.KafkaListen != "" && errors.As(err, &bind) {
			return slices.NotHeard("kafka-listen", n.cfg.KafkaListen, bind)
		}
		if err != nil {
			return err
		}
		n.closing(func(context.Context) {
			if err := b.Close(); err != nil {
				n.log.Warn("the embedded broker did not stop cleanly", "error", err)
			}
		})
		n.broker = b
		n.registry.MustRegister(newDiskMetrics(b))
		brokers, replicas = b.Addrs(), 1
		n.cfg.KafkaBrokers, n.login = brokers, b.Login()
		if n.cfg.KafkaTLS, n.cfg.KafkaSASL, err = b.Client(); err != nil {
			return err
		}
	}
	n.kafka = kafka.New(kafka.Config{Brokers: brokers, ClientID: n.id, TLS: n.cfg.KafkaTLS, SASL: n.cfg.KafkaSASL, Replicas: replicas,
		Settled: n.broker != nil, Log: n.log, Remembered: n.remembered})
	n.closing(func(context.Context) { n.kafka.Close() })
	reach := n.reachLog
	if n.broker != nil {
		reach = n.openOwn
	}
	if err := reach(ctx); err != nil {
		return err
	}
	watch, stop := context.WithCancel(context.WithoutCancel(ctx))
	n.closing(func(context.Context) { stop() })
	go n.checkTopics(watch)
	return nil
}

// checkTopics looks at the topics' settings each minute: a wrong one is an alarm,
// another partition count stops writing.
func (n *Node) checkTopics(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		look, cancel := context.WithTimeout(ctx, 20*time.Second)
		if err := n.kafka.Check(look); err != nil && ctx.Err() == nil {
			n.log.Error("the topics are not as they must be", "error", err)
		}
		cancel()
	}
}

// openDatabase connects to Postgres, and begins to project.
func (n *Node) openDatabase(ctx context.Context) error {
	var err error
	n.db, err = postgres.Open(ctx, n.cfg.DatabaseURL, func() {
		if n.projector != nil {
			n.projector.Reset("Postgres is away, was restarted or replaced")
		}
	})
	if err != nil {
		return err
	}
	n.closing(func(context.Context) { n.db.Close() })
	n.registry.MustRegister(newPoolMetrics(map[string]*pgxpool.Pool{"queries": n.db.Queries, "projector": n.db.Projector}), n.db.Durations())
	if err := n.openKeys(ctx); err != nil {
		return err
	}
	feed := analytics.NewFeed()
	n.projector = engine.NewProjector(engine.Config{
		Node: n.id, Log: n.kafka, Queries: n.db.Queries, Writes: n.db.Projector, Logger: n.log, Metrics: n.registry, Seen: n.seen(),
		Feed:       feed,
		Prepare:    func(ctx context.Context) error { return n.db.Migrate(ctx, migrations.Files) },
		Categories: catalog.Categories(), Keys: n.keys, Models: slices.Models(n.vault),
		Idle: !n.cfg.has(RoleProjector), Serves: n.cfg.has(RoleAPI), Settings: n.cfg.shared(),
	})
	if err := n.projector.Start(ctx); err != nil {
		return err
	}
	n.closing(n.projector.Close)
	n.analytics = analytics.NewProjector(analytics.Config{Node: n.id, Log: n.kafka, Queries: n.db.Queries, Writes: n.db.Projector,
		Categories: catalog.Categories(), Keys: n.keys,
		Gate: n.projector.Gate, Idle: !n.cfg.has(RoleProjector), Logger: n.log, Metrics: n.registry, News: n.analyticsNews, Feed: feed})
	n.analytics.Start(ctx)
	n.closing(n.analytics.Close)
	return nil
}

func (n *Node) openStore(ctx context.Context) error {
	n.clock = postgres.NewClock(n.db.Queries, n.log)
	if err := n.clock.Sync(ctx); err != nil {
		n.log.Warn("until the database answers, this machine's clock is used", "error", err)
	}
	ticking, stop := context.WithCancel(context.WithoutCancel(ctx))
	go n.clock.Run(ticking)
	n.closing(func(context.Context) { stop() })
	m := newStoreMetrics(n.registry)
	n.store = eventstore.New(eventstore.Config{Node: n.id, Batches: n.kafka, Index: n.projector.Index(), Follower: engine.CommandFollower{
		Projector: n.projector}, Topology: n.kafka, Keys: n.keys,
		Now: n.clock.Now, Log: n.log, Observe: m.executed, Produced: m.produced})
	m.depth(n.store.QueueDepth)
	n.closing(func(context.Context) { n.store.Close() })
	return nil
}

// reachable is the address of a listener as somebody on this machine writes it: one that
// listens on all addresses is reached at the loopback one.
func reachable(listener string) string {
	if at, err := netip.ParseAddrPort(listener); err == nil && at.Addr().IsUnspecified() {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port()).String()
	}
	return listener
}

// serveAPI answers: all operations if this node has the role, else health alone.
func (n *Node) serveAPI(context.Context) error {
	if n.cfg.PublicURL == "" {
		n.cfg.PublicURL = "http://" + reachable(n.listener.Addr().String())
	}
	n.api = n.newAPI()
	run, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.api.Serve(run, n.listener) }()
	n.closing(func(ctx context.Context) {
		n.api.Drain()
		select { // load balancers look at /readyz meanwhile
		case <-time.After(n.cfg.DrainDelay):
		case <-ctx.Done():
		}
		stop()
		if err := <-done; err != nil && !errors.Is(err, context.Canceled) {
			n.log.Warn("the API did not stop cleanly", "error", err)
		}
	})
	return nil
}

// ID is the node's id.
func (n *Node) ID() string { return n.id }

// URL is how callers reach the API.
func (n *Node) URL() string { return n.cfg.PublicURL }

// Brokers are the addresses of the log.
func (n *Node) Brokers() []string { return n.cfg.KafkaBrokers }

// Login is the generated login of the embedded broker; nil where another is used.
func (n *Node) Login() *embedded.Login { return n.login }

// DatabaseURL is the address of the read models.
func (n *Node) DatabaseURL() string { return n.cfg.DatabaseURL }

// ShowDeveloper fills the page of the API in with these credentials, on a node with Dev
// only (reference.Page says who sees them).
func (n *Node) ShowDeveloper(token, apiKey string) {
	n.developer.Store(&reference.Developer{Token: token, APIKey: apiKey})
}

// Store is the node's event store.
func (n *Node) Store() *eventstore.Store { return n.store }

// Vault seals and hashes for the node.
func (n *Node) Vault() *vault.Vault { return n.vault }

// Await returns when the node serves reads.
func (n *Node) Await(ctx context.Context) error {
	for {
		shut := n.gate()
		if shut == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the read models: %w: %w", ctx.Err(), shut)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Log is the node's connection to the event log.
func (n *Node) Log() *kafka.Log { return n.kafka }
