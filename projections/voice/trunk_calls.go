package voice

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/projections"
)

// TrunkCalls count the calls of trunks that have bounds, over all nodes. They are no read model: each node counts what it does.
type TrunkCalls struct {
	db   *pgxpool.Pool
	node string
}

// NewTrunkCalls counts for a node.
func NewTrunkCalls(db *pgxpool.Pool, node string) *TrunkCalls { return &TrunkCalls{db: db, node: node} }

// trunkCallLives is for how long a call counts whose node gives no sign of life: it may run until another has taken it over.
const trunkCallLives = time.Minute

// Take counts one more call, if judge lets it: it is told how many others run, and how many began in the last second, of which the
// first did so long ago.
func (t *TrunkCalls) Take(ctx context.Context, trunk, leg string, judge func(running, began int, first time.Duration) error) error {
	return pgx.BeginFunc(ctx, t.db, func(tx pgx.Tx) error {
		if err := alone(ctx, tx, "calls of "+trunk); err != nil {
			return projections.Found(err, "counting the calls of a trunk")
		}
		var running, began int
		var first time.Duration
		err := tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE until > clock_timestamp()),
				count(*) FILTER (WHERE began_at > clock_timestamp() - interval '1 second'),
				coalesce(clock_timestamp() - min(began_at) FILTER (WHERE began_at > clock_timestamp() - interval '1 second'), interval '0')
			FROM (SELECT max(until) AS until, max(began_at) AS began_at FROM trunk_calls WHERE trunk = $1 AND leg <> $2 GROUP BY leg) legs`,
			trunk, leg).Scan(&running, &began, &first)
		if err != nil {
			return projections.Found(err, "counting the calls of a trunk")
		}
		if err := judge(running, began, min(max(first, 0), time.Second)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO trunk_calls (trunk, leg, node, began_at, until)
			VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp() + $4::interval)
			ON CONFLICT (trunk, leg, node) DO UPDATE SET until = excluded.until`, trunk, leg, t.node, trunkCallLives)
		return projections.Found(err, "counting a call of a trunk")
	})
}

// Have counts a call that runs, whatever there is, as this node's alone. was is what it was called here before; empty: it has its name.
func (t *TrunkCalls) Have(ctx context.Context, trunk, leg, was string) error {
	_, err := t.db.Exec(ctx, `WITH before AS (DELETE FROM trunk_calls WHERE trunk = $1 AND (leg = $2 AND node <> $3 OR leg = $4 AND node = $3)
			RETURNING began_at)
		INSERT INTO trunk_calls (trunk, leg, node, began_at, until)
		SELECT $1, $2, $3, coalesce(max(began_at), clock_timestamp() - interval '1 second'), clock_timestamp() + $5::interval FROM before
		ON CONFLICT (trunk, leg, node) DO UPDATE SET until = excluded.until`, trunk, leg, t.node, was, trunkCallLives)
	return projections.Found(err, "counting a call of a trunk as one of this node")
}

// Give ends a call, unless another node has it by now. That it began counts for its second.
func (t *TrunkCalls) Give(ctx context.Context, trunk, leg string) error {
	_, err := t.db.Exec(ctx, `UPDATE trunk_calls SET until = clock_timestamp() WHERE trunk = $1 AND leg = $2 AND node = $3`, trunk, leg,
		t.node)
	return projections.Found(err, "ending a call of a trunk")
}

// Over ends a call that is known to be over, whichever node had it. That it began counts for its second.
func (t *TrunkCalls) Over(ctx context.Context, trunk, leg string) error {
	_, err := t.db.Exec(ctx, `UPDATE trunk_calls SET until = clock_timestamp() WHERE trunk = $1 AND leg = $2 AND until > clock_timestamp()`,
		trunk, leg)
	return projections.Found(err, "ending a call of a trunk")
}

// Leave takes back a call that did not begin here. Another node may have it.
func (t *TrunkCalls) Leave(ctx context.Context, trunk, leg string) error {
	_, err := t.db.Exec(ctx, `DELETE FROM trunk_calls WHERE trunk = $1 AND leg = $2 AND node = $3`, trunk, leg, t.node)
	return projections.Found(err, "taking back a call of a trunk")
}

// Renew says that calls of this node run, each leg of the trunk beside it, and forgets those that are over. One that is not among them
// counts until its time is up; one that could not be counted when it began counts from now on.
func (t *TrunkCalls) Renew(ctx context.Context, trunks, legs []string) error {
	if _, err := t.db.Exec(ctx, `DELETE FROM trunk_calls WHERE until < now() - interval '10 seconds'`); err != nil {
		return projections.Found(err, "forgetting calls of trunks that are over")
	}
	_, err := t.db.Exec(ctx, `INSERT INTO trunk_calls (trunk, leg, node, began_at, until)
		SELECT trunk, leg, $3, now() - interval '1 second', now() + $4::interval FROM unnest($1::text[], $2::text[]) run (trunk, leg)
		ORDER BY 1, 2
		ON CONFLICT (trunk, leg, node) DO UPDATE SET until = excluded.until WHERE trunk_calls.until > now()`, trunks, legs, t.node,
		trunkCallLives)
	return projections.Found(err, "saying that the calls of trunks run")
}
