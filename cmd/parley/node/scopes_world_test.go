package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
)

type scopeShown struct {
	Success bool        `json:"success"`
	Scope   scopeFields `json:"scope"`
	Meta    struct {
		RequestID string `json:"requestId"`
		Timestamp string `json:"timestamp"`
	} `json:"meta"`
}

// shownBy checks the parts of the answer that are the same for GET and PUT.
func shownBy(t *testing.T, got *answer) scopeFields {
	t.Helper()
	var shown scopeShown
	got.must(t, 200).into(t, &shown)
	require.True(t, shown.Success)
	require.Equal(t, got.Header.Get("X-Request-Id"), shown.Meta.RequestID)
	require.Regexp(t, `^tr-`+uuidForm+`$`, shown.Meta.RequestID)
	require.Regexp(t, isoForm, shown.Meta.Timestamp)
	var members map[string]any
	got.into(t, &members)
	require.ElementsMatch(t, []string{"success", "scope", "meta"}, keysOf(members))
	require.ElementsMatch(t, []string{"scope_id", "scope_name", "description", "created_at", "permissions"}, keysOf(members["scope"]))
	require.ElementsMatch(t, []string{"requestId", "timestamp"}, keysOf(members["meta"]))
	require.Len(t, shown.Scope.Permissions, len(access.KeyPermissions()))
	return shown.Scope
}
