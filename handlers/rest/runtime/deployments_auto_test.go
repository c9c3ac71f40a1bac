package runtime_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// desk is a read model of agents of acme's project main, by their names, as it was when it was
// filled: versions are of the texts "1", "2" and so on.
type desk map[string]string

func (d desk) List(context.Context, string, string, int, int) ([]models.Agent, int, error) {
	return nil, 0, nil
}

func (d desk) Named(_ context.Context, _, _, name string) ([]models.Agent, error) {
	text, ok := d[name]
	if !ok {
		return nil, nil
	}
	return []models.Agent{{AgentID: "a-" + name, Name: name, DSL: text}}, nil
}

func (d desk) Versions(context.Context, string, string, string, int, int) ([]models.AgentVersion, int, error) {
	return nil, 0, nil
}

func (d desk) Version(context.Context, string, string, string, int) (v models.AgentVersion, ok bool, err error) {
	return v, false, nil
}

// speaking is a source that compiles, with something after its flow.
func speaking(agent, more string) string {
	return "DSL: 1\nAGENT: " + agent + "\n" + more + "FLOW: {START: a, STEPS: {a: {SAY: Hello, END: true}}}\n"
}

var (
	asking  = speaking("meter", "HANDOFF: [{TO: closer}]\n")
	closing = speaking("closer", "")
	stream  = agents.Stream("acme", "p-1")
)

// Given the agents meter and closer, whose working copies say these texts.
func newDesk(t *testing.T, texts desk, more ...event.Payload) *resttest.Stored {
	w := resttest.NewStored(t, nil, access.PermDeploymentCreate)
	past := []event.Payload{}
	for _, name := range []string{"meter", "closer"} {
		past = append(past, agents.AgentDefined{TenantID: "acme", ProjectID: "p-1", AgentID: "a-" + name, Name: name},
			agents.DSLSaved{TenantID: "acme", ProjectID: "p-1", AgentID: "a-" + name, Name: name, DSLContent: texts[name]})
	}
	resttest.Given(w, agents.Agents, stream, append(past, more...)...)
	runtime.DeclareDeployments(w.Api, runtime.DeploymentsAPI{Commands: w.Commands, Agents: texts})
	return w
}

const (
	deploymentsPath = "/api/projects/main/deployments"
	deployAll       = `{"environment":"dev","entryAgentName":"meter","agentVersionManifest":"auto"}`
)

// types are those of the events since it was asked last.
func types(w *resttest.Stored) (all []string) {
	for _, r := range w.Since() {
		all = append(all, r.Type)
	}
	return all
}

var (
	savedTwice = []string{"parley.agents.version-saved.v1", "parley.agents.version-saved.v1"}
	createdToo = "parley.deployments.created.v1"
)

// Given working copies that are no versions, when they are deployed, then they become versions
// in one commit, before the deployment; once more makes none.
func TestWorkingCopiesThatAreDeployedBecomeVersionsFirst(t *testing.T) {
	w := newDesk(t, desk{"meter": asking, "closer": closing})
	got := w.Ask("POST", deploymentsPath, deployAll, "Idempotency-Key", "once")
	require.Equal(t, http.StatusCreated, got.Status, got.Text)
	since := w.Since()
	require.Len(t, since, 3)
	require.Equal(t, since[0].Commit, since[1].Commit)
	require.Equal(t, append(savedTwice, createdToo), []string{since[0].Type, since[1].Type, since[2].Type})
	made := memory.Payload(deployments.Deployments.Category, since[2]).(deployments.Created)
	require.Equal(t, map[string]deployments.Pin{"meter": {AgentID: "a-meter", Version: 1, Hash: string(agents.HashOf(asking))},
		"closer": {AgentID: "a-closer", Version: 1, Hash: string(agents.HashOf(closing))}}, made.Manifest)

	require.Equal(t, got.Text, w.Ask("POST", deploymentsPath, deployAll, "Idempotency-Key", "once").Text)
	require.Empty(t, w.Since())
	require.Equal(t, http.StatusCreated, w.Ask("POST", deploymentsPath, deployAll).Status)
	require.Equal(t, []string{createdToo}, types(w))
}

// Given versions that a try has saved before its node died, when it is repeated, then it goes
// on with the deployment: of the texts as they are by then.
func TestADeploymentThatEndedInTheMiddleGoesOn(t *testing.T) {
	version := func(name, text string) agents.VersionSaved {
		return agents.VersionSaved{TenantID: "acme", ProjectID: "p-1", AgentID: "a-" + name, Name: name, Version: "1",
			Source: agents.HashOf(text)}
	}
	w := newDesk(t, desk{"meter": asking, "closer": closing}, version("meter", asking), version("closer", "older"))
	got := w.Ask("POST", deploymentsPath, deployAll, "Idempotency-Key", "again")
	require.Equal(t, http.StatusCreated, got.Status, got.Text)
	require.Contains(t, got.Text, `"agentVersionManifest":{"closer":"2","meter":"1"}`)
	require.Equal(t, []string{savedTwice[0], createdToo}, types(w))
}

// Given a working copy that is saved anew after it was compiled, when its version is to be
// saved, then nothing is: neither it nor the others.
func TestAWorkingCopyThatMovesMeanwhileIsNotDeployed(t *testing.T) {
	for name, meanwhile := range map[string]event.Payload{
		"saved": agents.DSLSaved{TenantID: "acme", ProjectID: "p-1", AgentID: "a-closer", Name: "closer", DSLContent: "moved"},
		"gone":  agents.AgentRemoved{TenantID: "acme", ProjectID: "p-1", AgentID: "a-closer", Name: "closer"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newDesk(t, desk{"meter": asking, "closer": closing}, meanwhile)
			w.Refused(w.Ask("POST", deploymentsPath, deployAll), http.StatusConflict)
		})
	}
}

// Given anything that is wrong, when it is deployed, then all of it is named and no version is
// saved, not even of the agents that compile.
func TestWhatIsWrongIsNamedAndNothingIsSaved(t *testing.T) {
	closed := "DSL: 1\nAGENT: closer\nFLOW: {START: b, STEPS: {a: {SAY: x, END: true}}}\n"
	asks := func(w *resttest.Stored, more string) *resttest.Reply {
		return w.Ask("POST", deploymentsPath, `{"environment":"dev","entryAgentName":"meter",`+more+`}`)
	}
	w := newDesk(t, desk{"meter": asking, "closer": closed})
	w.Refused(asks(w, `"agentVersionManifest":"auto"`), 400, "closer.FLOW.START")
	w.Refused(asks(w, `"agentVersionManifest":{"meter":"auto","closer":"auto","other":"auto"},"settingsVersionId":"no version",
		"modelOverrides":{"nobody":{}}`), 400, "settingsVersionId", "agentVersionManifest", "closer.FLOW.START", "modelOverrides")
	w.Refused(asks(w, `"agentVersionManifest":{"meter":"auto","closer":"7"}`), 400, "agentVersionManifest")
	w.Refused(asks(w, `"agentVersionManifest":{"meter":"auto"}`), 400, "agentVersionManifest")
	w.Refused(w.Ask("POST", deploymentsPath, strings.ReplaceAll(deployAll, "meter", "nobody")), 400, "entryAgentName")
	w = newDesk(t, desk{"meter": speaking("meter", "HANDOFF: [{TO: nobody}]\n"), "closer": closing})
	got := asks(w, `"agentVersionManifest":"auto"`)
	w.Refused(got, 400, "meter.HANDOFF.TO")
	require.Contains(t, got.Text, `"line":3`)

	w = newDesk(t, desk{"meter": asking, "closer": closing})
	past := make([]event.Payload, deployments.MostDeployments)
	for i := range past {
		past[i] = deployments.Created{TenantID: "acme", ProjectID: "p-1", DeploymentID: fmt.Sprint("d-", i)}
	}
	resttest.Given(w, deployments.Deployments, deployments.Stream("acme", "p-1"), past...)
	w.Refused(w.Ask("POST", deploymentsPath, deployAll), http.StatusTooManyRequests)
}
