package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/chaos/checks"
	"github.com/parley-platform/parley/cmd/chaos/cluster"
	"github.com/parley-platform/parley/cmd/chaos/faults"
	"github.com/parley-platform/parley/cmd/chaos/load"
)

// round is one run of everything from one seed.
type round struct {
	Seed   uint64
	Turn   int // counts the rounds of a run
	Parts  cluster.Parts
	Binary string
	Dir    string
	Names  []string // of faults; empty: all
	Short  bool     // each fault lasts as long as it must
	Stall  time.Duration
	Rest   time.Duration // how long all may take to come to rest; 0: two minutes
	Plan   faults.Plan   // empty: made from the seed

	log     *os.File
	began   time.Time
	cluster *cluster.Cluster
	world   *load.World
	texts   *load.Texts
	talk    *load.Providers
	seen    map[string]load.Delivery
	result  *Result

	mu         sync.Mutex
	load       *load.Load
	generation int
	silences   int
}

// Result is what is told of a round.
type Result struct {
	Seed      uint64        `json:"seed"`
	Turn      int           `json:"turn"`
	Parts     cluster.Parts `json:"parts"`
	Faults    []string      `json:"faults"`
	Stall     time.Duration `json:"longestStallNs"` // after the faults healed, of any partition, until a change was acknowledged
	Calm      time.Duration `json:"calmNs"`         // what the same took before the faults
	Gap       time.Duration `json:"longestGapNs"`   // between two acknowledgements, faults included
	Took      time.Duration `json:"tookNs"`
	Regrouped bool          `json:"regrouped"` // the embedded broker had kept a dead member in a group
	Deaths    int           `json:"deaths"`    // nodes that ended by themselves
	Records   int           `json:"records"`
	Skipped   string        `json:"skipped"` // what the accept rule passed over
	Dir       string        `json:"folder,omitempty"`
	OK        bool          `json:"ok"`
	checks.Findings
}

// run runs the round; an error says that it could not be judged.
func (r *round) run(ctx context.Context) (*Result, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	r.began = time.Now()
	r.result = &Result{Seed: r.Seed, Turn: r.Turn, Parts: r.Parts, Dir: r.Dir}
	if err := r.prepare(ctx); err != nil {
		return r.result, err
	}
	defer func() { _ = r.log.Close() }()
	defer r.texts.Close()
	defer r.talk.Close()
	defer func() { r.cluster.Close() }()
	err := r.live(ctx)
	if err == nil {
		err = r.judge(ctx)
	}
	r.result.Took = time.Since(r.began)
	r.result.OK = err == nil && r.result.Findings.OK()
	r.say("result: %+v, %v", r.result, err)
	return r.result, errors.Join(err, r.keep())
}

func (r *round) say(format string, args ...any) {
	fmt.Fprintf(r.log, "%10s  %s\n", time.Since(r.began).Round(time.Millisecond), fmt.Sprintf(format, args...))
}

// prepare starts the parts.
func (r *round) prepare(ctx context.Context) (err error) {
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return err
	}
	if r.log, err = os.Create(filepath.Join(r.Dir, "round.log")); err != nil {
		return err
	}
	const nodes = 2
	if len(r.Plan) == 0 {
		r.Plan = faults.Make(r.Seed, r.Turn, r.Parts, nodes, r.Names)
		if r.Short {
			r.Plan = r.Plan.Short()
		}
	}
	for _, f := range r.Plan {
		r.result.Faults = append(r.result.Faults, f.Name)
	}
	r.say("seed %d, parts %s, plan %v", r.Seed, r.Parts, r.Plan)
	if r.texts, err = load.TakeTexts(!r.Short); err != nil {
		return err
	}
	if r.talk, err = load.TakeReplies(); err != nil {
		r.texts.Close()
		return err
	}
	r.texts.Others = r.talk.Recorder // one address is Twilio's, for campaigns and for conversations
	r.cluster, err = cluster.Start(ctx, cluster.Config{Dir: r.Dir, Binary: r.Binary, Parts: r.Parts, Nodes: nodes,
		CampaignLines: load.CampaignLines, Env: r.talk.Env(),
		Texts: cluster.Texts{URL: r.texts.URL, Account: load.TextAccount, Token: load.TextToken}})
	if err != nil {
		r.texts.Close()
		r.talk.Close()
		return fmt.Errorf("starting the parts: %w", err)
	}
	r.say("the parts are up")
	return nil
}

// live lets callers work while the plan is carried out, until everything has healed
// and come to rest.
func (r *round) live(ctx context.Context) error {
	env, err := r.cluster.Nodes[0].Environment()
	if err != nil {
		return err
	}
	receiver, err := load.Receive(env["PARLEY_WEBHOOK_SECRET"])
	if err != nil {
		return err
	}
	defer receiver.Close()
	r.world = &load.World{History: load.NewHistory(), Token: env["PARLEY_TOKEN"], Admin: env["PARLEY_API_KEY"], Bot: env["BOT_ID"],
		Scope: env["SCOPE_ID"], OurNumber: env["CALLER"], Notify: receiver.URL,
		Account: env["ACCOUNT_ID"], Org: env["ORG_ID"], Callback: receiver.Callback, Providers: r.talk}
	for _, n := range r.cluster.Nodes {
		r.world.Nodes = append(r.world.Nodes, load.Node{Name: n.Name, URL: n.URL(), Public: n.DirectURL()})
	}
	if err := r.world.Furnish(ctx); err != nil {
		return err
	}
	watching, stopWatching := context.WithCancel(ctx)
	defer stopWatching()
	torn := make(chan []string, 1)
	go func() {
		problems, looks := checks.Watch(watching, r.cluster.Database.URL)
		r.say("looked %d times for parts of commits", looks)
		torn <- problems
	}()

	r.sound()
	pause(ctx, 1500*time.Millisecond)
	if r.result.Calm, err = r.probe(ctx, "calm"); err != nil {
		return err
	}
	scene := &faults.Scene{Cluster: r.cluster, Log: r.say, Silence: r.silence, Sound: r.sound}
	if err := scene.Run(ctx, r.Plan); err != nil {
		r.result.Add("fault", "%v", err)
	}
	r.cluster.Heal()
	r.say("everything has healed")
	if r.result.Stall, err = r.probe(ctx, "healed"); err != nil {
		return err
	}
	if most := r.Stall + r.result.Calm + r.Plan.Allowance(); r.result.Stall > most {
		r.result.Add("stall", "a partition moved only %s after the faults had healed, when the same took %s before them", short(r.result.Stall),
			short(r.result.Calm))
	}
	pause(ctx, time.Second)
	r.silence()
	if err := r.rest(ctx); err != nil {
		return err
	}
	stopWatching()
	for _, p := range <-torn {
		r.result.Add("part", "%s", p)
	}
	seen, wrong := receiver.Seen()
	return r.judgeOutside(seen, wrong)
}

// sound starts callers, silence stops them. Silences may overlap: callers go on when
// the last of them is over.
func (r *round) sound() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.silences > 0 {
		if r.silences--; r.silences > 0 {
			return
		}
	}
	r.generation++
	random := rand.New(rand.NewPCG(r.Seed, 6))
	size := load.Size{Dialers: 2 + random.IntN(3), Keys: 3 + random.IntN(4), Every: time.Duration(30+random.IntN(120)) * time.Millisecond,
		Patience:  time.Duration(3+random.IntN(12)) * time.Second,
		Campaigns: 1 + random.IntN(2), Transfers: 2 + random.IntN(2), Writers: 2 + random.IntN(2)}
	r.say("load: %+v", size)
	r.load = r.world.Start(r.Seed, r.generation, size)
}

func (r *round) silence() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.silences++; r.silences == 1 {
		r.load.Stop()
	}
}

// regroupAfter is how long a round on the embedded broker waits for its reactors before it
// takes all members out of their groups: see cluster.Regroup.
const regroupAfter = 12 * time.Second

// rest waits until every request has its answer and nothing is under way any more.
func (r *round) rest(ctx context.Context) error {
	settling, cancel := context.WithTimeout(ctx, cmp.Or(r.Rest, time.Minute))
	defer cancel()
	if err := r.world.Settle(settling); err != nil {
		r.result.Add("settle", "%v", err)
	}
	r.say("all requests are settled")
	if err := r.cluster.AwaitReady(ctx, 30*time.Second); err != nil {
		r.result.Add("ready", "%v", err)
	}
	r.world.FinalReads(ctx)
	atMost := cmp.Or(r.Rest, 2*time.Minute)
	if r.Parts == cluster.Embedded {
		if err := checks.Still(ctx, r.cluster.Brokers.Addresses(), r.cluster.Database.URL, min(regroupAfter, atMost/2), r.say); err != nil {
			r.say("not at rest: %v; the groups are made anew", err)
			r.result.Regrouped = true
			if err := r.cluster.Regroup(ctx); err != nil {
				return err
			}
		}
	}
	if err := checks.Still(ctx, r.cluster.Brokers.Addresses(), r.cluster.Database.URL, atMost, r.say); err != nil {
		r.result.Add("rest", "%v, %s after the faults", err, atMost)
	}
	r.say("all is quiet")
	r.world.FinalRuns(ctx)
	return ctx.Err()
}

// probe changes something in every partition of calls and of scopes, from each node,
// and says how long it took until the last of them was acknowledged.
func (r *round) probe(ctx context.Context, when string) (longest time.Duration, err error) {
	v, err := vault.Open(r.cluster.Keyset())
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	began := time.Now()
	var mu sync.Mutex
	var probing sync.WaitGroup
	note := func(place string, answered time.Time, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			r.result.Add("stall", "%s: %v", place, err)
			return
		}
		r.say("%s: %s was acknowledged after %s", when, place, short(answered.Sub(began)))
		longest = max(longest, answered.Sub(began))
	}
	for first, node := range r.world.Nodes {
		for partition, key := range r.world.KeysByPartition(v, fmt.Sprintf("%s-%d", when, first)) {
			probing.Go(func() {
				answered, err := r.world.Probe(ctx, key, first)
				note(fmt.Sprintf("calls/%d from node %s", partition, node.Name), answered, err)
			})
		}
		probing.Go(func() {
			answered, err := r.world.ProbeScope(ctx, fmt.Sprintf("%s-scope-%d", when, first), first)
			note(fmt.Sprintf("scopes/0 from node %s", node.Name), answered, err)
		})
	}
	probing.Wait()
	return longest, nil
}

// keep leaves the history beside the logs.
func (r *round) keep() error {
	if r.world == nil {
		return nil
	}
	out, err := os.Create(filepath.Join(r.Dir, "history.jsonl"))
	if err != nil {
		return err
	}
	defer func() { _ = out.Close() }()
	enc := json.NewEncoder(out)
	for _, op := range r.world.History.Ops() {
		if err := enc.Encode(op); err != nil {
			return err
		}
	}
	return nil
}

// complaints are lines of the nodes' logs that no fault excuses.
func (r *round) complaints() {
	for _, n := range r.cluster.Nodes {
		r.result.Deaths += n.Deaths()
		text, err := os.ReadFile(filepath.Join(r.Dir, "node-"+n.Name+".log"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.Contains(line, "DATA RACE") {
				r.result.Add("crash", "node %s: %s", n.Name, strings.TrimSpace(line))
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// until asks again until there is no error, or the time is up.
func until(ctx context.Context, atMost time.Duration, try func() error) error {
	for deadline := time.Now().Add(atMost); ; {
		err := try()
		if err == nil || time.Now().After(deadline) || ctx.Err() != nil {
			return err
		}
		pause(ctx, 50*time.Millisecond)
	}
}
