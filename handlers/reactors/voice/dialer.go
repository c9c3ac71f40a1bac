package voice

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

// DialerConfig is what a dialer is made of. Zero durations and counts have defaults.
type DialerConfig struct {
	Node     string // name of this node, recorded with every attempt
	Store    *eventstore.Store
	Carriers []Carrier
	Agents   *Agents      // that take calls; nil: none can be run, and they say their start texts
	Log      *slog.Logger // nil: slog.Default

	Now           func() time.Time // the clock that all nodes share; nil: time.Now
	Lease         time.Duration    // without a sign of life for so long, a call is given up; 30 s
	MaxLegs       int              // calls at once on this node; 500
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

	mu      sync.Mutex
	active  int
	running map[string]bool // calls whose legs this dialer follows
	closing bool
}

// NewDialer makes a dialer. It starts nothing until Requested is called.
func NewDialer(cfg DialerConfig) *Dialer {
	cfg.Lease = cmp.Or(cfg.Lease, 30*time.Second)
	cfg.MaxLegs = cmp.Or(cfg.MaxLegs, 500)
	cfg.MaxCall = cmp.Or(cfg.MaxCall, 4*time.Hour)
	cfg.StartPatience = cmp.Or(cfg.StartPatience, 10*time.Second)
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.Default())
	d := &Dialer{cfg: cfg, carriers: map[string]Carrier{}, running: map[string]bool{}, stopping: make(chan struct{})}
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
	if err := d.reserve(); err != nil {
		return d.stillWanted(ctx, callID, err)
	}
	order, err := d.claim(ctx, callID)
	if err != nil || order == nil {
		d.release()
		return err
	}
	d.note(callID, true)
	go func() {
		defer d.release()
		defer d.note(callID, false)
		newLeg(d, *order).run()
	}()
	return nil
}

// note says whether a leg of this dialer has the call.
func (d *Dialer) note(callID string, has bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if has {
		d.running[callID] = true
	} else {
		delete(d.running, callID)
	}
}

// follows reports whether a leg of this dialer has the call.
func (d *Dialer) follows(callID string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[callID]
}

// Legs is the number of calls that this node has now.
func (d *Dialer) Legs() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.active
}

// Close takes no more calls, hangs up those that run and waits until their ends are
// recorded, at most until ctx ends. What could not be recorded is left to the leases.
func (d *Dialer) Close(ctx context.Context) error {
	d.mu.Lock()
	if !d.closing {
		d.closing = true
		close(d.stopping)
	}
	d.mu.Unlock()
	defer d.giveUp()
	done := make(chan struct{})
	go func() {
		d.legs.Wait()
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

// reserve takes one of the legs.
func (d *Dialer) reserve() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closing:
		return fault.New(fault.Unavailable, "this node is shutting down")
	case d.active >= d.cfg.MaxLegs:
		return fault.New(fault.QueueFull, "all %d legs of this node are taken", d.cfg.MaxLegs).After(time.Second)
	}
	d.active++
	d.legs.Add(1)
	return nil
}

func (d *Dialer) release() {
	d.mu.Lock()
	d.active--
	d.mu.Unlock()
	d.legs.Done()
}

// stillWanted keeps a message that we cannot serve now only while its call waits:
// a call that was started, ended, or ran out of time needs no other delivery.
func (d *Dialer) stillWanted(ctx context.Context, callID string, busy error) error {
	s, err := d.read(ctx, callID)
	if err == nil && (!s.InTime(d.cfg.Now())) {
		return nil
	}
	return busy
}

// claim starts the attempt. The order is nil when the call is not ours to dial.
func (d *Dialer) claim(ctx context.Context, callID string) (*legOrder, error) {
	claimed, ours, err := reactors.Claim[calls.State]{Store: d.cfg.Store, Of: calls.Calls, Rules: calls.Attempts, Node: d.cfg.Node,
		Now: d.cfg.Now, Lease: d.cfg.Lease, Patience: d.cfg.StartPatience}.Take(ctx, calls.Calls.Stream(callID),
		eventstore.Command{Actor: "reactor:dialer", RequestID: eventstore.CauseID("dialer", callID, "dialer/"+callID+"/start")})
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
	read, err := eventstore.Read(ctx, d.cfg.Store, calls.Calls, calls.Calls.Stream(callID))
	if err != nil {
		return calls.State{}, fmt.Errorf("reading call %s: %w", callID, err)
	}
	return read.State, nil
}

// execute runs a command on a call, at most once for each step (empty: no such promise).
func (d *Dialer) execute(ctx context.Context, callID, step string, decide callDecision) (eventstore.Result[calls.State], error) {
	cmd := eventstore.Command{Actor: "reactor:dialer"}
	if step != "" {
		cmd.RequestID = eventstore.CauseID("dialer", callID, step)
	}
	return eventstore.Execute(ctx, d.cfg.Store, calls.Calls, calls.Calls.Stream(callID), cmd, decide)
}
