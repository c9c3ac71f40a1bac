package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/projections"
)

// Called is an experience flow that takes the calls to a number.
type Called struct {
	ProjectID string
	FlowID    string
	Name      string
	AgentName string
	Language  string
	Recording bool
	AgentDSL  string // see projections.AgentSource; empty when there is no such agent
}

// CalledNumber finds the flows of a number among all projects of an account, in the order of the
// projects. There is one where the number chooses who answers.
func (v *Setups) CalledNumber(ctx context.Context, tenant, number string) ([]Called, error) {
	return projections.All[Called](ctx, v.db, "looking for the flow of a called number",
		`SELECT f.project_id, f.flow_id, f.name, f.agent_name, f.language, f.recording, coalesce(a.dsl, '') AS agent_dsl FROM flows f
		`+projections.AgentSource+` WHERE f.tenant = $1 AND f.number = $2 ORDER BY f.project_id LIMIT 2`,
		tenant, flows.NormalNumber(number))
}

// Number is one that an account may take calls to.
type Number struct{ Tenant, Number string }

// LongestHad says which of several numbers somebody takes the calls to; of several accounts who do, the one that has done so for
// longest: who comes later takes nothing from who was there. -1: nobody does.
func (v *Setups) LongestHad(ctx context.Context, of []Number) (longest int, err error) {
	var taken []Called
	var takers []int
	for i, n := range of {
		found, err := v.CalledNumber(ctx, n.Tenant, n.Number)
		if err != nil {
			return -1, err
		}
		if len(found) > 0 {
			taken, takers = append(taken, found[0]), append(takers, i)
		}
	}
	if len(takers) == 0 {
		return -1, nil
	}
	longest, first := takers[0], time.Time{}
	for k, i := range takers {
		if len(takers) == 1 || of[i].Tenant == of[longest].Tenant && k > 0 {
			continue
		}
		since, err := v.since(ctx, of[i], taken[k])
		if err != nil {
			return -1, err
		}
		if k == 0 || since.Before(first) {
			longest, first = i, since
		}
	}
	return longest, nil
}

// since is when a flow was given its number: no table says it.
func (v *Setups) since(ctx context.Context, n Number, of Called) (since time.Time, err error) {
	rows, err := v.db.Query(ctx, `SELECT type, time, data FROM events WHERE stream = $1 ORDER BY version`,
		flows.Stream(n.Tenant, of.ProjectID))
	if err != nil {
		return since, projections.Found(err, "asking since when a number is taken")
	}
	defer rows.Close()
	number := ""
	for rows.Next() {
		var kind string
		var at time.Time
		var data []byte
		if err := rows.Scan(&kind, &at, &data); err != nil {
			return since, projections.Found(err, "asking since when a number is taken")
		}
		var e flows.FlowDefined // a removal has the id alone, and so no number
		if err := json.Unmarshal(data, &e); err != nil {
			return since, fmt.Errorf("reading a %s: %w", kind, err)
		}
		if e.FlowID == of.FlowID && e.Number != number {
			number, since = e.Number, at
		}
	}
	return since, projections.Found(rows.Err(), "asking since when a number is taken")
}
