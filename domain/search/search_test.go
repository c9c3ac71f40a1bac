package search_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/search"
)

var help = search.IndexDefined{TenantID: "acct", ProjectID: "shop", IndexID: "si-1", Name: "Help",
	ChunkStages: json.RawMessage(`[{"size":512,"type":"text"}]`), AdvancedConfig: json.RawMessage(`{"k":12345678901234567890}`), BusinessRules: json.RawMessage(`[]`),
	SearchResultsConfig: json.RawMessage(`{"a":1,"b":2}`), AnswerConfig: json.RawMessage(`"short"`), AnswerRetrievals: json.RawMessage(`false`)}

func defineHelp(edit func(*search.DefineIndex)) search.DefineIndex {
	c := search.DefineIndex{TenantID: "acct", ProjectID: "shop", ID: "si-1", Name: " Help ", Settings: map[search.Feature]json.RawMessage{
		search.ChunkStages: json.RawMessage(`[ {"type": "text", "size": 512} ]`), search.AdvancedConfig: json.RawMessage(`{"k": 12345678901234567890}`), search.BusinessRules: json.RawMessage(`[]`),
		search.SearchResultsConfig: json.RawMessage(`{"b": 2, "a": 1}`), search.AnswerConfig: json.RawMessage(`"short"`), search.AnswerRetrievals: json.RawMessage(`false`)}}
	if edit != nil {
		edit(&c)
	}
	return c
}

func TestTheEventsOnTheLogStillDecode(t *testing.T) {
	eventtest.Golden(t, search.Indexes.Category, "testdata/events", help,
		search.IndexRemoved{TenantID: "acct", ProjectID: "shop", IndexID: "si-1", Name: "Help"})
}

func TestAnIndexIsDefinedOnce(t *testing.T) {
	got, err := defineHelp(nil).Decide(search.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{help}, got)
	got, err = defineHelp(nil).Decide(search.Indexes.State(help))
	require.NoError(t, err)
	require.Empty(t, got, "the same JSON, written in another way")
}

func TestASettingThatIsTakenAway(t *testing.T) {
	for _, nothing := range []string{"", "null", " "} {
		got, err := defineHelp(func(c *search.DefineIndex) { c.Settings[search.AnswerConfig] = json.RawMessage(nothing) }).Decide(search.Indexes.State(help))
		require.NoError(t, err)
		want := help
		want.AnswerConfig = nil
		require.Equal(t, []event.Payload{want}, got)
		require.NotContains(t, search.Indexes.State(help, got[0]).Settings, search.AnswerConfig)
	}
}

func TestAProjectHasOneIndex(t *testing.T) {
	other := func(c *search.DefineIndex) { c.ID = "si-2" }
	_, err := defineHelp(other).Decide(search.Indexes.State(help))
	require.True(t, fault.Is(err, fault.Conflict))
	removed, err := search.RemoveIndex{TenantID: "acct", ProjectID: "shop", ID: "si-1"}.Decide(search.Indexes.State(help))
	require.NoError(t, err)
	require.Equal(t, []event.Payload{search.IndexRemoved{TenantID: "acct", ProjectID: "shop", IndexID: "si-1", Name: "Help"}}, removed)
	gone := search.Indexes.State(help, removed[0])
	again, err := search.RemoveIndex{TenantID: "acct", ProjectID: "shop", ID: "si-1"}.Decide(gone)
	require.NoError(t, err)
	require.Empty(t, again)
	_, err = defineHelp(other).Decide(gone)
	require.NoError(t, err)
}

func TestWrongFieldsOfAnIndex(t *testing.T) {
	for field, edit := range map[string]func(*search.DefineIndex){
		"metadata.id":      func(c *search.DefineIndex) { c.ID = "a b" },
		"metadata.name":    func(c *search.DefineIndex) { c.Name = "" },
		"spec.projectId":   func(c *search.DefineIndex) { c.ProjectID = "" },
		"spec.chunkStages": func(c *search.DefineIndex) { c.Settings[search.ChunkStages] = json.RawMessage(`{} {}`) },
		"spec": func(c *search.DefineIndex) {
			c.Settings = map[search.Feature]json.RawMessage{search.AnswerConfig: json.RawMessage(`"` + strings.Repeat("x", search.MaxSettings-1) + `"`)}
		},
	} {
		_, err := defineHelp(edit).Decide(search.State{})
		var e *fault.Error
		require.ErrorAs(t, err, &e, field)
		require.Len(t, e.Details, 1, field)
		require.Equal(t, field, e.Details[0].Field)
	}
	_, err := defineHelp(func(c *search.DefineIndex) {
		c.Settings = map[search.Feature]json.RawMessage{search.AnswerConfig: json.RawMessage(`"` + strings.Repeat("x", search.MaxSettings-2) + `"`)}
	}).Decide(search.State{})
	require.NoError(t, err, "exactly at the limit")
}

func TestTwoProjectsNeverShareAStream(t *testing.T) {
	require.NotEqual(t, search.Stream("a", "b-c"), search.Stream("a-b", "c"))
}
