package voice

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections"
)

// DialerConfig is what a dialer is made of. Zero durations and counts have defaults.
type DialerConfig struct {
	Node     string // name of this node, recorded with every attempt
	Store    *eventstore.Store
	Carriers []Carrier
	Agents   *Agents        // that take calls; nil: none can be run, and they say their start texts
	Numbers  Numbers        // whose calls come in; nil: none do
	MAC      eventstore.MAC // makes the ids of calls that come in
	Log      *slog.Logger   // nil: slog.Default

	Speaker    Speaker    // who speaks on legs with sound; nil: nobody is asked ahead
	Recordings Recordings // where calls are recorded; nil: nowhere
	// Others is how many calls other nodes would go on with now; nil: none.
	Others   func(ctx context.Context) int
	Messages Messages // where what callers leave is kept; nil: nobody leaves anything
	// InLine tells whether a session waits in the line of a queue. It is asked of one without an agent that can be run, whose stream
	// says nothing of people; nil: none does.
	InLine func(ctx context.Context, tenant, session string) (bool, error)
	// Follow rings with the version of a stream when it has news, on whichever node; nil: what others write is seen with signs of life.
	Follow func(stream string, ring func(version int64)) (stop func(), err error)

	Now           func() time.Time // the clock that all nodes share; nil: time.Now
	Lease         time.Duration    // without a sign of life for so long, a call is given up; 30 s
	MaxLegs       int              // calls at once on this node; 500
	MostSound     int              // of them, whose sound this node carries; as many as MaxLegs
	Room          map[string]Room  // of carriers that take no more than so much, by their names
	MaxCall       time.Duration    // we hang up on an answered call after it; 4 h
	StartPatience time.Duration    // how long the start of an attempt is tried before the message is handed back; 10 s
}

// Dialer dials requested calls and records how they go. It errs on the side of at
// most once: an accepted attempt-started event precedes the dialling, and only the
// very try that wrote it dials. A call whose start is in doubt is left to its lease;
// when that runs out, its carrier is asked (see Expire).
type Dialer struct {
	cfg      DialerConfig
	carriers map[string]Carrier

	writing  context.Context // ends when shutdown has no more time to record
	giveUp   context.CancelFunc
	stopping chan struct{}
	legs     sync.WaitGroup
	looks    sync.WaitGroup // for those who are still on the line of a call that is over

	refused *prometheus.CounterVec // by the way in which they came

	mu        sync.Mutex
	drains    bool // nothing new is taken
	elsewhere int  // calls with which other nodes may go on
	active    int
	sounds    int                  // of these, those whose sound this node carries, and the legs of people on them
	waiting   map[string]time.Time // calls that there was no room for, and when that was seen last
	seen      []string             // calls that were placed, and that somebody is to be told of
	running   map[string]string    // calls whose legs this dialer follows, and the tries by which it does
	unkept    []unkept             // what is to be kept later
	messages  int                  // of these, messages of callers: they are in memory alone
	closing   bool
}

// NewDialer makes a dialer. It starts nothing until Requested is called.
func NewDialer(cfg DialerConfig) *Dialer {
	cfg.Lease = cmp.Or(cfg.Lease, 30*time.Second)
	cfg.MaxLegs = cmp.Or(cfg.MaxLegs, 500)
	cfg.MostSound = cmp.Or(cfg.MostSound, cfg.MaxLegs)
	cfg.MaxCall = cmp.Or(cfg.MaxCall, 4*time.Hour)
	cfg.StartPatience = cmp.Or(cfg.StartPatience, 10*time.Second)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	d := &Dialer{cfg: cfg, carriers: map[string]Carrier{}, running: map[string]string{}, stopping: make(chan struct{}),
		refused: newRefusals(), waiting: map[string]time.Time{}}
	for _, c := range cfg.Carriers {
		d.carriers[c.Provider()] = c
	}
	d.writing, d.giveUp = context.WithCancel(context.Background())
	return d
}

// Requested is called for every accepted requested event. It returns when the
// attempt was started or needs no start; the call goes on by itself. An error means
// that the message is to be delivered again: the store was away, or every leg of
// this node is taken (QUEUE_FULL).
func (d *Dialer) Requested(ctx context.Context, callID string) error {
	return d.requested(ctx, callID, silent)
}

func (d *Dialer) requested(ctx context.Context, callID string, way way) error {
	if err := d.reserve(way); err != nil {
		return d.stillWanted(ctx, callID, way, err)
	}
	leave, err := d.room(ctx, callID)
	if err != nil {
		d.release(way)
		return d.stillWanted(ctx, callID, silent, err) // for its trunk, and not for our room
	}
	d.waits(callID, false)
	order, err := d.claim(ctx, callID)
	if err == nil {
		d.sees(callID, way)
	}
	if err != nil || order == nil {
		leave()
		d.release(way)
		return err
	}
	d.note(callID, order.try)
	go func() {
		defer d.release(way)
		defer d.note(callID, "")
		newLeg(d, *order).run(leave)
	}()
	return nil
}

// note says by which try a leg of this dialer has the call; empty: none has it any more.
func (d *Dialer) note(callID, try string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if try != "" {
		d.running[callID] = try
	} else {
		delete(d.running, callID)
	}
}

// follows reports whether a leg of this dialer has the call, by a try.
func (d *Dialer) follows(callID, try string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return try != "" && d.running[callID] == try
}

// Legs is the number of calls that this node has now.
func (d *Dialer) Legs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.active
}

// Refuse takes no more calls, and says how many run.
func (d *Dialer) Refuse() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.drains = true
	return d.active
}

// Refuses reports whether this node takes no more calls, because it ends.
func (d *Dialer) Refuses() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.drains || d.closing
}

// Drain takes no more calls, and waits for the ends of those that run, at most until ctx ends. It says how
// many run still.
func (d *Dialer) Drain(ctx context.Context) int {
	d.Refuse()
	done := make(chan struct{})
	go func() {
		d.legs.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return d.Legs()
}

// Close takes no more calls, and ends those that run: other nodes go on with them if they can and have
// room, else they are hung up. It waits until that is recorded, at most until ctx ends. What could not be
// is left to the leases.
func (d *Dialer) Close(ctx context.Context) error {
	others := 0
	if d.cfg.Others != nil && d.Refuse() > 0 {
		others = d.cfg.Others(ctx)
	}
	d.mu.Lock()
	d.elsewhere = others
	if !d.closing {
		d.closing = true
		close(d.stopping)
	}
	d.mu.Unlock()
	defer d.giveUp()
	done := make(chan struct{})
	go func() {
		d.legs.Wait()
		d.looks.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		left := d.Legs()
		d.giveUp()
		<-done
		return fmt.Errorf("%d calls were not ended in time: %w", left, ctx.Err())
	}
}

// room has the carrier of a call keep a place for it, until leave.
func (d *Dialer) room(ctx context.Context, callID string) (leave func(), err error) {
	if len(d.cfg.Room) == 0 {
		return func() {}, nil
	}
	s, err := d.read(ctx, callID)
	if err != nil {
		return nil, err
	}
	if ask := d.cfg.Room[s.Provider]; ask != nil && s.InTime(d.cfg.Now()) {
		return ask(ctx, s.LegRequest())
	}
	return func() {}, nil
}

// stillWanted keeps a message that we cannot serve now only while its call waits:
// a call that was started, ended, or ran out of time needs no other delivery.
func (d *Dialer) stillWanted(ctx context.Context, callID string, by way, busy error) error {
	s, err := d.read(ctx, callID)
	if err == nil && (!s.InTime(d.cfg.Now())) {
		d.waits(callID, false)
		d.sees(callID, by)
		return nil
	}
	if d.waits(callID, by != silent); by != silent {
		d.sees(callID, by)
	}
	return busy
}

// claim starts the attempt. The order is nil when the call is not ours to dial.
func (d *Dialer) claim(ctx context.Context, callID string) (*legOrder, error) {
	claimed, ours, err := reactors.Claim[calls.State]{Store: d.cfg.Store, Of: calls.Calls, Rules: calls.Attempts, Node: d.cfg.Node,
		Now: d.cfg.Now, Lease: d.cfg.Lease, Patience: d.cfg.StartPatience}.Take(ctx, calls.Calls.Stream(callID),
		eventstore.Command{Actor: dialerActor, RequestID: eventstore.CauseID("dialer", callID, "dialer/"+callID+"/start")})
	if err != nil {
		return nil, fmt.Errorf("starting the attempt of call %s: %w", callID, err)
	}
	if !ours {
		return nil, nil
	}
	return orderOf(claimed.State), nil
}

// read folds a call.
func (d *Dialer) read(ctx context.Context, callID string) (calls.State, error) {
	read, err := d.loaded(ctx, callID)
	return read.State, err
}

// loaded is read with the version that was read.
func (d *Dialer) loaded(ctx context.Context, callID string) (eventstore.Loaded[calls.State], error) {
	read, err := eventstore.Read(ctx, d.cfg.Store, calls.Calls, calls.Calls.Stream(callID))
	if err != nil {
		return eventstore.Loaded[calls.State]{}, fmt.Errorf("reading call %s: %w", callID, err)
	}
	return read, nil
}

// execute runs a command on a call, at most once for each step (empty: no such promise).
func (d *Dialer) execute(ctx context.Context, callID, step string, decide callDecision) (eventstore.Result[calls.State], error) {
	cmd := eventstore.Command{Actor: dialerActor}
	if step != "" {
		cmd.RequestID = eventstore.CauseID("dialer", callID, step)
	}
	return eventstore.Execute(ctx, d.cfg.Store, calls.Calls, calls.Calls.Stream(callID), cmd, decide)
}

// Reactor declares it for the calls that have no sound: those over trunks are a TrunkDialer's.
func (d *Dialer) Reactor() reactors.Reactor {
	return d.dials("dialer", silent, func(r *eventstore.Record) bool { return !overTrunk(r) })
}

// TrunkDialer dials over trunks, on the nodes that carry sound. Others are given none of these calls.
type TrunkDialer struct{ *Dialer }

// Reactor declares it. It is told of ends that others wrote than who carries the call, too: that one may be gone.
func (d TrunkDialer) Reactor() reactors.Reactor {
	r := d.dials("trunk-dialer", outbound, func(r *eventstore.Record) bool { return overTrunk(r) || endedByOthers(r) })
	r.Events = append(r.Events, calls.Completed{})
	dial := r.Handle
	r.Handle = func(ctx context.Context, e reactors.Event) error {
		if end, is := e.Payload.(calls.Completed); is {
			d.ended(calls.Calls.StreamID(e.Stream), end.At)
			return nil
		}
		return dial(ctx, e)
	}
	return r
}

func (d *Dialer) dials(name string, by way, only func(*eventstore.Record) bool) reactors.Reactor {
	return reactors.Reactor{Name: name, Categories: []*event.Category{calls.Calls.Category}, Events: []event.Payload{calls.Requested{}},
		Side: reactors.AtMostOnce, Only: only,
		Handle: func(ctx context.Context, e reactors.Event) error {
			return d.requested(ctx, calls.Calls.StreamID(e.Stream), by)
		}}
}

// overTrunk reports whether a requested call goes over a SIP trunk.
func overTrunk(r *eventstore.Record) bool {
	var of struct {
		Provider string `json:"provider"`
	}
	return json.Unmarshal(r.Data, &of) == nil && of.Provider == calls.ProviderSIP
}

// Wake is what the timer of a call's lease does.
func (d *Dialer) Wake(ctx context.Context, t projections.Timer, now time.Time) error {
	return d.Expire(ctx, calls.Calls.StreamID(t.Stream), now)
}
