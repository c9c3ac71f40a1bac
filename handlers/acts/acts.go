// Package acts holds what several callers do: dial out, notify, deploy, start a campaign,
// assign a conversation (which has a folder of its own), and whatever else an operation
// of the API and a reactor, or two reactors, would otherwise each write down. A file is
// one act: it takes what is asked for and who asks, looks up what the rule needs, runs the
// command on the store, and gives the accepted state. A refusal is a fault that names
// fields as the API does.
//
// It decides nothing that the domain decides, and it never knows how a caller came: there
// is no HTTP here, no header, no status and no redelivery. What has one caller only, and
// would do nothing but pass on, is not an act
// (docs/decisions/2026-11-22-acts.md).
package acts

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Caller is who acts, for whom, because of what, and how a repeat is known.
type Caller struct {
	eventstore.Command
	Project string
	Within  time.Duration // how long one command may take to become visible; 0: as long as the context lasts
	Early   bool          // what is created may be answered once it is on the log, before queries show it
}

// Further is who does what follows from a request: it is not the request itself any more.
func (c Caller) Further() Caller {
	c.RequestID, c.RequestHash, c.PlainHash, c.New, c.Early = "", "", "", false, false
	return c
}

// Log is the store on which acts take effect, and what they make ids and times with.
type Log struct {
	Store *eventstore.Store
	MAC   eventstore.MAC
	Now   func() time.Time
}

// ID is the id of a thing that an act of the caller creates: the same for a repeat, so
// that both tries meet at one stream, else fresh.
func (l Log) ID(by Caller, what string) uuid.UUID {
	return eventstore.DerivedID(l.MAC, by.RequestID, what)
}

// Execute runs a command of the caller on a stream.
func Execute[S any](ctx context.Context, l Log, by Caller, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) (eventstore.Result[S], error) {
	ctx, cancel := by.Limit(ctx)
	defer cancel()
	return eventstore.Execute(ctx, l.Store, agg, stream, by.Command, decide)
}

// Earlier is the result that the same request had on a stream; it has no events where there was none.
func Earlier[S any](ctx context.Context, l Log, by Caller, agg *event.Aggregate[S], stream string) (eventstore.Result[S], error) {
	return Execute(ctx, l, by, agg, stream, func(S) ([]event.Payload, error) { return nil, nil })
}

// Create is Execute for a stream whose id was made by ID: of a caller that cannot repeat
// itself it is fresh, and there is nothing to read of it. Of a caller who wants to be
// answered early the result may be Pending.
func Create[S any](ctx context.Context, l Log, by Caller, agg *event.Aggregate[S], stream string,
	decide func(S) ([]event.Payload, error)) (eventstore.Result[S], error) {
	by.New = by.New || by.RequestID == ""
	if !by.Early {
		return Execute(ctx, l, by, agg, stream, decide)
	}
	ctx, cancel := by.Limit(ctx)
	defer cancel()
	return eventstore.ExecuteAsync(ctx, l.Store, agg, stream, by.Command, decide)
}

// Limit gives all of an act as long as one command of the caller may take.
func (by Caller) Limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if by.Within == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, by.Within)
}

// Carried carries a command through whose commit claims a try, also where its caller goes away meanwhile: only who is told that the
// commit was accepted makes the calls that it wants. The bound of the caller's commands bounds it still; who has none is no request.
func (by Caller) Carried(ctx context.Context) context.Context {
	if by.Within == 0 {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

type loggerKey struct{}

// WithLogger gives what is done on ctx a logger that names what it is done because of.
func WithLogger(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, loggerKey{}, log)
}

// Logger names in every line what is being handled, where its caller said so.
func Logger(ctx context.Context) *slog.Logger {
	if log, ok := ctx.Value(loggerKey{}).(*slog.Logger); ok {
		return log
	}
	return slog.Default()
}
