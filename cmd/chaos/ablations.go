package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
	"github.com/parley-platform/parley/cmd/chaos/matrix"
)

// ablation is one safety mechanism, and how a build without it differs: some text of
// one source file, which must be there exactly once, in the place of other text. The
// build lays the changed copy over the file (go build -overlay); the source itself
// has no switches.
type ablation struct {
	Name   string
	Off    string // what is missing
	File   string // from the root of the module
	Old    string
	New    string
	Plan   []string      // faults that make it show
	Rest   time.Duration // how long all may take to come to rest before it is judged; 0: 15 s
	Expect []string      // checks, one of which must find something

	Turns []string // scenarios of the crash matrix that make it show, in place of rounds
	Mode  matrix.Mode
}

var ablations = []ablation{
	{
		Name: "parent", Off: "commits are judged by their version only, not by the commit they were decided on",
		File: "eventstore/arbiter.go",
		Old:  `case r.Version == head.Version+1 && r.Parent == head.Commit:`,
		New:  `case r.Version == head.Version+1:`,
		Plan: []string{"slow-kafka"}, Expect: []string{"index", "decide", "lost", "consumer", "linearizable"},
	},
	{
		Name: "await", Off: "a change is answered as soon as the log has it, before it is judged and visible",
		File: "eventstore/execute.go",
		Old:  `accepted, err := x.verdict(ctx, expected, c, a)`,
		New:  `accepted, err := true, error(nil)`,
		Plan: []string{"slow-postgres"}, Expect: []string{"lost", "linearizable", "stale"},
	},
	{
		Name: "idempotency", Off: "request ids are not looked up",
		File: "eventstore/requests.go",
		Old:  `if x.cmd.RequestID == "" {`,
		New:  `if x.cmd.RequestID == "" || x.attempts > 0 {`,
		Plan: []string{"reset-kafka", "cut-callers", "kill-node"}, Expect: []string{"doubled", "refused", "answer", "settle"},
	},
	{
		Name: "refusals", Off: "a refusal decided on cached state is answered without a look at the index",
		File: "eventstore/execute.go",
		Old: `	if !fresh {
		if stands,`,
		New: `	if !fresh && err == nil {
		if stands,`,
		Plan: []string{"slow-postgres"}, Expect: []string{"linearizable", "refused"},
	},
	{
		Name: "gate", Off: "reads are served while the read models catch up with what Postgres lost",
		File: "projections/engine/gate.go",
		Old: `func (g *gate) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open {`,
		New: `func (g *gate) Err() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open || g.epoch > 0 {`,
		Plan: []string{"stop-postgres", "stop-postgres-in-silence", "drop-database"}, Expect: []string{"answer", "stale", "linearizable"},
	},
	{
		Name: "accepted-only", Off: "reactors act on every record, also on those that lost",
		File: "handlers/reactors/accepted.go",
		Old: `	return held, err
}

func whileCatchingUp`,
		New: `	return true, err
}

func whileCatchingUp`,
		Plan: []string{"freeze-node", "kill-node"}, Expect: []string{"reactors"},
	},
	{
		Name: "unfinished", Off: "reactors commit the offsets of what they have read, finished or not",
		File: "adapters/watermill/lane.go",
		Old: `func (p *progress) lowest() int64 {
	if len(p.open) > 0 {`,
		New: `func (p *progress) lowest() int64 {
	if len(p.open) > 1<<30 {`,
		Plan: []string{"kill-node"}, Rest: time.Minute, Expect: []string{"reactors"},
	},
	{
		Name: "log-identity", Off: "a projector does not look whether the log is the one its read models were built from",
		File: "projections/engine/worker.go",
		Old:  `		if mark != w.mark {`,
		New:  `		if mark != w.mark && w.next < 0 {`,
		Plan: []string{"cut-log"}, Expect: []string{"index", "lost", "rebuild", "linearizable", "stale"},
	},
	{
		Name: "capacity", Off: "an agent's desk takes conversations without a look at how many there are",
		File: "domain/humanagents/claim.go",
		Old:  `	case d.Load(c.Kind) >= c.Limit && !d.having(c.Kind)[c.ConversationID]:`,
		New:  `	case d.Load(c.Kind) >= c.Limit+1000:`,
		Plan: []string{"slow-kafka"}, Expect: []string{"capacity"},
	},
	{
		Name: "placement", Off: "whoever places a contact's call makes one of their own",
		File: "handlers/acts/acts.go",
		Old:  `	return eventstore.DerivedID(l.MAC, by.RequestID, what)`,
		New:  `	return eventstore.DerivedID(l.MAC, "", what)`,
		Plan: []string{"kill-node"}, Rest: time.Minute, Expect: []string{"campaign"},
	},
	{
		Name: "hold", Off: "the lines take contacts of runs that are held",
		File: "domain/pacing/grant.go",
		Old:  `return r.wants() && !r.Held && r.Hours.Open(d.now)`,
		New:  `return r.wants() && r.Hours.Open(d.now)`,
		Plan: []string{"slow-kafka"}, Expect: []string{"paused"},
	},
}

// AblationsCmd switches safety mechanisms off, one after the other.
type AblationsCmd struct {
	Names  []string `arg:"" optional:"" help:"Only these; all when empty."`
	Seeds  int      `help:"Within how many seeds the checks must find each." default:"5"`
	Seed   uint64   `help:"The first of them." default:"1"`
	Dir    string   `help:"Where logs are kept; a temporary folder when not given." placeholder:"DIR"`
	JSON   string   `help:"Also write the results here." placeholder:"FILE"`
	Source string   `help:"Root of the module." default:"." placeholder:"DIR"`
	Keep   bool     `help:"Keep the folders."`
}

// ablated is what became of one.
type ablated struct {
	Name  string         `json:"name"`
	Off   string         `json:"off"`
	Found map[string]int `json:"found"` // problems by check
	Seeds int            `json:"seeds"` // how many rounds it took
	Took  time.Duration  `json:"tookNs"`
	OK    bool           `json:"ok"`
}

// Run proves that the checks find each of them.
func (c *AblationsCmd) Run(ctx context.Context) error {
	chosen, err := c.chosen()
	if err != nil {
		return err
	}
	place := RunCmd{Dir: c.Dir, Binary: "none"}
	dir, _, err := place.workplace(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("chaos ablations: %d mechanisms, up to %d seeds each, logs under %s\n", len(chosen), c.Seeds, dir)
	var results []ablated
	var missed []string
	for _, a := range chosen {
		r, err := c.try(ctx, a, dir)
		if err != nil {
			return fmt.Errorf("ablation %s: %w", a.Name, err)
		}
		results = append(results, r)
		verdict := fmt.Sprintf("found in round %d by %s", r.Seeds, names(r.Found))
		if !r.OK {
			verdict = "NOT FOUND"
			missed = append(missed, a.Name)
		}
		fmt.Printf("ablation %-14s %-90s %s  (%s)\n", a.Name, a.Off, verdict, r.Took.Round(time.Second))
	}
	if c.JSON != "" {
		if err := writeJSON(c.JSON, results); err != nil {
			return err
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("the checks did not notice that these were switched off: %s; look under %s", strings.Join(missed, ", "), dir)
	}
	if c.Dir == "" && !c.Keep {
		_ = os.RemoveAll(dir)
	}
	return nil
}

func (c *AblationsCmd) chosen() ([]ablation, error) {
	var out []ablation
	for _, a := range all() {
		if len(c.Names) == 0 || slices.Contains(c.Names, a.Name) {
			out = append(out, a)
		}
	}
	for _, name := range c.Names {
		if !slices.ContainsFunc(all(), func(a ablation) bool { return a.Name == name }) {
			return nil, fmt.Errorf("there is no ablation %q", name)
		}
	}
	return out, nil
}

// try runs rounds with one mechanism off until a check notices.
func (c *AblationsCmd) try(ctx context.Context, a ablation, dir string) (ablated, error) {
	began := time.Now()
	out := ablated{Name: a.Name, Off: a.Off, Found: map[string]int{}}
	if len(a.Turns) > 0 {
		return c.tryTurns(ctx, a, dir)
	}
	binary, err := buildChanged(ctx, c.Source, dir, "parley-without-"+a.Name, a.edit())
	if err != nil {
		return out, err
	}
	for i := range c.Seeds {
		r := &round{Seed: c.Seed + uint64(i), Turn: i, Parts: cluster.Embedded, Binary: binary, Names: a.Plan, Short: true,
			Stall: 20 * time.Second, Rest: cmp.Or(a.Rest, 15*time.Second), Dir: filepath.Join(dir, fmt.Sprintf("%s-%d", a.Name, i+1))}
		result, err := r.run(ctx)
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Seeds = i + 1
		found := result.Checks()
		if err != nil && len(found) == 0 {
			fmt.Printf("    ablation %s, seed %d: the round could not be judged: %v\n", a.Name, r.Seed, err)
		}
		for _, check := range a.Expect {
			if found[check] > 0 {
				out.Found[check] = found[check]
			}
		}
		if len(out.Found) > 0 {
			out.OK = true
			break
		}
	}
	out.Took = time.Since(began)
	return out, nil
}

func names(found map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		out = append(out, fmt.Sprintf("%s (%d)", name, found[name]))
	}
	return strings.Join(out, ", ")
}
