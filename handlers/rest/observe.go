package rest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/fault"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/handlers/rest")

// measures are the HTTP metrics, by operation.
type measures struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

func newMeasures(r prometheus.Registerer) *measures {
	m := &measures{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "parley_http_requests_total", Help: "Requests by operation and HTTP status.",
		}, []string{"operation", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "parley_http_request_duration_seconds", Help: "Time from request to answer by operation.",
			Buckets: []float64{.0005, .001, .002, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30},
		}, []string{"operation"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "parley_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
	}
	if r != nil {
		r.MustRegister(m.requests, m.seconds, m.inFlight)
	}
	return m
}

// begin opens an exchange: its id, its span, its place in the context. An id that
// the caller sent is kept beside ours, never instead of it.
func (a *API) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	x := &exchange{api: a, id: newRequestID(), answer: &recorder{ResponseWriter: w}, started: time.Now()}
	x.answer.Header().Set("X-Request-Id", x.id)
	if r.Body != nil && r.Body != http.NoBody {
		x.sent = &sending{ReadCloser: r.Body, announced: r.ContentLength}
		r.Body = x.sent
	}
	ctx := propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, x.trace = tracer.Start(ctx, "HTTP "+safeMethod(r.Method), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("parley.request_id", x.id)))
	if theirs := r.Header.Get("X-Request-Id"); theirs != "" && len(theirs) <= maxKeyLength && validKey(theirs) {
		x.trace.SetAttributes(attribute.String("parley.client_request_id", theirs))
	}
	a.measures.inFlight.Inc()
	return x, r.WithContext(context.WithValue(ctx, exchangeKey{}, x))
}

// end closes the exchange. A panic becomes an answer, if none has begun.
func (a *API) end(x *exchange, r *http.Request) {
	defer a.measures.inFlight.Dec()
	defer x.trace.End()
	if p := recover(); p != nil {
		if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
			panic(p) // net/http's own way to drop a connection
		}
		level := slog.LevelError
		if r.Context().Err() != nil {
			level = slog.LevelInfo // the client went away while it was being written to
		}
		a.log.Log(r.Context(), level, "panic", "requestId", x.id, "operation", x.operation(), "panic", fmt.Sprint(p), "stack",
			string(debug.Stack()))
		if x.answer.status == 0 {
			x.refuse(r.Context(), fault.New(fault.Internal, "an unexpected failure; the request id is %s", x.id))
		}
	}
	took, status := time.Since(x.started), strconv.Itoa(x.answer.status)
	a.measures.requests.WithLabelValues(x.operation(), status).Inc()
	a.measures.seconds.WithLabelValues(x.operation()).Observe(took.Seconds())
	x.finishTrace(r)
	a.accessLog(x, r, took)
}

// operation is the id of the declared operation, or "other": labels and log lines
// never hold what callers make up.
func (x *exchange) operation() string {
	if x.op == nil {
		return "other"
	}
	return x.op.ID
}

func (x *exchange) finishTrace(r *http.Request) {
	x.trace.SetName(safeMethod(r.Method) + " " + x.route())
	x.trace.SetAttributes(
		attribute.String("parley.operation", x.operation()),
		attribute.String("parley.tenant", x.principal.TenantID),
		attribute.Int("http.response.status_code", x.answer.status),
	)
	if x.answer.status >= 500 {
		x.trace.SetStatus(codes.Error, "")
	}
}

func (x *exchange) route() string {
	if x.op == nil {
		return "other"
	}
	return x.op.Path
}

// accessLog writes the route and not the path, and no headers: paths, queries and
// headers can hold secrets and people's addresses.
func (a *API) accessLog(x *exchange, r *http.Request, took time.Duration) {
	level := slog.LevelInfo
	if x.op == nil && x.answer.status < 400 {
		level = slog.LevelDebug // probes, metrics, documentation
	}
	a.log.LogAttrs(r.Context(), level, "request",
		slog.String("requestId", x.id),
		slog.String("method", safeMethod(r.Method)),
		slog.String("route", x.route()),
		slog.String("operation", x.operation()),
		slog.Int("status", x.answer.status),
		slog.Int64("bytes", x.answer.bytes),
		slog.Duration("took", took),
		slog.String("tenant", x.principal.TenantID),
		slog.String("actor", x.principal.Actor()),
	)
}
