package slices

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/handlers/acts/driving"
)

// measuresOf are what turns are at on this node. How many are suspended, and so wait for a
// callback, is over all nodes, and a timer each.
func measuresOf(turns *driving.Turns, code *codetool.Runner) []prometheus.Collector {
	gauge := func(name, help string, labels prometheus.Labels, now func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, now)
	}
	processes := func(state string, now func(all, idle int) int) prometheus.Collector {
		return gauge("parley_code_processes", "Processes for the code of tools on this node, by state: busy, idle.",
			prometheus.Labels{"state": state}, func() float64 { return float64(now(code.Processes())) })
	}
	return []prometheus.Collector{
		gauge("parley_turns_running", "Turns for which this node makes calls of models and tools.", nil,
			func() float64 { return float64(turns.Running()) }),
		gauge("parley_turns_waiting", "Messages that wait on this node until the turn before them has ended.", nil,
			func() float64 { return float64(turns.Lines.Waiting()) }),
		gauge("parley_turns_limit", "Turns for which this node makes calls at a time (--turns).", nil,
			func() float64 { return float64(turns.Limit()) }),
		gauge("parley_turns_waiting_limit", "Messages that may wait on this node (--waiting-messages).", nil,
			func() float64 { return float64(turns.Lines.MostOfAll) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "parley_turns_taken_over_total",
			Help: "Turns with which this node has gone on because nobody made their calls any more."},
			func() float64 { return float64(turns.TakenOver()) }),
		processes("busy", func(all, idle int) int { return all - idle }),
		processes("idle", func(_, idle int) int { return idle }),
	}
}
