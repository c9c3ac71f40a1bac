package voice_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/agents"
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

// Given calls that are asked for one after the other, then what they need is not planned anew for each.
func TestWhatACallNeedsIsPlannedOnce(t *testing.T) {
	given.Open(t).KeepsPlans(func(db *pgxpool.Pool) {
		_, err := voice.NewSetups(db).CallSetup(t.Context(), "tenantId", "projectId", "", "+15550001")
		require.NoError(t, err)
	})
}
