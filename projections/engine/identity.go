package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// identity tells the read models that the gate opened for from others in their place:
// a schema that was dropped and made again, tables that were emptied, a dump that was
// restored. All of that can happen on connections that live on, between two questions.
//
// Who made the table of the checkpoints anew, or emptied it, changed one of its numbers
// in the catalogue. Who wrote other rows into it set the checkpoints back, which no
// projector does.
type identity struct {
	table, file int64 // of the checkpoints, in the catalogue: another one after DROP, after TRUNCATE
}

// proof is what the database says of itself at one moment.
type proof struct {
	identity
	rows, sum int64 // how many checkpoints, and their offsets together, which only grows
}

// proofOf is the proof of checkpoints that were read in one statement.
func proofOf(rows []row) proof {
	x := proof{rows: int64(len(rows))}
	for _, r := range rows {
		x.identity, x.sum = r.as, x.sum+r.next
	}
	return x
}

// The file is looked up in the catalogue once, not for each row.
const askProof = `SELECT held.of, pg_relation_filenode(held.of::oid)::bigint, rows, ends
	FROM (SELECT min(tableoid::bigint) AS of, count(*) AS rows, sum(next_offset)::bigint AS ends FROM checkpoints WHERE projection = $1) held
	WHERE rows > 0`

// prove asks the database who it is. It answers for everything that was read before.
func (p *Projector) prove(ctx context.Context, keys []string) (map[string]proof, error) {
	rows, err := p.Queries.Query(ctx, askProof, sink.Live)
	if err != nil {
		return nil, fmt.Errorf("asking the read models who they are: %w", err)
	}
	defer rows.Close()
	out := map[string]proof{}
	for rows.Next() {
		var x proof
		if err := rows.Scan(&x.table, &x.file, &x.rows, &x.sum); err != nil {
			return nil, fmt.Errorf("asking the read models who they are: %w", err)
		}
		out[keys[0]] = x
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("asking the read models who they are: %w", err)
	}
	return out, nil
}

// Reading begins to read. The function that it returns says whether what was read since
// may be answered: the gate was open all the time, and the read models still are those
// that it opened for. It is asked when everything was read. Who asks at the same time
// shares one short query.
func (p *Projector) Reading() func(context.Context) error {
	turn, _ := p.gate.opened()
	return func(ctx context.Context) error { return p.stands(ctx, turn) }
}

// stands implements Reading for a gate that has been shut turn times.
func (p *Projector) stands(ctx context.Context, turn uint64) error {
	at, as := p.gate.opened()
	if at != turn || as == nil {
		return p.gate.Refusal() // it is shut, or it was meanwhile
	}
	least := max(as.sum, p.watch.total()) // before the question
	var now proof
	var ok bool
	err := projections.Within(ctx, proofTimeout, func(ctx context.Context) (err error) {
		now, ok, err = p.proofs.Get(ctx, sink.Live)
		return err
	})
	switch {
	case err != nil && sink.MissingTable(err):
		p.anew()
		p.resetOnce(turn, "the tables of the read models are gone")
	case err != nil:
		return catchingUp("the database does not say whether it still is the same").Because(err)
	case !ok || now.rows < as.rows:
		p.anew()
		p.resetOnce(turn, "the checkpoints are gone: the tables of the read models were emptied")
	case now.identity != as.identity:
		p.anew()
		p.resetOnce(turn, "the tables of the read models were made anew or emptied")
	case now.sum < least:
		p.resetOnce(turn, "the checkpoints went back: the read models were emptied, or an older dump was restored")
	default:
		p.gate.proved(turn, now)
	}
	if at, as = p.gate.opened(); at != turn || as == nil {
		return p.gate.Refusal()
	}
	return nil
}

const proofTimeout = 3 * time.Second

// resetOnce shuts the gate unless it was shut since.
func (p *Projector) resetOnce(turn uint64, why string) {
	if at, as := p.gate.opened(); at == turn && as != nil {
		p.Reset(why)
	}
}

// Lacks reports whether a query failed because the database lacks what the read models
// are kept in; the gate is shut then. A query that no table fits is a fault of its own.
func (p *Projector) Lacks(err error) bool {
	if !missing(err) {
		return false
	}
	turn, _ := p.gate.opened()
	ctx, cancel := context.WithTimeout(context.Background(), proofTimeout)
	defer cancel()
	what, err := p.lacking(ctx)
	if err != nil {
		return true // nobody can tell
	}
	if what != "" {
		p.resetOnce(turn, what)
	}
	return what != "" || p.gate.Err() != nil
}

// missing reports whether Postgres says that something of the schema is not there, or
// is not what it was when the statement was prepared.
func missing(err error) bool {
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		return false
	}
	switch pg.Code {
	case "42P01", "42703", "42883", "42704", // table, column, function, type
		"3F000", "3D000", // schema, database
		"0A000", "42804": // the result of a prepared statement has other types now
		return true
	}
	droppedMeanwhile := strings.Contains(pg.Message, "could not open relation") || strings.Contains(pg.Message, "cache lookup failed")
	return pg.Code == "XX000" && droppedMeanwhile
}

// lacking names a table or a column that was there when the database was prepared and
// is not any more; empty: none.
func (p *Projector) lacking(ctx context.Context) (string, error) {
	now, err := sink.ReadTables(ctx, p.Queries)
	if err != nil {
		return "", err
	}
	var gone []string
	for table, columns := range *p.tables.Load() {
		if now[table] == nil {
			gone = append(gone, table)
			continue
		}
		for column, typ := range columns {
			if now[table][column] != typ {
				gone = append(gone, table+"."+column)
			}
		}
	}
	if len(gone) == 0 {
		return "", nil
	}
	slices.Sort(gone)
	return "the database lacks " + few(gone), nil
}

// few names the first of many.
func few(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// unmade names tables that the migrations have made, as they are noted, and that are
// not there: nobody makes them again as long as that is noted.
func (p *Projector) unmade(tables projections.Tables) error {
	var gone []string
	for _, m := range p.Models {
		for _, t := range m.Tables {
			if tables[t] == nil {
				gone = append(gone, t)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	return fmt.Errorf("the database lacks %s and says that they were made: make it empty, and everything is built from the log again "+
		`(psql "$DATABASE_URL" -c 'DROP SCHEMA public CASCADE; CREATE SCHEMA public')`, few(gone))
}
