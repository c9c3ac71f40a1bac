package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/modelproviders"
	settings "github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply"
)

func settingsManifest(spec string) string {
	return "---\nkind: ProjectSettings\nmetadata: {name: G, tenant: globex}\nspec: " + spec + "\n"
}

// Given settings that a set does not name any more, then the server's hold again, which is a
// version like any other.
func TestSettingsOfAProjectComeAndGo(t *testing.T) {
	n := inMemory(t)
	state := func() settings.State {
		l, err := eventstore.Read(t.Context(), n.store, settings.ProjectSettings, settings.Stream("globex", "g-bot"))
		require.NoError(t, err)
		return l.State
	}
	first := settingsManifest("{projectId: g-bot, models: {tiers: {fast: [a, b]}}, limits: {concurrentSessions: 7}, " +
		"budgets: {sessionUsd: 0.5, monthUsd: 20}, sessions: {idleMinutes: 30}}")
	_, err := n.apply(t, searchTenant+first, operator)
	require.NoError(t, err)
	made := state()
	require.Equal(t, 1, made.Version)
	require.Equal(t, map[string][]string{"fast": {"a", "b"}}, made.Models.Tiers)
	require.Equal(t, 7, made.Limits.ConcurrentSessions)
	require.Equal(t, []any{settings.Budgets{SessionUSD: 0.5, MonthUSD: 20}, 30}, []any{made.Budgets, made.Sessions.IdleMinutes})
	again, err := n.apply(t, searchTenant+first, operator)
	require.NoError(t, err)
	require.Equal(t, apply.Unchanged, outcomes(again)["ProjectSettings G"])
	require.Equal(t, made, state())

	_, err = n.apply(t, searchTenant+first+settingsManifest("{projectId: g-bot}"), operator)
	require.Len(t, refusals(t, err), 1, "a project has one set of them")
	_, err = n.apply(t, searchTenant+settingsManifest("{projectId: g-bot, budgets: {perYear: 7}}"), operator)
	require.Len(t, refusals(t, err), 1, "what takes no effect is not known")

	for range 2 {
		_, err = n.prune(t, searchTenant, false)
		require.NoError(t, err)
		require.Equal(t, 2, state().Version)
		require.True(t, state().Empty())
		require.NotEqual(t, made.ID, state().ID)
	}
}

// Given providers of a project and of the tenant, then the set says which of them stay.
func TestProvidersOfModelsComeAndGo(t *testing.T) {
	n := inMemory(t)
	provider := func(name, more string) string {
		return "---\nkind: ModelProvider\nmetadata: {name: " + name + ", tenant: globex}\nspec: {kind: openai, apiKey: k, " + more +
			"models: [{id: m, prices: {version: '1', input: 0.15, output: 2}}]}\n"
	}
	state := func() map[string]modelproviders.Provider {
		l, err := eventstore.Read(t.Context(), n.store, modelproviders.Providers, modelproviders.Stream("globex"))
		require.NoError(t, err)
		return l.State.Providers
	}
	ofAll, ofOne := provider("of-all", ""), provider("of-one", "projectId: g-bot, ")
	_, err := n.apply(t, searchTenant+ofAll+ofOne, operator)
	require.NoError(t, err)
	require.Equal(t, []string{"", "g-bot"}, []string{state()["of-all"].ProjectID, state()["of-one"].ProjectID})
	require.Equal(t, &modelproviders.Prices{Version: "1", Input: 150_000, Output: 2_000_000}, state()["of-one"].Models[0].Prices)
	require.Contains(t, state()["of-one"].APIKey, "sealed:v1:")
	_, err = n.prune(t, searchTenant+ofOne, false)
	require.NoError(t, err)
	require.Len(t, state(), 1)
	require.Contains(t, state(), "of-one")
}
