package channels

import (
	"context"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// registrar tells a provider where to send what people say, or that it is to send nothing. It asks
// once; asking again for the same changes nothing.
type registrar interface {
	Register(ctx context.Context, c channels.Connection, url string) channels.Outcome
	Unregister(ctx context.Context, c channels.Connection) channels.Outcome
}

// registered knows connections, those that are gone, and what goes by a name of a provider.
type registered interface {
	connectionReader
	At(ctx context.Context, kind, identifier string) (channels.Connection, error)
	Gone(g connections.Gone) (channels.Connection, error)
}

// Registration keeps providers told of connections whose kind wants that: when one is made, changed or
// deleted, and when the server is reached by another address than before.
type Registration struct {
	Store       *eventstore.Store
	Connections registered
	Adapters    func(kind string) (carrier, bool)
	// URL is where the provider of a connection calls; empty: nobody said how the server is reached.
	URL func(kind, external string) string
	Now func() time.Time
}

// How often it is looked at.
const (
	registerAgain = time.Minute // after what may be over by then
	registerLook  = time.Hour   // whether the address is still the same
)

// Fire is the timer of a connection.
func (x Registration) Fire(ctx context.Context, t projections.Timer, _ time.Time) error {
	read, err := eventstore.Read(ctx, x.Store, connections.Connections, t.Stream)
	if err != nil {
		return fmt.Errorf("folding %s: %w", t.Stream, err)
	}
	s := read.State
	switch {
	case s.Gone != nil && s.ID == "":
		return x.leave(ctx, t, *s.Gone)
	case s.ID == "":
		return reactors.Later(registerLook)
	}
	adapter, _ := x.Adapters(s.Kind)
	registrar, ok := adapter.(registrar)
	if !ok {
		return reactors.Later(registerLook)
	}
	url := ""
	if s.Settings.Active {
		if url = x.URL(s.Kind, s.External); url == "" {
			return x.trouble(ctx, t, s, channels.Outcome{Code: "NO_PUBLIC_URL",
				Reason: "the server does not know how it is reached: start it with --public-url, and it registers within a minute"})
		}
	}
	if s.Settled && s.WebhookURL == url {
		return reactors.Later(registerLook)
	}
	c, err := x.Connections.WithID(ctx, s.TenantID, s.ID)
	if fault.Is(err, fault.NotFound) {
		return reactors.Later(registerAgain)
	}
	if err != nil {
		return err
	}
	out := channels.Outcome{Status: channels.Taken}
	switch {
	case url != "":
		out = registrar.Register(ctx, c, url)
	case s.WebhookURL != "":
		out = registrar.Unregister(ctx, c)
	}
	if out.Status != channels.Taken {
		return x.trouble(ctx, t, s, out)
	}
	if err := x.note(ctx, t, connections.Observe{About: connections.Webhook, URL: url, Of: s.UpdatedAt}); err != nil {
		return err
	}
	if url == "" {
		return nil // its event has cleared the timer
	}
	read, err = eventstore.Read(ctx, x.Store, connections.Connections, t.Stream)
	if err == nil && read.State.ID == "" && read.State.Gone == nil {
		registrar.Unregister(ctx, c) // it was deleted meanwhile, when nobody knew of this
	}
	return reactors.Later(registerLook)
}

// leave tells the provider of a connection that is gone, unless another one goes by its name.
func (x Registration) leave(ctx context.Context, t projections.Timer, g connections.Gone) error {
	_, err := x.Connections.At(ctx, g.Kind, g.External)
	adapter, _ := x.Adapters(g.Kind)
	if registrar, ok := adapter.(registrar); ok && fault.Is(err, fault.NotFound) {
		c, err := x.Connections.Gone(g)
		if err != nil {
			return err
		}
		if out := registrar.Unregister(ctx, c); out.Status != channels.Taken && out.Status != channels.Refused && !out.Denied {
			return reactors.Later(max(registerAgain, out.RetryAfter))
		}
	}
	return x.note(ctx, t, connections.Observe{About: connections.Webhook})
}

// trouble shows why the provider is not told.
func (x Registration) trouble(ctx context.Context, t projections.Timer, s connections.State, out channels.Outcome) error {
	seen := connections.Observe{About: connections.Webhook, Trouble: &connections.Trouble{Code: orWord(out.Code), Reason: out.Reason},
		Of: s.UpdatedAt}
	if err := x.note(ctx, t, seen); err != nil {
		return err
	}
	if out.Status == channels.Refused || out.Denied {
		return reactors.Later(registerLook)
	}
	return reactors.Later(max(registerAgain, out.RetryAfter))
}

// orWord is a code where the provider gave none.
func orWord(code string) string {
	if code == "" {
		return "NO_ANSWER"
	}
	return code
}

func (x Registration) note(ctx context.Context, t projections.Timer, seen connections.Observe) error {
	seen.At = x.Now()
	by := eventstore.Command{Tenant: t.Tenant, Actor: "reactor:channel-registration"}
	return eventstore.Do(ctx, x.Store, connections.Connections, t.Stream, by, seen.Decide)
}
