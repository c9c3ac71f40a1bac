package reactors

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
)

// Groups knows where consumer groups stand, and sets down those that nobody reads as.
type Groups interface {
	Committed(ctx context.Context, group string, topics ...string) (map[string]map[int]int64, error) // by topic and partition; absent: none
	Bounds(ctx context.Context, topic string) (starts, ends map[int]int64, err error)
	Commit(ctx context.Context, group, topic string, at map[int]int64) error
}

// Admission lets a reactor read only when it is known where: its first registration
// fixes that, and after that its group does. A group that has lost its place is not
// read until an operator says where it goes on; what is on the log was acted on, and
// must not be again.
type Admission struct {
	Store  *eventstore.Store
	Groups Groups
	From   []From // of the command line
	Node   string
	Now    func() time.Time
	Log    *slog.Logger
	Again  time.Duration // between looks at a reactor that is refused or waits; 0: 2 s

	asks        atomic.Uint64
	registering sync.Mutex // one asks where all groups stand; who waited for it finds them known
	last        looked

	mu     sync.Mutex
	states map[string]Standing
	all    []Reactor
	edges  *Edges
}

// looked is what a look at the registrations has found, and the last of those who had asked when it began.
type looked struct {
	registrations.State
	to uint64
}

// Standing is how a reactor is, for /readyz, metrics and logs.
type Standing struct {
	State string `json:"state"`        // see the States
	Side  string `json:"side"`         // at least once, at most once
	Do    string `json:"do,omitempty"` // what an operator has to do, or what is waited for
}

// The states of a reactor on a node.
const (
	StateWaiting = "waiting" // not asked for yet, or something is away for a moment
	StateRunning = "running"
	StateRefused = "refused" // it needs --reactor-from
)

// Expect tells which reactors there are. It refuses a command line that names another.
func (a *Admission) Expect(all ...Reactor) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all, a.states, a.edges = all, map[string]Standing{}, &Edges{Groups: a.Groups}
	var names []string
	for _, r := range all {
		a.states[r.Name] = Standing{State: StateWaiting, Side: r.Side.String()}
		names = append(names, r.Name)
	}
	for _, f := range a.From {
		if !slices.Contains(names, f.Reactor) {
			return fmt.Errorf("--reactor-from %s=%s: there is no such reactor; there are %s", f.Reactor, f.Said, strings.Join(names, ", "))
		}
	}
	return nil
}

// States is how the reactors are, by name.
func (a *Admission) States() map[string]Standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := make(map[string]Standing, len(a.states))
	for name, s := range a.states {
		out[name] = s
	}
	return out
}

func (a *Admission) set(name, state, do string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.states[name]
	changed := s.State != state || s.Do != do
	s.State, s.Do = state, do
	a.states[name] = s
	switch {
	case !changed:
	case state == StateRefused:
		a.Log.Error("a reactor does not start", "reactor", name, "do", do)
	case state == StateRunning:
		a.Log.Info("a reactor starts", "reactor", name)
	}
}

// Stopped notes that a reactor lost a partition while it ran.
func (a *Admission) Stopped(name, topic string, partition int, err error) {
	a.set(name, StateRefused, fmt.Sprintf("%s/%d: %s; restart with %s", topic, partition, err, a.flag(name)))
}

func (a *Admission) flag(name string) string {
	return fmt.Sprintf("--reactor-from %s=end to pass over what is on the log, or --reactor-from %s=TOPIC/PARTITION:OFFSET to go on at an "+
		"offset", name, name)
}

// Register makes every reactor known, with the exact offsets at which it begins. It
// is one decision on one stream: of nodes that start at once one registers, and the
// others meet what it said. It waits as long as the store is away.
func (a *Admission) Register(ctx context.Context) error {
	for {
		_, err := a.register(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		if !acts.WorthRepeating(err) {
			return err
		}
		a.Log.Debug("registering the reactors waits", "error", err)
		if !pause(ctx, 20*time.Millisecond) {
			return ctx.Err()
		}
	}
}

// register is one try, and gives what is known then. All reactors of a node come here at
// once: each would read the whole stream. Who waited has what a look has found that began
// behind their question.
func (a *Admission) register(ctx context.Context) (registrations.State, error) {
	asked := a.asks.Add(1)
	a.registering.Lock()
	defer a.registering.Unlock()
	if a.last.to >= asked {
		return a.last.State, nil
	}
	to := a.asks.Load()
	s, err := a.registered(ctx)
	if err == nil {
		a.last = looked{s, to}
	}
	return s, err
}

// registered makes known who is not yet, and gives all that is known.
func (a *Admission) registered(ctx context.Context) (registrations.State, error) {
	known, err := eventstore.Read(ctx, a.Store, registrations.Registrations, registrations.SystemStream())
	if err != nil {
		return known.State, err
	}
	var fresh []registrations.Candidate
	for _, r := range a.all {
		if k, ok := known.State.Reactors[r.Name]; ok && slices.Equal(k.Topics(), r.Topics()) {
			continue
		}
		c, err := a.candidate(ctx, r)
		if err != nil {
			return known.State, err
		}
		fresh = append(fresh, c)
	}
	if len(fresh) == 0 {
		return known.State, nil
	}
	res, err := a.execute(ctx, registrations.Register{Candidates: fresh, Node: a.Node, At: a.Now()}.Decide)
	return res.State, err
}

func (a *Admission) execute(ctx context.Context,
	decide func(registrations.State) ([]event.Payload, error)) (eventstore.Result[registrations.State], error) {
	return eventstore.Execute(ctx, a.Store, registrations.Registrations, registrations.SystemStream(),
		eventstore.Command{Tenant: registrations.Tenant, Actor: "node:" + a.Node, CorrelationID: "tr-reactors"}, decide)
}

func (a *Admission) candidate(ctx context.Context, r Reactor) (registrations.Candidate, error) {
	c := registrations.Candidate{Name: r.Name, Group: r.Group(), Side: r.Side.String(), FromStart: r.FromStart}
	committed, err := a.Groups.Committed(ctx, r.Group(), r.Topics()...)
	if err != nil {
		return c, away(err)
	}
	for _, topic := range r.Topics() {
		on, err := a.edges.of(ctx, topic, committed[topic], nil)
		if err != nil {
			return c, away(err)
		}
		for p := range len(on.ends) {
			s := registrations.Standing{Topic: topic, Partition: p, Committed: -1, End: on.ends[p]}
			if at, ok := committed[topic][p]; ok {
				s.Committed = at
			}
			c.Partitions = append(c.Partitions, s)
		}
	}
	return c, nil
}

// away makes an error of the broker one that is worth another try.
func away(err error) error {
	return fault.New(fault.Unavailable, "Kafka does not say where the reactors stand").Because(err)
}

// errGroupBusy: another release still reads as the group, which cannot be set down on
// new partitions until it has left.
var errGroupBusy = errors.New("others read as the group")

// Admit returns when the reactor may read, and only then without an error. It ends
// with ctx; what is refused is looked at again, because another node may be told.
func (a *Admission) Admit(ctx context.Context, r Reactor) error {
	for {
		do, err := a.look(ctx, r)
		switch {
		case err == nil && do == "":
			a.set(r.Name, StateRunning, "")
			return nil
		case err == nil:
			a.set(r.Name, StateRefused, do)
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errGroupBusy):
			a.set(r.Name, StateWaiting, "the group "+r.Group()+" is set down on new partitions when those that read as it now have left")
		default:
			a.Log.Debug("where a reactor stands could not be found out, trying again", "reactor", r.Name, "error", err)
		}
		again := a.Again
		if again == 0 {
			again = 2 * time.Second
		}
		if fault.Is(err, fault.CatchingUp) {
			again = min(again, 50*time.Millisecond)
		}
		if !pause(ctx, again) {
			return ctx.Err()
		}
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// look finds out where the group stands and mends what may be mended. do is what an
// operator has to do; empty with no error: the group may be read.
func (a *Admission) look(ctx context.Context, r Reactor) (do string, err error) {
	known, err := a.register(ctx)
	if err != nil {
		return "", err
	}
	reg := known.Reactors[r.Name]
	missing, err := a.missing(ctx, r, reg.Pending)
	if err != nil {
		return "", err
	}
	pending, unknown := split(missing, reg.Pending)
	if len(unknown) > 0 {
		return a.placed(ctx, r, unknown)
	}
	if err := a.setDown(ctx, r, pending); err != nil {
		return "", err
	}
	if len(reg.Pending) == 0 {
		return "", nil
	}
	_, err = a.execute(ctx, registrations.Settle{Name: r.Name, Positions: reg.Pending, At: a.Now()}.Decide)
	return "", err
}

// missing lists the partitions on which the group stands nowhere, or off the log.
func (a *Admission) missing(ctx context.Context, r Reactor, decided []registrations.Position) ([]lost, error) {
	committed, err := a.Groups.Committed(ctx, r.Group(), r.Topics()...)
	if err != nil {
		return nil, err
	}
	var out []lost
	for _, topic := range r.Topics() {
		on, err := a.edges.of(ctx, topic, committed[topic], decided)
		if err != nil {
			return nil, err
		}
		for p := range len(on.ends) {
			at, ok := committed[topic][p]
			if !ok {
				at = -1
			}
			if at < on.starts[p] || at > on.ends[p] {
				out = append(out, lost{topic, p, at, on.starts[p], on.ends[p]})
			}
		}
	}
	return out, nil
}

// split tells partitions with a decided position that is on the log from those that
// nobody has decided on.
func split(missing []lost, decided []registrations.Position) (pending []registrations.Position, unknown []lost) {
	for _, l := range missing {
		i := slices.IndexFunc(decided, func(p registrations.Position) bool {
			return p.Topic == l.topic && p.Partition == l.partition && p.Offset >= l.start && p.Offset <= l.end
		})
		if i < 0 {
			unknown = append(unknown, l)
			continue
		}
		pending = append(pending, decided[i])
	}
	return pending, unknown
}

// placed records what the command line says about lost partitions, or says what it
// has to say.
func (a *Admission) placed(ctx context.Context, r Reactor, missing []lost) (do string, err error) {
	positions, said, err := placeOf(a.From, r.Name, missing)
	if err != nil {
		return err.Error(), nil
	}
	if len(positions) < len(missing) {
		var places []string
		for _, l := range missing {
			places = append(places, l.String())
		}
		return fmt.Sprintf("the consumer group %s has lost its place (%s): what is there was acted on already and must not be again; restart "+
			"parley serve with %s", r.Group(), strings.Join(places, "; "), a.flag(r.Name)), nil
	}
	if _, err := a.execute(ctx, registrations.Place{Name: r.Name, Said: said, Positions: positions, Node: a.Node,
		At: a.Now()}.Decide); err != nil {
		return "", err
	}
	a.Log.Warn("a reactor goes on where the command line says", "reactor", r.Name, "from", said)
	return a.look(ctx, r)
}

// setDown commits positions to a group that nobody reads as.
func (a *Admission) setDown(ctx context.Context, r Reactor, at []registrations.Position) error {
	topics := map[string]map[int]int64{}
	for _, p := range at {
		if topics[p.Topic] == nil {
			topics[p.Topic] = map[int]int64{}
		}
		topics[p.Topic][p.Partition] = p.Offset
	}
	for topic, offsets := range topics {
		if err := a.Groups.Commit(ctx, r.Group(), topic, offsets); err != nil {
			return fmt.Errorf("%w: %w", errGroupBusy, err)
		}
	}
	return nil
}
