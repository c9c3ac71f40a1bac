package engine

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/parley-platform/parley/projections/sink"
)

// tallyEvery is how often a node looks what all nodes have set aside.
const tallyEvery = 2 * time.Second

// tally keeps count of what is set aside now, whoever did it: a rebuild takes it back.
func (p *Projector) tally(ctx context.Context) {
	tick := time.NewTicker(tallyEvery)
	defer tick.Stop()
	for {
		if found, err := p.SetAside(ctx); err == nil {
			p.noteAside(found)
		} else if ctx.Err() == nil {
			p.Logger.Debug("counting what was set aside", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-p.counted:
		}
	}
}

// recount asks for a tally at once.
func (p *Projector) recount() {
	select {
	case p.counted <- struct{}{}:
	default:
	}
}

// SetAside is how many commits each read model does not hold; models that hold all
// of them are absent.
func (p *Projector) SetAside(ctx context.Context) (map[string]int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	rows, err := p.Queries.Query(ctx, `SELECT model, count(*) FROM projection_errors GROUP BY model`)
	if err != nil {
		return nil, fmt.Errorf("counting what was set aside: %w", err)
	}
	out := map[string]int64{}
	var model string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&model, &n}, func() error { out[model] = n; return nil }); err != nil {
		return nil, fmt.Errorf("counting what was set aside: %w", err)
	}
	return out, nil
}

func (p *Projector) noteAside(found map[string]int64) {
	p.mu.Lock()
	p.aside = maps.Clone(found)
	p.mu.Unlock()
	p.metrics.setAside.Reset()
	for _, m := range p.Models {
		p.metrics.setAside.WithLabelValues(m.Name).Set(0)
	}
	for model, n := range found {
		p.metrics.setAside.WithLabelValues(model).Set(float64(n))
	}
}

// reportAside tells the operator, once a minute for each model.
func (p *Projector) reportAside(aside []sink.Aside) {
	for _, a := range aside {
		p.metrics.asides.WithLabelValues(a.Model.Name).Inc()
		if n := p.alarms.due("aside "+a.Model.Name, 1, time.Now()); n > 0 {
			p.Logger.Error("a read model cannot take an event: its rows of that commit are missing, everything else goes on. Mend the read model, "+
				"then run: parley rebuild "+sink.Spoken(a.Model.Name),
				"model", a.Model.Name, "topic", a.Record.Topic, "partition", a.Record.Partition, "offset", a.Record.Offset, "stream", a.Record.Stream,
				"version", a.Record.Version,
				"type", a.Record.Type, "commit", a.Commit, "problem", a.Problem, "sinceLastLine", n)
		}
	}
	if len(aside) > 0 {
		p.recount()
	}
}
