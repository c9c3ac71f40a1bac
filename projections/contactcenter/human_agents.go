package contactcenter

import (
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/projections"
)

// ClaimTimer fires when a claim of an agent's capacity lapses. The events say when the
// first of an agent's claims does, so one name is enough.
const ClaimTimer = "claim"

// HumanAgentsModel stores the people of organisations, their presence, what they have,
// and the queues they serve.
var HumanAgentsModel = newHumanAgentsModel()

func newHumanAgentsModel() *projections.Model {
	m := projections.NewModel("human agents", 1, []string{"human_agents", "agent_presence", "agent_claims", "queues", "queue_members",
		"timers"},
		humanagents.Organisations.Category, humanagents.Desks.Category, queues.Queues.Category)
	storeHumanAgents(m)
	storeDesks(m)
	storeQueues(m)
	return m
}

func humanAgentKey(tenant, id string) projections.Row {
	return projections.Row{"tenant": tenant, "agent_id": id}
}

func storeHumanAgents(m *projections.Model) {
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.HumanAgentDefined) {
		row := humanAgentRow(e.OrgID, e.Agent)
		row["created_at"], row["updated_at"] = e.CreatedAt, e.UpdatedAt
		b.Put("human_agents", humanAgentKey(e.TenantID, e.HumanAgentID), row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.HumanAgentUpdated) {
		row := humanAgentRow(e.OrgID, e.Agent)
		row["created_at"], row["updated_at"] = e.CreatedAt, e.UpdatedAt
		b.Put("human_agents", humanAgentKey(e.TenantID, e.HumanAgentID), row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.HumanAgentRemoved) {
		b.Delete("human_agents", humanAgentKey(e.TenantID, e.HumanAgentID))
	})
}

func humanAgentRow(orgID string, r humanagents.Record) projections.Row {
	groups, skills, limits := []string{r.AgentGroupID}, map[string]int{}, map[humanagents.Kind]int{}
	for _, g := range r.AgentGroups {
		groups = append(groups, g.GroupID)
	}
	for _, s := range r.Skills {
		skills[s.SkillID] = max(skills[s.SkillID], s.ProficiencyLevel)
	}
	for _, k := range humanagents.Kinds() {
		limits[k] = r.Limit(k)
	}
	return projections.Row{"org_id": orgID, "user_id": r.UserID, "name": r.LFullName, "groups": groups, "skills": skills, "limits": limits,
		"record": r}
}

func storeDesks(m *projections.Model) {
	claim := func(tenant, agent, claim string) projections.Row {
		return projections.Row{"tenant": tenant, "agent_id": agent, "claim_id": claim}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.AgentPresenceChanged) {
		row := projections.Row{"type": string(e.Type), "name": e.Name, "available_since": nil, "last_online_at": nil}
		if e.AvailableSince != nil {
			row["available_since"] = *e.AvailableSince
		}
		if e.LastOnlineAt != nil {
			row["last_online_at"] = *e.LastOnlineAt
		}
		b.Put("agent_presence", humanAgentKey(e.TenantID, e.HumanAgentID), row)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.CapacityClaimed) {
		b.Put("agent_claims", claim(e.TenantID, e.HumanAgentID, e.ClaimID), projections.Row{"conversation_id": e.ConversationID,
			"kind": string(e.Kind), "confirmed": false,
			"expires_at": e.ExpiresAt, "claimed_at": e.At})
		b.SetTimer(at, ClaimTimer, *e.NextExpiry)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.CapacityTaken) {
		b.Put("agent_claims", claim(e.TenantID, e.HumanAgentID, e.ClaimID), projections.Row{"conversation_id": e.ConversationID,
			"kind": string(e.Kind), "confirmed": true,
			"expires_at": e.At, "claimed_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.ClaimConfirmed) {
		b.Set("agent_claims", claim(e.TenantID, e.HumanAgentID, e.ClaimID), projections.Row{"confirmed": true})
		if e.NextExpiry == nil {
			b.ClearTimer(at, ClaimTimer)
			return
		}
		b.SetTimer(at, ClaimTimer, *e.NextExpiry)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e humanagents.CapacityReleased) {
		b.Delete("agent_claims", claim(e.TenantID, e.HumanAgentID, e.ClaimID))
		b.Set("agent_presence", humanAgentKey(e.TenantID, e.HumanAgentID), projections.Row{"last_released_at": e.At})
		if e.NextExpiry == nil {
			b.ClearTimer(at, ClaimTimer)
			return
		}
		b.SetTimer(at, ClaimTimer, *e.NextExpiry)
	})
}

func storeQueues(m *projections.Model) {
	key := func(tenant, id string) projections.Row { return projections.Row{"tenant": tenant, "queue_id": id} }
	member := func(tenant, id, who string, group bool) projections.Row {
		return projections.Row{"tenant": tenant, "queue_id": id, "is_group": group, "member": who}
	}
	projections.On(m, func(b *projections.Batch, at projections.At, e queues.QueueDefined) {
		skills := map[string]int{}
		for _, s := range e.Queue.Skills {
			skills[s.SkillID] = s.MinProficiency
		}
		b.Put("queues", key(e.TenantID, e.QueueID), projections.Row{"org_id": e.OrgID, "name": e.Queue.Name, "skills": skills, "record": e.Queue})
		b.DeleteWhere("queue_members", key(e.TenantID, e.QueueID))
		for _, a := range e.Queue.Agents {
			b.Put("queue_members", member(e.TenantID, e.QueueID, a.UserID, false), projections.Row{"preferred": a.IsPreferredAgent})
		}
		for _, g := range e.Queue.AgentGroups {
			b.Put("queue_members", member(e.TenantID, e.QueueID, g, true), projections.Row{"preferred": false})
		}
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e queues.QueueRemoved) {
		b.Delete("queues", key(e.TenantID, e.QueueID))
		b.DeleteWhere("queue_members", key(e.TenantID, e.QueueID))
	})
}
