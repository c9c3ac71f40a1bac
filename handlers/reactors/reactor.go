// Package reactors is what happens outside the log because of what happened on it:
// calls are dialled, notifications sent, timers fired.
//
// It owns the recipe by which every reactor reads the log (Router: only accepted
// events, in order per stream, retried, and set aside when hopeless), admission,
// timers, replays and what all reactors share. The reactors themselves are in the
// groups beside it, one file per process. It never writes a read model and never
// decides: it sends commands, and each effect ends in an event of its own.
package reactors

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Side says on which side a reactor errs when a node dies between an effect and its
// event (docs/architecture.md "Which side an effect errs on"). Events are exactly once
// either way.
type Side int

const (
	// AtLeastOnce repeats an effect whose outcome is not known, with the same
	// delivery id: webhooks, channel messages, exports.
	AtLeastOnce Side = iota + 1
	// AtMostOnce puts an accepted attempt-started event before the effect and never
	// repeats one blindly: dialling, SMS without a provider key. An event may still
	// be handled again, so the handler must look for that attempt first.
	AtMostOnce
)

// String is the side in words.
func (s Side) String() string {
	switch s {
	case AtLeastOnce:
		return "at least once"
	case AtMostOnce:
		return "at most once"
	default:
		return fmt.Sprintf("Side(%d)", int(s))
	}
}

// Event is one accepted event as a reactor gets it.
type Event struct {
	Stream        string    // call-<uuid>
	Type          string    // parley.<context>.<event>.v<N> as it was written
	Version       int64     // position in the stream, from 1
	Tenant        string    // the account
	Actor         string    // who caused it
	CorrelationID string    // the request that started it all, tr-..
	CausationID   string    // what caused this event
	ID            string    // the event's UUID: a command that it causes derives its request id from it
	Commit        string    // the commit it belongs to
	Time          time.Time // UTC
	Payload       event.Payload
	Record        *eventstore.Record // as it stands on the log; not to be changed

	Topic     string
	Partition int
	Offset    int64
}

// Reactor declares one process that follows the log.
type Reactor struct {
	Name       string            // lower case; the consumer group is parley-<name>
	Categories []*event.Category // whose topics it reads
	Events     []event.Payload   // a zero value of each event it handles, in whatever version it was written
	All        bool              // it handles every event of its categories; Events is empty then
	Side       Side              // must be said

	// FromStart: at its first registration it begins at the beginning of the log also
	// in a system that has been running. By default it begins at the end then: what
	// happened before the reactor existed is not for it.
	FromStart bool

	// AnyOrder: events of one stream are handled at once, too, and one that waits for its
	// next try holds up none. For work that an event names in full, as the contacts whose
	// turn it is: what another event of the stream says changes nothing about it.
	AnyOrder bool

	// Only picks those of its events that are for it, by what stands on the log in plain; nil: all
	// are. The others are neither waited for nor decoded.
	Only func(r *eventstore.Record) bool

	// Handle gets the events of one stream one after the other (but see AnyOrder), those
	// of different streams at once. It folds the stream first and acts only if the stream still
	// wants the effect: an event may come again. Its context ends after
	// Config.HandleTimeout, and when a shutdown has waited long enough.
	//
	// An error is tried again with growing pauses, the stream waits meanwhile; after
	// Config.Attempts tries, or at once with Poison, the event is set aside.
	Handle func(ctx context.Context, e Event) error

	attempts bool  // it makes attempts of what happens outside
	problem  error // what whoever made the declaration found wrong with it
}

// Group is the reactor's consumer group.
func (r Reactor) Group() string { return "parley-" + r.Name }

// Topics lists what the reactor reads, sorted.
func (r Reactor) Topics() []string {
	var out []string
	for _, c := range r.Categories {
		out = append(out, c.Topic())
	}
	slices.Sort(out)
	return out
}

// route is what a declaration says about a topic: the category that decodes it and
// the names of the events that are handled.
type route struct {
	category *event.Category
	names    map[string]bool
	all      bool
}

// handles looks at the type alone, so that what is of no interest is never decoded
// nor waited for. The version does not count: old ones are lifted, and a newer one
// must not be passed over by an older binary.
func (r route) handles(ceType string) bool {
	rest, ok := strings.CutPrefix(ceType, "parley."+r.category.Name+".")
	if !ok {
		return false
	}
	name, _, ok := cutLast(rest, ".v")
	return ok && (r.all || r.names[name])
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Check says what is wrong with the declaration: NewRouter would refuse it.
func (r Reactor) Check() error {
	_, err := r.routes()
	return err
}

// routes checks the declaration.
func (r Reactor) routes() (map[string]route, error) {
	switch {
	case r.Name == "" || strings.ToLower(r.Name) != r.Name:
		return nil, fmt.Errorf("reactor %q: Name must be lower case and not empty", r.Name)
	case r.Handle == nil:
		return nil, fmt.Errorf("reactor %s: Handle is missing", r.Name)
	case r.Side != AtLeastOnce && r.Side != AtMostOnce:
		return nil, fmt.Errorf("reactor %s: Side must say on which side it errs", r.Name)
	case len(r.Categories) == 0:
		return nil, fmt.Errorf("reactor %s: Categories is empty", r.Name)
	case len(r.Events) == 0 && !r.All:
		return nil, fmt.Errorf("reactor %s: Events is empty", r.Name)
	case len(r.Events) > 0 && r.All:
		return nil, fmt.Errorf("reactor %s: All and Events exclude one another", r.Name)
	case r.problem != nil:
		return nil, r.problem
	}
	out := map[string]route{}
	for _, c := range r.Categories {
		out[c.Topic()] = route{category: c, names: map[string]bool{}, all: r.All}
	}
	for _, payload := range r.Events {
		kind, err := r.kindOf(payload)
		if err != nil {
			return nil, err
		}
		out[kind.Category.Topic()].names[kind.Name] = true
	}
	for topic, route := range out {
		if len(route.names) == 0 && !r.All {
			return nil, fmt.Errorf("reactor %s: Events has none of %s", r.Name, topic)
		}
	}
	return out, nil
}

func (r Reactor) kindOf(payload event.Payload) (*event.Kind, error) {
	var all []error
	for _, c := range r.Categories {
		kind, err := c.KindOf(payload)
		if err == nil {
			return kind, nil
		}
		all = append(all, err)
	}
	return nil, fmt.Errorf("reactor %s: Events: %w", r.Name, errors.Join(all...))
}
