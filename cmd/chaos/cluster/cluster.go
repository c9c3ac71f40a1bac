// Package cluster starts the parts of a chaos round as processes of their own: two
// nodes from the built binary, the embedded broker or three of Apache Kafka, and
// Postgres, with a link of package proxy on every way between them.
//
// It offers what can be done to each part. It never decides when, and never judges.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/proxy"
)

// Parts is which brokers a round runs on.
type Parts string

// The kinds of brokers.
const (
	Embedded Parts = "embedded"
	Apache   Parts = "apache"
)

// Config is what a cluster is started with.
type Config struct {
	Dir           string // folder of the round; logs stay there
	Binary        string // parley
	Parts         Parts
	Nodes         int
	CampaignLines int      // calls of campaigns at once
	Texts         Texts    // who sends text messages; nobody: they are recorded
	Env           []string // of all nodes
	FirstEnv      []string // of the first node, beside what all have
}

// Texts is an account at a provider of text messages that works as Twilio does.
type Texts struct{ URL, Account, Token string }

// Cluster is everything a round runs on.
type Cluster struct {
	Config
	Brokers  Brokers
	Database *Database
	Nodes    []*Node
}

// CallLease is how long a call outlives its node in a round.
const CallLease = 3 * time.Second

// simSpeed is how many times faster than life calls go: an answered one lasts for a
// second, in which it can be handed to somebody.
const simSpeed = "10"

// Start brings everything up and waits until all nodes are ready.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	if err := os.MkdirAll(cfg.Dir, 0o755); err != nil {
		return nil, err
	}
	c := &Cluster{Config: cfg}
	if err := c.start(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context) (err error) {
	if c.Parts == Apache {
		c.Brokers, err = startApache(ctx, c.Dir)
	} else {
		c.Brokers, err = startEmbedded(ctx, c.Dir)
	}
	if err != nil {
		return err
	}
	if c.Database, err = startDatabase(ctx, c.Dir); err != nil {
		return err
	}
	for i := range c.Config.Nodes {
		n, err := c.node(string(rune('a' + i)))
		if err != nil {
			return err
		}
		if i == 0 {
			n.env = append(n.env, c.FirstEnv...)
		}
		c.Nodes = append(c.Nodes, n)
		if err := n.Start(); err != nil {
			return err
		}
		// The first makes topics, tables and the workspace; the others find them.
		if err := c.awaitWorkspace(ctx, n); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) awaitWorkspace(ctx context.Context, n *Node) error {
	return Until(ctx, 2*time.Minute, "node "+n.Name+" and its workspace", func() error {
		if _, err := n.Environment(); err != nil {
			return err
		}
		return n.Ready()
	})
}

// node prepares a node and its links.
func (c *Cluster) node(name string) (*Node, error) {
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	n := &Node{Name: name, Data: filepath.Join(c.Dir, "node-"+name), Kafka: proxy.NewKafka(), binary: c.Binary, listen: listen,
		log: filepath.Join(c.Dir, "node-"+name+".log")}
	var brokers []string
	for i, address := range c.Brokers.Addresses() {
		l, err := proxy.Open(fmt.Sprintf("%s-kafka%d", name, i), address, n.Kafka)
		if err != nil {
			return nil, err
		}
		n.ToKafka = append(n.ToKafka, l)
		brokers = append(brokers, l.Address())
	}
	if n.ToDB, err = proxy.Open(name+"-postgres", c.Database.Address(), nil); err != nil {
		return nil, err
	}
	if n.FromHere, err = proxy.Open(name+"-callers", listen, nil); err != nil {
		return nil, err
	}
	n.args = []string{"serve", "--data", n.Data, "--listen", listen, "--dev", "--sim-speed", simSpeed, "--call-lease", CallLease.String(),
		"--rate", "1000000", "--key-limit", "1000000", "--keyset", c.Keyset(), "--log-level", "debug",
		"--campaign-lines", strconv.Itoa(c.CampaignLines), "--kafka-brokers", strings.Join(brokers, ","),
		"--database-url",
		c.Database.Through(n.ToDB.Address())}
	n.env = slices.Clone(c.Env)
	if c.Texts.URL != "" {
		n.args = append(n.args, "--sms-provider", "twilio")
		n.env = append(n.env, "TWILIO_BASE_URL="+c.Texts.URL, "TWILIO_ACCOUNT_SID="+c.Texts.Account, "TWILIO_AUTH_TOKEN="+c.Texts.Token)
	}
	return n, nil
}

// Keyset is the master key file that the nodes share.
func (c *Cluster) Keyset() string { return filepath.Join(c.Dir, "keyset.json") }

// Heal ends every fault of the network.
func (c *Cluster) Heal() {
	for _, n := range c.Nodes {
		n.Kafka.Release()
		for _, l := range n.Links() {
			l.Heal()
		}
	}
}

// AwaitReady waits until all nodes say that everything is there.
func (c *Cluster) AwaitReady(ctx context.Context, atMost time.Duration) error {
	for _, n := range c.Nodes {
		if err := n.AwaitReady(ctx, atMost); err != nil {
			return err
		}
	}
	return nil
}

// Command runs the binary against the parts themselves and returns what it said.
func (c *Cluster) Command(ctx context.Context, logName string, args ...string) error {
	p, err := spawn(filepath.Join(c.Dir, logName+".log"), cleanEnvironment(), c.Binary, args...)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.kill()
		return fmt.Errorf("parley %s: %w", args[0], ctx.Err())
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("parley %s: %s; see %s.log", args[0], p.cmd.ProcessState, logName)
	}
	return nil
}

// Rebuild runs parley rebuild --all past all links.
func (c *Cluster) Rebuild(ctx context.Context, more ...string) error {
	args := append([]string{"rebuild", "--all", "--keyset", c.Keyset(), "--database-url", c.Database.URL(), "--kafka-brokers",
		strings.Join(c.Brokers.Addresses(), ",")}, more...)
	return c.Command(ctx, "rebuild", args...)
}

// Close ends everything, nodes first.
func (c *Cluster) Close() {
	for _, n := range c.Nodes {
		n.close()
	}
	if c.Database != nil && c.Database.at() != nil {
		_ = c.Database.Close()
	}
	if c.Brokers != nil {
		_ = c.Brokers.Close()
	}
}

// Projector runs a third node that only projects, past all links, into a database
// of its own, until done says that it has got everything.
func (c *Cluster) Projector(ctx context.Context, database string, done func() error) (err error) {
	if err := c.Database.Administer(ctx, `CREATE DATABASE `+database); err != nil {
		return err
	}
	p, err := spawn(filepath.Join(c.Dir, database+".log"), cleanEnvironment(), c.Binary, "serve", "--data",
		filepath.Join(c.Dir, "node-"+database), "--listen", "127.0.0.1:0",
		"--roles", "projector", "--keyset", c.Keyset(), "--kafka-brokers", strings.Join(c.Brokers.Addresses(), ","), "--database-url",
		c.Database.Named(database))
	if err != nil {
		return err
	}
	defer func() {
		_ = p.signal(15)
		select {
		case <-p.done:
		case <-time.After(20 * time.Second):
			p.kill()
		}
	}()
	return Until(ctx, 2*time.Minute, "a fresh rebuild of the read models", func() error {
		if !p.running() {
			return errors.New("the projector ended; see " + database + ".log")
		}
		return done()
	})
}
