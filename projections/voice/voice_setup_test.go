package voice_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/flows"
	"github.com/parley-platform/parley/domain/trunks"
	"github.com/parley-platform/parley/projections"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
	"github.com/parley-platform/parley/projections/voice"
)

// Given what a tenant has set up, when a call is asked for, then its trunk, its flow and its agent are found.
func TestAnswersAboutWhatACallNeeds(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.SetupModel, "tenantId",
		given.Filled[trunks.TrunkDefined](),
		given.Filled(func(e *trunks.TrunkDefined) { e.Name, e.Default, e.Provider = "second", false, "sip" }))
	w.Given(voice.SetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.Number, e.AgentName = "+15550001", "ann" }))
	w.Given(runtime.AgentsModel, "p", given.Filled(func(e *agents.AgentDefined) { e.Name = "ann" }),
		given.Filled[agents.DSLDeclared]())
	setup := voice.NewSetups(w.DB)
	flow := flows.Flow{ID: "flowId", Name: "name", Number: "15550001", AgentName: "ann", Language: "language", Recording: true}
	for name, c := range map[string]struct {
		tenant, project, trunk, number string
		want                           projections.CallSetup
	}{
		"the default": {"tenantId", "projectId", "", "+15550001", projections.CallSetup{Trunk: "name", Provider: "provider", Flow: flow,
			AgentDSL: "dslContent"}},
		"a trunk by name": {"tenantId", "projectId", "second", "15550001",
			projections.CallSetup{Trunk: "second", Provider: "sip", Flow: flow, AgentDSL: "dslContent"}},
		"no such trunk":     {"tenantId", "projectId", "third", "15550001", projections.CallSetup{Flow: flow, AgentDSL: "dslContent"}},
		"no flow":           {"tenantId", "projectId", "", "15550002", projections.CallSetup{Trunk: "name", Provider: "provider"}},
		"another project":   {"tenantId", "other", "", "15550001", projections.CallSetup{Trunk: "name", Provider: "provider"}},
		"another tenant":    {"other", "projectId", "", "15550001", projections.CallSetup{}},
		"somebody's trunk":  {"other", "projectId", "second", "15550001", projections.CallSetup{}},
		"a number not NULL": {"tenantId", "projectId", "", "", projections.CallSetup{Trunk: "name", Provider: "provider"}},
	} {
		got, err := setup.CallSetup(t.Context(), c.tenant, c.project, c.trunk, c.number)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
}

// Given a number of a flow, when it is called, then all that is needed of the flow is found.
func TestWhoseNumberIsCalled(t *testing.T) {
	w := given.Open(t)
	w.Given(voice.SetupModel, "p", given.Filled(func(e *flows.FlowDefined) { e.Number, e.AgentName = "+15550001", "ann" }))
	found, err := voice.NewSetups(w.DB).CalledNumber(t.Context(), "tenantId", "+15550001")
	require.NoError(t, err)
	require.Equal(t, []voice.Called{{ProjectID: "projectId", FlowID: "flowId", Name: "name", AgentName: "ann", Language: "language",
		Recording: true}}, found)
}

// Given a number that several accounts have written down, then it is that of the account that has had it for longest, as it has it now.
func TestWhoHasHadANumberForLongest(t *testing.T) {
	w := given.Open(t)
	for _, happened := range []struct {
		tenant string
		is     event.Payload
	}{
		{"first", flow("first", "f", "2000")},
		{"second", flow("second", "f", "2000")},
		{"first", flow("first", "f", "1000")}, // it gives the number away, and takes it back
		{"first", flow("first", "f", "2000")},
		{"second", flow("second", "f", "2000")},
		{"third", flow("third", "f", "2000")},
		{"third", flows.FlowRemoved{TenantID: "third", ProjectID: "p", FlowID: "f"}},
		{"third", flow("third", "g", "2000")},
	} {
		w.Indexed(flows.Flows.Category, happened.tenant+".p", happened.is)
		w.Given(voice.SetupModel, happened.tenant+".p", happened.is)
	}
	for _, c := range []struct {
		of   []voice.Number
		want int
	}{
		{[]voice.Number{{"first", "2000"}, {"second", "2000"}, {"third", "2000"}}, 1},
		{[]voice.Number{{"first", "2000"}, {"third", "2000"}}, 0},
		{[]voice.Number{{"third", "1000"}, {"third", "2000"}, {"third", "2000"}}, 1},
		{[]voice.Number{{"first", "1000"}, {"nobody", "2000"}}, -1},
		{nil, -1},
	} {
		got, err := voice.NewSetups(w.DB).LongestHad(t.Context(), c.of)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.of)
	}
}

func flow(tenant, id, number string) flows.FlowDefined {
	return flows.FlowDefined{TenantID: tenant, ProjectID: "p", FlowID: id, Name: id, Number: number}
}

// Given calls that are asked for one after the other, then what they need is not planned anew for each.
func TestWhatACallNeedsIsPlannedOnce(t *testing.T) {
	given.Open(t).KeepsPlans(func(db *pgxpool.Pool) {
		_, err := voice.NewSetups(db).CallSetup(t.Context(), "tenantId", "projectId", "", "+15550001")
		require.NoError(t, err)
	})
}
