// Package faults is what goes wrong in a chaos round: which faults, when and where,
// made from a seed, and how each is done to the parts of package cluster and undone.
package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/cmd/chaos/cluster"
)

// Fault is one thing that goes wrong.
type Fault struct {
	Name   string
	After  time.Duration // from the start of the faults
	For    time.Duration
	Node   int
	Broker int
	Seed   uint64 // of what is decided on the way
}

// String is the fault with its times, for the log of a round.
func (f Fault) String() string {
	return fmt.Sprintf("%s(%s after %s)", f.Name, f.For.Round(time.Millisecond), f.After.Round(time.Millisecond))
}

// kindOf says how long a fault lasts, at least and at most, and how often it is drawn.
type kindOf struct {
	name        string
	least, most time.Duration
	weight      int
}

const (
	ms = time.Millisecond
	s  = time.Second
)

// kinds are all faults, most valuable first: each round begins with the one whose turn
// it is. Those without a weight come in their turn only, alone.
var kinds = []kindOf{
	{"hold-produce", 12 * s, 30 * s, 6},
	{"freeze-node", 11 * s, 14 * s, 5},
	{"kill-between", 1 * s, 4 * s, 6},
	{"kill-node", 1 * s, 6 * s, 4},
	{"stop-postgres", 300 * ms, 3 * s, 4},
	{"stop-postgres-in-silence", 300 * ms, 3 * s, 3},
	{"drop-database", 200 * ms, 2 * s, 3},
	{"rebuild", 1 * s, 2 * s, 4},
	{"cut-log", 0, 0, 0}, // at an even place: a run that alternates has the embedded broker then
	{"kill-broker", 500 * ms, 6 * s, 3},
	{"damaged-log", 0, 0, 0}, // at an even place too
	{"lose-offsets", 0, 0, 0},
	{"kafka-away-a-minute", 60 * s, 60 * s, 0},
	{"postgres-away-a-minute", 60 * s, 60 * s, 0},
	{"cut-kafka", 1 * s, 5 * s, 2},
	{"freeze-broker", 2 * s, 12 * s, 3},
	{"hold-ack", 11 * s, 14 * s, 3},
	{"cut-postgres", 1 * s, 5 * s, 2},
	{"poison", 500 * ms, 2 * s, 2},
	{"hold-postgres", 1 * s, 6 * s, 2},
	{"half-open-postgres", 1 * s, 2 * s, 1},
	{"reset-kafka", 2 * s, 4 * s, 2},
	{"hold-kafka", 1 * s, 6 * s, 2},
	{"reset-postgres", 2 * s, 4 * s, 2},
	{"slow-kafka", 2 * s, 6 * s, 1},
	{"slow-postgres", 2 * s, 6 * s, 1},
	{"cut-callers", 1 * s, 4 * s, 1},
	{"half-open-kafka", 1 * s, 2 * s, 1},
	{"kafka-away", 3 * s, 12 * s, 2},
	{"postgres-away", 3 * s, 12 * s, 2},
}

// Names lists the faults that a plan may hold.
func Names() (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Plan is what goes wrong in a round.
type Plan []Fault

// Make plans a round from its seed: one fault by turn, so that a run leaves none of
// the valuable ones out, and one to three more by their weight. Of names only, in
// their order, when there are some.
func Make(seed uint64, turn int, parts cluster.Parts, nodes int, names []string) Plan {
	r := rand.New(rand.NewPCG(seed, 1))
	turns := chosen(names)
	if len(turns) == 0 {
		return nil
	}
	var bag []kindOf
	for _, k := range turns {
		for range k.weight {
			bag = append(bag, k)
		}
	}
	drawn := []kindOf{turns[turn%len(turns)]}
	if drawn[0].weight > 0 {
		for range 1 + r.IntN(3) {
			drawn = append(drawn, bag[r.IntN(len(bag))])
		}
	}
	return schedule(r, drawn, parts, nodes)
}

func chosen(names []string) (out []kindOf) {
	if len(names) == 0 {
		return kinds
	}
	for _, name := range names {
		for _, k := range kinds {
			if k.name == name {
				out = append(out, k)
			}
		}
	}
	return out
}

// schedule says when and where.
func schedule(r *rand.Rand, drawn []kindOf, parts cluster.Parts, nodes int) (plan Plan) {
	brokers := 1
	if parts == cluster.Apache {
		brokers = 3
	}
	var at time.Duration
	for _, k := range drawn {
		f := Fault{Name: k.name, After: at, For: k.least + time.Duration(r.Int64N(int64(k.most-k.least)+1)), Node: r.IntN(nodes),
			Broker: r.IntN(brokers), Seed: r.Uint64()}
		plan = append(plan, f)
		// Half of them overlap with the next one.
		if r.IntN(2) == 0 {
			at += f.For + time.Duration(r.Int64N(int64(s)))
		} else {
			at += time.Duration(r.Int64N(int64(2 * s)))
		}
	}
	return plan
}

// Allowance is what healing takes beyond the moment at which a fault is undone: a
// database that was dropped is made and filled from the log first, and a connection
// whose other end is gone without a word is found out by the patience of who uses it.
func (p Plan) Allowance() (longest time.Duration) {
	for _, f := range p {
		switch {
		case f.Name == "drop-database":
			longest = max(longest, 5*s)
		case strings.HasPrefix(f.Name, "half-open-"):
			longest = max(longest, 12*s)
		}
	}
	return longest
}

// Short is the plan with each fault as long as it must be, and the times between them
// cut in the same way.
func (p Plan) Short() Plan {
	out := slices.Clone(p)
	var shift time.Duration
	for i := range out {
		out[i].After = max(0, out[i].After-shift)
		i0 := slices.IndexFunc(kinds, func(k kindOf) bool { return k.name == out[i].Name })
		if over := out[i].For - kinds[i0].least; i+1 < len(out) && p[i+1].After >= p[i].After+p[i].For {
			shift += over // the next one waits for this one
		}
		out[i].For = kinds[i0].least
	}
	return out
}
