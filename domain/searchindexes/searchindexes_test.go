package searchindexes_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/searchindexes"
)

var help = searchindexes.IndexDefined{TenantID: "acct", ProjectID: "shop", IndexID: "si-1", Name: "Help",
	ChunkStages: json.RawMessage(`[{"size":512,"type":"text"}]`), AdvancedConfig: json.RawMessage(`{"k":12345678901234567890}`),
	BusinessRules:       json.RawMessage(`[]`),
	SearchResultsConfig: json.RawMessage(`{"a":1,"b":2}`), AnswerConfig: json.RawMessage(`"short"`),
	AnswerRetrievals: json.RawMessage(`false`)}

func defineHelp(edit func(*searchindexes.DefineIndex)) searchindexes.DefineIndex {
	c := searchindexes.DefineIndex{TenantID: "acct", ProjectID: "shop", ID: "si-1", Name: " Help ",
		Settings: map[searchindexes.Feature]json.RawMessage{
			searchindexes.ChunkStages: json.RawMessage(`[ {"type": "text", "size": 512} ]`), searchindexes.AdvancedConfig: json.RawMessage(
				`{"k": 12345678901234567890}`), searchindexes.BusinessRules: json.RawMessage(`[]`),
			searchindexes.SearchResultsConfig: json.RawMessage(`{"b": 2, "a": 1}`), searchindexes.AnswerConfig: json.RawMessage(`"short"`),
			searchindexes.AnswerRetrievals: json.RawMessage(`false`)}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, searchindexes.Indexes.Category, "testdata/events", help,
		searchindexes.IndexRemoved{TenantID: "acct", ProjectID: "shop", IndexID: "si-1", Name: "Help"})
}

func TestAnIndexIsDefinedOnce(t *testing.T) {
	got, err := defineHelp(nil).Decide(searchindexes.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{help}, got)
	got, err = defineHelp(nil).Decide(searchindexes.Indexes.State(help))
	require.NoError(t, err)
	require.Empty(t, got, "the same JSON, written in another way")
}

func TestASettingThatIsTakenAway(t *testing.T) {
	for _, nothing := range []string{"", "null", " "} {
		got, err := defineHelp(func(c *searchindexes.DefineIndex) { c.Settings[searchindexes.AnswerConfig] = json.RawMessage(nothing) }).Decide(
			searchindexes.Indexes.State(help))
		require.NoError(t, err)
		want := help
		want.AnswerConfig = nil
		require.Equal(t, []event.Payload{want}, got)
		require.NotContains(t, searchindexes.Indexes.State(help, got[0]).Settings, searchindexes.AnswerConfig)
	}
}

func TestAProjectHasOneIndex(t *testing.T) {
	other := func(c *searchindexes.DefineIndex) { c.ID = "si-2" }
	_, err := defineHelp(other).Decide(searchindexes.Indexes.State(help))
	require.True(t, fault.Is(err, fault.Conflict))
	removed, err := searchindexes.RemoveIndex{TenantID: "acct", ProjectID: "shop", ID: "si-1"}.Decide(searchindexes.Indexes.State(help))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{searchindexes.IndexRemoved{TenantID: "acct", ProjectID: "shop", IndexID: "si-1", Name: "Help"}}, removed)
	gone := searchindexes.Indexes.State(help, removed[0])
	again, err := searchindexes.RemoveIndex{TenantID: "acct", ProjectID: "shop", ID: "si-1"}.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = defineHelp(other).Decide(gone)
	require.NoError(t, err)
}

func TestWrongFieldsOfAnIndex(t *testing.T) {
	for field, edit := range map[string]func(*searchindexes.DefineIndex){
		"metadata.id":      func(c *searchindexes.DefineIndex) { c.ID = "a b" },
		"metadata.name":    func(c *searchindexes.DefineIndex) { c.Name = "" },
		"spec.projectId":   func(c *searchindexes.DefineIndex) { c.ProjectID = "" },
		"spec.chunkStages": func(c *searchindexes.DefineIndex) { c.Settings[searchindexes.ChunkStages] = json.RawMessage(`{} {}`) },
		"spec": func(c *searchindexes.DefineIndex) {
			c.Settings = map[searchindexes.Feature]json.RawMessage{searchindexes.AnswerConfig: json.RawMessage(`"` + strings.Repeat("x",
				searchindexes.MaxSettings-1) + `"`)}
		},
	} {
		_, err := defineHelp(edit).Decide(searchindexes.State{})
		require.Equal(t, []string{field}, faulttest.Fields(t, err))
	}
	_, err := defineHelp(func(c *searchindexes.DefineIndex) {
		c.Settings = map[searchindexes.Feature]json.RawMessage{searchindexes.AnswerConfig: json.RawMessage(`"` + strings.Repeat("x",
			searchindexes.MaxSettings-2) + `"`)}
	}).Decide(searchindexes.State{})
	require.NoError(t, err, "exactly at the limit")
}

func TestTwoProjectsNeverShareAStream(t *testing.T) {
	require.NotEqual(t, searchindexes.Stream("a", "b-c"), searchindexes.Stream("a-b", "c"))
}
