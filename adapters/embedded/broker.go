package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// BrokerConfig says where an embedded broker keeps its log and where it listens.
type BrokerConfig struct {
	// Dir holds the log and the remembered port. It is made if missing.
	Dir string
	// Listen is a loopback HOST:PORT, or any HOST:PORT if Access is set. Port 0 is
	// the port that Dir remembers, else a free one. Empty means 127.0.0.1:0.
	Listen string
	// Access is what clients must show, and what they are shown; nil lets everybody
	// in who reaches the address, without TLS.
	Access *Access
	// Reserve is the free space of the disk, in bytes, below which nothing is
	// appended: what follows a disk that is full to the last byte (half a batch,
	// consumer offsets that cannot be noted) then never happens. 0 is 64 MiB.
	Reserve int64
	// Known are ends of the log that others remember, such as the read models. A
	// folder that does not reach them is refused.
	Known []logfolder.Known
	// Log receives what the broker has to say; nil is slog.Default().
	Log *slog.Logger
	// UnsafeNoSync leaves out the fsync of each batch. A killed process still loses
	// nothing, a machine that loses power does: for tests.
	UnsafeNoSync bool
}

// Broker is a Kafka-protocol server in this process, for one node. Every batch
// is on disk (fsync) before it is acknowledged, so it survives kill -9.
type Broker struct {
	cluster *kfake.Cluster
	addrs   []string
	notes   *keptNotes
	release func()
	once    sync.Once
}

// brokerSettings are the defaults for topics and groups made by anyone, such as
// a consumer's own; Parley's topics state their settings themselves.
var brokerSettings = map[string]string{
	// A commit may be 4 MiB and a topic may allow 8 MiB (DESIGN section 4).
	"message.max.bytes": "8388608",
	// The log is the truth: no topic loses records by forgetting to say so.
	"log.retention.ms":    "-1",
	"log.retention.bytes": "-1",
	// A reactor that was down for a week must find its offset again, or it would
	// have to guess what it has already done. Ten years, in minutes.
	"offsets.retention.minutes": "5256000",
}

// StartBroker serves the log under cfg.Dir until Close. One process at a time may
// have the folder. Topics are made only on request, never by naming one.
func StartBroker(cfg BrokerConfig) (*Broker, error) {
	if cfg.Dir == "" {
		return nil, errors.New("embedded broker: Dir is empty")
	}
	if cfg.Listen == "" {
		cfg.Listen = "127.0.0.1:0"
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	if cfg.Reserve == 0 {
		cfg.Reserve = defaultReserve
	}
	release, err := Lock(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("embedded broker: %w", err)
	}
	cluster, notes, err := openLog(cfg)
	if err != nil {
		release()
		return nil, fmt.Errorf("embedded broker: %w", err)
	}
	return &Broker{cluster: cluster, addrs: cluster.ListenAddrs(), notes: notes, release: release}, nil
}

// openLog starts the broker on a folder that was found to be whole.
func openLog(cfg BrokerConfig) (*kfake.Cluster, *keptNotes, error) {
	found, err := examine(cfg)
	if err != nil {
		return nil, nil, err
	}
	notes, err := keepNotes(cfg, found)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := startCluster(cfg, notes)
	if err != nil {
		return nil, nil, errors.Join(err, notes.close())
	}
	return cluster, notes, nil
}

func startCluster(cfg BrokerConfig, notes *keptNotes) (*kfake.Cluster, error) {
	listener, err := cfg.Access.listen(cfg)
	if err != nil {
		return nil, err
	}
	listener = notes.listen(cfg.Access.secure(listener))
	logFolder := filepath.Join(cfg.Dir, "log")
	options := []kfake.Opt{
		kfake.NumBrokers(1),
		kfake.DefaultNumPartitions(1),
		kfake.DataDir(logFolder),
		kfake.BrokerConfigs(brokerSettings),
		kfake.WithLogger(brokerLog{cfg.Log}),
		kfake.ListenFn(func(string, string) (net.Listener, error) { return listener, nil }),
	}
	if !cfg.UnsafeNoSync {
		options = append(options, kfake.SyncWrites())
	}
	// The broker keeps its users, and would prefer them to those it is given now.
	if err := os.Remove(filepath.Join(logFolder, "sasl.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = listener.Close()
		return nil, fmt.Errorf("forgetting the users of an earlier start: %w", err)
	}
	cluster, err := kfake.NewCluster(append(options, cfg.Access.options()...)...)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("open the log in %s: %w; keep a copy of the folder before changing anything in it", logFolder, err)
	}
	(&diskGuard{cluster: cluster, folder: logFolder, reserve: cfg.Reserve, free: freeSpace, log: cfg.Log}).install()
	debug.FreeOSMemory() // the whole log was read, a segment at a time
	return cluster, nil
}

// Addrs are the HOST:PORT addresses to bootstrap a client with. There is one.
func (b *Broker) Addrs() []string { return slices.Clone(b.addrs) }

// Close refuses new requests, writes what a fast next start needs, and gives the
// folder back. A second call does nothing.
func (b *Broker) Close() (err error) {
	b.once.Do(func() {
		b.cluster.Close()
		err = b.notes.close()
		b.release()
	})
	return err
}
