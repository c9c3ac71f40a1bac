package rebuild

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Alone takes the advisory lock of a kind of rebuild, of which a database has one at a time;
// nil: another has it. The lock is held by a connection of its own, so it goes with the
// process, however that ends. Who gives it back may have last statements, which are tried.
func Alone(ctx context.Context, db *pgxpool.Pool, lock int64) (unlock func(last ...string), err error) {
	conn, err := pgx.ConnectConfig(ctx, db.Config().ConnConfig.Copy())
	if err != nil {
		return nil, fmt.Errorf("connecting for the rebuild: %w", err)
	}
	unlock = func(last ...string) {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		for _, statement := range last {
			_, _ = conn.Exec(ending, statement)
		}
		_, _ = conn.Exec(ending, `SELECT pg_advisory_unlock_all()`) // the server may take its time to see the end of the connection
		_ = conn.Close(ending)
	}
	var alone bool
	if err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock($1)`, lock).Scan(&alone); err != nil {
		err = fmt.Errorf("locking out other rebuilds: %w", err)
	}
	if err != nil || !alone {
		unlock()
		return nil, err
	}
	return unlock, nil
}
