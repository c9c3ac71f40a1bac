package reactors

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
)

// Replayer hands events that were set aside to their reactor once more, when an
// operator asks for it (`parley reactor replay`). It is a reactor itself, on the
// requests: whichever node gets one serves it, and records what came of it.
//
// The reactor's commands have the request ids that they had the first time, made from
// the event. So events stay exactly once, however often one is replayed.
type Replayer struct {
	Store    *eventstore.Store
	Reactors []Reactor
	Timeout  time.Duration // of one try; 0: 30 s
	Now      func() time.Time
	Log      *slog.Logger
}

// Reactor declares it. It begins at the beginning: a request is never too old.
func (p *Replayer) Reactor() Reactor {
	return Reactor{Name: "replayer", Categories: []*event.Category{registrations.Replays.Category}, Side: AtLeastOnce,
		Events:    []event.Payload{registrations.ReplayAsked{}},
		FromStart: true, Handle: p.handle}
}

func (p *Replayer) handle(ctx context.Context, e Event) error {
	asked := e.Payload.(registrations.ReplayAsked)
	l, err := eventstore.Read(ctx, p.Store, registrations.Replays, e.Stream)
	if err != nil {
		return err
	}
	if l.State.Status != registrations.ReplayRequestedStatus || l.State.Number != asked.Number {
		return nil // it was answered
	}
	problem, err := p.again(ctx, asked)
	if err != nil {
		return err
	}
	end := registrations.EndReplay{Number: asked.Number, Error: problem, At: p.Now()}
	return eventstore.Do(ctx, p.Store, registrations.Replays, e.Stream, Because("replayer", strconv.Itoa(asked.Number), e), end.Decide)
}

// again makes one try. problem is why it failed, as public text; an error says that
// nothing can be said yet.
func (p *Replayer) again(ctx context.Context, asked registrations.ReplayAsked) (problem string, err error) {
	i := slices.IndexFunc(p.Reactors, func(r Reactor) bool { return r.Name == asked.Reactor })
	if i < 0 {
		return "there is no reactor " + asked.Reactor, nil
	}
	reactor := p.Reactors[i]
	routes, err := reactor.routes()
	if err != nil {
		return "", err
	}
	r, err := p.record(ctx, asked.Event)
	if err != nil {
		return "", err
	}
	if r == nil {
		return fmt.Sprintf("the log does not hold %s version %d at %s/%d offset %d as accepted", asked.Event.Stream, asked.Event.Version,
			asked.Event.Topic, asked.Event.Partition, asked.Event.Offset), nil
	}
	route, ok := routes[r.Topic]
	if !ok || !route.handles(r.Type) {
		return fmt.Sprintf("the reactor %s does not handle %s any more", reactor.Name, r.Type), nil
	}
	timeout := p.Timeout
	if timeout == 0 {
		timeout = 25 * time.Second // within the try of the replayer itself
	}
	err = try(correlate(ctx, p.Log, r), p.Store.Keys, reactor, route, timeout, r)
	switch {
	case err == nil:
		return "", nil
	case judge(ctx, err) == again:
		return "", err
	}
	p.Log.Error("a replay failed", "reactor", reactor.Name, "stream", r.Stream, "version", r.Version, "correlationId", r.CorrelationID,
		"error", err)
	return publicText(err), nil
}

// record is the event, nil when it is not accepted at this very place.
func (p *Replayer) record(ctx context.Context, e registrations.SetAside) (*eventstore.Record, error) {
	records, err := p.Store.Index.Load(ctx, e.Stream)
	if err != nil {
		return nil, away(err)
	}
	for _, r := range records {
		if r.Version == e.Version && r.Topic == e.Topic && r.Partition == e.Partition && r.Offset == e.Offset {
			return r, nil
		}
	}
	return nil, nil
}
