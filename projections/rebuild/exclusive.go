package rebuild

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/parley-platform/parley/projections/sink"
)

// Exclusively locks live tables, so that others can take their place in this transaction. It
// tries shortly and often, in another order each time, for about as long as the switch may
// hold the projectors. Queries take the locks of their tables one by one, in an order of
// their own: a query that has its first table and waits for the one that is locked already
// keeps the switch from that first one for as long as the switch waits. One long wait in one
// order may so be in vain each time while queries follow each other without a pause.
func Exclusively(ctx context.Context, tx pgx.Tx, tables []string) error {
	tables = slices.Clone(tables)
	for began := time.Now(); ; {
		rand.Shuffle(len(tables), func(i, j int) { tables[i], tables[j] = tables[j], tables[i] })
		err := lockTables(ctx, tx, tables, LockWait>>rand.N(7))
		if err == nil || !Busy(err) || time.Since(began) > LockWait {
			return err
		}
		if err := sink.Pause(ctx, time.Millisecond+rand.N(5*time.Millisecond)); err != nil {
			return err
		}
	}
}

// lockTables gives back what it has when it does not get all.
func lockTables(ctx context.Context, tx pgx.Tx, tables []string, wait time.Duration) error {
	statement := `LOCK TABLE ` + strings.Join(tables, ", ") + ` IN ACCESS EXCLUSIVE MODE`
	return pgx.BeginFunc(ctx, tx, func(try pgx.Tx) error {
		if _, err := try.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, max(1, wait.Milliseconds()))); err != nil {
			return err
		}
		if _, err := try.Exec(ctx, statement); err != nil {
			return explained(statement, err)
		}
		_, err := try.Exec(ctx, fmt.Sprintf(`SET LOCAL lock_timeout = %d`, LockWait.Milliseconds()))
		return err
	})
}
