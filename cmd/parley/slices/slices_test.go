package slices_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections"
)

// Who only looks at the declarations has no node.
func TestSlicesCanBeLookedAtWithoutANode(t *testing.T) {
	all := slices.Declared()
	require.NotEmpty(t, slices.Declare(rest.New(rest.Config{}), all).Operations())
	names := map[string]bool{}
	for _, r := range slices.Following(all) {
		require.False(t, names[r.Name], "two reactors are called %s: they would share a consumer group", r.Name)
		names[r.Name] = true
	}
	require.NotEmpty(t, names)
}

// What a node would refuse when it starts is found here: an effect that does not say how
// long it may take, or what is shown of its failure.
func TestEveryReactorIsDeclaredWhole(t *testing.T) {
	all, err := slices.All(slices.Needs{Store: &eventstore.Store{}, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	for _, r := range slices.Following(all) {
		require.NoError(t, r.Check())
	}
}

// A second handler of a timer would take the place of the first.
func TestEveryTimerIsFiredByOne(t *testing.T) {
	listed, fired := 0, 0
	for _, s := range slices.Declared() {
		listed += len(s.Timers) + len(s.Effects)
	}
	for _, byName := range slices.Firing(slices.Declared()) {
		fired += len(byName)
		for name, fire := range byName {
			require.NotNil(t, fire, name)
		}
	}
	require.NotZero(t, listed)
	require.Equal(t, listed, fired)
}

func TestAProviderThatIsNotKnownIsRefusedByItsFlag(t *testing.T) {
	for flag, p := range map[string]slices.Providers{"--sms-provider": {SMS: "pigeon"}, "--llm-provider": {LLM: "pigeon"},
		"--stt-provider": {STT: "pigeon"}} {
		_, err := slices.All(slices.Needs{Settings: slices.Settings{Providers: p}})
		require.ErrorContains(t, err, flag)
		require.ErrorContains(t, p.Check(), `"pigeon" is not local or`)
	}
}

func TestEveryEventIsStoredOrNamedAsIgnored(t *testing.T) {
	for _, m := range slices.Models(nil) { // each that lacks a line is named at once
		assert.Empty(t, m.Unhandled())
	}
}

// Given the read models that stand in databases, then each is still made by its name: a node that finds one there that it does not make
// takes itself for one of an older version, and projects nothing. One that goes, or is named otherwise, is taken out here together with
// a migration that takes its row out of projections.
func TestEveryReadModelThatStandsInADatabaseIsMade(t *testing.T) {
	made := map[string]bool{}
	for _, m := range slices.Models(nil) {
		made[m.Name] = true
	}
	for _, name := range []string{"SDK channels", "access", "agents", "campaign runs", "campaign_verdicts", "campaigns", "channel connections",
		"channel deliveries", "completions", "contact lists", "contacts", "conversations", "dashboards", "deliveries", "deployments",
		"disclosures", "dock_versions", "docks", "erasures", "exports", "files", "human agents", "interactions", "memories", "messages",
		"model providers", "persons", "project settings", "reactors", "retentions", "search-indexes", "sessions", "spending", "staff",
		"test_runs", "test_suites", "tool secrets", "transfers", "voice setup", "voicemails"} {
		assert.True(t, made[name], name)
		delete(made, name)
	}
	assert.Empty(t, made, "a new one stands in databases from now on: name it here")
}

// Given what is kept of settings by those who read it for each request, then no other event than those of settings changes it.
func TestWhatIsKeptIsMadeOfSettings(t *testing.T) {
	settings := map[string]bool{}
	for _, c := range projections.Settings {
		settings[c.Topic()] = true
	}
	read := map[string]bool{"clients": true, "api_keys": true, "scopes": true, "projects": true, "project_names": true, "trunks": true,
		"default_trunks": true, "flows": true, "deployments": true, "agent_sources": true, "agents": true}
	for _, m := range slices.Models(nil) {
		for _, table := range m.Tables {
			if !read[table] {
				continue
			}
			delete(read, table)
			for topic := range m.Follows() {
				require.True(t, settings[topic], "%s writes %s because of %s: add it to projections.Settings", m.Name, table, topic)
			}
		}
	}
	require.Empty(t, read, "nobody writes them")
}

func TestEveryCategoryHasAReadModel(t *testing.T) {
	followed := map[string]bool{}
	for _, m := range slices.Models(nil) {
		for topic := range m.Follows() {
			followed[topic] = true
		}
	}
	for _, c := range catalog.Categories() {
		require.True(t, followed[c.Topic()], "no read model follows %s: list it in a projections.NewModel, with projections.Ignore for events "+
			"without use", c.Topic())
	}
}
