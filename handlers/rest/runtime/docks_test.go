package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/handlers/rest/runtime"
	models "github.com/parley-platform/parley/projections/runtime"
)

// harbour is the read models of workflows, tools and their jobs.
type harbour struct {
	defined map[string]bool                 // by "tenant/project/kind/id"
	jobs    map[string]models.DeploymentJob // by "tenant/project/kind/target/id"
	down    error
}

func (h *harbour) Defined(_ context.Context, tenant, project string, kind deployables.Kind, id string) (bool, error) {
	return h.defined[fmt.Sprint(tenant, "/", project, "/", kind, "/", id)], h.down
}

func (h *harbour) Job(_ context.Context, tenant, project string, kind deployables.Kind, target, id string) (models.DeploymentJob, bool,
	error) {
	j, ok := h.jobs[fmt.Sprint(tenant, "/", project, "/", kind, "/", target, "/", id)]
	return j, ok, h.down
}

// newHarbour has tool look and workflow renew of acme's app p-1, and a key that deploys.
func newHarbour(t *testing.T) (*resttest.Stored, *harbour) {
	t.Helper()
	w := resttest.NewStored(t, nil)
	k := w.Keys[string(resttest.Hash(resttest.FullKey))]
	k.Permissions = []access.KeyPermission{access.AppEdit}
	w.Keys[string(resttest.Hash(resttest.FullKey))] = k
	h := &harbour{defined: map[string]bool{"acme/p-1/tool/look": true, "acme/p-1/workflow/renew": true, "acme/p-1/tool/gone": true,
		"globex/p-1/tool/theirs": true, "acme/p-9/tool/other": true}, jobs: map[string]models.DeploymentJob{}}
	resttest.Given(w, deployables.Docks, deployables.Stream("acme", "p-1"), deployables.ToolDefined{TenantID: "acme", ProjectID: "p-1",
		ToolID: "look",
		Name:   "Look up", Type: deployables.ToolHTTP, Settings: deployables.Settings{URL: "https://api.example.com", Method: "GET"}, Version: 3},
		deployables.WorkflowDefined{TenantID: "acme", ProjectID: "p-1", WorkflowID: "renew", Name: "Renew", Version: 2})
	runtime.DeclareDocks(w.Api, runtime.Docks{Commands: w.Commands, Docks: h, Deploy: acts.Deploy{Log: w.Commands.Log}})
	return w, h
}

func byKey(w *resttest.Stored, method, path, body string, headers ...string) *resttest.Reply {
	return w.Call(method, path, body, append([]string{"x-api-key", resttest.FullKey}, headers...)...)
}

const waiting, async = `{"isAsync":false}`, `{"isAsync":true}`

// answer is a job as it is shown: under both spellings of its id.
func answer(id, kind, target, status, reason string) string {
	members := map[string]string{"dockStatusId": id, "dock-statusId": id, kind + "Id": target, "jobType": strings.ToUpper(kind) + "S",
		"action": "DEPLOY", "status": status}
	if reason != "" {
		members["reason"] = reason
	}
	raw, _ := json.Marshal(members)
	return string(raw)
}

// asked is the job of what was written since.
func asked(t *testing.T, w *resttest.Stored) (job deployables.JobRequested, more []string) {
	t.Helper()
	since := w.Since()
	require.NotEmpty(t, since)
	job, ok := memory.Payload(deployables.Jobs.Category, since[0]).(deployables.JobRequested)
	require.True(t, ok, since[0].Type)
	for _, r := range since[1:] {
		more = append(more, r.Type)
	}
	return job, more
}

func TestADeploymentWithItsCallerWaiting(t *testing.T) {
	for kind, target := range map[string]string{"tool": "look", "workflow": "renew"} {
		w, _ := newHarbour(t)
		got := byKey(w, "POST", "/api/public/"+kind+"s/"+target+"/deploy", waiting)
		require.Equal(t, 200, got.Status, got.Text)
		job, more := asked(t, w)
		require.Equal(t, deployables.JobRequested{JobID: job.JobID, TenantID: "acme", ProjectID: "p-1", Kind: deployables.Kind(kind), ID: target,
			At: w.Now}, job)
		require.True(t, strings.HasPrefix(job.JobID, deployables.JobIDPrefix))
		require.Len(t, more, 2, "it is deployed, and the job ends")
		require.JSONEq(t, answer(job.JobID, kind, target, "SUCCESS", ""), got.Text)
	}
}

func TestADeploymentThatFailsIsAnAnswer(t *testing.T) {
	w, _ := newHarbour(t)
	got := byKey(w, "POST", "/api/public/tools/gone/deploy", waiting)
	require.Equal(t, 200, got.Status, got.Text)
	job, _ := asked(t, w)
	require.JSONEq(t, answer(job.JobID, "tool", "gone", "FAILED", "the tool gone is not defined any more"), got.Text)
}

func TestADeploymentNobodyWaitsFor(t *testing.T) {
	w, _ := newHarbour(t)
	got := byKey(w, "POST", "/api/public/tools/look/deploy", async)
	require.Equal(t, 200, got.Status, got.Text)
	job, more := asked(t, w)
	require.True(t, job.Async)
	require.Empty(t, more, "the reactor does it")
	require.JSONEq(t, answer(job.JobID, "tool", "look", "IN_PROGRESS", ""), got.Text)

	got = byKey(w, "POST", "/api/public/tools/look/deploy", async, "Prefer", "respond-async")
	require.Equal(t, 202, got.Status, got.Text)
	require.Eventually(t, func() bool { return len(w.Events.Accepted()) == 4 }, resttest.WaitLong, resttest.WaitStep)
	job, _ = asked(t, w)
	require.Equal(t, "/api/public/tools/look/deployments/"+job.JobID, got.Header.Get("Location"))
	require.JSONEq(t, answer(job.JobID, "tool", "look", "IN_PROGRESS", ""), got.Text)

	got = byKey(w, "POST", "/api/public/tools/look/deploy", waiting, "Prefer", "respond-async")
	require.Equal(t, 200, got.Status, "who waits is answered when it is over")
	require.Contains(t, got.Text, "SUCCESS")
}

func TestADeploymentIsMadeOnceForAKey(t *testing.T) {
	w, _ := newHarbour(t)
	first := byKey(w, "POST", "/api/public/tools/look/deploy", waiting, "Idempotency-Key", "one")
	require.Equal(t, 200, first.Status, first.Text)
	w.Since()
	w.Events.Forget()
	again := byKey(w, "POST", "/api/public/tools/look/deploy", waiting, "Idempotency-Key", "one")
	require.Equal(t, []any{200, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("Idempotency-Replayed")})
	w.Refused(byKey(w, "POST", "/api/public/tools/look/deploy", async, "Idempotency-Key", "one"), 409)
	other := byKey(w, "POST", "/api/public/workflows/renew/deploy", waiting, "Idempotency-Key", "one")
	require.Equal(t, 200, other.Status, "a key is of its path")
	require.Empty(t, other.Header.Get("Idempotency-Replayed"))
}

func TestWhatADeploymentIsRefused(t *testing.T) {
	w, h := newHarbour(t)
	for _, c := range []struct {
		path, body string
		status     int
		fields     []string
	}{
		{"tools/look", `{}`, 400, []string{"isAsync"}}, {"tools/look", `{"isAsync":null}`, 400, []string{"isAsync"}},
		{"tools/look", `{"isAsync":"true"}`, 400, []string{"isAsync"}},
		{"tools/theirs", `{}`, 404, nil}, {"tools/other", `{}`, 404, nil}, {"tools/renew", `{}`, 404, nil}, {"workflows/look", `{}`, 404, nil},
		{"tools/a%20b", `{}`, 404, nil},
	} {
		w.Refused(byKey(w, "POST", "/api/public/"+c.path+"/deploy", c.body), c.status, c.fields...)
	}
	require.Contains(t, byKey(w, "POST", "/api/public/tools/nothing/deploy", async).Text, "there is no such tool")
	w.Refused(w.Call("POST", "/api/public/tools/look/deploy", async, "x-api-key", resttest.ViewKey), 403)
	w.Refused(w.Call("POST", "/api/public/tools/look/deploy", async), 401)
	h.down = errors.New("relation does not exist")
	w.Refused(byKey(w, "POST", "/api/public/tools/look/deploy", async), 500)
	h.down = nil
	w.Events.Fail(memory.Faults{Append: func([]*eventstore.Record) error { return errors.New("no leader") }})
	w.Refused(byKey(w, "POST", "/api/public/tools/look/deploy", async), 503)
}

// What cannot be deployed now is left to the reactor: its caller learns that it is under
// way, the operator why.
func TestADeploymentThatIsLeftToTheReactor(t *testing.T) {
	w, _ := newHarbour(t)
	w.Events.Fail(memory.Faults{Append: func(commit []*eventstore.Record) error {
		if commit[0].Stream == deployables.Stream("acme", "p-1") {
			return errors.New("no leader")
		}
		return nil
	}})
	got := byKey(w, "POST", "/api/public/tools/look/deploy", waiting)
	require.Equal(t, 200, got.Status, got.Text)
	job, more := asked(t, w)
	require.Empty(t, more)
	require.JSONEq(t, answer(job.JobID, "tool", "look", "IN_PROGRESS", ""), got.Text)
	require.Contains(t, w.Log.String(), job.JobID)
}

func TestHowADeploymentWent(t *testing.T) {
	w, h := newHarbour(t)
	for kind, target := range map[string]string{"tool": "look", "workflow": "renew"} {
		path := "/api/public/" + kind + "s/" + target + "/deployments/"
		h.jobs["acme/p-1/"+kind+"/"+target+"/ds-1"] = models.DeploymentJob{ID: "ds-1", Target: target, Status: deployables.Failed,
			Reason: "no such tool"}
		h.jobs["globex/p-1/"+kind+"/"+target+"/ds-2"], h.jobs["acme/p-9/"+kind+"/"+target+"/ds-9"] = models.DeploymentJob{},
			models.DeploymentJob{}
		require.JSONEq(t, answer("ds-1", kind, target, "FAILED", "no such tool"), byKey(w, "GET", path+"ds-1", "").Text)
		for _, id := range []string{"ds-2", "ds-9", "ds-7", "a%20b"} {
			w.Refused(byKey(w, "GET", path+id, ""), 404)
		}
		w.Refused(byKey(w, "GET", "/api/public/"+kind+"s/a%20b/deployments/ds-1", ""), 404)
		w.Refused(w.Call("GET", path+"ds-1", "", "x-api-key", resttest.ViewKey), 403)
	}
	w.Refused(byKey(w, "GET", "/api/public/workflows/look/deployments/ds-1", ""), 404)
	h.down = errors.New("relation does not exist")
	w.Refused(byKey(w, "GET", "/api/public/tools/look/deployments/ds-1", ""), 500)
}
