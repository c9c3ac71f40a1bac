// Package medianodes is what the nodes that carry calls over trunks tell each other: how many calls each
// has, and how many it takes. By that, and by what was placed since, calls are placed or refused. It carries
// none, and dials none.
package medianodes

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
	models "github.com/parley-platform/parley/projections/voice"
)

// known know how many calls the nodes have that dial over trunks.
type known interface {
	Beat(ctx context.Context, n models.MediaNode) error
	Leave(ctx context.Context, node string) error
	Live(ctx context.Context) ([]models.MediaNode, error)
	// Place counts calls that are about to be placed, if judge lets it; nobody else counts meanwhile.
	Place(ctx context.Context, calls []string, within time.Duration, judge func(live []models.MediaNode, placed int) error) error
	Unplace(ctx context.Context, call string) error
}

// Node says of a node that it takes calls over trunks, for as long as it does, and then that it has some still.
type Node struct {
	Known    known
	ID       string
	SIP      string // where peers reach it
	Load     func() (calls, waiting, most int)
	Seen     func() []string // calls that were placed, and that the node has seen since it was asked last
	Taken    func() []string // our tags in the dialogs of other nodes with which it goes on
	RealTime func() error    // why its threads get no real-time priority; nil: they do
	Log      *slog.Logger
}

const (
	beatEvery   = time.Second
	leaveWithin = 2 * time.Second
)

// Run says it until ctx ends, and then that it takes none any more. Where it has some, peers still find it.
func (m Node) Run(ctx context.Context) {
	if err := m.RealTime(); err != nil {
		m.Log.Info("sound has threads like others: on a busy machine it may be late (parley_media_round_late_seconds)", "error", err)
	}
	seen := m.says(ctx, nil, false)
	if now, _, _ := m.Load(); now == 0 {
		m.leave(ctx)
		return
	}
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	m.say(leaving, seen, true)
}

// Await waits for the ends of the calls that a node has which takes none any more. It says so meanwhile: who goes on with one of
// them at another node is sent there.
func (m Node) Await(ctx context.Context, ends func(context.Context) (left int)) (left int) {
	has, over := context.WithCancel(ctx)
	var saying sync.WaitGroup
	saying.Go(func() { m.says(has, nil, true) })
	left = ends(ctx)
	over()
	saying.Wait()
	m.leave(ctx)
	return left
}

// says it each second until ctx ends. What it could not say is returned.
func (m Node) says(ctx context.Context, seen []string, leaves bool) []string {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		seen = m.say(ctx, seen, leaves)
		select {
		case <-ctx.Done():
			return seen
		case <-beat.C:
		}
	}
}

func (m Node) say(ctx context.Context, seen []string, leaves bool) (unsaid []string) {
	ordinary := ""
	if err := m.RealTime(); err != nil {
		ordinary = err.Error()
	}
	seen = append(seen, m.Seen()...) // before the load, in which they are
	now, waiting, most := m.Load()
	err := m.Known.Beat(ctx, models.MediaNode{Node: m.ID, Calls: now + waiting, Most: most, NotRealTime: ordinary, Seen: seen, SIP: m.SIP,
		Taken: m.Taken(), Leaves: leaves})
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil:
		m.Log.Warn("others cannot be told how many calls this node has", "error", err)
	}
	return seen
}

func (m Node) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	if err := m.Known.Leave(ctx, m.ID); err != nil {
		m.Log.Info("others will notice by themselves that this node takes no calls", "error", err)
	}
}

// Room keeps places for calls that are to be placed, at the nodes that would carry their sound: so many as these have said, over all
// who place any.
type Room struct{ Known known }

// Full keeps a place for a call, until a node has seen it, or leave: QUEUE_FULL while there is none. Where no node runs, a call
// waits for one.
func (m Room) Full(ctx context.Context, provider, call string) (leave func(), err error) {
	if err := m.full(ctx, provider, false, call); err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
		defer cancel()
		_ = m.Known.Unplace(ctx, call) // else it counts for its minute
	}, nil
}

// Wait keeps places for calls that are placed together, where there is any: those for which there is none wait, and nobody places
// another meanwhile. It is QUEUE_FULL while there is none, and SERVICE_UNAVAILABLE where no node runs: for who can wait until one does.
func (m Room) Wait(ctx context.Context, provider string, calls ...string) error {
	return m.full(ctx, provider, true, calls...)
}

// For is how many calls the nodes would take now; none where that cannot be found out.
func (m Room) For(ctx context.Context) (calls int) {
	live, err := m.Known.Live(ctx)
	if err != nil {
		return 0
	}
	for _, n := range live {
		calls += max(n.Most-n.Calls, 0)
	}
	return calls
}

func (m Room) full(ctx context.Context, provider string, needed bool, of ...string) error {
	if provider != calls.ProviderSIP {
		return nil
	}
	return m.Known.Place(ctx, of, calls.DefaultDialWindow, func(live []models.MediaNode, placed int) error {
		now, most := placed, 0
		for _, n := range live {
			now, most = now+min(n.Calls, n.Most), most+n.Most
		}
		switch {
		case len(live) == 0 && needed:
			return fault.New(fault.Unavailable, "no node with the role media is running").After(time.Second)
		case len(live) > 0 && now >= most:
			return fault.New(fault.QueueFull, "the nodes carry the sound of %d calls, and of no more", most).After(time.Second)
		}
		return nil
	})
}
