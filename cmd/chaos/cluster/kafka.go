package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/parley-platform/parley/adapters/kafka/kafkatest"
)

// Brokers are the brokers of one round. A broker that was killed or paused comes
// back by Restart or Resume, on its old address, with its old log.
type Brokers interface {
	Addresses() []string
	Kill(i int) error
	Pause(i int) error
	Resume(i int) error
	Restart(ctx context.Context, i int) error
	Close() error
}

// startApache is three brokers of Apache Kafka.
func startApache(ctx context.Context, dir string) (Brokers, error) {
	progress, err := os.OpenFile(filepath.Join(dir, "kafka-start.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = progress.Close() }()
	c, err := kafkatest.StartCluster(ctx, kafkatest.Options{Brokers: 3, Dir: filepath.Join(dir, "kafka"), Owned: true, Heap: "256m",
		Progress: progress})
	if err != nil {
		return nil, fmt.Errorf("starting Apache Kafka: %w", err)
	}
	return c, nil
}

// embeddedBroker is the embedded broker in a process of its own, so that it can be
// killed and frozen alone.
type embeddedBroker struct {
	dir, address string
	process      *process
}

// BrokerCommand is the hidden subcommand of this program that serves a broker:
// chaos broker DIR ADDRESS.
const BrokerCommand = "broker"

func startEmbedded(ctx context.Context, dir string) (Brokers, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	b := &embeddedBroker{dir: dir, address: address}
	return b, b.start(ctx)
}

func (b *embeddedBroker) start(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if b.process, err = spawn(filepath.Join(b.dir, "broker.log"), os.Environ(), self, BrokerCommand, b.Folder(), b.address); err != nil {
		return err
	}
	return Until(ctx, time.Minute, "the embedded broker to listen", func() error {
		if !b.process.running() {
			return errors.New("it ended; see broker.log")
		}
		c, err := net.DialTimeout("tcp", b.address, time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err
	})
}

// Folder is where the log is.
func (b *embeddedBroker) Folder() string { return filepath.Join(b.dir, "kafka") }

func (b *embeddedBroker) Addresses() []string { return []string{b.address} }

func (b *embeddedBroker) Kill(int) error {
	b.process.kill()
	return nil
}

// Stop ends the broker in order.
func (b *embeddedBroker) Stop(within time.Duration) error {
	_ = b.process.signal(syscall.SIGTERM)
	select {
	case <-b.process.done:
		return nil
	case <-time.After(within):
		return fmt.Errorf("the broker did not stop within %s", within)
	}
}

// Try starts a broker on another folder, which is expected to refuse it, and gives its
// exit code and what it said.
func (b *embeddedBroker) Try(ctx context.Context, folder string) (code int, said string, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, "", err
	}
	return attempt(ctx, b.dir, startWithin, self, BrokerCommand, folder, "127.0.0.1:0")
}

func (b *embeddedBroker) Pause(int) error  { return b.process.signal(syscall.SIGSTOP) }
func (b *embeddedBroker) Resume(int) error { return b.process.signal(syscall.SIGCONT) }

func (b *embeddedBroker) Restart(ctx context.Context, _ int) error {
	b.process.kill()
	return b.start(ctx)
}

func (b *embeddedBroker) Close() error {
	b.process.kill()
	return nil
}

// ports counts those given away, so that none is given twice.
var ports atomic.Int64

// freeAddress is a loopback address below the range from which outgoing connections
// take theirs, so that it is still free when somebody comes back for it.
func freeAddress() (string, error) {
	for range 4000 {
		port := 20000 + (os.Getpid()*37+int(ports.Add(1)))%12000
		address := "127.0.0.1:" + strconv.Itoa(port)
		if l, err := net.Listen("tcp", address); err == nil {
			return address, l.Close()
		}
	}
	return "", errors.New("no free port between 20000 and 32000")
}

// Until asks again until there is no error any more.
func Until(ctx context.Context, atMost time.Duration, what string, try func() error) error {
	ctx, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
