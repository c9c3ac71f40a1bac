package node_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// deployJob is what deploy-workflow and deploy-tool answer.
type deployJob struct {
	DockStatusID       string `json:"dockStatusId"`
	DockStatusIDDashed string `json:"dock-statusId"`
	WorkflowID         string `json:"workflowId"`
	ToolID             string `json:"toolId"`
	JobType            string `json:"jobType"`
	Action             string `json:"action"`
	Status             string `json:"status"`
	Reason             string `json:"reason"`
}

const workflows, tools = "/api/public/workflows/", "/api/public/tools/"

// dockTenant has a tool, a workflow that uses it, and one that uses a missing tool.
func dockTenant(t *testing.T) (w *tenant, key string) {
	t.Helper()
	w = shared(t).tenant(t, "")
	w.apply(t, "Tool", "tool-1", "Look up", map[string]any{"projectId": mainApp, "type": "http", "url": "https://api.example.com/orders"})
	w.apply(t, "Workflow", "wf-1", "Renew", map[string]any{"projectId": mainApp,
		"steps": []any{map[string]any{"id": "find", "tool": "tool-1"}}})
	w.apply(t, "Workflow", "wf-2", "Refund", map[string]any{"projectId": mainApp,
		"steps": []any{map[string]any{"id": "refund", "tool": "tool-none"}}})
	return w, w.key(t, mainScope)
}

func (w *tenant) deploy(t *testing.T, key, path string, async bool, headers ...string) (j deployJob) {
	t.Helper()
	w.on.do(t, "POST", path+"/deploy", map[string]any{"isAsync": async}, append(headers, "x-api-key", key)...).must(t, 200).into(t, &j)
	return j
}

func TestDeployingAWorkflowSynchronously(t *testing.T) {
	t.Parallel()
	w, key := dockTenant(t)
	j := w.deploy(t, key, workflows+"wf-1", false)
	require.Regexp(t, "^ds-"+uuidForm+"$", j.DockStatusID)
	require.Equal(t, deployJob{DockStatusID: j.DockStatusID, DockStatusIDDashed: j.DockStatusID, WorkflowID: "wf-1", JobType: "WORKFLOWS",
		Action: "DEPLOY", Status: "SUCCESS"}, j)
	var shown deployJob
	w.on.do(t, "GET", workflows+"wf-1/deployments/"+j.DockStatusID, nil, "x-api-key", key).must(t, 200).into(t, &shown)
	require.Equal(t, j, shown)
}

func TestDeployingAToolAsynchronously(t *testing.T) {
	t.Parallel()
	w, key := dockTenant(t)
	j := w.deploy(t, key, tools+"tool-1", true)
	require.Contains(t, []string{"IN_PROGRESS", "SUCCESS"}, j.Status)
	require.Equal(t, "TOOLS", j.JobType)
	require.Equal(t, "tool-1", j.ToolID)
	require.Eventually(t, func() bool {
		var now deployJob
		w.on.do(t, "GET", tools+"tool-1/deployments/"+j.DockStatusID, nil, "x-api-key", key).must(t, 200).into(t, &now)
		return now.Status == "SUCCESS"
	}, patience, 10*time.Millisecond)
}

// Prefer: respond-async goes with isAsync: who asks to wait for the deployment waits.
func TestADeploymentIsAnsweredFromTheLog(t *testing.T) {
	t.Parallel()
	w, key := dockTenant(t)
	ask := func(async bool) *answer {
		return w.on.do(t, "POST", tools+"tool-1/deploy", map[string]any{"isAsync": async}, "x-api-key", key, "Prefer", "respond-async")
	}
	var j, now deployJob
	got := ask(true).must(t, 202)
	got.into(t, &j)
	require.Equal(t, deployJob{DockStatusID: j.DockStatusID, DockStatusIDDashed: j.DockStatusID, ToolID: "tool-1",
		JobType: "TOOLS", Action: "DEPLOY", Status: "IN_PROGRESS"}, j)
	require.Equal(t, tools+"tool-1/deployments/"+j.DockStatusID, got.Header.Get("Location"))
	require.Eventually(t, func() bool {
		shown := w.on.do(t, "GET", got.Header.Get("Location"), nil, "x-api-key", key)
		return shown.Status == 200 && json.Unmarshal([]byte(shown.Text), &now) == nil && now.Status == "SUCCESS"
	}, patience, 10*time.Millisecond)
	got = ask(false).must(t, 200)
	got.into(t, &j)
	require.Equal(t, "SUCCESS", j.Status)
	require.Empty(t, got.Header.Get("Preference-Applied"))
}

func TestAWorkflowThatRefersToAMissingToolFailsWithTheReason(t *testing.T) {
	t.Parallel()
	w, key := dockTenant(t)
	j := w.deploy(t, key, workflows+"wf-2", false)
	require.Equal(t, "FAILED", j.Status)
	require.Contains(t, j.Reason, "tool-none")
	w.apply(t, "Tool", "tool-none", "Refund", map[string]any{"projectId": mainApp, "type": "code", "code": "return 1"})
	require.Equal(t, "SUCCESS", w.deploy(t, key, workflows+"wf-2", false).Status, "now it is there")
}

// TestADeploymentIsCarriedOutOnce: by operation and reactor at once, on two nodes,
// and again with the same key.
func TestADeploymentIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	w, key := dockTenant(t)
	c := shared(t)
	var all sync.WaitGroup
	for _, on := range []*server{c.a, c.b, c.a, c.b} {
		all.Go(func() {
			got := on.surely(t, "POST", tools+"tool-1/deploy", map[string]any{"isAsync": false}, "x-api-key", key, "Idempotency-Key", "once")
			if got.Status != 200 {
				t.Errorf("%+v", got)
			}
		})
	}
	all.Wait()
	state, err := eventstore.Read(t.Context(), w.on.Store(), deployables.Docks, deployables.Stream(w.id, mainApp))
	require.NoError(t, err)
	require.EqualValues(t, 4, state.Version, "three definitions and one deployment")
	got := w.on.do(t, "POST", tools+"tool-1/deploy", map[string]any{"isAsync": true}, "x-api-key", key, "Idempotency-Key", "once")
	require.Equal(t, 409, got.Status)
}

func TestDeployingIsRefused(t *testing.T) {
	t.Parallel()
	w, key := dockTenant(t)
	j := w.deploy(t, key, workflows+"wf-1", false)
	stranger, strangersKey := dockTenant(t)
	w.scope(t, "as-view", "view", mainApp, access.AppView)
	body := map[string]any{"isAsync": false}
	for name, c := range map[string]struct {
		method, path string
		body         any
		header       []string
		status       int
		code         fault.Code
	}{
		"without a credential": {"POST", workflows + "wf-1/deploy", body, nil, 401, fault.Unauthorized},
		"with a token":         {"POST", workflows + "wf-1/deploy", body, []string{"auth", w.token(t)}, 401, fault.Unauthorized},
		"with a key that may not": {"POST", workflows + "wf-1/deploy", body, []string{"x-api-key", w.key(t, "as-view")}, 403,
			fault.Forbidden},
		"an unknown workflow":  {"POST", workflows + "wf-9/deploy", body, []string{"x-api-key", key}, 404, fault.NotFound},
		"a tool as a workflow": {"POST", workflows + "tool-1/deploy", body, []string{"x-api-key", key}, 404, fault.NotFound},
		"with a key of another app": {"POST", workflows + "wf-1/deploy", body, []string{"x-api-key", w.key(t, otherScope)}, 404,
			fault.NotFound},
		"an id that is none": {"POST", workflows + "a%20b/deploy", body, []string{"x-api-key", key}, 404, fault.NotFound},
		"without isAsync":    {"POST", workflows + "wf-1/deploy", map[string]any{}, []string{"x-api-key", key}, 400, fault.Validation},
		"isAsync that is null": {"POST", workflows + "wf-1/deploy", map[string]any{"isAsync": nil}, []string{"x-api-key", key}, 400,
			fault.Validation},
		"isAsync that is no boolean": {"POST", workflows + "wf-1/deploy", map[string]any{"isAsync": "yes"}, []string{"x-api-key", key}, 400,
			fault.Validation},
		"status of another tenant": {"GET", workflows + "wf-1/deployments/" + j.DockStatusID, nil, []string{"x-api-key", strangersKey}, 404,
			fault.NotFound},
		"status of another workflow": {"GET", workflows + "wf-2/deployments/" + j.DockStatusID, nil, []string{"x-api-key", key}, 404,
			fault.NotFound},
		"status as if it were a tool": {"GET", tools + "wf-1/deployments/" + j.DockStatusID, nil, []string{"x-api-key", key}, 404,
			fault.NotFound},
		"status of an unknown request": {"GET", workflows + "wf-1/deployments/ds-1", nil, []string{"x-api-key", key}, 404, fault.NotFound},
	} {
		got := stranger.on.do(t, c.method, c.path, c.body, c.header...)
		require.Equal(t, c.status, got.Status, "%s: %s", name, got.Text)
		require.Contains(t, got.Text, string(c.code), name)
	}
}
