package embedded

import (
	"crypto/tls"
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

	"github.com/segmentio/kafka-go/sasl"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"github.com/parley-platform/parley/adapters/embedded/logfolder"
)

// BrokerConfig says where an embedded broker keeps its log and where it listens.
type BrokerConfig struct {
	// Dir holds the log and the remembered port. It is made if missing.
	Dir string
	// Listen is a loopback HOST:PORT, or any HOST:PORT if Access is set. Port 0 is
	// the port that Dir remembers, else a free one. Empty means 127.0.0.1:0.
	Listen string
	// Access is what clients must show, and what they are shown; nil is a login that
	// Dir remembers (mode 0600), without TLS: other users of this machine are kept out.
	Access *Access
	// UnsafeOpen lets everybody in who reaches the address, and do everything, deleting
	// included: for tests.
	UnsafeOpen bool
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
	access  *Access // nil: open
	login   *Login  // the generated one
	addrs   []string
	notes   *keptNotes
	disk    string // folder of the log
	reserve int64  // bytes of its disk that are left free
	release func()
	once    sync.Once
	closed  chan struct{}
}

// brokerSettings are the defaults for topics and groups made by anyone, such as
// a consumer's own; Parley's topics state their settings themselves.
var brokerSettings = map[string]string{
	// A commit may be 4 MiB and a topic may allow 8 MiB (docs/architecture.md "Topics
	// and genesis").
	"message.max.bytes": "8388608",
	// The log is the truth: no topic loses records by forgetting to say so.
	"log.retention.ms":    "-1",
	"log.retention.bytes": "-1",
	// A reactor that was down for a week must find its offset again, or it would
	// have to guess what it has already done. Ten years, in minutes.
	"offsets.retention.minutes": "5256000",
	// The broker's own compaction deletes a topic's files before it writes them anew: a
	// process that is killed then has lost the topic. It never comes to that; see Drop.
	"log.cleaner.backoff.ms": "9000000000000",
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
	release, err := datafolder.Lock(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("embedded broker: %w", err)
	}
	b, err := openBroker(cfg)
	if err != nil {
		release()
		return nil, fmt.Errorf("embedded broker: %w", err)
	}
	b.release = release
	return b, nil
}

// openBroker serves in a folder that is locked, if its log is found to be whole. Until
// then nothing in it is changed.
func openBroker(cfg BrokerConfig) (*Broker, error) {
	found, err := examine(cfg)
	if err != nil {
		return nil, err
	}
	b := &Broker{disk: LogFolder(cfg.Dir), reserve: cfg.Reserve, closed: make(chan struct{})}
	if cfg.Access == nil && !cfg.UnsafeOpen {
		login, err := generatedLogin(cfg.Dir)
		if err != nil {
			return nil, err
		}
		b.login, cfg.Access = &login, &Access{User: login.User, Password: login.Password}
	}
	b.access = cfg.Access
	if b.notes, err = keepNotes(cfg, found); err != nil {
		return nil, err
	}
	if b.cluster, err = startCluster(cfg, b.notes); err != nil {
		return nil, errors.Join(err, b.notes.close())
	}
	b.addrs = b.cluster.ListenAddrs()
	go b.retain()
	if err := errors.Join(writeClientFile(cfg.Dir, b.addrs[0], b.login), noteAddress(cfg.Dir, b.addrs[0])); err != nil {
		b.cluster.Close()
		return nil, errors.Join(fmt.Errorf("saying where it is and how to log in: %w", err), b.notes.close())
	}
	return b, nil
}

func startCluster(cfg BrokerConfig, notes *keptNotes) (*kfake.Cluster, error) {
	listener, entrance, err := cfg.Access.listen(cfg)
	if err != nil {
		return nil, err
	}
	listener = notes.listen(listener) // behind the door, where nothing is encrypted any more
	logFolder := LogFolder(cfg.Dir)
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
	// Earlier versions left their users' passwords here.
	if err := os.Remove(filepath.Join(logFolder, "sasl.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		_ = listener.Close()
		return nil, fmt.Errorf("forgetting the users of an earlier version: %w", err)
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("open the log in %s: %w; keep a copy of the folder before changing anything in it", logFolder, err)
	}
	(&diskGuard{cluster: cluster, folder: logFolder, reserve: cfg.Reserve, free: freeSpace, log: cfg.Log}).install()
	if err := guard(cluster, entrance); err != nil {
		cluster.Close()
		return nil, err
	}
	debug.FreeOSMemory() // the whole log was read, a segment at a time
	return cluster, nil
}

// guard makes the broker refuse what would harm its log, and opens the door to whoever
// logs in. Without a door it is an open broker.
func guard(cluster *kfake.Cluster, entrance *door) error {
	if entrance == nil {
		return nil
	}
	refuse(cluster)
	spell(cluster)
	if err := entrance.learn(); err != nil {
		return fmt.Errorf("asking the broker what it speaks: %w", err)
	}
	cluster.ControlKey(int16(kmsg.ApiVersions), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		return speaks(entrance.versions, r.GetVersion()), nil, true
	})
	go entrance.open()
	return nil
}

// Addrs are the HOST:PORT addresses to bootstrap a client with. There is one.
func (b *Broker) Addrs() []string { return slices.Clone(b.addrs) }

// Client is how this process connects to its own broker.
func (b *Broker) Client() (*tls.Config, sasl.Mechanism, error) {
	switch {
	case b.access == nil:
		return nil, nil, nil
	case b.login != nil:
		mechanism, err := b.login.Mechanism()
		return nil, mechanism, err
	}
	return b.access.Client()
}

// Login is the generated login; nil where the broker has another, or none.
func (b *Broker) Login() *Login { return b.login }

// Close refuses new requests, writes what a fast next start needs, and gives the
// folder back. A second call does nothing.
func (b *Broker) Close() (err error) {
	b.once.Do(func() {
		close(b.closed)
		b.cluster.Close()
		err = b.notes.close()
		b.release()
	})
	return err
}
