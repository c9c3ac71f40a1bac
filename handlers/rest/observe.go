package rest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections"
)

var tracer = otel.Tracer("github.com/parley-platform/parley/handlers/rest")

// measures are the HTTP metrics, named as OpenTelemetry's conventions do. The label
// parley_operation is ours: routes are long, and a page is read by people.
type measures struct {
	seconds *prometheus.HistogramVec
	active  *prometheus.GaugeVec
}

func newMeasures(r prometheus.Registerer) *measures {
	m := &measures{
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "http_server_request_duration_seconds", Help: "Time from request to answer, by operation and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 30},
		}, []string{"http_request_method", "http_route", "http_response_status_code", "url_scheme", "error_type", "parley_operation"}),
		active: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "http_server_active_requests", Help: "Requests that are being answered.",
		}, []string{"http_request_method", "url_scheme"}),
	}
	if r != nil {
		r.MustRegister(m.seconds, m.active)
	}
	return m
}

// otherMethod is any that HTTP does not know: labels hold nothing that callers make up.
const otherMethod = "_OTHER"

func measuredMethod(r *http.Request) string {
	if m := safeMethod(r.Method); m == r.Method {
		return m
	}
	return otherMethod
}

func scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
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
	ctx := otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	method := measuredMethod(r)
	ctx, x.trace = tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		semconv.HTTPRequestMethodKey.String(method), semconv.URLScheme(scheme(r)), attribute.String("parley.request_id", x.id)))
	if theirs := r.Header.Get("X-Request-Id"); theirs != "" && len(theirs) <= maxKeyLength && validKey(theirs) {
		x.trace.SetAttributes(attribute.String("parley.client_request_id", theirs))
	}
	a.measures.active.WithLabelValues(measuredMethod(r), scheme(r)).Inc()
	return x, r.WithContext(projections.OneWork(context.WithValue(ctx, exchangeKey{}, x)))
}

// end closes the exchange. A panic becomes an answer, if none has begun.
func (a *API) end(x *exchange, r *http.Request) {
	defer a.measures.active.WithLabelValues(measuredMethod(r), scheme(r)).Dec()
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
	a.measures.seconds.WithLabelValues(measuredMethod(r), x.route(), status, scheme(r), x.errorType(), x.operation()).Observe(took.Seconds())
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

// finishTrace says what the request was. Values in the path, the query, the caller's
// address and headers are left out: they can be secrets, and people's addresses.
func (x *exchange) finishTrace(r *http.Request) {
	if !x.trace.IsRecording() {
		return
	}
	x.trace.SetAttributes(
		semconv.HTTPResponseStatusCode(x.answer.status),
		semconv.NetworkProtocolVersion(strings.TrimSuffix(strings.TrimPrefix(r.Proto, "HTTP/"), ".0")),
		attribute.String("parley.operation", x.operation()),
		attribute.String("parley.tenant", x.principal.TenantID),
	)
	if route := x.route(); route != "" {
		x.trace.SetName(measuredMethod(r) + " " + route)
		x.trace.SetAttributes(semconv.HTTPRoute(route), semconv.URLPath(scrubbed.ReplaceAllString(route, "REDACTED")))
	}
	if failure := x.errorType(); failure != "" {
		x.trace.SetAttributes(semconv.ErrorTypeKey.String(failure))
		x.trace.SetStatus(codes.Error, "")
	}
}

// scrubbed is what stands for a value in a route.
var scrubbed = regexp.MustCompile(`\{[^}]*\}`)

// errorType is the status of an answer that is our fault, else empty.
func (x *exchange) errorType() string {
	if x.answer.status >= 500 {
		return strconv.Itoa(x.answer.status)
	}
	return ""
}

// route is the path of the declared operation, or empty.
func (x *exchange) route() string {
	if x.op == nil {
		return ""
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
		slog.String("route", cmp.Or(x.route(), "other")),
		slog.String("operation", x.operation()),
		slog.Int("status", x.answer.status),
		slog.Int64("bytes", x.answer.bytes),
		slog.Duration("took", took),
		slog.String("tenant", x.principal.TenantID),
		slog.String("actor", x.principal.Actor()),
	)
}
