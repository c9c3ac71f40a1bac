package projections

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// All reads the rows of a query, each into a T. A column goes to the member that has its
// name, without regard to case and underscores; one that has no counterpart is an error.
// Errors say what was being done.
func All[T any](ctx context.Context, db *pgxpool.Pool, doing, query string, args ...any) ([]T, error) {
	rows, _ := db.Query(ctx, query, args...) // rows that could not be asked for tell the error when they are read
	out, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	return out, nil
}

// One reads the row of a query as All does; ok is false if there is none: absence is an
// answer.
func One[T any](ctx context.Context, db *pgxpool.Pool, doing, query string, args ...any) (row T, ok bool, err error) {
	rows, _ := db.Query(ctx, query, args...) // as in All
	row, err = pgx.CollectOneRow(rows, pgx.RowToStructByName[T])
	return row, err == nil, Found(err, doing)
}

// PageQuery asks for a page of rows, and how many there are in all.
type PageQuery struct {
	Count, Rows   string // the query of the rows has limit and offset as arguments after Args
	Args          []any
	Limit, Offset int
}

// Page reads the rows of a page as All does, and how many there are in all. A page past
// the end still says how many. Postgres is asked for both at once.
func Page[T any](ctx context.Context, db *pgxpool.Pool, doing string, q PageQuery) (page []T, total int, err error) {
	both := &pgx.Batch{}
	both.Queue(q.Count, q.Args...).QueryRow(func(row pgx.Row) error { return row.Scan(&total) })
	both.Queue(q.Rows, append(q.Args[:len(q.Args):len(q.Args)], q.Limit, q.Offset)...).Query(func(rows pgx.Rows) (err error) {
		page, err = pgx.CollectRows(rows, pgx.RowToStructByName[T])
		return err
	})
	if err := db.SendBatch(ctx, both).Close(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", doing, err)
	}
	return page, total, nil
}
