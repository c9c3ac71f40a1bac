package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/postgres"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/show"
	nodeslices "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/projections/analytics"
	"github.com/parley-platform/parley/projections/rebuild"
)

// RebuildCmd builds read models anew, or checks them.
type RebuildCmd struct {
	Names  []string `arg:"" optional:"" name:"name" help:"Read models to rebuild, such as access or interactions; index is the stream index."`
	All    bool     `help:"Everything: the stream index and every read model."`
	Check  bool     `help:"Build beside the live tables and compare row for row at the same position of the log; change nothing. Ends with 1 when rows differ."`
	Keyset string   `help:"Master key file; keyset.json under --data when empty." placeholder:"FILE"`
	connect.PartsFlags
	Show show.Flags `embed:""`
}

// outcome is what was done, for programs: of all read models at once, and of the analytics.
type outcome struct {
	Names       []string         `json:"names"`
	Checked     bool             `json:"checked"` // and nothing changed; else rebuilt
	Resumed     bool             `json:"resumed"`
	Events      int64            `json:"events"`
	Rows        map[string]int64 `json:"rows"`
	SetAside    int64            `json:"setAside"`
	TookMs      int64            `json:"tookMs"`
	HeldMs      float64          `json:"heldMs"`      // that the projectors were held
	Differences []string         `json:"differences"` // of a check
}

// object prints an outcome, and ends with 1 when a check found something.
func (c *RebuildCmd) object(out io.Writer, o outcome) error {
	o.Checked = c.Check
	o.Differences = append([]string{}, o.Differences...) // a list, even where there are none
	if err := show.To(out, c.Show).Object(o); err != nil {
		return err
	}
	if len(o.Differences) > 0 {
		return exit.Failed
	}
	return nil
}

// Help says when to use it.
func (RebuildCmd) Help() string {
	return `The tables are filled beside the live ones while nodes serve and write, and take their place in one short
transaction. A rebuild that is ended (Ctrl-C, kill -9) changes nothing; the next one of the same names goes on
where it stopped, and that of the analytics, which --all builds last, begins anew. It calls nobody, sends nothing
and fires no timer. Read models that share rows are built together, whichever of them is named.

Examples:
  parley rebuild --all --data .data
  parley rebuild interactions --kafka-brokers kafka:9092 --database-url postgres://parley@db/parley
  parley rebuild --check --all`
}

// Run rebuilds.
func (c *RebuildCmd) Run() error {
	if c.All == (len(c.Names) > 0) {
		return exit.Wrongf("say what to rebuild: --all, or some of %s", strings.Join(rebuildable(), ", "))
	}
	for _, n := range c.Names {
		if !slices.Contains(rebuildable(), strings.ReplaceAll(n, " ", "-")) {
			return exit.Wrongf("there is no read model %q; there are %s", n, strings.Join(rebuildable(), ", "))
		}
	}
	ctx, stop := exit.OnSignal()
	defer stop()
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	log, db, closeAll, err := c.Open(ctx, logger)
	if err != nil {
		return err
	}
	defer closeAll()
	master, err := c.master(ctx, log)
	if err != nil {
		return err
	}
	keys, err := keyring.ReadCopy(ctx, log.Keys(), master)
	if err != nil {
		return err
	}
	meter := newMeter(os.Stderr)
	names := slices.DeleteFunc(slices.Clone(c.Names), func(n string) bool { return n == analytics.Name })
	var differ error
	if c.All || len(names) > 0 {
		models := nodeslices.Models(master)
		if together := rebuild.Together(models, names); len(together) > len(names) {
			fmt.Fprintf(os.Stderr, "parley: %s go with %s: of rows that they share nobody can say whose they are\n",
				strings.Join(together[len(names):], ", "), strings.Join(names, ", "))
			names = together
		}
		host, _ := os.Hostname() // for people to read; empty is well
		report, err := rebuild.Rebuild(ctx, rebuild.Config{Database: db.Queries, Log: log, Categories: catalog.Categories(),
			Keys: keys, Models: models, Names: names,
			By: fmt.Sprintf("process %d on %s", os.Getpid(), host), Check: c.Check, Progress: meter.show, Logger: logger})
		if meter.end(); err != nil {
			return failed(ctx, err, "nothing was changed", "the same command goes on where it stopped")
		}
		differ = c.conclude(os.Stdout, report)
	}
	if c.All || len(names) < len(c.Names) {
		report, err := analytics.Rebuild(ctx, analytics.RebuildConfig{Database: db.Queries, Log: log, Categories: catalog.Categories(),
			Keys: keys, Check: c.Check, Logger: logger,
			Progress: func(done, of int64) {
				meter.show(rebuild.Progress{Phase: analytics.Name, Done: done, Total: of})
			}})
		if meter.end(); err != nil {
			return failed(ctx, err, "the analytics were not changed", "`parley rebuild analytics` begins them anew")
		}
		differ = errors.Join(differ, c.concludeAnalytics(os.Stdout, report))
	}
	return differ
}

// master opens what is personal on the log, and hashes it. That of another log is refused before anything
// is read: what is hashed with it would be found by nobody.
func (c *RebuildCmd) master(ctx context.Context, log *kafka.Log) (*vault.Vault, error) {
	file := cmp.Or(c.Keyset, filepath.Join(c.Data, "keyset.json"))
	master, err := vault.Open(file)
	if err != nil {
		return nil, fmt.Errorf("rebuild: what is personal on the log is sealed: name the keyset file of its nodes with --keyset: %w", err)
	}
	proofs, err := node.KeysetProofs(ctx, log)
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	for _, p := range proofs {
		if err := master.Check(p); err != nil {
			return nil, exit.Wrongf("rebuild: %s is not the keyset of log %s: %s; name that of its nodes with --keyset", file, p.LogID, err)
		}
	}
	return master, nil
}

// failed says what a rebuild that did not reach its end leaves, and how it goes on.
func failed(ctx context.Context, err error, left, next string) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("rebuild: ended before it was done; %s, and %s", left, next)
	case postgres.Lost(err):
		return fmt.Errorf("rebuild: the database went away: %w; %s, and when it is back %s", err, left, next)
	}
	return fmt.Errorf("rebuild: %w", err)
}

// concludeAnalytics says what was done to the analytics, which have checkpoints of
// their own.
func (c *RebuildCmd) concludeAnalytics(out io.Writer, r analytics.RebuildReport) error {
	if c.Show.Output == show.JSON {
		return c.object(out, outcome{Names: []string{analytics.Name}, Events: r.Events, Rows: r.Rows, TookMs: r.Took.Milliseconds(),
			Differences: r.Differences})
	}
	what := "rebuilt"
	if c.Check {
		what = "checked"
	}
	for _, t := range slices.Sorted(maps.Keys(r.Rows)) {
		fmt.Fprintf(out, "%-20s %10d rows\n", t, r.Rows[t])
	}
	fmt.Fprintf(out, "%s %s: %d events in %.1f s (%.0f/s)\n", what, analytics.Name, r.Events, r.Took.Seconds(),
		float64(r.Events)/r.Took.Seconds())
	return compared(out, c.Check, r.Differences)
}

func rebuildable() []string {
	out := []string{rebuild.IndexName, analytics.Name}
	for _, m := range nodeslices.Models(nil) {
		out = append(out, strings.ReplaceAll(m.Name, " ", "-"))
	}
	return out
}

// conclude says what was done.
func (c *RebuildCmd) conclude(out io.Writer, r rebuild.Report) error {
	if c.Show.Output == show.JSON {
		o := outcome{Names: r.Names, Resumed: r.Resumed, Events: r.Events, Rows: r.Rows, SetAside: r.SetAside, TookMs: r.Took.Milliseconds(),
			HeldMs: float64(r.Held.Microseconds()) / 1000}
		for _, d := range r.Differences {
			o.Differences = append(o.Differences, fmt.Sprint(d))
		}
		return c.object(out, o)
	}
	what, held := "rebuilt", "the switch held the projectors"
	if c.Check {
		what, held = "checked", "the common position held the projectors"
	}
	if r.Resumed {
		what += " (going on where an earlier run stopped)"
	}
	for _, t := range slices.Sorted(maps.Keys(r.Rows)) {
		if t != "projection_errors" || r.Rows[t] > 0 {
			fmt.Fprintf(out, "%-20s %10d rows\n", t, r.Rows[t])
		}
	}
	fmt.Fprintf(out, "%s %s: %d events in %.1f s (%.0f/s), %s for %.1f ms\n", what, strings.Join(r.Names, ", "), r.Events, r.Took.Seconds(),
		float64(r.Events)/r.Took.Seconds(), held, float64(r.Held.Microseconds())/1000)
	if r.SetAside > 0 {
		fmt.Fprintf(out, "%d commits were set aside: a read model cannot take them, see the table projection_errors\n", r.SetAside)
	}
	return compared(out, c.Check, r.Differences)
}

// compared says what a check found.
func compared[T any](out io.Writer, check bool, differences []T) error {
	if !check {
		return nil
	}
	for _, d := range differences {
		fmt.Fprintln(out, d)
	}
	if len(differences) > 0 {
		fmt.Fprintf(out, "%d tables differ from the log; without --check the same command mends them\n", len(differences))
		return exit.Failed
	}
	fmt.Fprintln(out, "no row differs")
	return nil
}

// meter shows how far a rebuild is: a bar on a terminal, else a line now and then.
type meter struct {
	out   io.Writer
	bar   *progressbar.ProgressBar // nil: no terminal
	phase string
	said  time.Time
}

// sayEvery is how often there is a line where there is no terminal.
const sayEvery = 5 * time.Second

func newMeter(out *os.File) *meter {
	m := &meter{out: out}
	if show.IsTerminal(out) {
		m.bar = progressbar.NewOptions64(1, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString("records"),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30))
	}
	return m
}

// show is told by one goroutine at a time.
func (m *meter) show(p rebuild.Progress) {
	if m.bar != nil {
		m.bar.Describe(p.Phase)
		m.bar.ChangeMax64(max(p.Total, 1))
		_ = m.bar.Set64(min(p.Done, max(p.Total, 1)))
		return
	}
	if p.Phase == m.phase && time.Since(m.said) < sayEvery {
		return
	}
	m.phase, m.said = p.Phase, time.Now()
	fmt.Fprintf(m.out, "%s: %d of %d records\n", p.Phase, p.Done, p.Total)
}

func (m *meter) end() {
	if m.bar != nil {
		_ = m.bar.Exit()
		fmt.Fprint(m.out, "\r\x1b[K")
	}
}
