package rest

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humamux"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections"
)

// LongAnswer is the answer of a request that goes on when the request was admitted:
// a file, or a stream that lasts for hours. What was true at its beginning is asked
// again while it lasts.
type LongAnswer struct{ x *exchange }

// LongAnswerOf is the answer of the request of the context.
func LongAnswerOf(ctx context.Context) LongAnswer { return LongAnswer{exchangeOf(ctx)} }

// Refuse answers an error in the place of what was to come. It must be the first thing
// that is written.
func (a LongAnswer) Refuse(ctx context.Context, err error) { a.x.refuse(ctx, err) }

// EndsWithNode has end called when the node stops, until stop is.
func (a LongAnswer) EndsWithNode(end func()) (stop func() bool) {
	return context.AfterFunc(a.x.api.streaming, end)
}

// MayTakeLong lifts the deadline by which the request had to be read: when it passes, the
// context of a request that is still answered would end.
func (a LongAnswer) MayTakeLong() {
	if a.x.answer != nil {
		_ = http.NewResponseController(a.x.answer).SetReadDeadline(time.Time{})
	}
}

// Look begins to read anew: Holds speaks of what is read from now on.
func (a LongAnswer) Look() { a.x.read() }

// Holds is a fault if what was read since Look may not be what the read models hold.
func (a LongAnswer) Holds(ctx context.Context) error { return a.x.shut(ctx) }

// Credential verifies the credential of the request again, whenever it is asked, and keeps the request no
// longer. What cannot be told now is not held against it: nothing is read meanwhile either.
func (a LongAnswer) Credential(r *http.Request) (allowed func(context.Context) error) {
	standing := a.Standing(r)
	return func(ctx context.Context) error {
		_, err := standing(ctx)
		return err
	}
}

// Standing is Credential for who shows more to some than to others: it says as whom the caller stands now.
func (a LongAnswer) Standing(r *http.Request) (standing func(context.Context) (access.Principal, error)) {
	if a.x.op.Requirement.IsPublic() {
		return func(context.Context) (access.Principal, error) { return a.x.principal, nil }
	}
	c, err := chosen(a.x.op.Requirement, r.Header)
	if err != nil {
		return func(context.Context) (access.Principal, error) { return a.x.principal, err }
	}
	return func(ctx context.Context) (access.Principal, error) { return a.allowed(ctx, c) }
}

// allowed is who a credential stands for now: what it may can be another than when it came. Where that
// cannot be told it is who it was.
func (a LongAnswer) allowed(ctx context.Context, c credential) (access.Principal, error) {
	a.x.read()
	p, err := a.x.api.verify(projections.OtherWork(ctx), c)
	if err == nil {
		err = a.x.op.Requirement.Check(p)
	}
	switch {
	case err == nil:
		return p, nil
	case fault.Is(err, fault.Unauthorized), fault.Is(err, fault.Forbidden):
		if a.x.shut(ctx) == nil { // else the answer may rest on read models that are not complete
			return p, err
		}
	}
	return a.x.principal, nil
}

// Detached says that the answer goes on over a connection that is not the server's any more,
// as a socket is. The node waits with its end, until over is called, for as long as it waits for
// requests.
func (a LongAnswer) Detached() (over func()) {
	a.x.api.detached.Add(1)
	return sync.OnceFunc(a.x.api.detached.Done)
}

// Outliving is a context for what goes on when the request was answered: by the same caller, and of the
// same id. It ends with nothing, and has nothing of the request's connection, nor of what the request was
// answered: what follows may be hours later.
func (a LongAnswer) Outliving(ctx context.Context) context.Context {
	x := *a.x
	x.answer, x.sent, x.body, x.release = nil, nil, nil, nil
	return projections.OtherWork(context.WithValue(context.WithoutCancel(ctx), exchangeKey{}, &x))
}

// LetGo forgets the connection, which has been taken from the server: what lasts as long as a socket does
// would else keep all that was needed to read one request.
func (a LongAnswer) LetGo() { a.x.answer.ResponseWriter = taken{} }

// taken is written to by nobody: the connection is somebody else's.
type taken struct{}

func (taken) Header() http.Header             { return http.Header{} }
func (taken) WriteHeader(int)                 {}
func (taken) Write([]byte) (n int, err error) { return 0, http.ErrHijacked }

// awaitDetached waits for answers that are Detached.
func (a *API) awaitDetached(ctx context.Context) {
	over := make(chan struct{})
	go func() { a.detached.Wait(); close(over) }()
	select {
	case <-over:
	case <-ctx.Done():
		a.log.Warn("sockets were cut off at shutdown")
	}
}

// Asked is what comes by an answer that goes on, such as a message on a socket, and is dealt with
// as a request of its own would be.
type Asked struct {
	Operation string // whose request it would be
	Path      string // of that
	Key       string // as an Idempotency-Key; empty: none
	KeyName   string // the member that the caller gave it in
	Body      []byte // what its body would be: JSON
}

// Request is the context of what is asked, by who began the answer: it has an id and a span, counts
// against the rate, and is refused while nothing may be served. It is the same request as one of
// that operation with the same key and body. Whose credential does not hold any more asks nothing: the
// fault is Unauthorized or Forbidden then, and of nothing else. done is called when it is dealt with, refused or not.
func (a LongAnswer) Request(ctx context.Context, asked Asked) (within context.Context, done func(), err error) {
	x := &exchange{api: a.x.api, id: newRequestID(), op: a.x.op, principal: a.x.principal, shown: a.x.shown, started: time.Now()}
	ctx, x.trace = tracer.Start(ctx, "asked by "+x.operation(), trace.WithNewRoot(), trace.WithLinks(trace.LinkFromContext(ctx)),
		trace.WithAttributes(attribute.String("parley.request_id", x.id), attribute.String("parley.operation", x.operation()),
			attribute.String("parley.tenant", x.principal.TenantID)))
	ctx = projections.OneWork(projections.OtherWork(context.WithValue(ctx, exchangeKey{}, x)))
	return ctx, func() { x.trace.End() }, x.ask(ctx, asked)
}

// ask takes what is asked, or refuses it.
func (x *exchange) ask(ctx context.Context, asked Asked) error {
	if x.shown != nil {
		p, err := (LongAnswer{x}).allowed(ctx, *x.shown)
		if err != nil {
			return err
		}
		x.principal = p
	}
	x.read()
	if x.api.cfg.Gate != nil {
		if err := x.api.cfg.Gate(); err != nil {
			return err
		}
	}
	if _, err := x.api.countFor(x); err != nil {
		return err
	}
	if asked.Key == "" {
		return nil
	}
	if !validKey(asked.Key) {
		return fault.Field(asked.KeyName, "must be 1 to %d printable ASCII characters", maxKeyLength)
	}
	x.key = &Key{Value: asked.Key, Name: asked.KeyName, Operation: asked.Operation, Path: asked.Path, Hash: hashOf("", canonical(asked.Body))}
	return nil
}

// Apart is the same answer for somebody who looks at it beside whoever gives it.
func (a LongAnswer) Apart() LongAnswer {
	x := *a.x
	return LongAnswer{&x}
}

// ByHand is an answer that is written by hand, as it may be a stream.
func ByHand(write func(http.ResponseWriter)) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(hc huma.Context) {
		_, w := humamux.Unwrap(hc)
		write(w)
	}}
}
