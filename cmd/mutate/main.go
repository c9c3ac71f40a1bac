// Command mutate breaks rules on purpose and sees whether a test notices: it compiles a
// package once with a switch for every small change (a condition turned round, a border
// moved, a statement left out, an error swallowed ...), then runs the package's own tests
// once for each. It changes no file of the repository but the table it is told to write.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed switch.go.txt
var switches []byte

type options struct {
	sample int
	seed   uint64
	table  string
	only   string
	run    string
	all    bool
}

func main() {
	var o options
	flag.IntVar(&o.sample, "sample", 0, "try so many mutants of a package, drawn by the seed (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "what the sample, and the tests that draw, are drawn by")
	flag.StringVar(&o.table, "table", "", "write the results to this file's table, and read from it which mutants are equivalent")
	flag.StringVar(&o.only, "file", "", "only mutants of files whose name matches")
	flag.StringVar(&o.run, "run", "", "run only tests whose name matches, as go test does")
	flag.BoolVar(&o.all, "v", false, "show killed mutants too")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

func run(o options, patterns []string) error {
	if len(patterns) == 0 {
		return errors.New("name the packages: ./domain/... for those of the domain")
	}
	t, err := readTable(o.table)
	if err != nil {
		return err
	}
	packages, err := list(patterns...)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if len(p.GoFiles) == 0 || slices.Contains(p.Imports, "testing") { // nothing, or a tool of tests
			continue
		}
		r, err := try(p, o, t, func(m *mutant, state string) {
			if o.all || state != killed {
				fmt.Printf("%-11s %s:%d:%d %s %s: %s\n", state, m.file, m.line, m.column, m.function, m.kind, m.text)
			}
		})
		if err != nil {
			return err
		}
		t.put(r)
		if err := t.write(o.table); err != nil { // each, so that who ends it keeps what was tried
			return err
		}
		fmt.Printf("%s: %s\n", r.name, r)
	}
	fmt.Println("in all:", t.total())
	return nil
}

// try runs a package's tests for each of its mutants.
func try(p listed, o options, t *table, report func(*mutant, string)) (result, error) {
	r := result{name: strings.TrimPrefix(p.Dir, p.Module.Dir+string(filepath.Separator))}
	work, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(work)
	built, err := weave(p, work)
	if err != nil {
		return r, err
	}
	reached, took, err := built.baseline(o)
	if err != nil {
		return r, err
	}
	tried, of := chosen(built.mutants, o)
	if r.tried = "all"; len(tried) < of {
		r.tried = fmt.Sprintf("%d of %d, seed %d", len(tried), of, o.seed)
	}
	for _, m := range tried {
		state := notReached
		if reached[m.id] {
			state = built.run(m.id, o, 5*time.Second+10*took)
		}
		if state != killed && state != timedOut && t.isEquivalent(m) {
			r.equivalent++
			continue
		}
		r.mutants++
		if state == killed || state == timedOut {
			r.killed++
		}
		report(m, state)
	}
	return r, nil
}

// chosen are the mutants to try, and of how many: all, or a sample in the order of the source.
func chosen(all []*mutant, o options) (out []*mutant, of int) {
	matched := regexp.MustCompile(o.only)
	for _, m := range all {
		if matched.MatchString(filepath.Base(m.file)) {
			out = append(out, m)
		}
	}
	if of = len(out); o.sample == 0 || o.sample >= of {
		return out, of
	}
	draw := rand.New(rand.NewPCG(o.seed, 0))
	draw.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	out = out[:o.sample]
	slices.SortFunc(out, func(a, b *mutant) int { return a.id - b.id })
	return out, of
}

const (
	killed     = "killed"
	survived   = "SURVIVED"
	timedOut   = "timed out"   // counts as killed: a loop without an end is noticed
	notReached = "not reached" // by any test, so it is not even run
)

// baseline runs the tests unchanged, and tells which mutants they come by and how long they take.
func (p *program) baseline(o options) (reached map[int]bool, took time.Duration, err error) {
	if _, err := os.Stat(p.path); errors.Is(err, fs.ErrNotExist) { // the package has no tests, so nothing was compiled
		return nil, 0, nil
	}
	notes := filepath.Join(filepath.Dir(p.path), "reached")
	started := time.Now()
	if out, err := p.command(context.Background(), o, "MUTANTS_REACHED="+notes).CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("the tests of %s fail without any mutant: %w\n%s", p.ImportPath, err, out)
	}
	took = time.Since(started)
	data, err := os.ReadFile(notes)
	if err != nil && !os.IsNotExist(err) {
		return nil, 0, err
	}
	reached = map[int]bool{}
	for _, line := range strings.Fields(string(data)) {
		id, _ := strconv.Atoi(line)
		reached[id] = true
	}
	return reached, took, nil
}

func (p *program) run(id int, o options, most time.Duration) string {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	err := p.command(ctx, o, "MUTANT="+strconv.Itoa(id)).Run()
	switch {
	case ctx.Err() != nil:
		return timedOut
	case err != nil:
		return killed
	}
	return survived
}

// command runs the tests where they stand. Tests that draw what they try draw the same each time.
func (p *program) command(ctx context.Context, o options, env string) *exec.Cmd {
	args := []string{"-test.failfast", "-test.run=" + o.run}
	if slices.Contains(append(p.TestImports, p.XTestImports...), "pgregory.net/rapid") {
		args = append(args, "-rapid.seed="+strconv.FormatUint(o.seed, 10), "-rapid.nofailfile", "-rapid.shrinktime=0s")
	}
	cmd := exec.CommandContext(ctx, p.path, args...)
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), env)
	cmd.WaitDelay = time.Second
	return cmd
}
