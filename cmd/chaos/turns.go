package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/matrix"
)

// TurnsCmd runs the crash matrix.
type TurnsCmd struct {
	Modes  []string `help:"What becomes of the node: returns, other, frozen; all when not given." placeholder:"LIST"`
	Only   []string `help:"Only these scenarios." placeholder:"LIST"`
	Dir    string   `help:"Where logs are kept; a temporary folder, removed when all went well, when not given." placeholder:"DIR"`
	Source string   `help:"Root of the module." default:"." placeholder:"DIR"`
	Binary string   `help:"A build with its points, as an earlier run left it under --dir; built when not given." placeholder:"FILE"`
	Keep   bool     `help:"Keep the folders."`
}

// Help is what --help says beside the flags.
func (TurnsCmd) Help() string {
	return `Turns of agents are held before and behind each of their commits, and where a tool was asked;
then their node is killed, or stopped for longer than its claims. docs/how-to/chaos.md lists
what is checked.`
}

// asking is what lets the matrix hold a build at each commit. It waits for a shorter time for who died
// when a provider was asked.
func asking() []edit {
	return []edit{{File: matrix.SourceFile, Whole: matrix.Source}, {File: matrix.AskedFrom, Texts: matrix.Asks},
		{File: "handlers/reactors/channels/text_sender.go", Texts: [][2]string{{"textLease    = 40 * time.Second",
			"textLease    = 15 * time.Second"}}}}
}

// Run runs the matrix in each mode.
func (c *TurnsCmd) Run(ctx context.Context) error {
	place := RunCmd{Dir: c.Dir, Binary: "none"}
	dir, _, err := place.workplace(ctx)
	if err != nil {
		return err
	}
	binary := c.Binary
	if binary == "" {
		if binary, err = buildChanged(ctx, c.Source, dir, "parley-asking", asking()...); err != nil {
			return err
		}
	}
	fmt.Printf("chaos turns: logs under %s\n", dir)
	bad := 0
	for _, mode := range matrix.Modes {
		if len(c.Modes) > 0 && !slices.Contains(c.Modes, string(mode)) {
			continue
		}
		r := &matrix.Run{Dir: filepath.Join(dir, "turns-"+string(mode)), Binary: binary, Mode: mode, Only: c.Only}
		began := time.Now()
		err := r.Do(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		verdict := "ok"
		if err != nil || !r.OK() {
			bad++
			verdict = "FAILED"
		}
		fmt.Printf("turns  node %-8s ended at %d places  %s  (%s)\n", mode, r.Places, verdict, time.Since(began).Round(time.Second))
		if err != nil {
			fmt.Printf("    it could not be judged: %v\n", err)
		}
		for _, p := range r.Problems {
			fmt.Printf("    %s\n", p)
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d runs of the crash matrix failed; look under %s", bad, dir)
	}
	if c.Dir == "" && !c.Keep {
		_ = os.RemoveAll(dir)
	}
	return nil
}

// turnAblations are mechanisms of turns, each with the scenarios that show that it is missing.
var turnAblations = []ablation{
	{
		Name: "try", Off: "a claim is of the node: who comes back makes the calls that it had open when it died",
		File: "handlers/acts/driving/over.go",
		Old:  "\ttry := t.Try()\n\tdecide := turns.TakeOver{From: gone.Try",
		New: "\tif is {\n\t\tt.Drive(ctx, by, stream, s, gone)\n\t\treturn true, nil\n\t}\n" +
			"\ttry := t.Try()\n\tdecide := turns.TakeOver{From: gone.Try",
		Turns: []string{"write", "charge"}, Mode: matrix.Returns, Expect: []string{"repeated"},
	},
	{
		Name: "writes", Off: "a write is made again like a read",
		File:  "domain/turns/calls.go",
		Old:   `!tool.Write || tool.Idempotent`,
		New:   `true`,
		Turns: []string{"write", "charge"}, Mode: matrix.Returns, Expect: []string{"repeated"},
	},
	{
		Name: "missing", Off: "nobody waits for a callback whose request may not have been made",
		File:  "domain/turns/outcome.go",
		Old:   "\t\t\tm.sent(of) // it may have been made: its answer comes, or it does not",
		New:   "\t\t\tm.asks = true",
		Turns: []string{"charge"}, Mode: matrix.Returns, Expect: []string{"ends"},
	},
	{
		Name: "key", Off: "a call that is made again has another key",
		File:  "adapters/webhook/tools.go",
		Old:   `req.Header.Set("Idempotency-Key", c.Key)`,
		New:   `req.Header.Set("Idempotency-Key", c.Key+strconv.FormatInt(time.Now().UnixNano(), 36))`,
		Turns: []string{"chain", "confirm"}, Mode: matrix.Other, Expect: []string{"key"},
	},
	{
		Name: "takeover", Off: "nobody goes on with the turn of a node that is no more",
		File:  "handlers/reactors/runtime/turns.go",
		Old:   `again, err := turns.GoOn(ctx, by, t.Stream, now)`,
		New:   `again, err := by.Tenant == "", error(nil)`,
		Turns: []string{"read", "model", "memory"}, Mode: matrix.Other, Expect: []string{"ends"},
	},
}

// all are the mechanisms that rounds show, and those that turns show.
func all() []ablation { return append(slices.Clone(ablations), turnAblations...) }

// tryTurns runs the matrix with one mechanism off.
func (c *AblationsCmd) tryTurns(ctx context.Context, a ablation, dir string) (ablated, error) {
	began := time.Now()
	out := ablated{Name: a.Name, Off: a.Off, Found: map[string]int{}, Seeds: 1}
	binary, err := buildChanged(ctx, c.Source, dir, "parley-without-"+a.Name, append(asking(), a.edit())...)
	if err != nil {
		return out, err
	}
	r := &matrix.Run{Dir: filepath.Join(dir, a.Name), Binary: binary, Mode: a.Mode, Only: a.Turns, Within: a.Rest}
	if err := r.Do(ctx); err != nil {
		fmt.Printf("    ablation %s: the turns could not be judged: %v\n", a.Name, err)
	}
	for _, check := range a.Expect {
		if n := r.Checks()[check]; n > 0 {
			out.Found[check] = n
		}
	}
	out.OK, out.Took = len(out.Found) > 0, time.Since(began)
	return out, ctx.Err()
}
