package voice

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/projections"
)

// SetupModel stores what a call needs to begin, but for the agents that take calls: trunks
// and experience flows.
var SetupModel = newSetupModel()

func newSetupModel() *projections.Model {
	m := projections.NewModel("voice setup", 3, []string{"trunks", "default_trunks", "flows"}, trunks.Trunks.Category,
		flows.Flows.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e trunks.TrunkDefined) {
		row := projections.Row{"provider": string(e.Provider), "address": e.Address, "transport": string(e.Transport),
			"username": e.Username, "password": e.Password, "settings": nil, "unreachable": "", "registered_by": "", "not_registered": ""}
		if e.Provider == trunks.SIP {
			row["settings"] = trunks.Trunk{Username: e.Username, Settings: e.Settings}.Of()
		}
		b.Put("trunks", trunkKey(e.TenantID, e.Name), row)
		if e.Default {
			b.Put("default_trunks", projections.Row{"tenant": e.TenantID}, projections.Row{"name": e.Name})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e trunks.TrunkRemoved) {
		b.Delete("trunks", trunkKey(e.TenantID, e.Name))
		b.DeleteWhere("default_trunks", projections.Row{"tenant": e.TenantID, "name": e.Name})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e trunks.TrunkUnreachable) {
		b.Set("trunks", trunkKey(e.TenantID, e.Name), projections.Row{"unreachable": e.Problem})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e trunks.TrunkReachable) {
		b.Set("trunks", trunkKey(e.TenantID, e.Name), projections.Row{"unreachable": ""})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e trunks.TrunkRegistered) {
		b.Set("trunks", trunkKey(e.TenantID, e.Name), projections.Row{"registered_by": e.Node, "not_registered": ""})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e trunks.TrunkNotRegistered) {
		b.Set("trunks", trunkKey(e.TenantID, e.Name), projections.Row{"registered_by": "", "not_registered": e.Problem})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e flows.FlowDefined) {
		b.Put("flows", flowKey(e.TenantID, e.ProjectID, e.FlowID), projections.Row{"name": e.Name, "number": flows.NormalNumber(e.Number),
			"agent_name": e.AgentName, "language": e.Language, "recording": e.Recording})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e flows.FlowRemoved) {
		b.Delete("flows", flowKey(e.TenantID, e.ProjectID, e.FlowID))
	})
	return m
}

func trunkKey(tenant, name string) projections.Row {
	return projections.Row{"tenant": tenant, "name": name}
}

func flowKey(tenant, project, id string) projections.Row {
	return projections.Row{"tenant": tenant, "project_id": project, "flow_id": id}
}

// Setups answers what a call needs to begin.
type Setups struct {
	db    *pgxpool.Pool
	calls projections.Kept[callBegin, projections.CallSetup]
}

// NewSetups reads through the pool.
func NewSetups(db *pgxpool.Pool) *Setups {
	v := &Setups{db: db}
	v.calls.Ask = v.askCalls
	v.calls.Moments = projections.NewMoments(db)
	v.calls.Fits = func(k callBegin, c projections.CallSetup) bool { return k.size()+len(c.AgentDSL) <= largestKept }
	return v
}

// Knowing asks the database only when this node does not know how far settings are.
func (v *Setups) Knowing(here projections.Here) *Setups {
	v.calls.Moments.Here = here
	return v
}

// largestKept is the size up to which what a call begins with is remembered, most of which is the source of its agent.
const largestKept = 32 << 10

// callBegin is what a dial-out says of trunk and flow.
type callBegin struct{ tenant, project, trunk, number string }

func (b callBegin) size() int { return len(b.tenant) + len(b.project) + len(b.trunk) + len(b.number) }

// CallSetup finds the trunk (the tenant's default when its name is empty) and the
// flow that our number in a dial-out chooses.
func (v *Setups) CallSetup(ctx context.Context, tenant, project, trunk, number string) (projections.CallSetup, error) {
	c, _, err := v.calls.Get(ctx, callBegin{tenant, project, trunk, flows.NormalNumber(number)})
	return c, projections.Found(err, "reading what a call needs")
}

func (v *Setups) askCalls(ctx context.Context, keys []callBegin) (map[callBegin]projections.CallSetup, error) {
	rows, err := v.db.Query(ctx, `SELECT q.tenant, q.project, q.trunk, q.number, coalesce(t.name, ''), coalesce(t.provider, ''),
			coalesce(f.flow_id, ''), coalesce(f.name, ''), coalesce(f.agent_name, ''), coalesce(f.language, ''), coalesce(f.recording, false),
			coalesce(a.dsl, '')
		FROM unnest((SELECT $1::text[]), (SELECT $2::text[]), (SELECT $3::text[]), (SELECT $4::text[])) q(tenant, project, trunk, number)
		LEFT JOIN default_trunks d ON d.tenant = q.tenant AND q.trunk = ''
		LEFT JOIN LATERAL (SELECT name, provider FROM trunks WHERE tenant = q.tenant AND name = coalesce(d.name, q.trunk)) t ON true
		LEFT JOIN LATERAL (SELECT * FROM flows WHERE tenant = q.tenant AND project_id = q.project AND number = q.number LIMIT 1) f ON true
		`+projections.AgentSource,
		projections.Column(keys, func(k callBegin) string { return k.tenant }),
		projections.Column(keys, func(k callBegin) string { return k.project }),
		projections.Column(keys, func(k callBegin) string { return k.trunk }),
		projections.Column(keys, func(k callBegin) string { return k.number }))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := make(map[callBegin]projections.CallSetup, len(keys))
	for rows.Next() {
		var k callBegin
		var c projections.CallSetup
		if err := rows.Scan(&k.tenant, &k.project, &k.trunk, &k.number, &c.Trunk, &c.Provider, &c.Flow.ID, &c.Flow.Name, &c.Flow.AgentName,
			&c.Flow.Language, &c.Flow.Recording, &c.AgentDSL); err != nil {
			return nil, err
		}
		if c.Flow.ID != "" {
			c.Flow.Number = k.number
		}
		out[k] = c
	}
	return out, rows.Err()
}
