package contactcenter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/projections"
)

// AgentsPage is how many agents a page of List has (docs/api-rules.md "Paging").
const AgentsPage = 50

// HumanAgents answers who there is, and who can take a conversation.
type HumanAgents struct{ db *pgxpool.Pool }

// NewHumanAgents reads through the pool.
func NewHumanAgents(db *pgxpool.Pool) *HumanAgents { return &HumanAgents{db} }

// HumanAgent is an agent with its presence.
type HumanAgent struct {
	humanagents.Record
	Standing
	Queues []queues.Queue // that it serves, by name; List with queues only
}

// Standing is what is known of an agent beside its record.
type Standing struct {
	CreatedAt, UpdatedAt time.Time
	Presence             humanagents.PresenceType // as the agent set it
	PresenceName         string
	Full                 bool       // has all the conversations of a kind that it can have
	LastOnlineAt         *time.Time // nil: never
}

// foundAgent is an agent as its row tells it.
type foundAgent struct {
	Record humanagents.Record
	Standing
}

func (r foundAgent) agent() HumanAgent { return HumanAgent{Record: r.Record, Standing: r.Standing} }

// Organisation is the id of the tenant's organisation.
func (x *HumanAgents) Organisation(ctx context.Context, tenant string) (orgID string, ok bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT org_id FROM tenants WHERE tenant = $1`, tenant).Scan(&orgID)
	return orgID, err == nil, projections.Found(err, "reading the organisation")
}

// HumanAgentCard is how a human agent is shown.
type HumanAgentCard struct{ HumanAgentID, Name, Email string }

// Named finds agents by what others call them: id, user, own id or e-mail, an id before
// the others. The cards are by the name as it was asked for; who is not known is not
// there.
func (x *HumanAgents) Named(ctx context.Context, tenant string, names []string) (map[string]HumanAgentCard, error) {
	out := map[string]HumanAgentCard{}
	// own ids may be empty: all of those would match
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return out, nil
	}
	type agent struct {
		HumanAgentCard
		UserID, CustomID string
	}
	found, err := projections.All[agent](ctx, x.db, "looking for human agents by name", `SELECT agent_id AS human_agent_id, user_id,
			coalesce(record->>'customId', '') AS custom_id, coalesce(record->>'emailId', '') AS email, coalesce(record->>'fullName', '') AS name
		FROM human_agents WHERE tenant = $1
			AND (agent_id = ANY($2) OR user_id = ANY($2) OR record->>'customId' = ANY($2) OR lower(record->>'emailId') = ANY($3))
		ORDER BY agent_id DESC`, tenant, names, projections.Column(names, humanagents.EmailKey))
	if err != nil {
		return nil, err
	}
	byName := [4]map[string]HumanAgentCard{{}, {}, {}, {}} // id, user, own id, e-mail
	for _, a := range found {
		for i, name := range []string{a.HumanAgentID, a.UserID, a.CustomID, humanagents.EmailKey(a.Email)} {
			byName[i][name] = a.HumanAgentCard
		}
	}
	for _, name := range names {
		for i, asked := range []string{name, name, name, humanagents.EmailKey(name)} {
			if card, ok := byName[i][asked]; ok {
				out[name] = card
				break
			}
		}
	}
	return out, nil
}

// Holding lists the agents who have a conversation, see conversations.State.Key.
func (x *HumanAgents) Holding(ctx context.Context, tenant, conversation string) ([]string, error) {
	return projections.TextColumn(ctx, x.db, "looking for the agents of a conversation",
		`SELECT DISTINCT agent_id FROM agent_claims WHERE tenant = $1 AND conversation_id = $2 ORDER BY agent_id`, tenant, conversation)
}

const selectHumanAgents = `SELECT a.record, a.created_at, a.updated_at, coalesce(p.type, 'OFFLINE') AS presence,
	coalesce(p.name, 'Offline') AS presence_name, p.last_online_at,
	EXISTS (SELECT FROM agent_claims c WHERE c.tenant = a.tenant AND c.agent_id = a.agent_id GROUP BY c.kind
		HAVING count(*) >= (a.limits->>c.kind)::int) AS full
	FROM human_agents a LEFT JOIN agent_presence p ON p.tenant = a.tenant AND p.agent_id = a.agent_id`

// Agent finds one agent.
func (x *HumanAgents) Agent(ctx context.Context, tenant, id string) (HumanAgent, bool, error) {
	row, ok, err := projections.One[foundAgent](ctx, x.db, "reading a human agent",
		selectHumanAgents+` WHERE a.tenant = $1 AND a.agent_id = $2`, tenant, id)
	return row.agent(), ok, err
}

// List gives a page of an organisation's agents by name, the first page being 1.
func (x *HumanAgents) List(ctx context.Context, tenant, org string, page int, withQueues bool) ([]HumanAgent, error) {
	rows, err := projections.All[foundAgent](ctx, x.db, "listing human agents",
		selectHumanAgents+` WHERE a.tenant = $1 AND a.org_id = $2 ORDER BY a.name, a.agent_id LIMIT $3 OFFSET $4`,
		tenant, org, AgentsPage, int64(page-1)*AgentsPage)
	if err != nil {
		return nil, err
	}
	list := projections.Column(rows, foundAgent.agent)
	if withQueues && len(list) > 0 {
		return list, x.addQueues(ctx, tenant, list)
	}
	return list, nil
}

// serves is when an agent (a) belongs to a queue: it is listed, by its user or by its
// own id, or it is in a group that is.
const serves = `m.tenant = a.tenant AND (NOT m.is_group AND m.member IN (a.agent_id, a.user_id) OR m.is_group AND a.groups ? m.member)`

func (x *HumanAgents) addQueues(ctx context.Context, tenant string, list []HumanAgent) error {
	byID := map[string]*HumanAgent{}
	ids := make([]string, len(list))
	for i := range list {
		ids[i], byID[list[i].ID] = list[i].ID, &list[i]
	}
	rows, err := x.db.Query(ctx, `SELECT a.agent_id, q.record FROM human_agents a, queues q WHERE a.tenant = $1 AND a.agent_id = ANY($2)
		AND q.tenant = a.tenant
		AND EXISTS (SELECT 1 FROM queue_members m WHERE m.queue_id = q.queue_id AND `+serves+`) ORDER BY q.name, q.queue_id`, tenant, ids)
	if err != nil {
		return fmt.Errorf("reading the queues of human agents: %w", err)
	}
	var id string
	var record []byte
	_, err = pgx.ForEachRow(rows, []any{&id, &record}, func() error {
		var q queues.Queue
		if err := json.Unmarshal(record, &q); err != nil {
			return err
		}
		byID[id].Queues = append(byID[id].Queues, q)
		return nil
	})
	if err != nil {
		return fmt.Errorf("reading the queues of human agents: %w", err)
	}
	return nil
}

// Queue finds one queue.
func (x *HumanAgents) Queue(ctx context.Context, tenant, id string) (q queues.Queue, ok bool, err error) {
	var record []byte
	err = x.db.QueryRow(ctx, `SELECT record FROM queues WHERE tenant = $1 AND queue_id = $2`, tenant, id).Scan(&record)
	if err == nil {
		err = json.Unmarshal(record, &q)
	}
	return q, err == nil, projections.Found(err, "reading a queue")
}

// QueueCalled finds the queue of a tenant that has a text as its id or, else, as its name.
func (x *HumanAgents) QueueCalled(ctx context.Context, tenant, text string) (id string, ok bool, err error) {
	err = x.db.QueryRow(ctx, `SELECT queue_id FROM queues WHERE tenant = $1 AND (queue_id = $2 OR record->>'name' = $2)
		ORDER BY queue_id <> $2, queue_id LIMIT 1`, tenant, text).Scan(&id)
	return id, err == nil, projections.Found(err, "looking for a queue")
}

// Candidates gives the agents of a queue who could take a conversation when this was
// read (the claim decides): available, with capacity for the kind and all skills that
// the queue and the caller ask for. At most 50: those of first, then preferred ones, then
// who has been idle for longest.
func (x *HumanAgents) Candidates(ctx context.Context, tenant, queueID string, kind humanagents.Kind, skills []queues.Skill,
	first []string) ([]transfers.Candidate, error) {
	names, least := make([]string, len(skills)), make([]int32, len(skills))
	for i, s := range skills {
		names[i], least[i] = s.SkillID, int32(s.MinProficiency)
	}
	return projections.All[transfers.Candidate](ctx, x.db, "looking for an agent of queue "+queueID,
		`SELECT a.agent_id AS human_agent_id, m.preferred,
			greatest(p.available_since, p.last_released_at) AS idle_since
		FROM queues q
		JOIN human_agents a ON a.tenant = q.tenant AND a.org_id = q.org_id
		JOIN agent_presence p ON p.tenant = a.tenant AND p.agent_id = a.agent_id AND p.type = 'AVAILABLE'
		CROSS JOIN LATERAL (SELECT bool_or(m.preferred) preferred FROM queue_members m WHERE m.queue_id = q.queue_id AND `+serves+`) m
		CROSS JOIN LATERAL (SELECT count(*)::int load FROM agent_claims c WHERE c.tenant = a.tenant AND c.agent_id = a.agent_id
		AND c.kind = $3::text) l
		WHERE q.tenant = $1 AND q.queue_id = $2 AND m.preferred IS NOT NULL AND l.load < (a.limits->>$3::text)::int
			AND NOT EXISTS (SELECT 1 FROM (SELECT key, value::int FROM jsonb_each_text(q.skills) UNION ALL SELECT *
			FROM unnest($4::text[], $5::int[])) n(skill, least)
				WHERE coalesce((a.skills->>n.skill)::int, -1) < n.least)
		ORDER BY a.agent_id = ANY($6::text[]) DESC, m.preferred DESC, idle_since, a.agent_id
		LIMIT 50`, tenant, queueID, string(kind), names, least, first)
}
