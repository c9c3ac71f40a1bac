package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
)

// SpendingModel sums up what models cost, by project and month: those that completions asked, and
// those of turns, test sessions included. It is read before each question, so it is one short
// read, however much was asked.
var SpendingModel = newSpendingModel()

func newSpendingModel() *projections.Model {
	m := projections.NewModel("spending", 1, []string{"spending"}, completions.Completions.Category, sessions.Sessions.Category)
	add := func(b *projections.Batch, at projections.At, tenant, project, model string, cost *int64, when time.Time) {
		by := projections.Row{"cost": int64(0), "unpriced": int64(0)}
		switch {
		case cost != nil && *cost != 0:
			by["cost"] = *cost
		case cost == nil && model != "":
			by["unpriced"] = int64(1)
		default:
			return
		}
		b.Add("spending", projections.Row{"tenant": tenant, "project_id": project, "month": projectsettings.Month(when), "topic": at.Topic,
			"partition": at.Partition}, by)
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e completions.Finished) {
		add(b, at, e.TenantID, e.ProjectID, e.ModelID, e.Cost, e.At)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e completions.Failed) {
		add(b, at, e.TenantID, e.ProjectID, e.ModelID, e.Cost, e.At)
	})
	projections.Ignore[completions.AnswerDropped](m)
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.ModelAnswered) {
		add(b, at, at.Tenant, e.ProjectID, e.ModelID, e.CostPico, e.At)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e sessions.ModelCounted) {
		add(b, at, at.Tenant, e.ProjectID, e.ModelID, e.CostPico, e.At)
	})
	projections.Ignore[sessions.Opened](m)
	projections.IgnoreTalk(m)
	return m
}

// Spending answers what models have cost.
type Spending struct {
	spent projections.Lookup[spendingKey, Spent]
	db    *pgxpool.Pool
}

type spendingKey struct{ tenant, project, month string }

// Spent is what a project's models have cost in a month.
type Spent struct {
	Pico     int64
	Unpriced int64
}

// NewSpending reads through the pool.
func NewSpending(db *pgxpool.Pool) *Spending {
	x := &Spending{db: db}
	x.spent.Ask = x.ask
	return x
}

// Of is what the models of a project have cost in a month. What many ask at once is one query.
func (x *Spending) Of(ctx context.Context, tenant, project, month string) (Spent, error) {
	spent, _, err := x.spent.Get(ctx, spendingKey{tenant, project, month})
	return spent, projections.Found(err, "reading what models have cost")
}

func (x *Spending) ask(ctx context.Context, keys []spendingKey) (map[spendingKey]Spent, error) {
	rows, err := x.db.Query(ctx, `SELECT q.tenant, q.project, q.month, least(sum(s.cost), 9e18)::bigint, sum(s.unpriced)::bigint
		FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[])) q(tenant, project, month)
		JOIN spending s ON s.tenant = q.tenant AND s.project_id = q.project AND s.month = q.month GROUP BY 1, 2, 3`,
		projections.Column(keys, func(k spendingKey) string { return k.tenant }),
		projections.Column(keys, func(k spendingKey) string { return k.project }),
		projections.Column(keys, func(k spendingKey) string { return k.month }))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[spendingKey]Spent, len(keys))
	for rows.Next() {
		var k spendingKey
		var s Spent
		if err := rows.Scan(&k.tenant, &k.project, &k.month, &s.Pico, &s.Unpriced); err != nil {
			return nil, err
		}
		out[k] = s
	}
	return out, rows.Err()
}
