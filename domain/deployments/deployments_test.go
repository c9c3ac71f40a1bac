package deployments_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault"
)

var (
	noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	soon = noon.Add(30 * time.Second)
	what = deployments.What{Environment: "dev", Label: "first", Description: "What we had", EntryAgent: "front",
		Manifest: map[string]deployments.Pin{"front": {AgentID: "a-1", Version: 3, Hash: "aa"}, "back": {AgentID: "a-2",
			Version: 1, Hash: "bb"}},
		Overrides: map[string]json.RawMessage{"front": json.RawMessage(`{"tier":"fast"}`)}, Workflows: map[string]int{"refund": 2}}
	created = deployments.Created{TenantID: "acme", ProjectID: "bot", DeploymentID: "d-1", EndpointSlug: "bot-dev-1", What: what,
		CreatedBy: "user:ann", At: noon}
	retired = deployments.WasRetired{DeploymentID: "d-1", DrainAt: soon, NextDrainAt: &soon, At: noon}
	drained = deployments.Drained{DeploymentIDs: []string{"d-1"}, At: soon}
	back    = deployments.RolledBack{DeploymentID: "d-1", At: soon}
)

func second() deployments.Created {
	e := created
	e.DeploymentID = "d-2"
	return e
}

func promoted(to, from string) deployments.Created {
	e := created
	e.DeploymentID, e.EndpointSlug = "d-9", "bot-"+to
	e.Environment, e.PromotedFrom, e.SkipTests = to, from, true
	return e
}

func TestDecisions(t *testing.T) {
	create := deployments.Create{TenantID: "acme", ProjectID: "bot", DeploymentID: "d-1", EndpointSlug: "bot-dev-1", What: what,
		CreatedBy: "user:ann", At: noon}
	lost := create
	lost.EntryAgent = "nobody"
	promote := func(from, to string) func(deployments.State) ([]event.Payload, error) {
		return deployments.Promote{From: from, To: to, SkipTests: true, TenantID: "acme", ProjectID: "bot", DeploymentID: "d-9",
			SlugOf: func(e string) string { return "bot-" + e }, CreatedBy: "user:ann", At: noon}.Decide
	}
	retire := func(id string) func(deployments.State) ([]event.Payload, error) {
		return deployments.Retire{DeploymentID: id, Drain: 30 * time.Second, At: noon}.Decide
	}
	inProduction := created
	inProduction.Environment = "production"
	inStaging := created
	inStaging.Environment = "staging"
	nextOfTwo := retired
	nextOfTwo.DeploymentID = "d-2"
	later := soon.Add(time.Minute)
	lateRetired := deployments.WasRetired{DeploymentID: "d-2", DrainAt: later, NextDrainAt: &soon, At: noon}
	for _, c := range []struct {
		given string
		past  []event.Payload
		when  func(deployments.State) ([]event.Payload, error)
		then  []event.Payload
		fault fault.Code
	}{
		{"nothing, it is made", nil, create.Decide, []event.Payload{created}, ""},
		{"an entry agent that is not in it", nil, lost.Decide, nil, fault.Validation},
		{"an active one, it is retired", []event.Payload{created}, retire("d-1"), []event.Payload{retired}, ""},
		{"a retired one, retiring it changes nothing", []event.Payload{created, retired}, retire("d-1"), nil, ""},
		{"another that drains, its time is still the next", []event.Payload{created, second(), retired}, retire("d-2"),
			[]event.Payload{nextOfTwo}, ""},
		{"no such one", nil, retire("d-1"), nil, fault.NotFound},
		{"a retired one, it drains in time", []event.Payload{created, retired}, deployments.Drain{At: soon}.Decide,
			[]event.Payload{drained}, ""},
		{"not yet", []event.Payload{created, retired}, deployments.Drain{At: soon.Add(-time.Second)}.Decide, nil, ""},
		{"two, one drains and the other's time is told", []event.Payload{created, second(), retired, lateRetired},
			deployments.Drain{At: soon}.Decide, []event.Payload{deployments.Drained{DeploymentIDs: []string{"d-1"},
				NextDrainAt: &later, At: soon}}, ""},
		{"one that has drained, once", []event.Payload{created, retired, drained}, deployments.Drain{At: later}.Decide, nil, ""},
		{"a retired one, it is active again", []event.Payload{created, retired, drained}, deployments.RollBack{DeploymentID: "d-1",
			At: soon}.Decide, []event.Payload{back}, ""},
		{"an active one, it is not rolled back to", []event.Payload{created}, deployments.RollBack{DeploymentID: "d-1"}.Decide, nil,
			fault.Conflict},
		{"none, nothing is rolled back", nil, deployments.RollBack{DeploymentID: "d-1"}.Decide, nil, fault.NotFound},
		{"one in dev, it goes to staging", []event.Payload{created}, promote("d-1", ""), []event.Payload{promoted("staging", "d-1")}, ""},
		{"or where it is said", []event.Payload{created}, promote("d-1", "production"), []event.Payload{promoted("production", "d-1")}, ""},
		{"not where it is", []event.Payload{created}, promote("d-1", "dev"), nil, fault.Validation},
		{"one in production, nowhere", []event.Payload{inProduction}, promote("d-1", ""), nil, fault.Validation},
		{"nor one in staging", []event.Payload{inStaging}, promote("d-1", "dev"), nil, fault.Validation},
		{"nor back", []event.Payload{inProduction}, promote("d-1", "dev"), nil, fault.Validation},
		{"none", nil, promote("d-1", ""), nil, fault.NotFound},
	} {
		t.Run(c.given, func(t *testing.T) {
			got, err := c.when(deployments.Deployments.State(c.past...))
			require.Equal(t, c.fault, fault.CodeOf(err), "%v", err)
			require.Equal(t, c.then, got)
		})
	}
}

func TestAProjectHasSoManyDeployments(t *testing.T) {
	s := deployments.State{Deployments: map[string]deployments.Deployment{}}
	for i := range deployments.MostDeployments {
		s.Deployments[string(rune(i+1))] = deployments.Deployment{}
	}
	_, err := deployments.Create{What: what}.Decide(s)
	require.True(t, fault.Is(err, fault.LimitReached))
}

func TestWhatADeploymentServes(t *testing.T) {
	for _, c := range []struct {
		status       deployments.Status
		drainAt      *time.Time
		fresh, begun bool
	}{
		{deployments.Active, nil, true, true},
		{deployments.Active, &noon, true, true},
		{deployments.Retired, &soon, false, true},
		{deployments.Retired, &noon, false, false},
		{deployments.Retired, nil, false, false},
	} {
		fresh, begun := deployments.Serves(c.status, c.drainAt, noon)
		require.Equal(t, []bool{c.fresh, c.begun}, []bool{fresh, begun}, "%v %v", c.status, c.drainAt)
	}
}

func TestEventsStayReadable(t *testing.T) {
	eventtest.Golden(t, deployments.Deployments.Category, "testdata/events", created, retired, drained, back)
}
