// Package outgoing watches HTTP requests that Parley makes of others: a span and a measure
// for each, named as OpenTelemetry's conventions do.
//
// It never shows more of an address than its host: paths and queries of callers' URLs
// hold secrets. The measure does not even name the host, which callers choose, but whom
// Parley asks.
package outgoing

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
)

// Whom Parley asks, as the label parley_peer.
const (
	Webhooks = "webhooks" // addresses that callers named
	KeySets  = "key-sets" // of clients
	Model    = "model"    // that writes, or hears
	Messages = "messages" // a provider of text messages
	Storage  = "storage"  // of files
	Tools    = "tools"    // of agents
)

var tracer = otel.Tracer("github.com/parley-platform/parley/adapters/outgoing")

// Durations measures all requests of this process.
var Durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "http_client_request_duration_seconds",
	Help:    "Time to the answer of requests that Parley makes of others; error_type is a status from 400 on, or what kept it from an answer.",
	Buckets: []float64{.005, .01, .025, .05, .075, .1, .25, .5, .75, 1, 2.5, 5, 7.5, 10, 30, 60}},
	[]string{"parley_peer", "http_request_method", "http_response_status_code", "url_scheme", "error_type"})

// Buffer is how many bytes of room a connection to others has for reading, and as many for writing. Most requests and
// answers are small, a thousand turns may wait at once for the next word of a model, and what is larger goes past it.
const Buffer = 1 << 10

// IdlePerHost is how many connections to one peer are kept for later. What more are asked at once, where there is no HTTP/2, begin
// with handshakes each.
const IdlePerHost = 32

// own is Go's default transport, with our buffers, and with more connections kept.
var own = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ReadBufferSize, t.WriteBufferSize, t.MaxIdleConnsPerHost = Buffer, Buffer, IdlePerHost
	return t
}()

// To is a transport that watches what goes to a peer; next nil is the process's own.
func To(peer string, next http.RoundTripper) http.RoundTripper {
	if next == nil {
		next = own
	}
	return &transport{peer, next}
}

type transport struct {
	peer string
	next http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient))
	defer span.End()
	if span.IsRecording() {
		span.SetAttributes(semconv.HTTPRequestMethodKey.String(r.Method), semconv.ServerAddress(r.URL.Hostname()),
			semconv.ServerPort(port(r.URL)),
			semconv.URLScheme(r.URL.Scheme), semconv.URLFull(scrubbed(r.URL)), attribute.String("parley.peer", t.peer))
	}
	begin := time.Now()
	res, err := t.next.RoundTrip(r.WithContext(ctx))
	status, failure := "", errorType(err)
	if err == nil {
		status = strconv.Itoa(res.StatusCode)
		span.SetAttributes(semconv.HTTPResponseStatusCode(res.StatusCode))
		if res.StatusCode >= http.StatusBadRequest {
			failure = status
		}
	}
	if failure != "" {
		span.SetAttributes(semconv.ErrorTypeKey.String(failure))
		span.SetStatus(codes.Error, "")
	}
	Durations.WithLabelValues(t.peer, r.Method, status, r.URL.Scheme, failure).Observe(time.Since(begin).Seconds())
	return res, err
}

// CloseIdleConnections lets http.Client reach those of the transport behind.
func (t *transport) CloseIdleConnections() {
	if c, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

func errorType(err error) string {
	var slow interface{ Timeout() bool }
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return "timeout"
	}
	return "connection"
}

func port(u *url.URL) int {
	if p, err := strconv.Atoi(u.Port()); err == nil {
		return p
	}
	if strings.EqualFold(u.Scheme, "https") {
		return 443
	}
	return 80
}

// scrubbed is an address without user, path, query and fragment.
func scrubbed(u *url.URL) string {
	shown := u.Scheme + "://" + u.Host + "/"
	if u.Path != "" && u.Path != "/" || u.RawQuery != "" {
		shown += "REDACTED"
	}
	return shown
}
