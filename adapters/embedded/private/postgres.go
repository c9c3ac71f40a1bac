package private

import (
	"context"
	"errors"
	"fmt"
	"github.com/parley-platform/parley/adapters/embedded/datafolder"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

const (
	databaseUser = "parley"
	databaseName = "parley"

	// How long a start may take: crash recovery replays at most max_wal_size.
	startTimeout = 2 * time.Minute
	// How long a fast shutdown may take before it becomes an immediate one.
	stopTimeout = 30 * time.Second
)

// PostgresConfig says where a private server keeps its data.
type PostgresConfig struct {
	// Dir holds the cluster, its password (mode 0600) and the remembered port. It
	// is made if missing. Every read model in it can be rebuilt from the log.
	Dir string
	// Port is the one the server must have; 0: the remembered one, else a free one.
	// A server that is started again for clients that know its URL keeps its port.
	Port int
	// Log receives progress; nil is slog.Default(). The server's own messages go to
	// postgres.log in the folder.
	Log *slog.Logger
	// Settings are server settings added to, or put in the place of, the built-in
	// ones, such as {"fsync": "off"} in tests.
	Settings map[string]string
}

// Postgres is a private server process that this process started and that ends
// with it, also when this process is killed.
type Postgres struct {
	folder  folder
	port    int
	sockets string // the folder of its socket; empty: it has none
	secret  string
	process *process
	log     *slog.Logger
	release func()
	once    sync.Once
	stopErr error
}

// StartPostgres brings the server of cfg.Dir up and waits until it answers. A
// server that a killed process left behind is stopped first. ctx bounds the start,
// not the life of the server.
func StartPostgres(ctx context.Context, cfg PostgresConfig) (*Postgres, error) {
	if cfg.Dir == "" {
		return nil, errors.New("embedded postgres: Dir is empty")
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	release, err := datafolder.Lock(cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("embedded postgres: %w", err)
	}
	p, err := startPostgres(ctx, cfg)
	if err != nil {
		release()
		return nil, fmt.Errorf("embedded postgres: %w", err)
	}
	p.release = release
	return p, nil
}

func startPostgres(ctx context.Context, cfg PostgresConfig) (*Postgres, error) {
	f, err := openFolder(cfg.Dir, cfg.Log)
	if err != nil {
		return nil, err
	}
	// An orphan that shuts down removes files: first it is gone, then the rest is given away.
	if err := clearLeftovers(ctx, f, cfg.Log); err != nil {
		return nil, err
	}
	if err := f.give(); err != nil {
		return nil, err
	}
	binaries, err := findBinaries(ctx, f, cfg.Log)
	if err != nil {
		return nil, err
	}
	secret, err := ensureCluster(ctx, f, binaries, cfg)
	if err != nil {
		return nil, err
	}
	p := &Postgres{folder: f, secret: secret, log: cfg.Log}
	if err := p.serve(ctx, binaries, cfg); err != nil {
		return nil, err
	}
	return p, nil
}

// serve starts the server on the remembered port. Between the moment that a port
// is found free and the moment that the server listens on it, another process may
// take it: then it is tried again, on another one if it may have any. So it is where another
// server of the folder comes up meanwhile, which is stopped first.
func (p *Postgres) serve(ctx context.Context, binaries binaries, cfg PostgresConfig) error {
	compression := pageCompression(ctx, p.folder, binaries)
	p.sockets = p.folder.socketFolder()
	for attempt := 1; ; attempt++ {
		listener, err := datafolder.ListenLoopback(p.folder.home, "127.0.0.1:"+strconv.Itoa(cfg.Port), p.log)
		if err != nil {
			return err
		}
		p.port = datafolder.PortOf(listener)
		_ = listener.Close()
		p.process, err = startProcess(p.folder, binaries.postgres(), p.arguments(compression, cfg.Settings))
		if err != nil {
			return err
		}
		err = p.awaitReady(ctx)
		if err == nil {
			return nil
		}
		p.process.signal(syscall.SIGQUIT)
		p.process.wait(stopTimeout)
		switch {
		case attempt == 3:
			return err
		case inUse(err): // what a killed process left had hardly begun, and was not seen before
			if err := clearLeftovers(ctx, p.folder, p.log); err != nil {
				return err
			}
		case !portTaken(err):
			return err
		}
	}
}

// Port is where it listens, on 127.0.0.1.
func (p *Postgres) Port() int { return p.port }

// URL is what a client connects with, password included: never log it.
func (p *Postgres) URL() string { return p.urlOf(databaseName) }

func (p *Postgres) urlOf(database string) string {
	return p.urlAt(database, "127.0.0.1:"+strconv.Itoa(p.port), url.Values{})
}

func (p *Postgres) urlAt(database, host string, query url.Values) string {
	query.Set("sslmode", "disable")
	u := url.URL{Scheme: "postgres", User: url.UserPassword(databaseUser, p.secret), Host: host, Path: "/" + database,
		RawQuery: query.Encode()}
	return u.String()
}

// Done is closed when the server process is gone, whoever ended it: on its own it
// never does, so without a Close before it this is a failure to act on.
func (p *Postgres) Done() <-chan struct{} { return p.process.done }

// Close shuts the server down fast: open connections end, what is committed is
// written out. It waits until the process is gone. A second call does nothing more.
func (p *Postgres) Close() error { return p.stop(syscall.SIGINT) }

// StopImmediate ends the server as a crash would: whatever synchronous_commit=off
// had not yet written is lost, and the next start recovers. For fault tests.
func (p *Postgres) StopImmediate() error { return p.stop(syscall.SIGQUIT) }

func (p *Postgres) stop(how syscall.Signal) error {
	p.once.Do(func() {
		defer p.release()
		p.process.signal(how)
		if p.process.wait(stopTimeout) {
			return
		}
		p.log.Warn("Postgres did not stop in time, stopping it at once", "after", stopTimeout)
		p.process.signal(syscall.SIGQUIT)
		if !p.process.wait(stopTimeout) {
			p.process.signal(syscall.SIGKILL)
			p.stopErr = fmt.Errorf("embedded postgres: process %d did not stop and was killed; see %s", p.process.pid(), p.folder.serverLog())
		}
	})
	return p.stopErr
}

// folder is the place of one server: home holds the cluster, the password, the
// port and the server's log.
type folder struct {
	home  string
	owner *account // whom the server runs as; nil is this process's own user
}

func (f folder) cluster() string   { return filepath.Join(f.home, "cluster") }
func (f folder) password() string  { return filepath.Join(f.home, "password") }
func (f folder) serverLog() string { return filepath.Join(f.home, "postgres.log") }

func (f folder) hasCluster() bool {
	_, err := os.Stat(filepath.Join(f.cluster(), "PG_VERSION"))
	return err == nil
}
