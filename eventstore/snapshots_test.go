package eventstore

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/contacts"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/disclosures"
	"github.com/parley-platform/parley/domain/erasures"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/modelproviders"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/projectsettings"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/domain/retention"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/domain/searchindexes"
	"github.com/parley-platform/parley/domain/secrets"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/domain/staff"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/domain/threads"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/domain/voicemails"
	"github.com/parley-platform/parley/domain/waitinglines"
)

// restorable checks one aggregate: from its golden events it makes histories, and at
// any point of one a snapshot and the rest must come to what the whole comes to, and a
// copy and the rest as well, which leaves alone what was copied.
func restorable[S any](agg *event.Aggregate[S], context string) func(t *testing.T) {
	return func(t *testing.T) {
		events := goldenEvents(t, agg.Category, context)
		rapid.Check(t, func(t *rapid.T) {
			history := rapid.SliceOfN(rapid.SampledFrom(events), 1, 40).Draw(t, "history")
			cut := rapid.IntRange(0, len(history)).Draw(t, "cut")
			prefix := agg.State(history[:cut]...)
			requests := answered{of: map[string]*request{"r-1": {hash: "h", from: 1, to: 2}}, gone: 7}
			data := pack(&prefix, requests)
			require.NotNil(t, data, "%T does not come back as it is: give it exported fields that survive JSON", prefix)
			state, known, err := unpack[S](data)
			require.NoError(t, err)
			require.Equal(t, requests, known)
			for _, p := range history[cut:] {
				agg.Fold(&state, p)
			}
			require.JSONEq(t, asJSON(t, agg.State(history...)), asJSON(t, state))

			was, next := asJSON(t, prefix), copyOf(&prefix)
			for _, p := range history[cut:] {
				agg.Fold(next, p)
			}
			require.JSONEq(t, was, asJSON(t, prefix), "what is folded into a copy does not change the state")
			require.JSONEq(t, asJSON(t, agg.State(history...)), asJSON(t, next))
		})
	}
}

func TestEveryStateComesBackFromItsSnapshot(t *testing.T) {
	checks := map[*event.Category]func(*testing.T){
		access.Tenants.Category:                  restorable(access.Tenants, "access"),
		access.Scopes.Category:                   restorable(access.Scopes, "access"),
		agents.Agents.Category:                   restorable(agents.Agents, "agents"),
		calls.Calls.Category:                     restorable(calls.Calls, "calls"),
		flows.Flows.Category:                     restorable(flows.Flows, "flows"),
		registrations.Registrations.Category:     restorable(registrations.Registrations, "registrations"),
		registrations.Replays.Category:           restorable(registrations.Replays, "registrations"),
		retention.Rules.Category:                 restorable(retention.Rules, "retention"),
		contacts.Contacts.Category:               restorable(contacts.Contacts, "contacts"),
		contacts.Identities.Category:             restorable(contacts.Identities, "contacts"),
		memories.Memories.Category:               restorable(memories.Memories, "memories"),
		secrets.Secrets.Category:                 restorable(secrets.Secrets, "secrets"),
		sessions.Sessions.Category:               restorable(sessions.Sessions, "sessions"),
		trunks.Trunks.Category:                   restorable(trunks.Trunks, "trunks"),
		deliveries.Deliveries.Category:           restorable(deliveries.Deliveries, "deliveries"),
		campaigns.Campaigns.Category:             restorable(campaigns.Campaigns, "campaigns"),
		campaigns.Registers.Category:             restorable(campaigns.Registers, "campaigns"),
		contactlists.Lists.Category:              restorable(contactlists.Lists, "contactlists"),
		conversations.Conversations.Category:     restorable(conversations.Conversations, "conversations"),
		dashboards.Dashboards.Category:           restorable(dashboards.Dashboards, "dashboards"),
		deployables.Docks.Category:               restorable(deployables.Docks, "deployables"),
		deployables.Jobs.Category:                restorable(deployables.Jobs, "deployables"),
		deployments.Deployments.Category:         restorable(deployments.Deployments, "deployments"),
		completions.Completions.Category:         restorable(completions.Completions, "completions"),
		connections.Connections.Category:         restorable(connections.Connections, "connections"),
		sdkchannels.Channels.Category:            restorable(sdkchannels.Channels, "sdkchannels"),
		connections.Identifiers.Category:         restorable(connections.Identifiers, "connections"),
		disclosures.Disclosures.Category:         restorable(disclosures.Disclosures, "disclosures"),
		erasures.Jobs.Category:                   restorable(erasures.Jobs, "erasures"),
		exports.Jobs.Category:                    restorable(exports.Jobs, "exports"),
		humanagents.Desks.Category:               restorable(humanagents.Desks, "humanagents"),
		humanagents.Organisations.Category:       restorable(humanagents.Organisations, "humanagents"),
		texts.Texts.Category:                     restorable(texts.Texts, "texts"),
		threads.Threads.Category:                 restorable(threads.Threads, "threads"),
		pacing.Pacing.Category:                   restorable(pacing.Pacing, "pacing"),
		modelproviders.Providers.Category:        restorable(modelproviders.Providers, "modelproviders"),
		projectsettings.ProjectSettings.Category: restorable(projectsettings.ProjectSettings, "projectsettings"),
		queues.Queues.Category:                   restorable(queues.Queues, "queues"),
		runs.Runs.Category:                       restorable(runs.Runs, "runs"),
		searchindexes.Indexes.Category:           restorable(searchindexes.Indexes, "searchindexes"),
		staff.Staff.Category:                     restorable(staff.Staff, "staff"),
		transfers.Transfers.Category:             restorable(transfers.Transfers, "transfers"),
		voicemails.Voicemails.Category:           restorable(voicemails.Voicemails, "voicemails"),
		waitinglines.Lines.Category:              restorable(waitinglines.Lines, "waitinglines"),
		testruns.Runs.Category:                   restorable(testruns.Runs, "testruns"),
		testsuites.Suites.Category:               restorable(testsuites.Suites, "testsuites"),
	}
	for _, c := range catalog.Categories() {
		require.Contains(t, checks, c, "%s: add its aggregate here", c.Name)
	}
	for _, c := range slices.SortedFunc(maps.Keys(checks), func(a, b *event.Category) int { return strings.Compare(a.Name, b.Name) }) {
		t.Run(c.Name, checks[c])
	}
}

// goldenEvents decodes the golden files of a context that are of the category.
func goldenEvents(t *testing.T, c *event.Category, context string) (out []event.Payload) {
	t.Helper()
	root := filepath.Join("..", "domain", context, "testdata")
	require.NoError(t, filepath.WalkDir(root, func(f string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(f) != ".json" {
			return err
		}
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		var compact bytes.Buffer // as it is on the log
		require.NoError(t, json.Compact(&compact, data))
		if p, err := c.Decode("parley."+c.Name+"."+strings.TrimSuffix(d.Name(), ".json"), compact.Bytes()); err == nil {
			out = append(out, p)
		}
		return nil
	}))
	require.GreaterOrEqual(t, len(out), len(c.Kinds()), "golden files of %s", c.Name)
	return out
}

func asJSON(t require.TestingT, v any) string {
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return string(data)
}

type openState struct{ N int }

type hiddenState struct {
	N    int
	seen map[string]bool
}

type otherState struct{ N, M int }

type versionedState struct{ N int }

func (versionedState) SnapshotVersion() int { return 2 }

func TestAStateThatJSONDoesNotSeeIsNotKept(t *testing.T) {
	require.NotNil(t, pack(&openState{3}, answered{}))
	require.NotNil(t, pack(&hiddenState{N: 3}, answered{}), "nothing is lost yet")
	require.Nil(t, pack(&hiddenState{N: 3, seen: map[string]bool{"a": true}}, answered{}))
	require.Nil(t, pack(&struct{ F func() }{func() {}}, answered{}))
	require.Nil(t, pack(&struct{ V any }{openState{1}}, answered{}), "it would come back as another type")
	require.Nil(t, pack(&struct {
		N int `json:"-"`
	}{1}, answered{}))
}

func TestWhatIsNotWholeIsNotASnapshot(t *testing.T) {
	good := pack(&openState{3}, answered{of: map[string]*request{"r": {hash: "h", from: 1, to: 1}}})
	for i := range good {
		bad := slices.Clone(good)
		bad[i] ^= 1
		_, _, err := unpack[openState](bad)
		require.Error(t, err, i)
		_, _, err = unpack[openState](good[:i])
		require.Error(t, err, i)
	}
	_, _, err := unpack[openState](nil)
	require.Error(t, err)
}

func TestSnapshotsOfAnotherStateHaveAnotherKey(t *testing.T) {
	all := []string{
		snapshotKey(event.NewAggregate[openState]("snapshots", "snapshot", 1)),
		snapshotKey(event.NewAggregate[otherState]("snapshots", "snapshot", 1)),
		snapshotKey(event.NewAggregate[hiddenState]("snapshots", "snapshot", 1)),
		snapshotKey(event.NewAggregate[versionedState]("snapshots", "snapshot", 1)),
		snapshotKey(event.NewAggregate[struct{ N int }]("snapshots", "snapshot", 1)),
	}
	slices.Sort(all)
	require.Len(t, slices.Compact(all), 5)
	require.Equal(t, snapshotKey(calls.Calls), snapshotKey(calls.Calls))
}
