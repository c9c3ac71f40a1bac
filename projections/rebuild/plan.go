package rebuild

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/projections"
	"github.com/parley-platform/parley/projections/sink"
)

// plan is what a rebuild makes.
type plan struct {
	names    []string
	versions map[string]int // by name
	index    bool
	models   []*projections.Model
	topics   []*event.Category
	whole    []string            // tables that are replaced whole
	shared   map[string][]string // tables that others write too: the topics whose rows are replaced
}

// planOf finds what the names mean.
func planOf(all []*projections.Model, categories []*event.Category, names []string) (plan, error) {
	p := plan{versions: map[string]int{}, shared: map[string][]string{}}
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[sink.Spoken(n)] = true
	}
	pick := func(name string, version int) bool {
		if len(names) > 0 && !wanted[sink.Spoken(name)] {
			return false
		}
		delete(wanted, sink.Spoken(name))
		p.names, p.versions[name] = append(p.names, name), version
		return true
	}
	p.index = pick(IndexName, IndexVersion)
	known := []string{IndexName}
	for _, m := range all {
		known = append(known, sink.Spoken(m.Name))
		if pick(m.Name, m.Version) {
			p.models = append(p.models, m)
		}
	}
	for n := range wanted {
		return p, fmt.Errorf("there is no read model %q; there are %s", n, strings.Join(known, ", "))
	}
	for _, c := range categories {
		if p.index || slices.ContainsFunc(p.models, func(m *projections.Model) bool { return m.Reads(c.Topic()) }) {
			p.topics = append(p.topics, c)
		}
	}
	return p, p.divide(all)
}

// divide sorts the tables into those that are replaced whole, and those of which
// models that are not rebuilt keep their rows.
func (p *plan) divide(all []*projections.Model) error {
	if p.index {
		p.whole = append(p.whole, "events")
	}
	kept := map[string]bool{} // tables of others
	for _, o := range all {
		if slices.Contains(p.models, o) {
			continue
		}
		for _, m := range p.models {
			if why := inseparable(m, o); why != "" {
				return fmt.Errorf("%s: rebuild both", why)
			}
		}
		for _, t := range o.Tables {
			kept[t] = true
		}
	}
	mine := map[string]bool{}
	for _, m := range p.models {
		for _, t := range m.Tables {
			if kept[t] {
				p.shared[t] = slices.AppendSeq(p.shared[t], maps.Keys(m.Follows()))
			}
			mine[t] = !kept[t]
		}
	}
	for _, t := range slices.Sorted(maps.Keys(mine)) {
		if mine[t] {
			p.whole = append(p.whole, t)
		} else {
			slices.Sort(p.shared[t])
		}
	}
	return nil
}

// inseparable says why a model cannot be rebuilt without another one; empty: it can.
func inseparable(m, o *projections.Model) string {
	for _, t := range m.Tables {
		if !slices.Contains(o.Tables, t) {
			continue
		}
		if t != timers {
			return fmt.Sprintf("the table %s is written by %s too, and its rows do not say by whom", t, sink.Spoken(o.Name))
		}
		for topic := range m.Follows() { // a timer's row says which category its stream is of
			if o.Reads(topic) {
				return fmt.Sprintf("timers of %s are kept by %s and by %s", topic, sink.Spoken(m.Name), sink.Spoken(o.Name))
			}
		}
	}
	return ""
}

const timers = "timers"

// Together adds to names of read models those that cannot be left out where these are rebuilt, as they
// write rows of which nobody can say whose they are.
func Together(all []*projections.Model, names []string) []string {
	out := slices.Clone(names)
	said := func(m *projections.Model) bool {
		return slices.ContainsFunc(out, func(n string) bool { return sink.Spoken(n) == sink.Spoken(m.Name) })
	}
	for i := 0; i < len(out); i++ {
		at := slices.IndexFunc(all, func(m *projections.Model) bool { return sink.Spoken(m.Name) == sink.Spoken(out[i]) })
		if at < 0 {
			continue // the index of the log
		}
		for _, o := range all {
			if !said(o) && inseparable(all[at], o) != "" {
				out = append(out, o.Name)
			}
		}
	}
	return out
}

// allTables are those that the rebuild fills.
func (p plan) allTables() []string {
	all := append(slices.Collect(maps.Keys(p.shared)), p.whole...)
	return slices.Sorted(slices.Values(append(all, "projection_errors")))
}
