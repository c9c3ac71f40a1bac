// Package matrix kills a node between every two steps of turns: a turn with tools, with a callback,
// with delegates that work at once, with a model, with a user's yes, with memory, with people who
// take over, and of a call that talks. The build under test asks before and behind each commit
// whether it may go on (Source), so each turn of a run is held at a place of its own, and one kill
// -9 ends all of them where they are. What comes of them is held against the same turns without a
// kill, against the log, and against what the tools were asked.
//
// It runs on the parts of package cluster, and knows nothing of rounds.
package matrix

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/checks"
	"github.com/parley-platform/parley/cmd/chaos/cluster"
)

// Mode is what happens to the node at which all turns are held.
type Mode string

// The modes.
const (
	Returns Mode = "returns" // it is the only one, is killed, and comes back
	Other   Mode = "other"   // it is killed, and another one goes on
	Frozen  Mode = "frozen"  // it is stopped for longer than its claims, another one goes on, and then it is continued
)

// Modes are all.
var Modes = []Mode{Returns, Other, Frozen}

// Run is one run of all scenarios.
type Run struct {
	Dir    string
	Binary string // built with Source
	Mode   Mode
	Only   []string      // scenarios; empty: all
	Within time.Duration // how long turns may take to end behind the kill; 0: two minutes
	checks.Findings
	Places int // between how many steps something was killed

	log     *os.File
	began   time.Time
	cluster *cluster.Cluster
	env     map[string]string
	points  *points
	tools   *tools
	talk    *providers
	mac     func(purpose string, parts ...string) []byte // names the streams of conversations
	turns   []*turn
	calm    map[string]*turn
	mu      sync.Mutex
	alive   []string        // URLs of nodes that are asked
	struck  context.Context // over when the node is ended
	strikes context.CancelFunc
}

// turn is one turn of a scenario.
type turn struct {
	scenario
	name    string
	place   Place
	session string
	there   chan struct{} // closed when it is held at its place
	done    chan struct{} // closed when its caller has an answer

	// Of the points, which own them.
	held    bool
	commits map[string]int
	steps   []string     // what was to be committed for it, in order
	counted map[int]bool // which of them counted, from 1: others came too late, and were decided again

	last int // of the steps without a kill, the last that belongs to the turn

	status  int // of the answer, and what it said
	action  string
	replied string
	later   string // the answer to what was said when all was over
	call    string

	to    string   // as the provider of its channel names who wrote
	took  []string // what the provider took for them, when it was over
	spoke int      // how often the provider had taken something for them before what was said afterwards
}

// heldWithin is how long nobody else may have come to the place where it is to be killed, until those
// who have are.
const heldWithin = 8 * time.Second

// quietFor is for how long nobody has come to any step before the node is ended.
const quietFor = time.Second

// Do runs the scenarios; an error says that it could not be judged.
func (r *Run) Do(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	r.began = time.Now()
	r.struck, r.strikes = context.WithCancel(ctx)
	defer r.strikes()
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if r.log, err = os.Create(filepath.Join(r.Dir, "matrix.log")); err != nil {
		return err
	}
	defer func() { _ = r.log.Close() }()
	if err := r.prepare(ctx); err != nil {
		return err
	}
	defer r.close()
	if err := r.without(ctx); err != nil {
		return fmt.Errorf("turns without a kill: %w", err)
	}
	if err := r.begin(ctx); err != nil {
		return err
	}
	if err := r.strike(ctx); err != nil {
		return err
	}
	fold, err := r.settle(ctx, r.turns)
	if err != nil {
		return err
	}
	if r.Mode == Frozen {
		if fold, err = r.thaw(ctx); err != nil {
			return err
		}
	}
	if r.Checks()["ends"] == 0 { // else who asks a turn that does not end waits for ever
		r.afterwards(ctx)
	}
	r.judge(fold)
	return nil
}

func (r *Run) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.log, "%10s  %s\n", time.Since(r.began).Round(time.Millisecond), fmt.Sprintf(format, args...))
}

// prepare starts the parts, and makes agents and people.
func (r *Run) prepare(ctx context.Context) (err error) {
	if r.points, err = newPoints(); err != nil {
		return err
	}
	if r.tools, err = newTools(ctx, r.points, r.reply); err != nil {
		return err
	}
	if r.talk, err = newProviders(r.points); err != nil {
		return err
	}
	nodes := 2
	if r.Mode == Returns {
		nodes = 1
	}
	r.cluster, err = cluster.Start(ctx, cluster.Config{Dir: r.Dir, Binary: r.Binary, Parts: cluster.Embedded, Nodes: nodes, CampaignLines: 1,
		Env: r.talk.env(), FirstEnv: []string{"CHAOS_POINTS=" + r.points.url}})
	if err != nil {
		return fmt.Errorf("starting the parts: %w", err)
	}
	if r.env, err = r.cluster.Nodes[0].Environment(); err != nil {
		return err
	}
	for _, n := range r.cluster.Nodes {
		r.alive = append(r.alive, n.URL())
	}
	return r.furnish(ctx)
}

func (r *Run) close() {
	r.cluster.Close()
	r.points.close()
	r.tools.close()
	r.talk.close()
}

func (r *Run) chosen() (out []scenario) {
	for _, s := range scenarios {
		if len(r.Only) == 0 || slices.Contains(r.Only, s.Name) {
			out = append(out, s)
		}
	}
	return out
}

// without runs each scenario once with nothing going wrong: so it is known what its steps are, and
// what is answered.
func (r *Run) without(ctx context.Context) error {
	r.calm = map[string]*turn{}
	var all []*turn
	for _, s := range r.chosen() {
		t := newTurn(s, Place{})
		r.calm[s.Name] = t
		all = append(all, t)
		if err := r.start(ctx, t); err != nil {
			return err
		}
	}
	fold, err := r.settle(ctx, all)
	if err != nil {
		return err
	}
	for _, t := range all {
		t.last = len(t.steps)
		r.afterwards(ctx, t)
		r.say("%s without a kill: %d commits (%s), answered %q, said %q", t.Name, t.last, strings.Join(t.steps[:t.last], ", "), t.replied,
			said(fold, t))
	}
	return nil
}

// begin begins a turn for each place of each scenario, and waits until all are held.
func (r *Run) begin(ctx context.Context) error {
	for _, s := range r.chosen() {
		var places []Place
		for n := range r.calm[s.Name].last {
			places = append(places, Place{before, n + 1}, Place{after, n + 1})
		}
		for n := range s.Tools {
			places = append(places, Place{asked, n + 1})
		}
		for _, at := range places {
			t := newTurn(s, at)
			r.turns = append(r.turns, t)
			if err := r.start(ctx, t); err != nil {
				return err
			}
		}
		r.say("%d turns of %s have begun", len(places), s.Name)
	}
	return r.gather(ctx)
}

// gather waits until the turns are held, or nobody else comes to the place where it is to be. What
// reactors do may have been done at the other node.
func (r *Run) gather(ctx context.Context) error {
	last := time.Now()
	for time.Since(last) < heldWithin && r.Places < len(r.turns) {
		if held := r.heldNow(); held > r.Places {
			r.Places, last = held, time.Now()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	for r.points.quiet() < quietFor && ctx.Err() == nil { // what goes on beside a turn that is held, such as an earlier reply
		time.Sleep(50 * time.Millisecond)
	}
	r.say("%d of %d turns are held", r.Places, len(r.turns))
	missing := 0
	for _, t := range r.turns {
		if !t.isHeld() && !(t.Reacted && r.Mode != Returns) {
			missing++
			r.say("%s did not come to its place", t.name)
		}
	}
	if missing > len(r.turns)/10 {
		return fmt.Errorf("%d of %d turns did not come to the place where they are to be left; see matrix.log", missing, len(r.turns))
	}
	return nil
}

func (t *turn) isHeld() bool {
	select {
	case <-t.there:
		return true
	default:
		return false
	}
}

func (r *Run) heldNow() (n int) {
	for _, t := range r.turns {
		if t.isHeld() {
			n++
		}
	}
	return n
}

func newTurn(s scenario, at Place) *turn {
	name := "c-" + s.Name
	if at.When != "" {
		name += fmt.Sprintf("-%s-%d", at.When, at.Nth)
	}
	return &turn{scenario: s, name: name, place: at, there: make(chan struct{}), done: make(chan struct{}), commits: map[string]int{},
		counted: map[int]bool{}}
}

// strike ends the node at which the turns are held, and lets somebody go on.
func (r *Run) strike(ctx context.Context) error {
	node := r.cluster.Nodes[0]
	r.points.pass()
	if r.Mode == Frozen {
		if err := node.Pause(); err != nil {
			return err
		}
		r.live(r.cluster.Nodes[1].URL())
		r.strikes()
		return nil
	}
	node.Kill()
	r.say("node a is dead")
	if r.Mode == Other {
		r.live(r.cluster.Nodes[1].URL())
		return nil
	}
	if err := node.Start(); err != nil {
		return err
	}
	return node.AwaitReady(ctx, time.Minute)
}

// thaw continues the node that was stopped, and waits until it has nothing more to do.
func (r *Run) thaw(ctx context.Context) (*checks.Fold, error) {
	r.say("node a goes on")
	if err := r.cluster.Nodes[0].Resume(); err != nil {
		return nil, err
	}
	r.points.release()
	if err := r.cluster.AwaitReady(ctx, time.Minute); err != nil {
		r.Add("ready", "%v", err)
	}
	time.Sleep(5 * time.Second) // in which it might do what it must not
	return r.fold(ctx)
}

func (r *Run) live(urls ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive = urls
}

func (r *Run) nodes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.alive)
}
