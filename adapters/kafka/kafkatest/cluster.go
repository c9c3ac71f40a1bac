package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
)

// Options say what kind of cluster is wanted. The zero value is one broker.
type Options struct {
	// 1 (also for 0) or 3; three have a controller of their own, so that the loss of two brokers is that and no more
	Brokers  int
	Dir      string            // where logs and settings are kept; empty: a temporary folder that Close removes
	Heap     string            // -Xmx of each broker; default 384m
	Settings map[string]string // more lines of server.properties, for each broker
	Secure   *Security         // nil: plain text, no users
	Owned    bool              // insist on a cluster that can be killed: KAFKA_BROKERS is not looked at
	Progress io.Writer         // what is downloaded and started, a line each; default os.Stderr
}

// ErrNotOurs is wrapped when a fault is asked of a cluster that KAFKA_BROKERS named:
// it belongs to somebody else.
var ErrNotOurs = errors.New("this cluster was named by KAFKA_BROKERS and is only used")

// Cluster is a running Kafka. Brokers are numbered from 0; Kafka's node ids are one
// higher (see NodeID).
type Cluster struct {
	addresses []string
	machine   machine // nil: not ours
	dir       string  // removed by Close; empty: kept
	secure    *Security
}

// machine is how brokers of one source are handled.
type machine interface {
	kill(broker int) error   // at once, as by a power cut of the process
	stop(broker int) error   // in order: leaders move first
	pause(broker int) error  // alive for the network, dead for everyone who waits
	resume(broker int) error // goes on as if no time had passed
	start(ctx context.Context, broker int) error
	ended() error // why one has ended, unasked
	close() error
}

// StartCluster starts a cluster and returns when every broker serves. Close ends it;
// so does the end of this process, however it comes.
func StartCluster(ctx context.Context, o Options) (*Cluster, error) {
	o, err := o.prepared()
	if err != nil {
		return nil, err
	}
	if named := os.Getenv("KAFKA_BROKERS"); named != "" && !o.Owned {
		c := &Cluster{addresses: split(named), secure: o.Secure}
		if err := c.WaitReady(ctx, 1); err != nil {
			return nil, fmt.Errorf("KAFKA_BROKERS=%s does not answer: %w", named, err)
		}
		return c, nil
	}
	c := &Cluster{secure: o.Secure}
	if o.Dir == "" {
		if o.Dir, err = os.MkdirTemp("", "parley-kafka-"); err != nil {
			return nil, err
		}
		c.dir = o.Dir
	}
	if o.Secure == nil && dockerAnswers(ctx) {
		c.machine, c.addresses, err = startContainers(ctx, o)
	} else {
		c.machine, c.addresses, err = startProcesses(ctx, o)
	}
	if err == nil {
		err = c.until(ctx, c.machine.ended, atLeast(o.Brokers))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Start is StartCluster for a test: what goes wrong fails it, and its end is the
// cluster's. Under -short it skips the test.
func Start(t testing.TB, o Options) *Cluster {
	t.Helper()
	childtest.Integration(t)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c, err := StartCluster(ctx, o)
	if err != nil {
		t.Fatalf("start Apache Kafka: %v", err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func (o Options) prepared() (Options, error) {
	if o.Brokers == 0 {
		o.Brokers = 1
	}
	if o.Brokers != 1 && o.Brokers != 3 {
		return o, fmt.Errorf("a cluster of %d brokers is not offered: ask for 1 or 3", o.Brokers)
	}
	if o.Heap == "" {
		o.Heap = "384m"
	}
	if o.Progress == nil {
		o.Progress = os.Stderr
	}
	return o, nil
}

// Addresses are host:port of the brokers, in the order of their numbers.
func (c *Cluster) Addresses() []string { return slices.Clone(c.addresses) }

// NodeID is Kafka's id of a broker, as metadata shows it.
func NodeID(broker int) int { return broker + 1 }

// Ours tells whether the brokers may be killed: false for those of KAFKA_BROKERS.
func (c *Cluster) Ours() bool { return c.machine != nil }

// Kill ends a broker as SIGKILL does. It is down when Kill returns.
func (c *Cluster) Kill(broker int) error { return c.fault(broker, "kill", machine.kill) }

// Stop shuts a broker down in order: it hands its partitions over first.
func (c *Cluster) Stop(broker int) error { return c.fault(broker, "stop", machine.stop) }

// Pause freezes a broker (SIGSTOP): its connections stay open and nothing answers.
func (c *Cluster) Pause(broker int) error { return c.fault(broker, "pause", machine.pause) }

// Resume lets a paused broker go on.
func (c *Cluster) Resume(broker int) error { return c.fault(broker, "resume", machine.resume) }

// Restart starts a broker with its old log again, after stopping it if it runs, and
// returns when the whole cluster knows it.
func (c *Cluster) Restart(ctx context.Context, broker int) error {
	return c.fault(broker, "restart", func(m machine, i int) error {
		if err := m.stop(i); err != nil {
			return err
		}
		if err := m.start(ctx, i); err != nil {
			return err
		}
		return c.waitFor(ctx, broker)
	})
}

func (c *Cluster) fault(broker int, what string, do func(machine, int) error) error {
	if c.machine == nil {
		return fmt.Errorf("%s broker %d: %w", what, broker, ErrNotOurs)
	}
	if broker < 0 || broker >= len(c.addresses) {
		return fmt.Errorf("%s broker %d: there are %d, from 0", what, broker, len(c.addresses))
	}
	if err := do(c.machine, broker); err != nil {
		return fmt.Errorf("%s broker %d: %w", what, broker, err)
	}
	return nil
}

// Close ends the brokers and removes their temporary folder. A cluster of
// KAFKA_BROKERS is left as it is.
func (c *Cluster) Close() error {
	var err error
	if c.machine != nil {
		err = c.machine.close()
	}
	if c.dir != "" {
		err = errors.Join(err, os.RemoveAll(c.dir))
	}
	return err
}

func split(list string) []string {
	var out []string
	for _, a := range strings.Split(list, ",") {
		if a = strings.TrimSpace(a); a != "" {
			out = append(out, a)
		}
	}
	return out
}
