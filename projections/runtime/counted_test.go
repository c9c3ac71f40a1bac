package runtime_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/sessions"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given many sessions in which a model was asked, then a page of them, or of what was asked, counts all in an index alone.
func TestSessionsAndGenerationsAreCountedInAnIndex(t *testing.T) {
	w, ctx := given.Open(t), t.Context()
	w.Given(voice.SessionsModel, "s-0", sessions.Opened{SessionID: "s-0", TenantID: "t", ProjectID: "p", Channel: "api", At: given.Noon})
	w.Given(runtime.CompletionsModel, "c-0", completions.Failed{Figures: completions.Figures{CompletionID: "c-0", TenantID: "t"},
		At: given.Noon})
	for _, sql := range []string{`INSERT INTO sessions (session_id, tenant, project_id, channel, call_id, agent_name, status, opened_at,
			active_at) SELECT 's-' || n, 't', 'p', 'api', '', 'guide', CASE WHEN n % 10 = 0 THEN 'active' ELSE 'ended' END, now(), now()
			FROM generate_series(1, 20000) n`,
		`INSERT INTO completions (completion_id, tenant, project_id, session_id, model_id, provider, tokens, latency_ms, ended_at, of_turn)
			SELECT 'c-' || n, 't', 'p', 's-' || n, 'm', 'local', 1, 1, timestamptz '2026-03-01 12:00:00Z' + n * interval '1 s', true
			FROM generate_series(1, 20000) n`, `VACUUM ANALYZE sessions`, `VACUUM ANALYZE completions`} {
		_, err := w.DB.Exec(ctx, sql)
		require.NoError(t, err)
	}
	for filter, q := range map[string]runtime.SessionQuery{`'', NULL, ''`: {}, `'active', NULL, ''`: {Status: "active"},
		`'', '{api}', ''`: {Channels: []string{"api"}}, `'', NULL, 'guide'`: {AgentName: "guide"}} {
		q.Tenant, q.Project, q.Limit = "t", "p", 50
		plan := w.CountedBy(`'t', 'p', `+filter+`, '', NULL, NULL`, func(db *pgxpool.Pool) {
			_, _, err := runtime.NewSessions(db).List(ctx, q)
			require.NoError(t, err)
		})
		require.Contains(t, plan, "Index Only Scan using sessions_counted", filter)
	}
	for _, model := range []string{"", "m"} {
		q := runtime.GenerationQuery{Tenant: "t", Project: "p", ModelID: model, From: given.Noon, To: given.Second(10_000), Limit: 50}
		arguments := `'t', 'p', '2026-03-01 12:00:00Z', '2026-03-01 14:00:00Z'`
		if model != "" {
			arguments += `, '` + model + `'`
		}
		plan := w.CountedBy(arguments, func(db *pgxpool.Pool) {
			_, total, err := runtime.NewCompletions(db).Generations(ctx, q)
			require.NoError(t, err)
			require.Equal(t, 9_999, total)
		})
		require.Contains(t, plan, "Index Only Scan using completions_of_turns")
		require.Equal(t, model != "", strings.Contains(plan, "model_id"), "what is not asked for is not looked at:\n%s", plan)
	}
}
