package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/adapters/embedded/private"
)

// postgresSettings let a server that is stopped at once lose seconds of what was
// not waited for: the tail that must come back from the log.
var postgresSettings = map[string]string{"wal_writer_delay": "5s", "shared_buffers": "64MB", "max_connections": "200"}

// Database is the server of a round and the database on it.
type Database struct {
	dir    string
	log    *slog.Logger
	mu     sync.Mutex
	server *private.Postgres
}

func startDatabase(ctx context.Context, dir string) (*Database, error) {
	out, err := os.OpenFile(filepath.Join(dir, "postgres-start.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	d := &Database{dir: filepath.Join(dir, "postgres"), log: slog.New(slog.NewTextHandler(out, nil))}
	return d, d.Start(ctx)
}

// Start brings the server up, on the port it had.
func (d *Database) Start(ctx context.Context) error {
	server, err := private.StartPostgres(ctx, private.PostgresConfig{Dir: d.dir, Log: d.log, Settings: postgresSettings})
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.server = server
	return nil
}

func (d *Database) at() *private.Postgres {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.server
}

// URL is that of the round's database, past all links.
func (d *Database) URL() string { return d.at().URL() }

// StopImmediate ends the server as a crash does: what was committed without waiting
// for the disk is gone.
func (d *Database) StopImmediate() error { return d.at().StopImmediate() }

// Close ends the server in order.
func (d *Database) Close() error { return d.at().Close() }

// Drop throws the database away under whoever uses it, and makes it anew after a while.
func (d *Database) Drop(ctx context.Context, after time.Duration) error {
	if err := d.Administer(ctx, `DROP DATABASE IF EXISTS parley WITH (FORCE)`); err != nil {
		return err
	}
	time.Sleep(after)
	return d.Administer(ctx, `CREATE DATABASE parley`)
}

// Named is the URL of another database on the server.
func (d *Database) Named(name string) string {
	u, err := url.Parse(d.URL())
	if err != nil {
		panic("the database's URL does not parse") // the error would show the password
	}
	u.Path = "/" + name
	return u.String()
}

// Through is the URL with another address in it.
func (d *Database) Through(address string) string {
	u, err := url.Parse(d.URL())
	if err != nil {
		panic("the database's URL does not parse")
	}
	u.Host = address
	return u.String()
}

// Address is host:port of the server.
func (d *Database) Address() string {
	_, rest, _ := strings.Cut(d.URL(), "@")
	address, _, _ := strings.Cut(rest, "/")
	return address
}

// Administer runs a statement beside the round's database.
func (d *Database) Administer(ctx context.Context, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, d.Named("postgres"))
	if err != nil {
		return fmt.Errorf("connecting to Postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// Count asks the round's database for a number.
func (d *Database) Count(ctx context.Context, query string) (n int64, err error) {
	conn, err := pgx.Connect(ctx, d.URL())
	if err != nil {
		return 0, fmt.Errorf("connecting to Postgres: %w", err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if err := conn.QueryRow(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}
