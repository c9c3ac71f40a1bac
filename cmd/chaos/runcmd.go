package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
	"github.com/parley-platform/parley/cmd/chaos/faults"
)

// RunCmd runs rounds.
type RunCmd struct {
	Seed   uint64        `help:"Of the first round; the next ones count on from it. 0: by the clock."`
	Rounds int           `help:"How many." default:"20"`
	Parts  string        `help:"embedded, apache, or both in turn." default:"both" enum:"embedded,apache,both"`
	Turn   int           `help:"Which turn the first round has in the list of faults, from 0; a failure says it." default:"0"`
	Faults []string      `help:"Only these faults; see chaos faults." placeholder:"LIST"`
	Short  bool          `help:"Each fault lasts as long as it must, and no longer."`
	Stall  time.Duration `help:"How long a partition may take to move after the faults have healed." default:"2s"`
	Dir    string        `help:"Where each round keeps its logs; a temporary folder, removed when all went well, when not given." placeholder:"DIR"`
	JSON   string        `help:"Also write the results here." placeholder:"FILE"`
	Binary string        `help:"The parley to test; built when not given." placeholder:"FILE"`
	Keep   bool          `help:"Keep the folders of rounds that went well."`
}

// Help is what --help says beside the flags.
func (RunCmd) Help() string {
	return `Callers of calls, keys, campaigns, texts and transfers work while things go wrong.

A round ends when every call, run, text, transfer, line and notification has ended, within
two minutes of the healing; round.log says every five seconds what is waited for.

cut-log and damaged-log are for the embedded broker, whose log is a folder: the first puts
an older copy in its place, the second damages copies of it, which a broker and a node must
refuse without changing them.

docs/how-to/chaos.md lists what is checked.`
}

// FaultsCmd lists the faults.
type FaultsCmd struct{}

// Run prints them.
func (FaultsCmd) Run() error {
	for _, name := range faults.Names() {
		fmt.Println(name)
	}
	return nil
}

// Run runs the rounds and says how each went.
func (c *RunCmd) Run(ctx context.Context) error {
	for _, name := range c.Faults {
		if !slices.Contains(faults.Names(), name) {
			return fmt.Errorf("--faults: there is no fault %q; chaos faults lists them", name)
		}
	}
	dir, binary, err := c.workplace(ctx)
	if err != nil {
		return err
	}
	if c.Seed == 0 {
		c.Seed = uint64(time.Now().UnixNano()/1e6) % 1e9
	}
	fmt.Printf("chaos: %d rounds from seed %d, logs under %s\n", c.Rounds, c.Seed, dir)
	var results []*Result
	var failed []string
	for i := range c.Rounds {
		r := &round{Seed: c.Seed + uint64(i), Turn: c.Turn + i, Parts: c.parts(i), Binary: binary, Names: c.Faults, Short: c.Short,
			Stall: c.Stall}
		r.Dir = filepath.Join(dir, fmt.Sprintf("round-%02d-%s", i+1, r.Parts))
		result, err := r.run(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		results = append(results, result)
		fmt.Println(result.line())
		if !result.OK {
			failed = append(failed, c.tell(result, err))
		} else if !c.Keep {
			result.Dir = ""
			_ = os.RemoveAll(r.Dir)
		}
	}
	fmt.Println()
	table(os.Stdout, results)
	if c.JSON != "" {
		if err := writeJSON(c.JSON, results); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d rounds failed; run them again with\n  %s", len(failed), len(results), strings.Join(failed, "\n  "))
	}
	if c.Dir == "" && !c.Keep {
		_ = os.RemoveAll(dir)
	}
	return nil
}

// tell prints what a failed round broke, and returns how to run it again.
func (c *RunCmd) tell(r *Result, err error) string {
	if err != nil {
		fmt.Printf("    the round could not be judged: %v\n", err)
	}
	for _, p := range r.Problems {
		fmt.Printf("    %s\n", p)
	}
	for _, u := range r.Undecided {
		fmt.Printf("    not decided: %s\n", u)
	}
	more := ""
	if c.Short {
		more = " --short"
	}
	if len(c.Faults) > 0 {
		more += " --faults " + strings.Join(c.Faults, ",")
	}
	again := fmt.Sprintf(`make chaos CHAOS="--seed %d --rounds 1 --turn %d --parts %s%s"`, r.Seed, r.Turn, r.Parts, more)
	fmt.Printf("    again: %s\n    logs: %s\n", again, r.Dir)
	return again
}

func (c *RunCmd) parts(i int) cluster.Parts {
	if c.Parts != "both" {
		return cluster.Parts(c.Parts)
	}
	return []cluster.Parts{cluster.Embedded, cluster.Apache}[i%2]
}

// workplace is a folder that Postgres, who is another user under root, can reach;
// and the binary under test in it.
func (c *RunCmd) workplace(ctx context.Context) (dir, binary string, err error) {
	dir, binary = c.Dir, c.Binary
	if dir == "" {
		dir, err = os.MkdirTemp("/var/tmp", "parley-chaos-")
	} else if dir, err = filepath.Abs(dir); err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return "", "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", "", err
	}
	if binary == "" {
		binary, err = build(ctx, dir, "parley")
	} else {
		binary, err = filepath.Abs(binary)
	}
	return dir, binary, err
}

// build builds parley, with further flags of go build.
func build(ctx context.Context, dir, name string, flags ...string) (string, error) {
	binary := filepath.Join(dir, name)
	args := append([]string{"build", "-o", binary}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "github.com/parley-platform/parley/cmd/parley")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, out)
	}
	return binary, nil
}
