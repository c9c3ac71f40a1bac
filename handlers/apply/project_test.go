package apply_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply"
)

func keeping(retention string) string {
	return strings.TrimSuffix(searchTenant, "\n") + "\nspec:\n  webhookSecret: not-so-secret\n" + retention
}

// Given a project that says for how long it keeps things, when its manifest says nothing of
// it any more, then it stays; when it names no kind any more, everything is kept for ever.
func TestForHowLongAProjectKeepsThings(t *testing.T) {
	n := inMemory(t)
	days := func(spec string, outcome apply.Outcome) retention.Days {
		t.Helper()
		report, err := n.apply(t, keeping(spec), operator)
		require.NoError(t, err)
		require.Equal(t, outcome, outcomes(report)["Project G"])
		l, err := eventstore.Read(t.Context(), n.store, retention.Rules, retention.Stream("globex", "g-bot"))
		require.NoError(t, err)
		return l.State.Days
	}
	require.Empty(t, days("", apply.Created))
	kept := retention.Days{retention.Calls: 90, retention.Recordings: 7}
	require.Equal(t, kept, days("  retention: {calls: 90, recordings: 7}\n", apply.Changed))
	require.Equal(t, kept, days("  retention: {recordings: 7, calls: 90}\n", apply.Unchanged))
	require.Equal(t, kept, days("", apply.Unchanged))
	require.Empty(t, days("  retention: {}\n", apply.Changed))
}
