package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/kafka"
	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/reactorlog"
	"github.com/parley-platform/parley/cmd/parley/show"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	handling "github.com/parley-platform/parley/handlers/reactors"
)

// ReactorCmd is what operators do with reactors.
type ReactorCmd struct {
	List   ReactorListCmd   `cmd:"" help:"Which reactors there are, how far each is behind, and what it set aside."`
	Poison PoisonCmd        `cmd:"" help:"Events that reactors could not handle and set aside."`
	Replay ReactorReplayCmd `cmd:"" help:"Have events that were set aside handled again, by the nodes that are running."`
}

// PoisonCmd is about the poison topic.
type PoisonCmd struct {
	List PoisonListCmd `cmd:"" help:"List them, a JSON object per line. No line holds an event's content."`
}

// Lines are the flags of a command that always prints for programs.
type Lines struct {
	Output string `short:"o" help:"json, a JSON object per line: there is no other form of it." enum:"json" default:"json" env:"-" placeholder:"FORM"`
}

// reactorFrom reads --reactor-from.
func reactorFrom(said []string) ([]handling.From, error) {
	var out []handling.From
	for _, s := range said {
		f, err := handling.ParseFrom(s)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// ReactorListCmd shows the reactors.
type ReactorListCmd struct {
	reactorlog.Flags
	Show show.Flags `embed:""`
}

// reactor is one of them, for programs.
type reactor struct {
	Name     string   `json:"name"`
	Group    string   `json:"group"`
	Side     string   `json:"side"`
	Topics   []string `json:"topics"`
	Behind   int64    `json:"behind"`
	AgeMs    int64    `json:"ageMs"`
	SetAside int      `json:"setAside"`
	Members  int      `json:"members"`
	Lost     []string `json:"lost,omitempty"` // partitions whose place is not known any more
	State    string   `json:"state"`
}

// Run prints a table.
func (c *ReactorListCmd) Run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log, err := c.Attach(ctx)
	if err != nil {
		return err
	}
	defer log.Close()
	store := reactorlog.NewStore(log)
	defer store.Close()
	known, err := eventstore.Read(ctx, store, registrations.Registrations, registrations.SystemStream())
	if err != nil {
		return err
	}
	aside, err := reactorlog.ReadPoison(ctx, log)
	if err != nil {
		return err
	}
	out := show.To(os.Stdout, c.Show)
	groups := watermillkafka.Groups{Client: log.Client()}
	on := &handling.Edges{Groups: groups}
	var rows [][]show.Cell
	for _, name := range slices.Sorted(maps.Keys(known.State.Reactors)) {
		r, err := look(ctx, log, on, groups, name, known.State.Reactors[name])
		if err != nil {
			return err
		}
		for _, p := range aside {
			if p.Reactor == name && p.Replay.Status != registrations.ReplaySucceededStatus {
				r.SetAside++
			}
		}
		if out.JSON() {
			if err := out.Object(r); err != nil {
				return err
			}
		}
		rows = append(rows, r.row())
	}
	if out.JSON() {
		return nil
	}
	return out.Table([]string{"REACTOR", "BEHIND", "AGE", "SET ASIDE", "STATE", "SIDE", "GROUP", "TOPICS"}, rows)
}

// look examines a reactor; what it set aside is counted elsewhere.
func look(ctx context.Context, log *kafka.Log, on *handling.Edges, groups watermillkafka.Groups, name string,
	known registrations.Registration) (reactor, error) {
	r := reactor{Name: name, Group: known.Group, Side: string(known.Side), Topics: known.Topics()}
	lag, err := handling.LagOf(ctx, on, log, time.Now(), known.Group, known.Topics(), known.Pending)
	if err != nil {
		return r, err
	}
	if r.Members, err = groups.Members(ctx, known.Group); err != nil {
		return r, err
	}
	r.Behind, r.AgeMs, r.Lost = lag.Events, lag.Age.Milliseconds(), lag.Lost
	switch {
	case len(known.Pending) > 0:
		r.State = "not started yet"
	case len(r.Lost) > 0:
		r.State = fmt.Sprintf("needs --reactor-from %s=end|OFFSET: %v", name, lag.Lost)
	case r.Members == 0:
		r.State = "nobody runs it"
	default:
		r.State = fmt.Sprintf("running (%d)", r.Members)
	}
	return r, nil
}

func (r reactor) row() []show.Cell {
	row := show.Of(r.Name, strconv.FormatInt(r.Behind, 10), (time.Duration(r.AgeMs) * time.Millisecond).Round(time.Second).String(),
		strconv.Itoa(r.SetAside), r.State, r.Side, r.Group, strings.Join(r.Topics, " "))
	if r.SetAside > 0 {
		row[3].Colour = show.Yellow
	}
	row[4].Colour = show.Green
	if r.Members == 0 || len(r.Lost) > 0 {
		row[4].Colour = show.Red
	}
	return row
}

// PoisonListCmd lists what was set aside.
type PoisonListCmd struct {
	reactorlog.Flags
	Lines
	Reactor string `help:"Of this reactor only." placeholder:"NAME"`
	Open    bool   `help:"Leave out what was handled by a replay."`
}

// Run prints JSON lines.
func (c *PoisonListCmd) Run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log, err := c.Attach(ctx)
	if err != nil {
		return err
	}
	defer log.Close()
	store := reactorlog.NewStore(log)
	defer store.Close()
	if err := registered(ctx, store, c.Reactor); err != nil {
		return err
	}
	all, err := reactorlog.ReadPoison(ctx, log)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, p := range all {
		if c.Reactor != "" && p.Reactor != c.Reactor || c.Open && p.Replay.Status == registrations.ReplaySucceededStatus {
			continue
		}
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

// registered refuses a name that no reactor has: that nothing of it was set aside would look like peace.
func registered(ctx context.Context, store *eventstore.Store, name string) error {
	if name == "" {
		return nil
	}
	known, err := eventstore.Read(ctx, store, registrations.Registrations, registrations.SystemStream())
	if err != nil {
		return err
	}
	if _, ok := known.State.Reactors[name]; !ok {
		return exit.Wrongf("--reactor %s: no reactor of that name was ever registered; see parley reactor list", name)
	}
	return nil
}

// ReactorReplayCmd asks for replays and waits for what comes of them.
type ReactorReplayCmd struct {
	reactorlog.Flags
	Lines
	Reactor string        `help:"What this reactor set aside." placeholder:"NAME"`
	ID      []string      `name:"id" help:"What has this id in parley reactor poison list." placeholder:"ID"`
	All     bool          `help:"Everything that was set aside and not handled since."`
	Wait    time.Duration `help:"How long to wait for the outcomes; the replays go on without." default:"30s"`
	By      string        `help:"Who wants it, for the record; the user of this machine when empty." placeholder:"NAME"`
}

// Run prints a JSON line per replay. It fails when one failed or is not over.
func (c *ReactorReplayCmd) Run() error {
	if c.Reactor == "" && len(c.ID) == 0 && !c.All {
		return exit.Wrongf("say what is to be replayed: --reactor NAME, --id ID or --all")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	log, err := c.Attach(ctx)
	if err != nil {
		return err
	}
	defer log.Close()
	store := reactorlog.NewStore(log)
	defer store.Close()
	if err := registered(ctx, store, c.Reactor); err != nil {
		return err
	}
	all, err := reactorlog.ReadPoison(ctx, log)
	if err != nil {
		return err
	}
	chosen, err := c.choose(all)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		fmt.Fprintln(os.Stderr, "parley: there is nothing to replay: all that was set aside was handled, or nothing was")
	}
	for _, p := range chosen {
		cmd := eventstore.Command{Tenant: registrations.Tenant, Actor: "user:" + c.by(), CorrelationID: "tr-replay-" + p.ID}
		ask := registrations.AskReplay{Reactor: p.Reactor, Event: p.Event, By: c.by(), At: time.Now()}
		if err := eventstore.Do(ctx, store, registrations.Replays, registrations.Replays.Stream(p.ID), cmd, ask.Decide); err != nil {
			return fmt.Errorf("asking for the replay of %s: %w", p.ID, err)
		}
	}
	return c.await(store, chosen)
}

func (c *ReactorReplayCmd) by() string {
	if c.By != "" {
		return c.By
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return "unknown"
}

// choose finds what is meant. An id that does not exist is an error, before anything
// is asked for.
func (c *ReactorReplayCmd) choose(all []reactorlog.SetAside) ([]reactorlog.SetAside, error) {
	for _, id := range c.ID {
		if !slices.ContainsFunc(all, func(p reactorlog.SetAside) bool { return p.ID == id }) {
			return nil, exit.Wrongf("--id %s: nothing was set aside under it; see parley reactor poison list", id)
		}
	}
	var out []reactorlog.SetAside
	for _, p := range all {
		switch {
		case c.Reactor != "" && p.Reactor != c.Reactor:
		case len(c.ID) > 0 && !slices.Contains(c.ID, p.ID):
		case len(c.ID) == 0 && p.Replay.Status == registrations.ReplaySucceededStatus:
		default:
			out = append(out, p)
		}
	}
	return out, nil
}

func (c *ReactorReplayCmd) await(store *eventstore.Store, chosen []reactorlog.SetAside) error {
	ctx, cancel := context.WithTimeout(context.Background(), max(c.Wait, time.Second))
	defer cancel()
	out, bad := json.NewEncoder(os.Stdout), 0
	for _, p := range chosen {
		for {
			l, err := eventstore.Read(ctx, store, registrations.Replays, registrations.Replays.Stream(p.ID))
			if err != nil && ctx.Err() == nil {
				return err
			}
			if err == nil {
				p.Replay = reactorlog.ReplayOf(l.State)
			}
			if p.Replay.Status != registrations.ReplayRequestedStatus || ctx.Err() != nil {
				break
			}
			select {
			case <-ctx.Done():
			case <-time.After(200 * time.Millisecond):
			}
		}
		if p.Replay.Status != registrations.ReplaySucceededStatus {
			bad++
		}
		if err := out.Encode(p); err != nil {
			return err
		}
	}
	if bad > 0 {
		fmt.Fprintf(os.Stderr, "parley: %d of %d were not handled; those with the status requested wait for a node with the role reactor\n", bad,
			len(chosen))
		return exit.Failed
	}
	return nil
}
