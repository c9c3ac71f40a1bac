package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/adapters/embedded"
	"github.com/parley-platform/parley/adapters/embedded/private"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/workspace"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
)

// bench is a node whose reactors rest, so that what is measured is the path of
// commands and events and not the calls that would follow.
type bench struct {
	cfg      node.Config
	node     *node.Node
	embedded bool // log and database live in the folder, and nowhere else
	log      *kafka.Log
	producer *eventstore.Producer
	raw      *rawWriters
	client   *http.Client
	work     workspace.Workspace
	stop     []func()
}

var writeRoles = []node.Role{node.RoleAPI, node.RoleProjector}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func startBench(dir string, c *Command) (*bench, error) {
	b := &bench{client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	if err := b.open(ctx, dir, c); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *bench) open(ctx context.Context, dir string, c *Command) error {
	tls, mechanism, err := c.Login()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	b.cfg = node.Config{Data: dir, Listen: "127.0.0.1:0", KafkaBrokers: c.KafkaBrokers, KafkaTLS: tls, KafkaSASL: mechanism,
		DatabaseURL: c.DatabaseURL, Dev: true, Rate: 1_000_000, ConcurrentSessions: 1_000_000,
		Roles: writeRoles, Logger: quiet}
	if len(c.KafkaBrokers) == 0 {
		broker, err := embedded.StartBroker(embedded.BrokerConfig{Dir: filepath.Join(dir, "kafka"), Log: quiet})
		if err != nil {
			return err
		}
		b.stop = append(b.stop, func() { _ = broker.Close() })
		b.cfg.KafkaBrokers = broker.Addrs()
		if b.cfg.KafkaTLS, b.cfg.KafkaSASL, err = broker.Client(); err != nil {
			return err
		}
	}
	if c.DatabaseURL == "" {
		pg, err := private.StartPostgres(ctx, private.PostgresConfig{Dir: filepath.Join(dir, "postgres"), Log: quiet})
		if err != nil {
			return err
		}
		b.stop = append(b.stop, func() { _ = pg.Close() })
		b.cfg.DatabaseURL = pg.LocalURL()
	}
	b.embedded = len(c.KafkaBrokers) == 0 && c.DatabaseURL == ""
	if err := b.startNode(ctx); err != nil {
		return err
	}
	if b.work, err = workspace.Prepare(ctx, b.node, dir); err != nil {
		return err
	}
	if err := b.log.Plain(ctx, rawPartitions, rawTopic); err != nil {
		return err
	}
	b.producer = eventstore.NewProducer(b.log, nil)
	b.raw = newRawWriters(b.log)
	return b.warm(ctx)
}

// warm waits until a new topic takes records: brokers elect its leaders first.
func (b *bench) warm(ctx context.Context) error {
	for {
		err := b.produce(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// startNode starts the node, and waits until it serves.
func (b *bench) startNode(ctx context.Context) error {
	n, err := node.Start(ctx, b.cfg)
	if err != nil {
		return err
	}
	b.node, b.log = n, n.Log()
	return n.Await(ctx)
}

// logAlone is the log, while no node runs; every reactor is registered on it.
func (b *bench) logAlone(ctx context.Context) (*kafka.Log, error) {
	b.stopNode()
	if b.embedded { // a node with all roles, for a moment
		b.cfg.Roles = nil
		if err := b.startNode(ctx); err != nil {
			return nil, err
		}
		b.stopNode()
		b.cfg.Roles = writeRoles
	}
	log := kafka.New(kafka.Config{Brokers: b.cfg.KafkaBrokers, ClientID: "bench", TLS: b.cfg.KafkaTLS, SASL: b.cfg.KafkaSASL, Log: quiet})
	if err := log.Open(ctx, catalog.Categories()); err != nil {
		log.Close()
		return nil, err
	}
	return log, nil
}

// react starts the node anew, with its reactors and what else is set by now, and opens its database.
func (b *bench) react(ctx context.Context, dir string) (*pgxpool.Pool, error) {
	b.stopNode()
	b.cfg.Roles, b.cfg.Keyset, b.cfg.BlobURL = nil, filepath.Join(dir, "keyset.json"), "file://"+filepath.Join(dir, "blobs")
	if err := b.startNode(ctx); err != nil {
		return nil, err
	}
	db, err := pgxpool.New(ctx, b.cfg.DatabaseURL)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return db, nil
}

// another starts a node beside the one that there is, and waits until it serves.
func (b *bench) another(ctx context.Context, data string) (*node.Node, error) {
	cfg := b.cfg
	cfg.Data = data
	n, err := node.Start(ctx, cfg)
	if err != nil {
		return nil, err
	}
	if err := n.Await(ctx); err != nil {
		n.Close(ctx)
		return nil, err
	}
	return n, nil
}

func (b *bench) stopNode() {
	if b.node != nil {
		b.node.Close(context.Background())
		b.node = nil
	}
}

func (b *bench) close() {
	b.stopNode()
	for i := len(b.stop) - 1; i >= 0; i-- {
		b.stop[i]()
	}
	b.stop = nil
}
