// Package postgres opens the database that holds the read models.
//
// It owns connection pools, migrations and the detection of a server that is not
// the one it was: restarted, failed over, or a database that was made anew. It
// never knows a table; the projections do.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/prometheus/client_golang/prometheus"
)

// Server tells one incarnation of a database from another.
type Server struct {
	Started  time.Time // of the postmaster
	Timeline int32     // changes when a standby is promoted
	Database uint32    // oid: changes when the database is dropped and made again
}

// DB is a set of pools on one database.
type DB struct {
	Queries   *pgxpool.Pool // reads, and the small writes of leases and timers
	Projector *pgxpool.Pool // the projector's transactions, synchronous_commit off

	url     string
	took    *prometheus.HistogramVec
	mu      sync.Mutex
	server  Server
	away    bool // nobody has answered since
	changed func()
}

// projecting are the settings of the projector's connections. It finds rows by their keys, and nothing else: a plan that
// was made while a table was small, and is kept, must not read all of the table when that has grown, before Postgres looks
// at it again. What has no index is read whole all the same, and is not worth compiling.
var projecting = map[string]string{"synchronous_commit": "off",
	"enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off"}

// Open makes the pools. changed is called, before the connection is used, when a
// new connection shows another Server than the last one, and when no connection
// could be made: whatever this process believes about the read models may be wrong
// from then on. It must not use the database.
func Open(ctx context.Context, url string, changed func()) (*DB, error) {
	db := &DB{url: url, changed: changed, took: newDurations()}
	var err error
	if db.Queries, err = db.pool(ctx, 24, nil); err != nil {
		return nil, err
	}
	if db.Projector, err = db.pool(ctx, 12, projecting); err != nil {
		db.Queries.Close()
		return nil, err
	}
	return db, nil
}

func (db *DB) pool(ctx context.Context, conns int32, params map[string]string) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(db.url)
	if err != nil {
		return nil, fmt.Errorf("the database URL: %w", err)
	}
	cfg.MaxConns = conns
	cfg.MaxConnLifetime = time.Hour
	cfg.ConnConfig.ConnectTimeout = 3 * time.Second
	cfg.ConnConfig.Tracer = watcher{otelpgx.NewTracer(), db}
	for k, v := range params {
		cfg.ConnConfig.RuntimeParams[k] = v
	}
	cfg.AfterConnect = db.recognise
	p, err := pgxpool.NewWithConfig(ctx, cfg)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	return p, nil
}

// recognise looks at who answered.
func (db *DB) recognise(ctx context.Context, conn *pgx.Conn) error {
	var s Server
	err := conn.QueryRow(ctx, `SELECT pg_postmaster_start_time(), (SELECT timeline_id FROM pg_control_checkpoint()), (SELECT oid
		FROM pg_database WHERE datname = current_database())`).
		Scan(&s.Started, &s.Timeline, &s.Database)
	if err != nil {
		return fmt.Errorf("looking at the server: %w", err)
	}
	db.mu.Lock()
	defer db.mu.Unlock() // until changed has returned no other connection of this server is used either
	before := db.server
	db.server, db.away = s, false
	if before != (Server{}) && before != s && db.changed != nil {
		db.changed()
	}
	return nil
}

// Close ends both pools.
func (db *DB) Close() {
	db.Projector.Close()
	db.Queries.Close()
}

// Migrate brings the tables to the newest version; nodes that start at once wait
// for each other.
func (db *DB) Migrate(ctx context.Context, files fs.FS) error {
	cfg, err := pgx.ParseConfig(db.url)
	if err != nil {
		return fmt.Errorf("the database URL: %w", err)
	}
	sqlDB := stdlib.OpenDB(*cfg)
	defer func() { _ = sqlDB.Close() }()
	if err := ping(ctx, sqlDB); err != nil {
		return err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300)) // asks each second, for five minutes
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, sqlDB, files, goose.WithSessionLocker(locker))
	if err != nil {
		return fmt.Errorf("preparing migrations: %w", err)
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrating the database: %w", err)
	}
	return nil
}

func ping(ctx context.Context, db *sql.DB) error {
	if err := db.PingContext(ctx); err != nil {
		return fmt.Errorf("reaching the database: %w (%s)", err, hint(err))
	}
	return nil
}

// Code is the SQLSTATE of an error, empty when it has none.
func Code(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return ""
}
