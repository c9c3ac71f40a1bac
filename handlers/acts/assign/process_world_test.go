package assign_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
	"github.com/parley-platform/parley/handlers/acts/assign"
)

// world is streams and read models in memory, and those who go through transfers,
// each stopped before and after everything they do: who goes on next, and who dies where
// it stands, is drawn.
type world struct {
	t         *rapid.T
	now       time.Time
	transfers map[string]transfers.State
	desks     map[string]humanagents.Desk
	lines     map[string]waitinglines.State
	limits    map[string]int
	sessions  map[string]bool // has ended
	removed   bool            // the queue
	done      map[string]bool // request ids
	history   map[string][]event.Payload
	order     []string // transfers as they were asked for
	pending   []happened
	actors    []*actor
	running   *actor
}

// happened is an event that a reactor has yet to handle.
type happened struct {
	id      string // of the transfer, the agent or the session
	payload event.Payload
	version int64
}

type actor struct {
	name string
	cont chan bool // go on, or die
	stop chan bool // has it ended?
	err  error
	then func(error)
}

var errDied = errors.New("the node died")

const oneQueue = "q-1"

// begin starts an actor; it stands before its first step when begin returns.
func (w *world) begin(name string, do func() error, then func(error)) {
	a := &actor{name: name, cont: make(chan bool), stop: make(chan bool), then: then}
	go func() {
		if <-a.cont {
			a.err = do()
		} else {
			a.err = errDied
		}
		a.stop <- true
	}()
	w.actors = append(w.actors, a)
}

// step is where an actor may be overtaken, or die.
func (w *world) step() error {
	a := w.running
	a.stop <- false
	if !<-a.cont {
		return errDied
	}
	return nil
}

// move lets one actor take its next step.
func (w *world) move(i int, lives bool) {
	a := w.actors[i]
	w.running = a
	a.cont <- lives
	if <-a.stop {
		w.actors = slices.Delete(w.actors, i, i+1)
		if a.then != nil {
			a.then(a.err)
		}
	}
}

func commit[S any](w *world, agg *event.Aggregate[S], states map[string]S, id, request string,
	decide func(S) ([]event.Payload, error)) (S, error) {
	if err := w.step(); err != nil {
		return states[id], err
	}
	if request != "" && w.done[request] {
		return states[id], nil
	}
	s := states[id]
	events, err := decide(s)
	if err != nil {
		return s, err
	}
	for _, e := range events {
		agg.Fold(&s, e)
		w.happens(id, e)
	}
	states[id] = s
	if len(events) > 0 && request != "" {
		w.done[request] = true
	}
	w.holds()
	return s, w.step()
}

func (w *world) happens(id string, e event.Payload) {
	w.history[id] = append(w.history[id], e)
	w.pending = append(w.pending, happened{id, e, int64(len(w.history[id]))})
}

// holds are the rules that hold at every moment.
func (w *world) holds() {
	for agent, d := range w.desks {
		if n := d.Load(humanagents.Chat); n > w.limits[agent] {
			w.t.Fatalf("%s has %d conversations of %d", agent, n, w.limits[agent])
		}
	}
	for id, events := range w.history {
		if _, ok := w.transfers[id]; !ok {
			continue
		}
		assigned, final := 0, 0
		for _, e := range events {
			switch e.(type) {
			case transfers.Assigned:
				assigned++
			case transfers.Failed, transfers.TimedOut, transfers.Ended:
				final++
			}
		}
		if assigned > 1 || final > 1 {
			w.t.Fatalf("%s was assigned %d times and ended %d times", id, assigned, final)
		}
	}
}

// read is a look at a state by an actor.
func read[S any](w *world, states map[string]S, id string) (S, error) {
	err := w.step()
	return states[id], err
}

// ports are what the process needs, on the world.
type ports struct{ *world }

func (p ports) Transfer(_ context.Context, id string) (transfers.State, int64, error) {
	s, err := read(p.world, p.transfers, id)
	return s, int64(len(p.history[id])), err
}

func (p ports) OnTransfer(_ context.Context, _ assign.Cause, id string, decide func(transfers.State) ([]event.Payload,
	error)) (transfers.State, error) {
	return commit(p.world, transfers.Transfers, p.transfers, id, "", decide)
}

func (p ports) Opened(context.Context, assign.Cause, transfers.State) error { return p.step() }

func (p ports) OnDesk(_ context.Context, _ assign.Cause, _, agent, transferID, step string,
	decide func(humanagents.Desk) ([]event.Payload, error)) (humanagents.Desk, error) {
	return commit(p.world, humanagents.Desks, p.desks, agent, request(transferID, step), decide)
}

func (p ports) Line(_ context.Context, _, queue string) (waitinglines.State, error) {
	line, err := read(p.world, p.lines, queue)
	line.Line = slices.Clone(line.Line) // it changes while somebody goes through it
	return line, err
}

func (p ports) Standing(_ context.Context, _, queue, transferID string) (itDoes, anybody bool, err error) {
	line, err := read(p.world, p.lines, queue)
	return line.Holds(transferID), len(line.Line) > 0, err
}

func (p ports) OnLine(_ context.Context, _ assign.Cause, _, queue, transferID, step string,
	decide func(waitinglines.State) ([]event.Payload, error)) error {
	_, err := commit(p.world, waitinglines.Lines, p.lines, queue, request(transferID, step), decide)
	return err
}

func request(transferID, step string) string {
	if step == "" {
		return ""
	}
	return transferID + " " + step
}

func (p ports) Capacity(_ context.Context, _, agent string, _ humanagents.Kind) (assign.Capacity, bool, error) {
	limit, ok := p.limits[agent]
	return assign.Capacity{Limit: limit}, ok, p.step()
}

func (p ports) Candidates(context.Context, string, string, humanagents.Kind, []string, []string) ([]transfers.Candidate, error) {
	if err := p.step(); err != nil || p.removed {
		return nil, err
	}
	var out []transfers.Candidate
	for _, agent := range slices.Sorted(maps.Keys(p.limits)) {
		if d := p.desks[agent]; d.Presence() == humanagents.Available && d.Load(humanagents.Chat) < p.limits[agent] {
			out = append(out, transfers.Candidate{HumanAgentID: agent, IdleSince: d.IdleSince()})
		}
	}
	return out, nil
}

func (p ports) HasQueue(context.Context, string, string) (bool, error) { return !p.removed, p.step() }

func (p ports) Served(context.Context, string, string, string) ([]string, error) { return nil, nil }

func (p ports) Rivals(_ context.Context, _, session string) ([]assign.Rival, error) {
	if err := p.step(); err != nil {
		return nil, err
	}
	return p.rivals(session), nil
}

func (w *world) rivals(session string) (out []assign.Rival) {
	for _, id := range w.order {
		if s := w.transfers[id]; s.Request.SessionID == session && !s.Final() {
			out = append(out, assign.Rival{TransferID: id, Turn: s.Request.Turn, Accepted: s.Phase != transfers.PhaseRequested,
				HumanAgentID: s.HumanAgentID})
		}
	}
	return out
}

func (p ports) SessionOver(_ context.Context, _, _, session string) (bool, error) {
	return p.sessions[session], p.step()
}

func (p ports) Lines(context.Context, string) ([]string, error) {
	if err := p.step(); err != nil {
		return nil, err
	}
	if len(p.lines[oneQueue].Line) == 0 {
		return nil, nil
	}
	return []string{oneQueue}, nil
}

// handle begins the reactor that an event is for; an error brings the event back.
func (w *world) handle(h happened) {
	process, cause, ctx := assign.Process{Streams: ports{w}, View: ports{w}, Now: func() time.Time { return w.now }},
		assign.Cause{}, context.Background()
	do := func() error { return process.Follow(ctx, cause, h.id, h.payload, h.version) }
	switch p := h.payload.(type) {
	case waitinglines.Entered:
		do = func() error { _, err := process.Drive(ctx, cause, p.TransferID); return err }
	case waitinglines.Left, humanagents.CapacityClaimed, humanagents.ClaimConfirmed:
		return
	case humanagents.AgentPresenceChanged, humanagents.CapacityReleased, queueRemoved:
		do = func() error {
			lines, err := process.View.Lines(ctx, "")
			for _, queue := range lines {
				if err := process.Serve(ctx, cause, "", queue); err != nil {
					return err
				}
			}
			return err
		}
	case sessionOver:
		do = func() error {
			for _, r := range w.rivals(h.id) {
				if err := process.Finish(ctx, cause, r.TransferID, transfers.SessionEnded); err != nil {
					return err
				}
			}
			return nil
		}
	}
	w.begin(fmt.Sprintf("%T", h.payload), do, func(err error) {
		if err != nil {
			w.pending = append(w.pending, h)
		}
	})
}

type sessionOver struct{}

type queueRemoved struct{}
