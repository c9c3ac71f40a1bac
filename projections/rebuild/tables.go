package rebuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/parley-platform/parley/projections/sink"
)

// rebuildLock is the advisory lock of a database's one rebuild.
const rebuildLock = 0x7061726c6579

// lock makes sure that nobody else rebuilds. Should only the connection end that holds it,
// the epoch of the rebuild's checkpoints keeps two from mixing their rows.
func (r *rebuild) lock(ctx context.Context) (unlock func(last ...string), err error) {
	if unlock, err = Alone(ctx, r.Database, rebuildLock); unlock != nil || err != nil {
		return unlock, err
	}
	who, err := RunningRebuild(ctx, r.Database)
	if err != nil || who == "" {
		who = "it has only just begun"
	}
	return nil, fmt.Errorf("%w (%s): wait for it, or end that process; what it has done is not lost", ErrRebuildRunning, who)
}

// RunningRebuild describes the rebuild that is under way; empty: none.
func RunningRebuild(ctx context.Context, db sink.Querier) (string, error) {
	var names, by, phase string
	var percent int
	err := db.QueryRow(ctx, `SELECT names, by, phase, CASE WHEN total > 0 THEN done * 100 / total ELSE 0 END FROM rebuilds
		WHERE seen_at > now() - interval '10 seconds' ORDER BY seen_at DESC LIMIT 1`).Scan(&names, &by, &phase, &percent)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("asking for a running rebuild: %w", err)
	}
	return fmt.Sprintf("%s by %s: %s, %d %%", names, by, phase, percent), nil
}

// open finds the tables of a rebuild that was ended, or makes new ones, and the
// connections that see them and no others: a model that writes a table it does not
// name fails, and touches nothing that is live.
func (r *rebuild) open(ctx context.Context) error {
	if err := r.Database.QueryRow(ctx, `SELECT current_schema()`).Scan(&r.live); err != nil {
		return fmt.Errorf("looking for the live tables: %w", err)
	}
	if err := r.refuseOlder(ctx); err != nil {
		return err
	}
	var err error
	if r.tables, err = sink.ReadTables(ctx, r.Database); err != nil {
		return err
	}
	for _, t := range r.parts.allTables() {
		if r.tables[t] == nil {
			return fmt.Errorf("the database has no table %s: start a node of this version once, it brings the tables to this version", t)
		}
	}
	mark, err := r.fingerprint(ctx)
	if err != nil {
		return err
	}
	if err := r.adopt(ctx, mark); err != nil {
		return err
	}
	if r.schema == "" {
		if err := r.create(ctx, mark); err != nil {
			return fmt.Errorf("making the tables of the rebuild: %w", err)
		}
	}
	cfg := r.Database.Config()
	cfg.MaxConns, cfg.MinConns = int32(r.Workers+2), 0
	cfg.ConnConfig.RuntimeParams["search_path"] = r.schema
	cfg.ConnConfig.RuntimeParams["synchronous_commit"] = "off" // the switch is what has to last
	if r.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return fmt.Errorf("connecting for the rebuild: %w", err)
	}
	if err := r.takeCheckpoints(ctx); err != nil {
		r.pool.Close()
		return err
	}
	return nil
}

// refuseOlder keeps an older binary from putting its rows in the place of newer ones.
func (r *rebuild) refuseOlder(ctx context.Context) error {
	stored, err := StoredVersions(ctx, r.Database)
	if err != nil {
		if sink.MissingTable(err) {
			return errors.New("the database has not been prepared for rebuilds: start a node of this version once, it brings the tables to this " +
				"version")
		}
		return err
	}
	for name, v := range r.parts.versions {
		if stored[name] > v {
			return fmt.Errorf("%s is stored in version %d, this binary makes version %d: use the newer binary", sink.Spoken(name), stored[name], v)
		}
	}
	return nil
}

// fingerprint is equal where a rebuild may go on with what another one filled: the
// same log, the same tables, the same names, and the very same code.
func (r *rebuild) fingerprint(ctx context.Context) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, r.Log.LogID(), r.live, r.parts.names, r.parts.versions, r.parts.whole, r.parts.shared)
	for _, t := range r.parts.allTables() {
		fmt.Fprintln(h, t, r.tables[t]) // maps print sorted
	}
	code, err := codeHash()
	if err != nil {
		return "", err
	}
	h.Write(code)
	return hex.EncodeToString(h.Sum(nil)), ctx.Err()
}

// codeHash is the hash of this program.
var codeHash = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("looking for this program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading this program: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fmt.Errorf("reading this program: %w", err)
	}
	return h.Sum(nil), nil
})

// adopt goes on with what an ended rebuild left, if it would do the very same, and
// removes all other leftovers. Nobody else works on them: this is done under the lock.
func (r *rebuild) adopt(ctx context.Context, fingerprint string) error {
	rows, err := r.Database.Query(ctx,
		`SELECT id, fingerprint, EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = id) FROM rebuilds ORDER BY started_at DESC`)
	if err != nil {
		return fmt.Errorf("looking for rebuilds that were ended: %w", err)
	}
	var id, of string
	var there bool
	var gone []string
	if _, err := pgx.ForEachRow(rows, []any{&id, &of, &there}, func() error {
		if there && of == fingerprint && r.schema == "" {
			r.schema, r.resumed = id, true
		} else {
			gone = append(gone, id)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("looking for rebuilds that were ended: %w", err)
	}
	for _, id := range gone {
		if err := r.drop(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuild) drop(ctx context.Context, id string) error {
	err := pgx.BeginFunc(ctx, r.Database, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL client_min_messages = warning`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `DROP SCHEMA IF EXISTS `+ident(id)+` CASCADE`); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `DELETE FROM rebuilds WHERE id = $1`, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("removing the tables of an ended rebuild: %w", err)
	}
	return nil
}

// ident is a name, or a name in a schema, as SQL takes it.
func ident(names ...string) string { return pgx.Identifier(names).Sanitize() }

// create makes the empty tables with what the filling needs: keys and unique
// indexes. The other indexes are made when the tables are full.
func (r *rebuild) create(ctx context.Context, fingerprint string) error {
	id := "rebuild_" + strings.ReplaceAll(uuid.NewString(), "-", "")[:12]
	err := pgx.BeginFunc(ctx, r.Database, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		b.Queue(`CREATE SCHEMA ` + ident(id))
		b.Queue(`CREATE TABLE ` + ident(id, "checkpoints") + ` (LIKE ` + ident(r.live, "checkpoints") + ` INCLUDING ALL)`)
		for _, t := range r.parts.allTables() {
			b.Queue(`CREATE TABLE ` + ident(id, t) + ` (LIKE ` + ident(r.live, t) +
				` INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING GENERATED INCLUDING COMMENTS)`)
		}
		b.Queue(`INSERT INTO rebuilds (id, names, fingerprint, by) VALUES ($1, $2, $3, $4)`, id, strings.Join(r.spokenNames(), ", "), fingerprint,
			r.By)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		for _, t := range r.parts.allTables() {
			if err := r.copyKeys(ctx, tx, id, t); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.schema = id
	}
	return err
}

func (r *rebuild) spokenNames() []string {
	var out []string
	for _, n := range r.parts.names {
		out = append(out, sink.Spoken(n))
	}
	return out
}

// copyKeys gives a table the constraints and unique indexes of the live one, under
// the same names, and what its owner set on it: options and grants.
func (r *rebuild) copyKeys(ctx context.Context, tx pgx.Tx, schema, table string) error {
	from, to := ident(r.live, table), ident(schema, table)
	rows, err := tx.Query(ctx, `SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', $2::text, conname, pg_get_constraintdef(oid))
		FROM pg_constraint WHERE conrelid = $1::regclass AND contype IN ('p', 'u')
		UNION ALL SELECT format('ALTER TABLE %s SET (%s)', $2::text, array_to_string(reloptions, ', ')) FROM pg_class WHERE oid = $1::regclass
		AND reloptions IS NOT NULL
		UNION ALL SELECT format('GRANT %s ON %s TO %s', privilege_type, $2::text, CASE grantee WHEN 0 THEN 'PUBLIC'
		ELSE grantee::regrole::text END) FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = $1::regclass AND grantee <> relowner`, from, to)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	unique, err := r.indexes(ctx, tx, schema, table, true)
	if err != nil {
		return err
	}
	for _, s := range append(statements, unique...) {
		if _, err := tx.Exec(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

// indexes are the statements that make a live table's indexes for the rebuild's:
// those that are not there yet.
func (r *rebuild) indexes(ctx context.Context, db sink.Querier, schema, table string, unique bool) ([]string, error) {
	rows, err := db.Query(ctx, `SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = $1::regclass AND i.indisunique = $3 AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = i.indexrelid)
		AND NOT EXISTS (SELECT 1 FROM pg_class x WHERE x.relname = c.relname AND x.relnamespace = $2::regnamespace)
		ORDER BY c.relname`, ident(r.live, table), ident(schema), unique)
	if err != nil {
		return nil, err
	}
	defs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for i, d := range defs {
		before, after, ok := strings.Cut(d, " USING ")
		head, _, found := strings.Cut(before, " ON ")
		if !ok || !found {
			return nil, fmt.Errorf("an index of %s is defined in a way that is not understood: %s", table, d)
		}
		defs[i] = head + " ON " + ident(schema, table) + " USING " + after
	}
	return defs, err
}

// finishTables makes the other indexes, and the statistics that plans need from the
// first query on. It is done over connections whose commits last: a crash of Postgres
// between this and the switch must not take an index away.
func (r *rebuild) finishTables(ctx context.Context) error {
	for _, t := range r.parts.allTables() {
		defs, err := r.indexes(ctx, r.Database, r.schema, t, false)
		if err != nil {
			return fmt.Errorf("reading the indexes of %s: %w", t, err)
		}
		for _, s := range append(defs, `ANALYZE `+ident(r.schema, t)) {
			if _, err := r.Database.Exec(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
	}
	return nil
}

func (r *rebuild) countRows(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	for _, t := range r.parts.allTables() {
		var n int64
		if err := r.pool.QueryRow(ctx, `SELECT count(*) FROM `+ident(r.schema, t)).Scan(&n); err != nil {
			return nil, fmt.Errorf("counting the rows of %s: %w", t, err)
		}
		out[t] = n
	}
	return out, nil
}

// takeCheckpoints makes the rebuild's checkpoints this run's, with a new epoch.
func (r *rebuild) takeCheckpoints(ctx context.Context) error {
	var places []sink.Place
	var topics []string
	var partitions []int
	for _, c := range r.parts.topics {
		n, err := r.Log.Partitions(c.Topic())
		if err != nil {
			return err
		}
		for i := range n {
			at := sink.Place{Topic: c.Topic(), Partition: i}
			places, topics, partitions = append(places, at), append(topics, at.Topic), append(partitions, at.Partition)
			r.fills = append(r.fills, &filler{r: r, at: at, category: c})
		}
	}
	b := &pgx.Batch{}
	b.Queue(sink.InsertCheckpoints, sink.Live, topics, partitions, r.Log.LogID())
	b.Queue(`UPDATE checkpoints SET owner_epoch = 1 + (SELECT max(owner_epoch) FROM checkpoints)`)
	if err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SET LOCAL synchronous_commit = on`); err != nil { // a crash of Postgres must not give the old epoch back
			return err
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT max(owner_epoch) FROM checkpoints`).Scan(&r.epoch)
	}); err != nil {
		return fmt.Errorf("making the rebuild's checkpoints: %w", err)
	}
	goals, err := r.goals(ctx)
	if err != nil {
		return err
	}
	for _, at := range places {
		if _, ok := goals[at]; !ok {
			return fmt.Errorf("the database has no checkpoint of %s: start a node of this version once, it builds what is missing", at)
		}
	}
	for _, f := range r.fills {
		if err := f.load(ctx); err != nil {
			return err
		}
	}
	r.count(goals)
	slices.SortFunc(r.fills, func(x, y *filler) int { return strings.Compare(x.at.String(), y.at.String()) })
	return nil
}

// permanent reports whether repeating a statement cannot help. A checkpoint that is
// elsewhere is none of these: what a crash of Postgres took is filled again, and
// whether another rebuild moved it, its epoch says.
func permanent(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return errors.Is(err, sink.ErrGivenUp)
	}
	return slices.Contains([]string{"22", "23", "42", "3F", "0A"}, pg.Code[:2])
}

// lostPatience is how long a partition is tried again without progress.
const lostPatience = time.Minute

// StoredVersions has the version by which each read model in the database was built.
func StoredVersions(ctx context.Context, db sink.Querier) (map[string]int, error) {
	rows, err := db.Query(ctx, `SELECT name, version FROM projections`)
	if err != nil {
		return nil, fmt.Errorf("reading the versions of the read models: %w", err)
	}
	out := map[string]int{}
	var name string
	var version int
	if _, err := pgx.ForEachRow(rows, []any{&name, &version}, func() error { out[name] = version; return nil }); err != nil {
		return nil, fmt.Errorf("reading the versions of the read models: %w", err)
	}
	return out, nil
}
