package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/parley-platform/parley/cmd/parley/connect"
)

// Command measures Parley, each figure beside a ceiling of the same run.
type Command struct {
	Clients     []int         `help:"Numbers of concurrent clients of the write path." default:"1,16,64,256" placeholder:"LIST"`
	For         time.Duration `help:"How long each figure of the write path is measured." default:"5s"`
	Events      int           `help:"Events of the history that is projected, rebuilt and queried; 0 leaves that part out." default:"1000000" placeholder:"N"`
	Sessions    int           `help:"Sessions of agents that are queried; 0 leaves that part out." default:"100000" placeholder:"N"`
	Streams     int           `help:"Turns that are streamed at once; 0 leaves that part out." default:"1000" placeholder:"N"`
	Backlog     int           `help:"Messages of channels that wait and are then answered; 0 leaves channels out." default:"10000" placeholder:"N"`
	IDs         string        `help:"Ids and times of the history: random, or ordered as the server makes them." enum:"random,ordered" default:"random" name:"ids"`
	Sound       bool          `help:"Measure what the sound of calls costs." default:"true" negatable:""`
	Only        []string      `help:"Of the write path only figures whose names begin like one of these; raw produce always runs." placeholder:"TEXT,..."`
	Erased      int           `help:"How many text messages somebody was sent who is erased." default:"1000"`
	Data        string        `help:"New folder for the parts, which stays; a temporary one, removed afterwards, when not given." env:"-" placeholder:"DIR"`
	JSON        string        `help:"Also write the figures here." placeholder:"FILE"`
	Profile     string        `help:"Write a CPU profile of this process here, for go tool pprof." placeholder:"FILE"`
	Parley      string        `help:"The server whose queries and memory are measured." default:"bin/parley" env:"-" placeholder:"FILE"`
	DatabaseURL string        `help:"An empty Postgres database; a private server when empty. With --kafka-brokers." placeholder:"URL"`
	connect.KafkaFlags
}

// figure is one line of the table.
type figure struct {
	Name    string  `json:"name"`
	Clients int     `json:"clients,omitempty"`
	Rate    float64 `json:"perSecond,omitempty"`
	P50     float64 `json:"p50Ms,omitempty"`
	P95     float64 `json:"p95Ms,omitempty"`
	P99     float64 `json:"p99Ms,omitempty"`
	CPU     float64 `json:"cpuMicros,omitempty"` // of all cores, for one: clients, node, broker and Postgres
	Value   float64 `json:"value,omitempty"`     // of what is neither a rate nor a time
	Unit    string  `json:"unit,omitempty"`
	Ceiling string  `json:"ceiling,omitempty"` // the figure that Ratio refers to
	Ratio   float64 `json:"ratio,omitempty"`
	Target  string  `json:"target,omitempty"`
	Met     *bool   `json:"met,omitempty"`
}

// aim says what the figure should be and whether it is.
func (f figure) aim(target string, met bool) figure {
	f.Target, f.Met = target, &met
	return f
}

// of sets the figure beside its ceiling.
func (f figure) of(c figure) figure {
	f.Ceiling, f.Ratio = c.Name, f.Rate/c.Rate
	return f
}

// report collects the figures and prints each as it comes.
type report struct{ figures []figure }

func (r *report) add(f figure) {
	r.figures = append(r.figures, f)
	number := func(v float64, format string) string {
		if v == 0 {
			return ""
		}
		return fmt.Sprintf(format, v)
	}
	clients := ""
	if f.Clients > 0 {
		clients = fmt.Sprint(f.Clients)
	}
	verdict := ""
	if f.Met != nil {
		verdict = map[bool]string{true: "met", false: "missed"}[*f.Met] + ": " + f.Target
	}
	value := number(f.Value, "%.0f")
	if value != "" {
		value += " " + f.Unit + "  "
	}
	fmt.Println(strings.TrimRight(fmt.Sprintf("%-30s %7s %9s %8s %8s %8s %7s %6s  %s%s", f.Name, clients, number(f.Rate, "%.0f"),
		number(f.P50, "%.2f"), number(f.P95, "%.2f"), number(f.P99, "%.2f"), number(f.CPU, "%.0f"),
		number(100*f.Ratio, "%.0f%%"), value, verdict), " "))
}

func (r *report) heading(text string) {
	fmt.Printf("\n%-30s %7s %9s %8s %8s %8s %7s %6s\n", text, "clients", "/second", "p50 ms", "p95 ms", "p99 ms", "cpu µs", "ratio")
}

// wants reports whether one of the figures was asked for.
func (c *Command) wants(figures ...string) bool {
	return len(c.Only) == 0 || slices.ContainsFunc(c.Only, func(begins string) bool {
		return slices.ContainsFunc(figures, func(figure string) bool { return strings.HasPrefix(figure, begins) })
	})
}

// Run measures and prints.
func (c *Command) Run() error {
	if _, err := os.Stat(c.Parley); err != nil && c.Events+c.Sessions+c.Streams > 0 {
		return fmt.Errorf("--parley: the server whose queries are measured: %w; make build makes it, or leave that out with --events 0 "+
			"--sessions 0 --streams 0", err)
	}
	dir, remove, err := c.folder()
	if err != nil {
		return err
	}
	defer remove()
	stop, err := profile(c.Profile)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%s, %s each\n", machine(), c.For)
	out := &report{}
	if err := c.measure(dir, out); err != nil {
		return err
	}
	if c.JSON == "" {
		return nil
	}
	data, err := json.MarshalIndent(map[string]any{"machine": machine(), "commit": commitOfBuild(),
		"date": time.Now().UTC().Format(time.DateOnly), "seconds": c.For.Seconds(), "events": c.Events, "ids": c.IDs,
		"figures": out.figures}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the figures: %w", err)
	}
	if err := os.WriteFile(c.JSON, append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the figures: %w", err)
	}
	return nil
}

// measure runs the parts. With embedded parts each has a log of its own: the calls that
// the first one asked for would keep the reactors of the others busy.
func (c *Command) measure(dir string, out *report) error {
	if len(c.Clients) > 0 {
		if err := c.part(filepath.Join(dir, "write-path"), func(b *bench) error { return c.commands(b, out) }); err != nil {
			return err
		}
		for _, of := range []struct {
			name    string
			measure func(dir string, out *report) error
		}{{"campaigns", c.campaigns}, {"messages", c.messages}, {"queues", c.queues}, {"erasing", c.erasing}} {
			if err := of.measure(filepath.Join(dir, of.name), out); err != nil {
				return err
			}
		}
	}
	if c.Sound {
		if err := c.sound(out); err != nil {
			return err
		}
		if err := c.part(filepath.Join(dir, "calls"), func(b *bench) error { return c.answers(b, out) }); err != nil {
			return err
		}
	}
	if c.Streams > 0 {
		if err := c.part(filepath.Join(dir, "streams"), func(b *bench) error { return c.streams(b, out) }); err != nil {
			return err
		}
	}
	if c.Sessions > 0 {
		if err := c.part(filepath.Join(dir, "sessions"), func(b *bench) error { return c.chats(b, out) }); err != nil {
			return err
		}
	}
	if c.Events == 0 {
		return nil
	}
	return c.part(filepath.Join(dir, "history"), func(b *bench) error {
		if err := c.history(b, out); err != nil {
			return err
		}
		b.close()
		return c.queries(b, out)
	})
}

// commands measures what commands of one node take, all on one log.
func (c *Command) commands(b *bench, out *report) error {
	for _, measure := range []func(*bench, *report) error{c.writePath, c.hooks, c.turns, c.models, c.sealing} {
		if err := measure(b, out); err != nil {
			return err
		}
	}
	return nil
}

func (c *Command) part(dir string, run func(b *bench) error) error {
	b, err := startBench(dir, c)
	if err != nil {
		return err
	}
	defer b.close()
	return run(b)
}

func (c *Command) folder() (dir string, remove func(), err error) {
	if c.Data != "" {
		if entries, err := os.ReadDir(c.Data); err == nil && len(entries) > 0 {
			return "", nil, fmt.Errorf("--data: %s is not empty: the figures need a log of their own, and what is measured would stay in yours",
				c.Data)
		}
		return c.Data, func() {}, nil
	}
	if dir, err = os.MkdirTemp("/var/tmp", "parley-bench-"); err != nil {
		return "", nil, fmt.Errorf("making a folder: %w", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", nil, fmt.Errorf("opening the folder to Postgres: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}

// machine names what the figures were measured on.
func machine() string {
	model, memory := runtime.GOARCH, ""
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(data)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	if data, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kb int
		if _, err := fmt.Sscanf(string(data), "MemTotal: %d kB", &kb); err == nil {
			memory = fmt.Sprintf(", %d GiB", (kb+1<<19)>>20)
		}
	}
	return fmt.Sprintf("%d cores of %s%s, %s", runtime.NumCPU(), model, memory, runtime.Version())
}

// commitOfBuild is the commit that this binary was built from.
func commitOfBuild() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return "unknown"
	}
	commit := "unknown"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			commit += ", changed"
		}
	}
	return commit
}

// profile begins a CPU profile; an empty file name means none.
func profile(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

// timed runs once in a loop on each client, after a short warm-up, and at least one time on
// each. What it leaves to be done behind it, until it is settled, belongs to its time on the
// cores.
func timed(name string, d time.Duration, clients int, once, settle func(ctx context.Context) error) (figure, error) {
	r, err := runFor(d, clients, once, settle)
	if err != nil {
		return figure{}, fmt.Errorf("%s with %d clients: %w", name, clients, err)
	}
	return r.figure(name, clients), nil
}

// atOnce does something so often, by so many clients.
func atOnce(clients, times int, once func(i int) error) error {
	var all errgroup.Group
	all.SetLimit(clients)
	for i := range times {
		all.Go(func() error { return once(i) })
	}
	return all.Wait()
}

// run is what was done in a time: how long each took, and the work of it.
type run struct {
	took         []time.Duration
	elapsed, cpu time.Duration
}

// and is both runs as one.
func (r run) and(other run) run {
	return run{append(r.took, other.took...), r.elapsed + other.elapsed, r.cpu + other.cpu}
}

func (r run) figure(name string, clients int) figure {
	return figureOf(name, clients, r.took, r.elapsed, r.cpu)
}

func runFor(d time.Duration, clients int, once, settle func(ctx context.Context) error) (r run, err error) {
	if err := once(context.Background()); err != nil {
		return run{}, err
	}
	var mu sync.Mutex
	var failed error
	var wg sync.WaitGroup
	before, start := spent(), time.Now()
	for range clients {
		wg.Go(func() {
			var took []time.Duration
			for len(took) == 0 || time.Since(start) < d {
				t := time.Now()
				if err := once(context.Background()); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
				took = append(took, time.Since(t))
			}
			mu.Lock()
			defer mu.Unlock()
			r.took = append(r.took, took...)
		})
	}
	wg.Wait()
	r.elapsed = time.Since(start)
	if err := settle(context.Background()); err != nil {
		return run{}, err
	}
	r.cpu = spent() - before
	return r, failed
}

// figureOf is the figure of what was done so often, in all that time and with all that work.
func figureOf(name string, clients int, took []time.Duration, elapsed, cpu time.Duration) figure {
	slices.Sort(took)
	at := func(percent int) float64 { return took[max(1, (len(took)*percent+99)/100)-1].Seconds() * 1000 } // the nearest rank
	return figure{Name: name, Clients: clients, Rate: float64(len(took)) / elapsed.Seconds(), P50: at(50), P95: at(95), P99: at(99),
		CPU: float64(cpu.Microseconds()) / float64(len(took))}
}
