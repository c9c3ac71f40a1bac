package projections

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/trunks"
)

// VoiceSetupModel stores what a call needs to begin: trunks, experience flows and
// the agents that take their calls.
var VoiceSetupModel = newVoiceSetupModel()

func newVoiceSetupModel() *Model {
	m := NewModel("voice setup", 1, []string{"trunks", "default_trunks", "flows", "agents"}, trunks.Trunks.Category, flows.Flows.Category, agents.Agents.Category)
	On(m, func(b *Batch, at At, e trunks.TrunkDefined) {
		b.Put("trunks", Row{"tenant": e.TenantID, "name": e.Name}, Row{"provider": string(e.Provider), "address": e.Address, "transport": string(e.Transport), "username": e.Username, "password": e.Password})
		if e.Default {
			b.Put("default_trunks", Row{"tenant": e.TenantID}, Row{"name": e.Name})
		}
	})
	On(m, func(b *Batch, at At, e trunks.TrunkRemoved) {
		b.Delete("trunks", Row{"tenant": e.TenantID, "name": e.Name})
		b.DeleteWhere("default_trunks", Row{"tenant": e.TenantID, "name": e.Name})
	})
	On(m, func(b *Batch, at At, e flows.FlowDefined) {
		b.Put("flows", flowKey(e.TenantID, e.ProjectID, e.FlowID), Row{"name": e.Name, "number": flows.NormalNumber(e.Number), "agent_name": e.AgentName, "language": e.Language})
	})
	On(m, func(b *Batch, at At, e flows.FlowRemoved) {
		b.Delete("flows", flowKey(e.TenantID, e.ProjectID, e.FlowID))
	})
	On(m, func(b *Batch, at At, e agents.AgentDefined) {
		b.Put("agents", agentKey(e.TenantID, e.ProjectID, e.AgentID), Row{"name": e.Name, "description": e.Description})
	})
	On(m, func(b *Batch, at At, e agents.DSLDeclared) {
		b.Set("agents", agentKey(e.TenantID, e.ProjectID, e.AgentID), Row{"dsl": e.DSLContent})
	})
	On(m, func(b *Batch, at At, e agents.AgentRemoved) {
		b.Delete("agents", agentKey(e.TenantID, e.ProjectID, e.AgentID))
	})
	return m
}

func flowKey(tenant, project, id string) Row {
	return Row{"tenant": tenant, "project_id": project, "flow_id": id}
}

func agentKey(tenant, project, id string) Row {
	return Row{"tenant": tenant, "project_id": project, "agent_id": id}
}

// VoiceSetup answers what a call needs to begin.
type VoiceSetup struct{ db *pgxpool.Pool }

// NewVoiceSetup reads through the pool.
func NewVoiceSetup(db *pgxpool.Pool) *VoiceSetup { return &VoiceSetup{db} }

// Trunk finds a trunk by name, or the tenant's default when name is empty.
func (v *VoiceSetup) Trunk(ctx context.Context, tenant, name string) (t trunks.Trunk, ok bool, err error) {
	err = v.db.QueryRow(ctx, `SELECT t.name, t.provider, t.address, t.transport, t.username, t.password FROM trunks t
		LEFT JOIN default_trunks d ON d.tenant = t.tenant WHERE t.tenant = $1 AND t.name = CASE WHEN $2 = '' THEN d.name ELSE $2 END`, tenant, name).
		Scan(&t.Name, &t.Provider, &t.Address, &t.Transport, &t.Username, &t.Password)
	return t, err == nil, found(err, "reading a trunk")
}

// FlowInfo is an experience flow and the agent that takes its calls.
type FlowInfo struct {
	flows.Flow
	AgentDSL string // the agent's working copy; empty when the flow names none
}

// FlowByNumber finds the flow that the caller of a dial-out chooses.
func (v *VoiceSetup) FlowByNumber(ctx context.Context, tenant, project, caller string) (f FlowInfo, ok bool, err error) {
	err = v.db.QueryRow(ctx, `SELECT f.flow_id, f.name, f.number, f.agent_name, f.language, coalesce(a.dsl, '') FROM flows f
		LEFT JOIN agents a ON a.tenant = f.tenant AND a.project_id = f.project_id AND a.name = f.agent_name
		WHERE f.tenant = $1 AND f.project_id = $2 AND f.number = $3`, tenant, project, flows.NormalNumber(caller)).
		Scan(&f.ID, &f.Name, &f.Number, &f.AgentName, &f.Language, &f.AgentDSL)
	return f, err == nil, found(err, "reading an experience flow")
}
