package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/exaring/otelpgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Lost reports whether an error says that the database could not be asked: it is
// down, gone, or the connection to it broke. A query that was refused, or that its
// caller gave up, is not meant.
func Lost(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var refusal *pgconn.PgError
	if errors.As(err, &refusal) {
		return strings.HasPrefix(refusal.Code, "57P") || // shutting down, starting, dropped
			strings.HasPrefix(refusal.Code, "08") || // the connection itself
			refusal.Code == "3D000" // there is no such database
	}
	var connecting *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connecting) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) ||
		pgconn.SafeToRetry(err) // nothing was sent: the connection had ended before
}

// Unanswered reports whether a query has no answer for a reason that passes: the
// database could not be asked (Lost), gave way to another transaction, or had no room,
// or an operator ended the query. The query itself may be right.
func Unanswered(err error) bool {
	var refusal *pgconn.PgError
	if !errors.As(err, &refusal) {
		return Lost(err)
	}
	return Lost(err) ||
		strings.HasPrefix(refusal.Code, "40") || refusal.Code == "55P03" || // a deadlock, a lock
		strings.HasPrefix(refusal.Code, "53") || // memory, connections, room on the disk
		refusal.Code == "57014" // ended
}

// watcher is the tracer of the pools: it also hears of connections that could not
// be made.
type watcher struct {
	*otelpgx.Tracer
	db *DB
}

// TraceConnectEnd implements pgx.ConnectTracer.
func (w watcher) TraceConnectEnd(ctx context.Context, end pgx.TraceConnectEndData) {
	w.Tracer.TraceConnectEnd(ctx, end)
	if Lost(end.Err) && ctx.Err() == nil {
		w.db.lost()
	}
}

// lost notes that nobody answers, once until somebody does: what is in the database
// cannot be told until then, so what is not served is not wrong either.
func (db *DB) lost() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.away || db.server == (Server{}) {
		return
	}
	db.away = true
	if db.changed != nil {
		db.changed()
	}
}
