package voice

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/projections"
)

// MediaNodes say how many calls with sound the nodes have that dial over trunks, and how many they take.
// They are no read model: each node says it anew all the time.
type MediaNodes struct{ db *pgxpool.Pool }

// NewMediaNodes writes through the pool.
func NewMediaNodes(db *pgxpool.Pool) *MediaNodes { return &MediaNodes{db: db} }

// MediaNode is what one of them said last.
type MediaNode struct {
	Node  string
	Calls int // that run, and that wait for it
	Most  int
	// NotRealTime is why its threads have no real-time priority; empty: they have it.
	NotRealTime string
	// Seen are calls that were placed, and that it has seen since it said so last: they run there, wait, or are over.
	Seen []string
	// SIP is the address and the port at which peers reach it by UDP and TCP.
	SIP string
	// Taken are our tags in dialogs of SIP that other nodes began, and with which it goes on.
	Taken []string
	// Leaves: it takes no calls any more, and has some still.
	Leaves bool
}

const (
	mediaNodeLives = 5 * time.Second // what a node said counts for so long
	mediaNodeGone  = time.Hour       // and is nobody's business behind that: each start of a node has a name of its own
)

// Beat says how a node is. The calls that it has seen since the last time count there from now on.
func (m *MediaNodes) Beat(ctx context.Context, n MediaNode) error {
	err := pgx.BeginFunc(ctx, m.db, func(tx pgx.Tx) error {
		if err := alone(ctx, tx, placing); err != nil { // else who counts meanwhile counts a call twice, or not at all
			return err
		}
		_, err := tx.Exec(ctx, `WITH gone AS (DELETE FROM media_nodes WHERE seen_at < now() - $5::interval AND node <> $1),
			old AS (DELETE FROM placed_calls WHERE until < now() - $6::interval AND call_id <> ALL($7)),
			seen AS (UPDATE placed_calls SET seen = true WHERE call_id = ANY($7))
			INSERT INTO media_nodes (node, calls, most, real_time, sip_at, taken, leaves, seen_at) VALUES ($1, $2, $3, $4, $8, $9, $10, now())
			ON CONFLICT (node) DO UPDATE SET calls = excluded.calls, most = excluded.most, real_time = excluded.real_time,
				sip_at = excluded.sip_at, taken = excluded.taken, leaves = excluded.leaves, seen_at = now()`,
			n.Node, n.Calls, n.Most, n.NotRealTime, mediaNodeGone, placedKnown, append([]string{}, n.Seen...), n.SIP,
			append([]string{}, n.Taken...), n.Leaves)
		return err
	})
	return projections.Found(err, "saying how many calls this node has")
}

const (
	placing     = "placing calls"
	placedKnown = 10 * time.Minute // behind which nobody places the same call again
)

// alone waits until nobody else counts what is named so, in any process.
func alone(ctx context.Context, tx pgx.Tx, what string) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, what)
	return err
}

// Place counts calls that are about to be placed, all or none: judge is told what the nodes say, and how many calls were placed that
// none of them has seen yet. Calls that were counted before are not counted again. One that no node sees counts for so long.
func (m *MediaNodes) Place(ctx context.Context, calls []string, within time.Duration,
	judge func(live []MediaNode, placed int) error) error {
	return pgx.BeginFunc(ctx, m.db, func(tx pgx.Tx) error {
		if err := alone(ctx, tx, placing); err != nil {
			return projections.Found(err, "counting calls")
		}
		var placed, known int
		err := tx.QueryRow(ctx, `SELECT count(*) FILTER (WHERE NOT seen AND until > now()), count(*) FILTER (WHERE call_id = ANY($1))
			FROM placed_calls`, calls).Scan(&placed, &known)
		if err != nil || known == len(calls) {
			return projections.Found(err, "counting calls")
		}
		live, err := liveNodes(ctx, tx)
		if err != nil {
			return err
		}
		if err := judge(live, placed); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO placed_calls (call_id, until) SELECT unnest($1::text[]), now() + $2::interval
			ON CONFLICT (call_id) DO NOTHING`, calls, within)
		return projections.Found(err, "counting calls")
	})
}

// Unplace takes a call back that was not placed.
func (m *MediaNodes) Unplace(ctx context.Context, call string) error {
	_, err := m.db.Exec(ctx, `DELETE FROM placed_calls WHERE call_id = $1 AND NOT seen`, call)
	return projections.Found(err, "taking back a call")
}

// Leave says that a node takes no more, and has none.
func (m *MediaNodes) Leave(ctx context.Context, node string) error {
	_, err := m.db.Exec(ctx, `DELETE FROM media_nodes WHERE node = $1`, node)
	return projections.Found(err, "saying that this node takes no calls")
}

// Live are the nodes that take calls, by name.
func (m *MediaNodes) Live(ctx context.Context) ([]MediaNode, error) { return liveNodes(ctx, m.db) }

// There are the nodes that have calls, or take some, by name.
func (m *MediaNodes) There(ctx context.Context) ([]MediaNode, error) {
	return nodesThere(ctx, m.db, true)
}

type rowsOf interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

func liveNodes(ctx context.Context, db rowsOf) ([]MediaNode, error) {
	return nodesThere(ctx, db, false)
}

func nodesThere(ctx context.Context, db rowsOf, leaving bool) ([]MediaNode, error) {
	rows, err := db.Query(ctx, `SELECT node, calls, most, real_time, sip_at, taken, leaves FROM media_nodes
		WHERE seen_at > now() - $1::interval AND (NOT leaves OR $2) ORDER BY node`, mediaNodeLives, leaving)
	if err != nil {
		return nil, projections.Found(err, "looking who takes calls")
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (n MediaNode, err error) {
		err = row.Scan(&n.Node, &n.Calls, &n.Most, &n.NotRealTime, &n.SIP, &n.Taken, &n.Leaves)
		return n, err
	})
	return all, projections.Found(err, "looking who takes calls")
}
