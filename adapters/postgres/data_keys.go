package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// DataKeys implements keyring.Table.
type DataKeys struct{ Pool *pgxpool.Pool }

// Next implements keyring.Table. Where the table was emptied with all others nothing was read, and nobody else says so.
func (d DataKeys) Next(ctx context.Context) (next int64, err error) {
	err = d.Pool.QueryRow(ctx, `SELECT next FROM data_keys_read`).Scan(&next)
	if errors.Is(err, pgx.ErrNoRows) {
		_, err = d.Pool.Exec(ctx, `INSERT INTO data_keys_read (next) VALUES (0) ON CONFLICT DO NOTHING`)
	}
	switch {
	case Code(err) == "42P01":
		return 0, keyring.ErrUnmade
	case err != nil:
		return 0, fmt.Errorf("reading how far the data keys are: %w", err)
	}
	return next, nil
}

// LastErased is when a key was erased last; zero: none was.
func (d DataKeys) LastErased(ctx context.Context) (at time.Time, err error) {
	var last *time.Time
	if err := d.Pool.QueryRow(ctx, `SELECT max(erased_at) FROM data_keys WHERE erased_at IS NOT NULL`).Scan(&last); err != nil {
		return at, fmt.Errorf("asking when a data key was erased: %w", err)
	}
	if last != nil {
		at = *last
	}
	return at, nil
}

const addKeys = `INSERT INTO data_keys (id, wrapped, made_at, erased_at)
	SELECT * FROM unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[]) `

// The last record of a key says when it was made, as it does behind a compaction of the topic.
const putKeys = addKeys + `ON CONFLICT (id) DO UPDATE SET
		wrapped = CASE WHEN data_keys.wrapped IS NULL THEN NULL ELSE excluded.wrapped END,
		made_at = coalesce(excluded.made_at, data_keys.made_at),
		erased_at = coalesce(data_keys.erased_at, excluded.erased_at)`

// Put implements keyring.Table. New keys are added for a third of what it takes to compare them with what is there.
func (d DataKeys) Put(ctx context.Context, from, next int64, records []keyring.Record, allNew bool) (stands int64, err error) {
	statement := putKeys
	if allNew {
		statement = addKeys
	}
	if stands, err = d.put(ctx, statement, from, next, records); allNew && Code(err) == "23505" { // so one was there after all
		stands, err = d.put(ctx, putKeys, from, next, records)
	}
	if err != nil {
		return 0, fmt.Errorf("keeping data keys: %w", err)
	}
	return stands, nil
}

func (d DataKeys) put(ctx context.Context, statement string, from, next int64, records []keyring.Record) (stands int64, err error) {
	err = pgx.BeginFunc(ctx, d.Pool, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `UPDATE data_keys_read SET next = $2 WHERE next = $1 RETURNING next`, from, next).Scan(&stands)
		if errors.Is(err, pgx.ErrNoRows) { // another node did it, or the table was emptied
			return tx.QueryRow(ctx, `SELECT next FROM data_keys_read`).Scan(&stands)
		}
		if err != nil || len(records) == 0 {
			return err
		}
		_, err = tx.Exec(ctx, statement, columns(lastOfEach(records))...)
		return err
	})
	return stands, err
}

// lastOfEach leaves one record of a key: an erased one, else the last.
func lastOfEach(records []keyring.Record) []keyring.Record {
	at := map[sealed.ID]int{}
	var out []keyring.Record
	for _, r := range records {
		i, twice := at[r.ID]
		switch {
		case !twice:
			at[r.ID] = len(out)
			out = append(out, r)
		case !out[i].Erased():
			out[i] = r
		}
	}
	return out
}

// columns are of kinds whose elements the driver encodes alike; of others, such as
// []uuid.UUID, it finds out how for each.
func columns(records []keyring.Record) []any {
	n := len(records)
	ids, wrapped := make(pgtype.FlatArray[pgtype.UUID], n), make(pgtype.FlatArray[pgtype.Text], n)
	made, erased := make(pgtype.FlatArray[pgtype.Timestamptz], n), make(pgtype.FlatArray[pgtype.Timestamptz], n)
	for i, r := range records {
		ids[i] = pgtype.UUID{Bytes: r.ID, Valid: true}
		wrapped[i] = pgtype.Text{String: r.Wrapped, Valid: !r.Erased()}
		made[i], erased[i] = instant(r.MadeAt), instant(r.ErasedAt)
	}
	return []any{ids, wrapped, made, erased}
}

// instant is null for no time.
func instant(t time.Time) pgtype.Timestamptz { return pgtype.Timestamptz{Time: t, Valid: !t.IsZero()} }

// Find implements keyring.Table.
func (d DataKeys) Find(ctx context.Context, ids []sealed.ID) ([]keyring.Record, error) {
	wanted := make(pgtype.FlatArray[pgtype.UUID], len(ids))
	for i, id := range ids {
		wanted[i] = pgtype.UUID{Bytes: id, Valid: true}
	}
	rows, err := d.Pool.Query(ctx, selectKeys+`WHERE id = ANY($1)`, wanted)
	if err != nil {
		return nil, fmt.Errorf("looking for data keys: %w", err)
	}
	out, err := pgx.CollectRows(rows, scanKey)
	if err != nil {
		return nil, fmt.Errorf("looking for data keys: %w", err)
	}
	return out, nil
}

// All gives every key of the table, erased ones too; none where the table was never made.
func (d DataKeys) All(ctx context.Context) iter.Seq2[keyring.Record, error] {
	return func(yield func(keyring.Record, error) bool) {
		made, err := d.made(ctx)
		if err == nil && !made {
			return
		}
		var rows pgx.Rows
		if err == nil {
			rows, err = d.Pool.Query(ctx, selectKeys)
		}
		if err != nil {
			yield(keyring.Record{}, fmt.Errorf("reading the data keys: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			r, err := scanKey(rows)
			if !yield(r, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(keyring.Record{}, fmt.Errorf("reading the data keys: %w", err))
		}
	}
}

// Reread has the topic read from its beginning if the table is ahead of where it ends.
func (d DataKeys) Reread(ctx context.Context, end int64) error {
	made, err := d.made(ctx)
	if err == nil && made {
		_, err = d.Pool.Exec(ctx, `UPDATE data_keys_read SET next = 0 WHERE next > $1`, end)
	}
	if err != nil {
		return fmt.Errorf("having the data keys read again: %w", err)
	}
	return nil
}

func (d DataKeys) made(ctx context.Context) (made bool, err error) {
	err = d.Pool.QueryRow(ctx, `SELECT to_regclass('data_keys') IS NOT NULL`).Scan(&made)
	return made, err
}

const selectKeys = `SELECT id, coalesce(wrapped, ''), coalesce(made_at, '0001-01-01Z'), coalesce(erased_at, '0001-01-01Z') FROM data_keys `

func scanKey(row pgx.CollectableRow) (r keyring.Record, err error) {
	err = row.Scan((*uuid.UUID)(&r.ID), &r.Wrapped, &r.MadeAt, &r.ErasedAt)
	r.MadeAt, r.ErasedAt = r.MadeAt.UTC(), r.ErasedAt.UTC()
	return r, err
}
