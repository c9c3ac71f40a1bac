package runtime

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/parley-platform/parley/projections"
)

// Sessions answers which sessions projects have had. The table is that of package voice.
type Sessions struct {
	db     *pgxpool.Pool
	one    projections.Lookup[ofTenant, Session]
	talk   projections.Lookup[ofTenant, talkRow]
	crowds crowds
}

// ofTenant is what a tenant has under an id.
type ofTenant struct{ tenant, id string }

// NewSessions reads through the pool.
func NewSessions(db *pgxpool.Pool) *Sessions {
	x := &Sessions{db: db}
	x.one.Ask, x.talk.Ask = x.ask, x.askToTalk
	return x
}

// Session is one session of a project.
type Session struct {
	SessionID    string
	ProjectID    string
	AgentName    string // that it began with
	Status       string
	Channel      string
	DeploymentID string
	Environment  string
	ContactID    string
	Test         bool
	Messages     int
	Traces       int
	Errors       int
	Handoffs     int
	OpenedAt     time.Time
	ActiveAt     time.Time
	EndedAt      *time.Time
	EndedBy      string
}

// Lasted is how long the session was: to its end, or to the last activity.
func (s Session) Lasted() time.Duration {
	if s.EndedAt != nil {
		return s.EndedAt.Sub(s.OpenedAt)
	}
	return s.ActiveAt.Sub(s.OpenedAt)
}

// ShownSession is a session with what others know of it, which no turn needs.
type ShownSession struct {
	Session
	AgentID string // of the agent of its name, empty where there is none any more
	Tokens  int64  // of models that were asked in it
	Cost    int64  // pico-dollars, of those whose price is known
}

const (
	sessionColumns = `SELECT s.session_id, s.project_id, s.agent_name, status, channel, deployment_id, environment, contact_id, test, messages,
		traces, errors, handoffs, opened_at, coalesce(active_at, opened_at) AS active_at, ended_at, ended_by`
	shownColumns = sessionColumns + `, coalesce((SELECT agent_id FROM agents a WHERE a.tenant = s.tenant AND a.project_id = s.project_id
			AND a.name = s.agent_name LIMIT 1), '') AS agent_id, least(coalesce(m.tokens, 0), 9e18)::bigint AS tokens,
			least(coalesce(m.cost, 0), 9e18)::bigint AS cost`
	withSpent = ` LEFT JOIN LATERAL (SELECT sum(c.tokens) AS tokens, sum(c.cost) AS cost FROM completions c
			WHERE c.tenant = s.tenant AND c.project_id = s.project_id AND c.session_id = s.session_id AND c.session_id <> '') m ON true `
)

// Get finds a session of a tenant. What many ask at once is one query.
func (x *Sessions) Get(ctx context.Context, tenant, id string) (Session, bool, error) {
	return x.one.Get(ctx, ofTenant{tenant, id})
}

func (x *Sessions) ask(ctx context.Context, keys []ofTenant) (map[ofTenant]Session, error) {
	found, err := projections.All[struct {
		Tenant string
		Session
	}](ctx, x.db, "reading sessions", sessionColumns+`, s.tenant FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) q(tenant, id)
		CROSS JOIN LATERAL (SELECT * FROM sessions WHERE session_id = q.id AND tenant = q.tenant LIMIT 1) s`,
		projections.Column(keys, func(k ofTenant) string { return k.tenant }), projections.Column(keys, func(k ofTenant) string { return k.id }))
	out := make(map[ofTenant]Session, len(found))
	for _, f := range found {
		out[ofTenant{f.Tenant, f.SessionID}] = f.Session
	}
	return out, err
}

// Shown is Get with all that is shown of a session.
func (x *Sessions) Shown(ctx context.Context, tenant, id string) (ShownSession, bool, error) {
	return projections.One[ShownSession](ctx, x.db, "reading a session", shownColumns+` FROM sessions s`+withSpent+
		`WHERE s.tenant = $1 AND s.session_id = $2`, tenant, id)
}

// SessionQuery selects sessions of a project; what is empty selects all.
type SessionQuery struct {
	Tenant, Project              string
	Status, AgentName, ContactID string
	Channels                     []string   // any of them; nil: of all
	From, To                     *time.Time // when they were opened: at or after, and before
	Limit, Offset                int
}

// List returns sessions, those with the newest activity first, and how many there are in all.
func (x *Sessions) List(ctx context.Context, q SessionQuery) ([]ShownSession, int, error) {
	const where = `WHERE s.tenant = $1 AND s.project_id = $2 AND ($3 = '' OR status = $3)
		AND ($4::text[] IS NULL OR channel = ANY($4)) AND ($5 = '' OR agent_name = $5) AND ($6 = '' OR contact_id = $6)
		AND ($7::timestamptz IS NULL OR opened_at >= $7) AND ($8::timestamptz IS NULL OR opened_at < $8) `
	const order = `ORDER BY s.active_at DESC, s.session_id`
	return projections.Page[ShownSession](ctx, x.db, "listing sessions", projections.PageQuery{
		Count: `SELECT count(*) FROM sessions s ` + where,
		Rows: shownColumns + ` FROM (SELECT s.* FROM sessions s ` + where + order + ` LIMIT $9 OFFSET $10) s` +
			withSpent + order, // not of those that are passed over
		Args: []any{q.Tenant, q.Project, q.Status, q.Channels, q.AgentName, q.ContactID, q.From, q.To}, Limit: q.Limit, Offset: q.Offset})
}

// Sources returns texts of agents of a project by their hashes.
func (x *Agents) Sources(ctx context.Context, tenant, project string, hashes []string) (map[string]string, error) {
	found, err := projections.All[struct{ SourceHash, DSL string }](ctx, x.db, "reading sources of agents", `SELECT source_hash, dsl
		FROM agent_sources WHERE tenant = $1 AND project_id = $2 AND source_hash = ANY ($3)`, tenant, project, hashes)
	out := make(map[string]string, len(found))
	for _, f := range found {
		out[f.SourceHash] = f.DSL
	}
	return out, err
}

// WithID finds an agent of a project by its id, with its working copy.
func (x *Agents) WithID(ctx context.Context, tenant, project, id string) (Agent, bool, error) {
	return projections.One[Agent](ctx, x.db, "looking for an agent", selectAgent+`WHERE tenant = $1 AND project_id = $2 AND agent_id = $3`,
		tenant, project, id)
}

// Begun gives sessions of a project that were begun within [from, to), the oldest first, those
// after one of them.
func (x *Sessions) Begun(ctx context.Context, tenant, project string, from, to time.Time, after Session, limit int) ([]Session, error) {
	return projections.All[Session](ctx, x.db, "listing sessions by their beginning", sessionColumns+` FROM sessions s WHERE s.tenant = $1
		AND s.project_id = $2 AND s.opened_at >= $3 AND s.opened_at < $4 AND (s.opened_at, s.session_id) > ($5, $6)
		ORDER BY s.opened_at, s.session_id LIMIT $7`, tenant, project, from, to, after.OpenedAt, after.SessionID, limit)
}
