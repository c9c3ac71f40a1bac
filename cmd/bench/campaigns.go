package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// What a campaign is measured with: calls that take no time to speak of, on more lines
// than are ever busy, so that the engine is what bounds it.
const (
	campaignFigure = "campaign calls started"
	campaignSpeed  = 1000
	campaignLines  = 100
)

// campaigns measures how many calls a campaign starts, each from its contact's turn to its
// outcome, on one node and on two. Its parts are its own: the calls that others have asked
// for would be dialled too.
func (c *Command) campaigns(dir string, out *report) error {
	if len(c.KafkaBrokers) > 0 || !c.wants(campaignFigure) {
		return nil
	}
	return c.part(dir, func(b *bench) error {
		ctx := context.Background()
		out.heading("campaigns")
		b.cfg.SimSpeed, b.cfg.CampaignLines = campaignSpeed, campaignLines
		db, err := b.react(ctx, dir)
		if err != nil {
			return err
		}
		defer db.Close()
		m := campaignBench{bench: b, db: db}
		if err := m.list(ctx); err != nil {
			return err
		}
		one, err := m.measure(ctx, c.For)
		if err != nil {
			return err
		}
		one.Name = campaignFigure
		out.add(one)
		other, err := b.another(ctx, filepath.Join(dir, "second"))
		if err != nil {
			return err
		}
		defer other.Close(ctx)
		two, err := m.measure(ctx, c.For)
		if err != nil {
			return err
		}
		two.Name = campaignFigure + ", two nodes"
		out.add(two)
		return nil
	})
}

// campaignBench runs campaigns on what a bench has.
type campaignBench struct {
	*bench
	db *pgxpool.Pool
}

// list makes the longest list that there may be.
func (m campaignBench) list(ctx context.Context) error {
	people := make([]contactlists.Contact, contactlists.MaxContacts)
	for i := range people {
		people[i].PhoneNumber = fmt.Sprintf("+1555%07d", i)
	}
	define := contactlists.DefineList{TenantID: m.work.Account, ProjectID: m.work.Project, ID: "bench", Name: "bench", Contacts: people}
	return inBench(ctx, m.bench, contactlists.Lists, contactlists.Stream(m.work.Account, m.work.Project), define.Decide)
}

// measure runs a campaign of its own from its first call on, for so long or until all are
// called.
func (m campaignBench) measure(ctx context.Context, d time.Duration) (f figure, err error) {
	id, runID := campaigns.IDPrefix+uuid.NewString(), campaigns.RunPrefix+uuid.NewString()
	hours := campaigns.Hours{Frequency: campaigns.Daily, Timezone: "UTC", Days: []campaigns.Window{{Start: "12:00 AM", End: "11:59 PM"}}}
	definition := campaigns.Definition{Name: "bench", Description: "bench", Kind: campaigns.Voice, Priority: 3, OurNumber: "+" +
		m.work.OurNumber,
		Hours: hours, FlowID: benchFlow, FlowName: benchFlow,
		ContactLists: []string{"bench"}, Format: "advanced"}
	say := func(decide func(campaigns.State) ([]event.Payload, error)) {
		if err == nil {
			err = inBench(ctx, m.bench, campaigns.Campaigns, campaigns.Stream(m.work.Account, id), decide)
		}
	}
	say(campaigns.Define{TenantID: m.work.Account, ProjectID: m.work.Project, ID: id, Definition: definition, At: time.Now()}.Decide)
	before, err := m.started(ctx, err)
	say(campaigns.Start{RunID: runID, Contacts: 1, At: time.Now()}.Decide)
	if err != nil {
		return f, err
	}
	run := func(what string, met func(r campaignmodels.Run, started int) bool) (n int, err error) {
		for deadline := time.Now().Add(d + 2*time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
			r, _, err := campaignmodels.NewRuns(m.db, nil).Run(ctx, m.work.Account, id, runID)
			if n, err = m.started(ctx, err); err != nil {
				return n, err
			}
			if met(r, n) {
				return n, nil
			}
		}
		return n, fmt.Errorf("a campaign: %s did not come about", what)
	}
	first, err := run("a first call", func(_ campaignmodels.Run, started int) bool { return started > before })
	if err != nil {
		return f, err
	}
	cpu, began := spent(), time.Now()
	last, err := run("the end", func(r campaignmodels.Run, _ int) bool {
		return time.Since(began) > d || r.Status == campaignmodels.RunFinished
	})
	if err != nil {
		return f, err
	}
	f.Rate = float64(last-first) / time.Since(began).Seconds()
	f.CPU = float64((spent() - cpu).Microseconds()) / float64(max(last-first, 1))
	say(func(s campaigns.State) ([]event.Payload, error) {
		if !s.Running() { // all were called before the time was over
			return nil, nil
		}
		return campaigns.Pause{At: time.Now()}.Decide(s)
	})
	_, err2 := run("the end of what is under way", func(r campaignmodels.Run, _ int) bool {
		return r.Status == campaignmodels.RunFinished || r.Status == campaignmodels.RunHeld && r.UnderWay == 0
	})
	if err == nil {
		err = err2
	}
	return f, err
}

// benchFlow is an experience flow of the example workspace.
const benchFlow = "cf-acme-support"

// started is how many calls were begun on this log so far.
func (m campaignBench) started(ctx context.Context, before error) (n int, err error) {
	if before != nil {
		return 0, before
	}
	err = m.db.QueryRow(ctx, `SELECT count(*) FROM events WHERE stream LIKE 'call-%' AND type LIKE 'parley.calls.attempt-started.%'`).Scan(&n)
	return n, err
}

// inBench sends a command beside the API.
func inBench[S any](ctx context.Context, b *bench, agg *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error)) error {
	return eventstore.Do(ctx, b.node.Store(), agg, stream, eventstore.Command{Tenant: b.work.Account, Actor: "bench"}, decide)
}
