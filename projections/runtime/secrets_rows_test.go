package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/secrets"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given the events of a secret, then these are the rows after each, and none has the value.
func TestRowsOfToolSecrets(t *testing.T) {
	model := given.Open(t).Follow(runtime.SecretsModel)
	model.After("x", given.Filled[secrets.Created](),
		"+ tool_secrets secret_id=secretId tenant=tenantId project_id=projectId tool_name=toolName secret_key=secretKey "+
			"environment=environment version=9 expires_at=12:00:11 created_at=12:00:12 updated_at=12:00:12")
	model.After("x", given.Filled(func(e *secrets.Changed) { e.ExpiresAt = nil }),
		"~ tool_secrets secret_id=secretId: version=6 expires_at= updated_at=12:00:09")
	model.After("x", given.Filled[secrets.Deleted](), "- tool_secrets secret_id=secretId")
}

// Given secrets of two tools, then each question finds those that it is about.
func TestAnswersAboutToolSecrets(t *testing.T) {
	w := given.Open(t)
	for id, s := range map[string]secrets.Created{
		"ts-1": {ToolName: "crm", SecretKey: "b", Environment: "dev"}, "ts-2": {ToolName: "crm", SecretKey: "a", Environment: "staging"},
		"ts-3": {ToolName: "pay", SecretKey: "a", Environment: "dev"},
	} {
		w.Given(runtime.SecretsModel, id, given.Filled(func(e *secrets.Created) {
			e.SecretID, e.ToolName, e.SecretKey, e.Environment = id, s.ToolName, s.SecretKey, s.Environment
		}))
	}
	x, ctx := runtime.NewSecrets(w.DB), t.Context()
	for _, c := range []struct {
		tenant, project, tool, environment string
		limit, offset                      int
		want                               []string
		total                              int
	}{
		{"tenantId", "projectId", "", "", 9, 0, []string{"ts-2", "ts-1", "ts-3"}, 3},
		{"tenantId", "projectId", "crm", "", 9, 0, []string{"ts-2", "ts-1"}, 2},
		{"tenantId", "projectId", "", "dev", 9, 0, []string{"ts-1", "ts-3"}, 2},
		{"tenantId", "projectId", "", "", 1, 2, []string{"ts-3"}, 3},
		{"tenantId", "projectId", "", "", 9, 9, nil, 3},
		{"other", "projectId", "", "", 9, 0, nil, 0},
		{"tenantId", "other", "", "", 9, 0, nil, 0},
	} {
		found, total, err := x.List(ctx, c.tenant, c.project, c.tool, c.environment, c.limit, c.offset)
		require.NoError(t, err)
		var ids []string
		for _, s := range found {
			ids = append(ids, s.SecretID)
		}
		require.Equal(t, c.want, ids)
		require.Equal(t, c.total, total)
	}
	one, ok, err := x.Get(ctx, "tenantId", "ts-2")
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "a", one.SecretKey)
	_, ok, err = x.Get(ctx, "other", "ts-2")
	require.NoError(t, err)
	require.False(t, ok)
}
