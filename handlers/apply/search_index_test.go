package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/apply"
)

const searchTenant = "kind: Tenant\nmetadata: {id: globex, name: Globex}\nspec: {orgId: o}\n---\nkind: Project\nmetadata: {id: g-bot, " +
	"name: G, tenant: globex}\n"

func searchIndex(id, spec string) string {
	return "---\nkind: SearchIndex\nmetadata: {id: " + id + ", name: Help, tenant: globex}\nspec: " + spec + "\n"
}

func TestASearchIndexOfAProject(t *testing.T) {
	n := inMemory(t)
	settings := func() searchindexes.State {
		l, err := eventstore.Read(t.Context(), n.store, searchindexes.Indexes, searchindexes.Stream("globex", "g-bot"))
		require.NoError(t, err)
		return l.State
	}
	first := searchIndex("si-1",
		`{projectId: g-bot, chunkStages: [{size: 12345678901234567}], answerConfig: "a", businessRules: {b: 1, a: 2}, answerRetrievals: null}`)
	_, err := n.apply(t, searchTenant+first, operator)
	require.NoError(t, err)
	require.JSONEq(t, `[{"size":12345678901234567}]`, string(settings().Settings[searchindexes.ChunkStages]))
	require.Len(t, settings().Settings, 3)

	again, err := n.apply(t, searchTenant+searchIndex("si-1",
		`{answerConfig: "a", businessRules: {a: 2, b: 1}, chunkStages: [{size: 12345678901234567}], projectId: g-bot}`), operator)
	require.NoError(t, err)
	require.Equal(t, apply.Unchanged, outcomes(again)["SearchIndex Help"])

	_, err = n.apply(t, searchTenant+first+searchIndex("si-2", "{projectId: g-bot}"), operator)
	require.Len(t, refusals(t, err), 1, "a second index")
	_, err = n.apply(t, searchTenant+searchIndex("si-1", "{projectId: g-bot, chunkstages: 1}"), operator)
	require.Len(t, refusals(t, err), 1, "an unknown member")
	_, err = n.apply(t, searchTenant+searchIndex("si-1", "{projectId: no-such}"), operator)
	require.NotEmpty(t, refusals(t, err))

	_, err = n.prune(t, searchTenant+first, false)
	require.NoError(t, err)
	require.Equal(t, "si-1", settings().ID, "named, so it stays")
	_, err = n.prune(t, searchTenant, false)
	require.NoError(t, err)
	require.Empty(t, settings().ID)
}
