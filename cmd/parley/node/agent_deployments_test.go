package node_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const agentDeployments = "/api/projects/" + mainApp + "/deployments"

// deployment is that of an answer.
func (a *answer) deployment(t *testing.T) map[string]any {
	t.Helper()
	var out struct {
		Success    bool
		Deployment map[string]any
	}
	a.into(t, &out)
	require.True(t, out.Success)
	return out.Deployment
}

func (w talkWorld) deploy(t *testing.T, environment string, more ...fields) map[string]any {
	t.Helper()
	body := fields{"environment": environment, "entryAgentName": "meter", "agentVersionManifest": "auto"}
	for _, m := range more {
		body = body.and(m)
	}
	return w.ask(t, "POST", agentDeployments, body).must(t, http.StatusCreated).deployment(t)
}

// path is that of a deployment.
func path(d map[string]any) string { return agentDeployments + "/" + d["id"].(string) }

func TestAgentsAreDeployedAndTalk(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	talk := fields{"projectId": mainApp, "message": "Hi"}
	w.ask(t, "POST", "/api/v1/chat/agent", talk).refused(t, 404, fault.NotFound)
	d := w.deploy(t, "dev", fields{"label": "first", "description": "What we have",
		"modelOverrides": fields{"meter": fields{"tier": "fast"}}})
	require.ElementsMatch(t, []string{"id", "projectId", "environment", "status", "label", "description", "endpointSlug",
		"entryAgentName",
		"agentVersionManifest", "modelOverrides", "createdAt", "createdBy"}, keysOf(d))
	require.Equal(t, map[string]any{"meter": "1", "closer": "1"}, d["agentVersionManifest"], "all that can be reached, never auto")
	require.Equal(t, []any{"dev", "active", "first", "What we have", "meter"}, []any{d["environment"], d["status"], d["label"],
		d["description"],
		d["entryAgentName"]})
	require.Regexp(t, `^bot-dev-[0-9a-f]{8}$`, d["endpointSlug"])

	var said chatAnswer
	w.ask(t, "POST", "/api/v1/chat/agent", talk, "Idempotency-Key", "hello").must(t, 200).into(t, &said)
	require.Equal(t, []any{"Good day.\nWhich meter?", d["id"]}, []any{said.Response, said.DeploymentID})
	var again chatAnswer
	w.ask(t, "POST", "/api/v1/chat/agent", talk, "Idempotency-Key", "hello").must(t, 200).into(t, &again)
	require.Equal(t, said, again, "the same request begins one session")
	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+said.SessionID, nil).must(t, 200).into(t, &one)
	require.Equal(t, []any{"api", "dev", d["id"], map[string]any{"meter": "1", "closer": "1"}}, []any{one.Session["channel"],
		one.Session["environment"], one.Session["deploymentId"], one.Session["versions"]})
	elsewhere := w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"environment": "staging"})).refused(t, 404, fault.NotFound)
	require.Contains(t, elsewhere.Text, "in staging", "there is one in another environment")
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"deploymentId": d["id"], "environment": "staging"})).refused(t, 400,
		fault.Validation,
		"environment")
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"agentId": "nobody"})).refused(t, 400, fault.Validation, "agentId")
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"agentId": "bot/closer"})).must(t, 200)

	// A session may begin with what is deployed before anything is said in it.
	for _, named := range []fields{{"environment": "dev"}, {"deploymentId": d["id"]}} {
		var begun struct{ Session map[string]any }
		w.ask(t, "POST", sessionsPath, named.and(fields{"agentId": "closer"})).must(t, http.StatusCreated).into(t, &begun)
		w.ask(t, "GET", sessionsPath+"/"+begun.Session["id"].(string), nil).must(t, 200).into(t, &one)
		require.Equal(t, []any{"closer", "api", "dev", d["id"], map[string]any{"meter": "1", "closer": "1"}}, []any{one.Session["agentName"],
			one.Session["channel"], one.Session["environment"], one.Session["deploymentId"], one.Session["versions"]})
	}
	begin := fields{"agentId": "closer", "environment": "staging"}
	w.ask(t, "POST", sessionsPath, begin).refused(t, 404, fault.NotFound)
	w.ask(t, "POST", sessionsPath, begin.and(fields{"deploymentId": d["id"]})).refused(t, 400, fault.Validation, "environment")
	w.ask(t, "POST", sessionsPath, fields{"agentId": "closer", "deploymentId": "d-nobody"}).refused(t, 404, fault.NotFound)
	w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": "broken"}).must(t, 200)
	w.ask(t, "POST", sessionsPath, fields{"agentId": "closer", "environment": "dev"}).must(t, http.StatusCreated)
	w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": closingAgent}).must(t, 200)

	w.deploy(t, "staging")
	var agent struct{ Agent map[string]any }
	w.ask(t, "GET", agentsPath+"/closer", nil).must(t, 200).into(t, &agent)
	require.Equal(t, []any{map[string]any{"dev": "1", "staging": "1"}, 1.}, []any{agent.Agent["activeVersions"],
		agent.Agent["versionCount"]})

	// What is deployed stays; a change has to be deployed.
	w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": closingAgent + "# changed\n"}).must(t, 200)
	w.apply(t, "Workflow", "wf-1", "Renew", fields{"projectId": mainApp, "steps": []any{fields{"id": "find", "tool": "tool-1"}}})
	second := w.deploy(t, "dev", fields{"workflowVersionManifest": fields{"Renew": "1"},
		"modelOverrides": fields{"closer": fields{"tier": "fast"}}})
	var detail struct{ Deployment map[string]any }
	w.ask(t, "GET", path(second), nil).must(t, 200).into(t, &detail)
	require.Equal(t, []any{map[string]any{"what": "agent", "name": "closer", "from": "1", "to": "2"},
		map[string]any{"what": "modelOverride", "name": "closer", "from": "", "to": `{"tier": "fast"}`},
		map[string]any{"what": "modelOverride", "name": "meter", "from": `{"tier": "fast"}`, "to": ""},
		map[string]any{"what": "workflow", "name": "Renew", "from": "", "to": "1"}}, detail.Deployment["changes"])
	require.EqualValues(t, 0, detail.Deployment["channelCount"])
	var list struct {
		Deployments []map[string]any
		Pagination  map[string]int
	}
	w.ask(t, "GET", agentDeployments+"?environment=dev&status=active&limit=1", nil).must(t, 200).into(t, &list)
	require.Equal(t, second["id"], list.Deployments[0]["id"], "the newest first")
	require.Equal(t, map[string]int{"total": 2, "limit": 1, "offset": 0}, list.Pagination)
}

func TestATestSessionBringsWhatItNeeds(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.deploy(t, "production")
	say := func(more fields) *answer {
		return w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "message": "1234", "testContext": more})
	}
	var said chatAnswer
	say(fields{"gatherValues": fields{"kind": "gas", "pin": "1234"}, "skipOnStart": true, "sessionVariables": fields{"vip": true},
		"callerContext": fields{"userId": "u-1", "customAttributes": fields{"tier": "gold"}}}).must(t, 200).into(t, &said)
	require.Equal(t, "Thank you for the gas, u-1.", said.Response)
	require.Equal(t, map[string]any{"vip": true}, said.State.Variables)
	var one struct{ Session map[string]any }
	w.ask(t, "GET", sessionsPath+"/"+said.SessionID, nil).must(t, 200).into(t, &one)
	require.Equal(t, true, one.Session["test"])

	begun := w.begin(t, "meter")
	into := fields{"projectId": mainApp, "sessionId": begun, "message": "1234", "testContext": fields{"skipOnStart": true,
		"gatherValues": fields{"kind": "gas", "pin": "1234"}, "sessionVariables": fields{"vip": true}, "callerContext": fields{"userId": "u-1"}}}
	w.ask(t, "POST", "/api/v1/chat/agent", into.and(fields{"testContext": fields{"startAtStep": "nowhere"}})).refused(t, 400,
		fault.Validation, "testContext.startAtStep")
	for range 2 { // the same request again
		w.ask(t, "POST", "/api/v1/chat/agent", into, "Idempotency-Key", "first").must(t, 200).into(t, &said)
		require.Equal(t, []any{"Thank you for the gas, u-1.", map[string]any{"vip": true}}, []any{said.Response, said.State.Variables})
	}
	w.ask(t, "GET", sessionsPath+"/"+begun, nil).must(t, 200).into(t, &one)
	require.Equal(t, true, one.Session["test"], "it is one of a test from its first message on")
	for field, more := range map[string]fields{
		"testContext.gatherValues":         {"gatherValues": fields{"nothing": 1}},
		"testContext.startAtStep":          {"startAtStep": "nowhere"},
		"testContext.sessionVariables":     {"sessionVariables": fields{"vip": true, "id": "mine"}},
		"testContext.toolMocks[0].tool":    {"toolMocks": []fields{{"tool": "none", "result": 1}}},
		"testContext.toolMocks[0]":         {"toolMocks": []fields{{"tool": "none", "sometimes": true}}},
		"testContext.toolMocks[0].delayMs": {"toolMocks": []fields{{"tool": "none", "delayMs": -1}}},
		"testContext.toolMocks[0].error":   {"toolMocks": []fields{{"tool": "none", "error": strings.Repeat("x", 129)}}},
		"testContext.toolMocks": {"toolMocks": []fields{{"tool": "none", "result": strings.Repeat("x", 40_000)},
			{"tool": "none", "result": strings.Repeat("x", 40_000)}}},
	} {
		say(more).refused(t, 400, fault.Validation, field)
	}
	say(fields{"gatherValues": fields{"kind": "water"}}).refused(t, 400, fault.Validation, "testContext.gatherValues")
}

func TestADeploymentIsRetiredRolledBackAndPromoted(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	d := w.deploy(t, "staging")
	var said chatAnswer
	talk := fields{"projectId": mainApp, "message": "Hi"}
	w.ask(t, "POST", "/api/v1/chat/agent", talk).must(t, 200).into(t, &said)
	begun := w.ask(t, "POST", "/api/v1/chat/agent", talk, "Idempotency-Key", "begun").must(t, 200)
	w.ask(t, "POST", path(d)+"/rollback", nil).refused(t, 409, fault.Conflict)
	retired := w.ask(t, "POST", path(d)+"/retire", nil).must(t, 200).deployment(t)
	require.Equal(t, "retired", retired["status"])
	require.Regexp(t, isoForm, retired["retiredAt"])
	require.Equal(t, retired, w.ask(t, "POST", path(d)+"/retire", nil).must(t, 200).deployment(t), "once more changes nothing")
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"deploymentId": d["id"]})).refused(t, 410, fault.Gone)
	w.ask(t, "POST", "/api/v1/chat/agent", talk).refused(t, 404, fault.NotFound)
	require.Equal(t, begun.Text, w.ask(t, "POST", "/api/v1/chat/agent", talk, "Idempotency-Key", "begun").must(t, 200).Text,
		"what was answered is answered again, whatever is deployed now")
	w.ask(t, "POST", "/api/v1/chat/agent", talk.and(fields{"sessionId": said.SessionID})).must(t, 200) // it drains
	back := w.ask(t, "POST", path(d)+"/rollback", nil).must(t, 200).deployment(t)
	require.Equal(t, "active", back["status"])
	require.NotContains(t, back, "retiredAt")

	up := w.ask(t, "POST", path(d)+"/promote", nil).must(t, http.StatusCreated).deployment(t)
	require.Equal(t, []any{"production", d["id"], d["agentVersionManifest"]}, []any{up["environment"], up["promotedFrom"],
		up["agentVersionManifest"]})
	w.ask(t, "POST", path(up)+"/promote", nil).refused(t, 400, fault.Validation, "targetEnvironment")
	w.ask(t, "POST", path(d)+"/promote", fields{"targetEnvironment": "staging"}).refused(t, 400, fault.Validation, "targetEnvironment")
	w.ask(t, "POST", "/api/v1/chat/agent", talk).must(t, 200).into(t, &said)
	require.Equal(t, up["id"], said.DeploymentID, "production goes before staging")
}

func TestDeploymentsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	base := fields{"environment": "dev", "entryAgentName": "meter", "agentVersionManifest": fields{"meter": "auto", "closer": "auto"}}
	post := func(more fields, headers ...string) *answer {
		return w.ask(t, "POST", agentDeployments, base.and(more), headers...)
	}
	for name, c := range map[string]struct {
		more  fields
		field string
	}{
		"no environment": {fields{"environment": "test"}, "environment"},
		"entry":          {fields{"entryAgentName": "nobody"}, "entryAgentName"},
		"one lacks":      {fields{"agentVersionManifest": fields{"meter": "auto"}}, "agentVersionManifest"},
		"unknown agent": {fields{"agentVersionManifest": fields{"meter": "auto", "closer": "auto", "x": "auto"}},
			"agentVersionManifest"},
		"unknown version":    {fields{"agentVersionManifest": fields{"meter": "auto", "closer": "7"}}, "agentVersionManifest"},
		"no version":         {fields{"agentVersionManifest": fields{"meter": "auto", "closer": "latest"}}, "agentVersionManifest"},
		"no manifest":        {fields{"agentVersionManifest": 5}, "agentVersionManifest"},
		"unknown settings":   {fields{"settingsVersionId": "s-1"}, "settingsVersionId"},
		"unknown workflow":   {fields{"workflowVersionManifest": fields{"w": "1"}}, "workflowVersionManifest"},
		"override of nobody": {fields{"modelOverrides": fields{"x": fields{}}}, "modelOverrides"},
		"no such tier":       {fields{"modelOverrides": fields{"meter": fields{"tier": "huge"}}}, "modelOverrides.meter.tier"},
		"tier and model": {fields{"modelOverrides": fields{"meter": fields{"tier": "fast", "modelId": "local"}}},
			"modelOverrides.meter.modelId"},
	} {
		t.Run(name, func(t *testing.T) { post(c.more).refused(t, 400, fault.Validation, c.field) })
	}
	w.ask(t, "PUT", agentsPath+"/closer/dsl",
		fields{"dslContent": "DSL: 1\nAGENT: closer\nFLOW: {START: b, STEPS: {a: {SAY: x}}}\n"}).must(t, 200)
	wrong := post(nil).refused(t, 400, fault.Validation, "closer.FLOW.START")
	require.Contains(t, wrong.Text, `"line":3`)
	require.Contains(t, wrong.Text, `"hint":"there is no step b`)
	w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": closingAgent}).must(t, 200)

	post(nil).must(t, http.StatusCreated) // so that the next one has no version to save
	made := post(nil, "Idempotency-Key", "once").must(t, http.StatusCreated)
	require.Equal(t, made.Text, post(nil, "Idempotency-Key", "once").must(t, http.StatusCreated).Text)
	post(fields{"label": "other"}, "Idempotency-Key", "once").refused(t, 409, fault.Conflict)
	w.ask(t, "PUT", agentsPath+"/closer/dsl", fields{"dslContent": "AGENT: nobody\n"}).must(t, 200)
	require.Equal(t, made.Text, post(nil, "Idempotency-Key", "once").must(t, http.StatusCreated).Text, "whatever became of the agents since")
	d := made.deployment(t)

	other := w.cluster.tenant(t, "")
	w.b.do(t, "GET", path(d), nil, "Authorization", "Bearer "+other.token(t)).refused(t, 404, fault.NotFound)
	w.ask(t, "GET", agentDeployments+"/d-none", nil).refused(t, 404, fault.NotFound)
	w.scope(t, "as-viewer", "viewer", mainApp, access.AppView)
	key := w.key(t, "as-viewer")
	w.b.do(t, "GET", agentDeployments, nil, "X-API-Key", key).must(t, 200)
	w.b.do(t, "POST", agentDeployments, base, "X-API-Key", key).refused(t, 403, fault.Forbidden)
}

const findingAgent = `DSL: 1
AGENT: finder
TOOLS:
  find: {KIND: http, URL: "https://crm.invalid/find", PARAMS: {type: object, required: [name], properties: {name: {type: string}}}}
FLOW:
  START: ask
  STEPS:
    ask: {SAY: "Looking.", CALL: find, WITH: {name: turn.text}, AS: session.found, ON_ERROR: {SAY: "Not there.", STOP: true}, NEXT: tell}
    tell: {SAY: "It is {{ session.found.city }}."}
`

// Given an agent that calls a tool, then whoever brings mocks of it is answered with what they
// answer, in the very turn; without them the tool is asked.
func TestMocksAnswerInPlaceOfTools(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	w.apply(t, "Agent", "a-finder", "finder", fields{"projectId": mainApp, "dslContent": findingAgent})
	w.deploy(t, "production", fields{"entryAgentName": "finder"})
	body := fields{"projectId": mainApp, "message": "Ann"}
	var said chatAnswer
	w.ask(t, "POST", "/api/v1/chat/agent", body).must(t, 200).into(t, &said)
	require.Equal(t, "Looking.\nNot there.", said.Response)
	mocks := fields{"testContext": fields{"toolMocks": []fields{{"tool": "find", "when": `args.name == "Bob"`, "error": "NOT_FOUND"},
		{"tool": "find", "result": fields{"city": "Graz"}}}}}
	w.ask(t, "POST", "/api/v1/chat/agent", body.and(mocks)).must(t, 200).into(t, &said)
	require.Equal(t, "Looking.\nIt is Graz.", said.Response)
	require.Equal(t, []string{"turn_started", "step", "tool_call", "step", "turn_ended"}, said.traces())
	call := said.TraceEvents[2].Data
	require.Equal(t, []any{"find", "ok", true, "ask"}, []any{call["tool"], call["outcome"], call["mocked"], call["step"]})
	require.Equal(t, map[string]any{"found": map[string]any{"city": "Graz"}}, said.State.Variables)
	bad := fields{"testContext": fields{"toolMocks": []fields{{"tool": "find", "result": 1}, {"tool": "find", "when": "args.name =="}}}}
	w.ask(t, "POST", "/api/v1/chat/agent", body.and(bad)).refused(t, 400, fault.Validation, "testContext.toolMocks[1].when")
}
