package rest

import (
	"context"
	"log/slog"
	"net/http"
	"net/textproto"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
)

// exchange is one request and its answer: what the core learns about it on the
// way, in one place, so that the context carries one value.
type exchange struct {
	api       *API
	id        string // X-Request-Id of the response
	op        *declared
	style     ErrorStyle // of what is refused where there is no operation
	answer    *recorder
	sent      *sending // the body, as far as it was read
	principal access.Principal
	shown     *credential // by which the principal is known; nil: nobody had to be
	denied    error       // why nobody good is calling; spoken after 413 and a body that does not parse
	body      []byte      // as received
	unfit     bool        // the body is too deep or holds too much, so nothing is made of it
	release   []func()    // gives back the room that the body took
	key       *Key        // the Idempotency-Key
	named     string      // the parameter of the path that names the project; empty: none does
	problems  fault.Fields
	accept    []string                    // the media types that the caller takes
	async     bool                        // the caller prefers not to wait until the effect is visible
	overRate  error                       // spoken after the refusals on fields
	stands    func(context.Context) error // whether what was read since the request was admitted holds; see Config.Reading
	trace     trace.Span
	started   time.Time
}

// giveBack ends what the body held.
func (x *exchange) giveBack() {
	for _, release := range x.release {
		release()
	}
	x.release = nil
}

type exchangeKey struct{}

// exchangeOf is the exchange of the context. Outside of a request there is an empty
// one, so that code that asks for the caller gets nobody instead of a panic.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// requestIDPrefix begins every X-Request-Id, which is also meta.requestId of get-scope.
const requestIDPrefix = "tr-"

func newRequestID() string { return requestIDPrefix + uuid.Must(uuid.NewV7()).String() }

// CorrelationID is the id of the request, as in its X-Request-Id header; the events
// that come of it carry the same. It is empty outside of a request.
func CorrelationID(ctx context.Context) string { return exchangeOf(ctx).id }

// PrincipalOf is who sent the request. Public operations have nobody.
func PrincipalOf(ctx context.Context) access.Principal { return exchangeOf(ctx).principal }

// RawBody is the body as it was received, for signatures that cover its bytes. It
// must not be changed.
func RawBody(ctx context.Context) []byte { return exchangeOf(ctx).body }

func sentIn(ctx huma.Context) channels.Request {
	address := ctx.URL()
	r := channels.Request{Method: ctx.Method(), URL: address.RequestURI(), Header: map[string][]string{}, Body: RawBody(ctx.Context())}
	ctx.EachHeader(func(name, value string) {
		name = textproto.CanonicalMIMEHeaderKey(name)
		r.Header[name] = append(r.Header[name], value)
	})
	return r
}

// AsSent is a part of the input of an operation whose caller signs what it sends.
type AsSent struct{ sent channels.Request }

// Resolve keeps what a signature may cover.
func (in *AsSent) Resolve(ctx huma.Context) []error {
	in.sent = sentIn(ctx)
	return nil
}

// Sent is the request as it came. Its URL begins with the path.
func (in *AsSent) Sent() channels.Request { return in.sent }

// Logger is where a handler says what operators should know.
func Logger(ctx context.Context) *slog.Logger {
	if api := exchangeOf(ctx).api; api != nil {
		return api.log
	}
	return slog.Default()
}

// UnfitBody reports that the body is too deep or holds too much, so that nothing is made of it.
func UnfitBody(ctx context.Context) bool { return exchangeOf(ctx).unfit }

// recorder remembers what was answered, for log and metrics.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	early  bool // a success is 202: it is not visible yet
}

func (w *recorder) WriteHeader(status int) {
	if w.early && status >= 200 && status < 300 {
		status = http.StatusAccepted
	}
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection: flushing, deadlines.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
