package runtime

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/projections"
)

// Generation is one time that a model was asked while a session went on.
type Generation struct {
	CompletionID string
	SessionID    string
	AgentName    string // that asked; of a completion the one that the session began with
	ModelID      string // empty: no model began
	Provider     string
	Model        string
	TokensIn     int64
	TokensOut    int64
	Estimated    bool
	Cost         *int64 // pico-dollars; nil: the price is not known
	LatencyMs    int64
	Streamed     bool
	FinishReason string // empty: it failed
	Failed       string // why; empty: it did not
	EndedAt      time.Time
}

// GenerationQuery selects generations of a project; what is empty selects all.
type GenerationQuery struct {
	Tenant, Project    string
	SessionID, ModelID string
	From, To           time.Time // when they ended: at or after, and before
	Limit, Offset      int
}

const inSessions = ` JOIN sessions s ON s.tenant = c.tenant AND s.project_id = c.project_id
	AND s.session_id = c.session_id WHERE c.tenant = $1 AND c.project_id = $2 AND c.session_id <> '' `

// ofSessions are the completions of sessions that the project has had: which session one is of
// is what its caller said.
const ofSessions = `FROM completions c` + inSessions

// ofSession are those of the session that is the parameter with this number. OFFSET 0 has an index find them before they are
// sorted, whatever Postgres thinks of how many a session has.
func ofSession(number int) string {
	return `FROM (SELECT * FROM completions WHERE tenant = $1 AND project_id = $2 AND session_id = $` + strconv.Itoa(number) +
		` AND session_id <> '' OFFSET 0) c` + inSessions
}

// ofTurns are those that turns asked: there is no need to look for their sessions.
const ofTurns = `FROM completions c WHERE c.tenant = $1 AND c.project_id = $2 AND c.of_turn `

// Generations lists what models were asked in sessions, the newest first, and how many there are in all. What selects all
// stands in no condition: each row that is counted would be held against it.
func (x *Completions) Generations(ctx context.Context, q GenerationQuery) ([]Generation, int, error) {
	args, that := []any{q.Tenant, q.Project, q.From, q.To}, `AND c.ended_at >= $3 AND c.ended_at < $4 `
	if q.ModelID != "" {
		args, that = append(args, q.ModelID), that+`AND c.model_id = $5 `
	}
	listed := ofSessions + that
	counted := `SELECT (SELECT count(*) ` + ofTurns + that + `) + (SELECT count(*) ` + ofSessions + `AND NOT c.of_turn ` + that + `)`
	if q.SessionID != "" { // said so, an index finds them
		args = append(args, q.SessionID)
		listed = ofSession(len(args)) + that
		counted = `SELECT count(*) ` + listed
	}
	return projections.Page[Generation](ctx, x.db, "listing generations", projections.PageQuery{
		Count: counted,
		Rows: `SELECT c.completion_id, c.session_id, coalesce(nullif(c.agent_name, ''), s.agent_name) AS agent_name, c.model_id, c.provider,
			c.model, c.tokens_in, c.tokens_out, c.estimated, c.cost, c.latency_ms, c.streamed, c.finish_reason, c.failed,
			c.ended_at ` + listed + fmt.Sprintf(`ORDER BY c.ended_at DESC, c.completion_id LIMIT $%d OFFSET $%d`, len(args)+1, len(args)+2),
		Args: args, Limit: q.Limit, Offset: q.Offset})
}

// ModelCalls are figures of the times that models were asked in a session.
type ModelCalls struct {
	Together bool   // of all models
	ModelID  string // else of this one; empty: none began
	Provider string
	Calls    int64
	Failed   int64
	Unpriced int64 // that took tokens whose price is not known
	Cost     int64 // pico-dollars of the others
	In, Out  int64 // tokens
	P50, P95 int64 // milliseconds
}

// OfSession is what models did in a session: by model, those that took most first, and
// together as the last one.
func (x *Completions) OfSession(ctx context.Context, tenant, project, session string) ([]ModelCalls, error) {
	return projections.All[ModelCalls](ctx, x.db, "summing up the models of a session", `SELECT grouping(c.model_id) = 1 AS together,
			coalesce(c.model_id, '') AS model_id, coalesce(c.provider, '') AS provider, count(*) AS calls,
			count(*) FILTER (WHERE c.failed NOT IN ('', '`+sessions.CodeCancelled+`')) AS failed,
			count(*) FILTER (WHERE c.cost IS NULL AND c.tokens > 0) AS unpriced,
			least(coalesce(sum(c.cost), 0), 9e18)::bigint AS cost, least(coalesce(sum(c.tokens_in), 0), 9e18)::bigint AS "in",
			least(coalesce(sum(c.tokens_out), 0), 9e18)::bigint AS "out",
			coalesce(percentile_disc(0.5) WITHIN GROUP (ORDER BY c.latency_ms), 0)::bigint AS p50,
			coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY c.latency_ms), 0)::bigint AS p95 `+ofSessions+`AND c.session_id = $3
		GROUP BY GROUPING SETS ((), (c.model_id, c.provider))
		ORDER BY together, sum(c.tokens) DESC, c.model_id, c.provider`, tenant, project, session)
}
