package voice

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// Reactor declares it.
func (d *Dialer) Reactor() reactors.Reactor {
	return reactors.Reactor{Name: "dialer", Categories: []*event.Category{calls.Calls.Category}, Events: []event.Payload{calls.Requested{}},
		Side: reactors.AtMostOnce,
		Handle: func(ctx context.Context, e reactors.Event) error {
			return d.Requested(ctx, calls.Calls.StreamID(e.Stream))
		}}
}

// Wake is what the timer of a call's lease does.
func (d *Dialer) Wake(ctx context.Context, t projections.Timer, now time.Time) error {
	return d.Expire(ctx, calls.Calls.StreamID(t.Stream), now)
}
