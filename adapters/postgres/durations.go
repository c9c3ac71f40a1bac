package postgres

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/prometheus/client_golang/prometheus"
)

// Durations measures what is asked of the database, named as OpenTelemetry's conventions
// name it.
func (db *DB) Durations() prometheus.Collector { return db.took }

func newDurations() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "db_client_operation_duration_seconds",
		Help:        "Time of what Postgres was asked, by the first word of it; error_type is the SQLSTATE of a refusal.",
		Buckets:     []float64{.0005, .001, .005, .01, .05, .1, .5, 1, 5, 10},
		ConstLabels: prometheus.Labels{"db_system_name": "postgresql"}}, []string{"db_operation_name", "error_type"})
}

type askedKey struct{}

// asked is what is under way.
type asked struct {
	operation string
	begin     time.Time
}

func begun(ctx context.Context, operation string) context.Context {
	return context.WithValue(ctx, askedKey{}, asked{operation, time.Now()})
}

func (db *DB) ended(ctx context.Context, err error) {
	if a, ok := ctx.Value(askedKey{}).(asked); ok {
		db.took.WithLabelValues(a.operation, errorType(err)).Observe(time.Since(a.begin).Seconds())
	}
}

// operations are the words that statements of ours begin with. Others are OTHER, so that
// the label stays short, whatever is asked.
var operations = map[string]bool{"SELECT": true, "INSERT": true, "UPDATE": true, "DELETE": true, "WITH": true, "BEGIN": true,
	"COMMIT":   true,
	"ROLLBACK": true, "SET": true, "LOCK": true, "LISTEN": true, "NOTIFY": true, "CREATE": true, "ALTER": true, "DROP": true, "TRUNCATE": true,
	"SAVEPOINT": true, "RELEASE": true, "MERGE": true, "COPY": true, "ANALYZE": true}

func operationOf(sql string) string {
	sql = strings.TrimLeft(sql, " \t\n")
	if end := strings.IndexFunc(sql, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') }); end >= 0 {
		sql = sql[:end]
	}
	if word := strings.ToUpper(sql); operations[word] {
		return word
	}
	return "OTHER"
}

// errorType is short: the SQLSTATE, or what kept it from an answer.
func errorType(err error) string {
	var refusal *pgconn.PgError
	switch {
	case err == nil || errors.Is(err, pgx.ErrNoRows):
		return ""
	case errors.As(err, &refusal):
		return refusal.Code
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	}
	return "connection"
}

// TraceQueryStart implements pgx.QueryTracer.
func (w watcher) TraceQueryStart(ctx context.Context, conn *pgx.Conn, q pgx.TraceQueryStartData) context.Context {
	return begun(w.Tracer.TraceQueryStart(ctx, conn, q), operationOf(q.SQL))
}

// TraceQueryEnd implements pgx.QueryTracer.
func (w watcher) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, end pgx.TraceQueryEndData) {
	w.Tracer.TraceQueryEnd(ctx, conn, end)
	w.db.ended(ctx, end.Err)
}

// TraceBatchStart implements pgx.BatchTracer.
func (w watcher) TraceBatchStart(ctx context.Context, conn *pgx.Conn, b pgx.TraceBatchStartData) context.Context {
	return begun(w.Tracer.TraceBatchStart(ctx, conn, b), "BATCH")
}

// TraceBatchEnd implements pgx.BatchTracer.
func (w watcher) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, end pgx.TraceBatchEndData) {
	w.Tracer.TraceBatchEnd(ctx, conn, end)
	w.db.ended(ctx, end.Err)
}

// TraceCopyFromStart implements pgx.CopyFromTracer.
func (w watcher) TraceCopyFromStart(ctx context.Context, conn *pgx.Conn, c pgx.TraceCopyFromStartData) context.Context {
	return begun(w.Tracer.TraceCopyFromStart(ctx, conn, c), "COPY")
}

// TraceCopyFromEnd implements pgx.CopyFromTracer.
func (w watcher) TraceCopyFromEnd(ctx context.Context, conn *pgx.Conn, end pgx.TraceCopyFromEndData) {
	w.Tracer.TraceCopyFromEnd(ctx, conn, end)
	w.db.ended(ctx, end.Err)
}
