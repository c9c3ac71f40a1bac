//go:build !apache

package node_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/tokens"
)

const (
	suitesPath = "/api/public/stream/" + mainAlias + "/conversation/testsuite"

	testedAgent = `DSL: 1
AGENT: echo
TOOLS: {save: {KIND: http, METHOD: POST, URL: "https://api.example.com/x"}}
ON_START: {SAY: {en: Good day., de: Guten Tag.}}
FLOW: {START: a, STEPS: {a: {CALL: save, AS: session.saved, SAY: "You say {{ turn.text }}."}}}
TESTS:
  - NAME: says it
    CONTEXT: {skipOnStart: true, toolMocks: [{tool: save, result: {ok: true}}]}
    TURNS: [{USER: x, EXPECT: {SAY: You say x., TOOLS: [save]}}]
`
)

// testRun is what test-run-status answers.
type testRun struct {
	ID                  string `json:"_id"`
	StreamID            string
	TestSuiteID         string
	Status              string
	TotalTestStepsCount int
	PercentageCompleted int
	Result              struct {
		StartTime, Version, Status string
		StepDetails                *struct{ Passed, Failed, Total int }
		Duration                   *int
	}
	TestSuiteName, Language, DeploymentID, Environment, Reason string
	Failures                                                   []map[string]any
}

// tested is a tenant with an agent and a suite of it, asked at the node that it was not made on.
type tested struct{ talkWorld }

func newTested(t *testing.T) tested {
	w := tested{newTalkWorld(t)}
	w.apply(t, "Agent", "a-echo", "echo", fields{"projectId": mainApp, "dslContent": testedAgent})
	w.suite(t, "You say hello.")
	return w
}

// suite has one case that passes, and one in which the agent is to say something.
func (w tested) suite(t *testing.T, says string) {
	t.Helper()
	mocked := fields{"skipOnStart": true, "toolMocks": []fields{{"tool": "save", "result": fields{"id": 7}}}}
	w.apply(t, "TestSuite", "ts-echo", "Echo", fields{"projectId": mainApp, "agentName": "echo", "language": "en", "cases": []fields{
		{"name": "saves", "context": mocked, "turns": []fields{{"user": "x"}, {"user": "y", "expect": fields{"tools": []string{"save"},
			"session": fields{"saved": fields{"id": 7.0}}, "action": "continue"}}}},
		{"name": "speaks", "context": mocked, "turns": []fields{{"user": "hello", "expect": fields{"say": says}}}}}})
}

// run asks for a run, and waits for its end.
func (w tested) run(t *testing.T, suite string, body any, headers ...string) (r testRun) {
	t.Helper()
	w.ask(t, "POST", suitesPath+"/"+suite+"/run", body, headers...).must(t, http.StatusAccepted).into(t, &r)
	require.Regexp(t, `^ctr-[0-9a-f-]{36}$`, r.ID)
	require.Equal(t, []any{"inprogress", "inprogress"}, []any{r.Status, r.Result.Status})
	return w.ended(t, suite, r.ID)
}

func (w tested) ended(t *testing.T, suite, id string) (r testRun) {
	t.Helper()
	until(t, "the end of the run", func() bool {
		r = testRun{}
		w.ask(t, "GET", suitesPath+"/"+suite+"/"+id+"/status", nil, "bot-language", "en").must(t, 200).into(t, &r)
		return r.Status != "inprogress"
	})
	return r
}

func TestASuiteIsRunAndToldHowItWent(t *testing.T) {
	t.Parallel()
	w := newTested(t)
	r := w.run(t, "Echo", nil)
	require.Equal(t, []any{"passed", "passed", 2, 100, "working-copy", mainApp, "ts-echo", "Echo", "en"}, []any{r.Status, r.Result.Status,
		r.TotalTestStepsCount, r.PercentageCompleted, r.Result.Version, r.StreamID, r.TestSuiteID, r.TestSuiteName, r.Language})
	require.Equal(t, struct{ Passed, Failed, Total int }{2, 0, 2}, *r.Result.StepDetails)
	require.NotNil(t, r.Result.Duration)
	require.Regexp(t, isoForm, r.Result.StartTime)
	require.Empty(t, r.Failures)

	w.suite(t, "You say bye.")
	r = w.run(t, "Echo", fields{"language": "de"})
	require.Equal(t, []any{"failed", "de", struct{ Passed, Failed, Total int }{1, 1, 2}}, []any{r.Status, r.Language, *r.Result.StepDetails})
	require.Equal(t, []map[string]any{{"case": "speaks", "turn": 1., "differences": []any{map[string]any{"what": "say",
		"expected": "You say bye.", "got": "You say hello."}}}}, r.Failures)

	own := w.run(t, "agent:echo", nil, "bot-language", "de")
	require.Equal(t, []any{"passed", "a-echo", 1, "de"}, []any{own.Status, own.TestSuiteID, own.TotalTestStepsCount, own.Language})

	// An agent that a test cannot run.
	w.apply(t, "Agent", "a-model", "model", fields{"projectId": mainApp, "dslContent": "DSL: 1\nAGENT: model\nGOAL: Help.\n"})
	w.apply(t, "TestSuite", "ts-model", "Model", fields{"projectId": mainApp, "agentName": "model", "cases": []fields{{"name": "hello",
		"turns": []fields{{"user": "Hi"}}}}})
	r = w.run(t, "Model", fields{})
	require.Equal(t, "error", r.Status)
	require.Contains(t, r.Reason, "the agent model needs a model")
	require.Equal(t, "hello", r.Failures[0]["case"])

	var list struct {
		Success    bool
		TestSuites []map[string]any
		Pagination map[string]int
	}
	w.ask(t, "GET", "/api/public/stream/"+mainApp+"/conversation/testsuites?limit=1", nil).must(t, 200).into(t, &list)
	require.True(t, list.Success)
	require.Equal(t, []map[string]any{{"_id": "ts-echo", "name": "Echo", "agentName": "echo", "language": "en", "cases": 2.,
		"totalTestStepsCount": 2.}}, list.TestSuites)
	require.Equal(t, 2, list.Pagination["total"])
	var sessions struct{ Pagination map[string]int }
	w.ask(t, "GET", sessionsPath, nil).must(t, 200).into(t, &sessions)
	require.Zero(t, sessions.Pagination["total"], "a run makes no session")
}

func TestARunOfADeploymentPlaysWhatIsDeployed(t *testing.T) {
	t.Parallel()
	w := newTested(t)
	w.ask(t, "POST", suitesPath+"/Echo/run", fields{"environment": "dev"}).refused(t, 404, fault.NotFound)
	d := w.deploy(t, "dev", fields{"entryAgentName": "echo"})
	w.ask(t, "PUT", agentsPath+"/echo/dsl", fields{"dslContent": "DSL: 1\nAGENT: echo\nNONSENSE: 1\n"}).must(t, 200)
	for _, body := range []fields{{"environment": "dev"}, {"deploymentId": d["id"]}} {
		r := w.run(t, "Echo", body)
		require.Equal(t, []any{"passed", "1", d["id"], "dev"}, []any{r.Status, r.Result.Version, r.DeploymentID, r.Environment})
	}
	w.ask(t, "POST", suitesPath+"/Echo/run", nil).refused(t, 400, fault.Validation, "echo.GOAL", "echo.NONSENSE")
	other := w.deploy(t, "staging")
	w.ask(t, "POST", suitesPath+"/Echo/run", fields{"deploymentId": other["id"]}).refused(t, 400, fault.Validation, "deploymentId")
	w.ask(t, "POST", suitesPath+"/Echo/run", fields{"environment": "test"}).refused(t, 400, fault.Validation, "environment")
}

func TestARepeatedRequestIsOneRun(t *testing.T) {
	t.Parallel()
	w := newTested(t)
	first := w.ask(t, "POST", suitesPath+"/Echo/run", fields{}, "Idempotency-Key", "again").must(t, http.StatusAccepted)
	var r testRun
	first.into(t, &r)
	require.Equal(t, "passed", w.ended(t, "Echo", r.ID).Status)
	w.suite(t, "something else")
	require.Equal(t, first.Text, w.ask(t, "POST", suitesPath+"/Echo/run", fields{}, "Idempotency-Key", "again").must(t, 202).Text)
	w.ask(t, "POST", suitesPath+"/Echo/run", fields{"language": "de"}, "Idempotency-Key", "again").refused(t, 409, fault.Conflict)
}

// Names are compared as people see them: what begins a run also tells of it.
func TestARunIsFoundByTheNameItWasBegunWith(t *testing.T) {
	t.Parallel()
	w := newTested(t)
	w.apply(t, "TestSuite", "ts-hello", "Grüße", fields{"projectId": mainApp, "agentName": "echo", "cases": []fields{{"name": "any",
		"turns": []fields{{"user": "hello", "expect": fields{"say": "You say hello."}}}}}})
	var r testRun
	w.ask(t, "POST", suitesPath+"/"+url.PathEscape("Gru\u0308\u00dfe")+"/run", fields{}).must(t, http.StatusAccepted).into(t, &r)
	for _, name := range []string{"Grüße", "Gru\u0308ße", " Grüße "} {
		w.ask(t, "GET", suitesPath+"/"+url.PathEscape(name)+"/"+r.ID+"/status", nil).must(t, 200)
	}
}

func TestWhoMaySeeTestSuites(t *testing.T) {
	t.Parallel()
	w := newTested(t)
	r := w.run(t, "Echo", nil)
	status := suitesPath + "/Echo/" + r.ID + "/status"
	for _, path := range []string{suitesPath + "/None/" + r.ID + "/status", suitesPath + "/Echo/ctr-none/status",
		suitesPath + "/agent:echo/" + r.ID + "/status", "/api/public/stream/none/conversation/testsuite/Echo/" + r.ID + "/status",
		"/api/public/stream/" + otherApp + "/conversation/testsuite/Echo/" + r.ID + "/status"} {
		w.ask(t, "GET", path, nil).refused(t, 404, fault.NotFound)
	}
	for _, suite := range []string{"None", "agent:nobody", "agent:closer", "agent:", "%20"} {
		w.ask(t, "POST", suitesPath+"/"+suite+"/run", nil).refused(t, 404, fault.NotFound)
	}
	other := w.cluster.tenant(t, "")
	stranger := other.token(t)
	w.b.do(t, "GET", status, nil, "auth", stranger).refused(t, 404, fault.NotFound)
	w.b.do(t, "POST", suitesPath+"/Echo/run", fields{}, "auth", stranger).refused(t, 404, fault.NotFound)
	without := w.token(t, func(g *tokens.Grant) { g.Scopes = []access.ClientScope{access.ScopeRouting} })
	w.b.do(t, "GET", status, nil, "auth", without).refused(t, 403, fault.Forbidden)
	w.b.do(t, "POST", suitesPath+"/Echo/run", fields{}, "auth", without).refused(t, 403, fault.Forbidden)
	w.b.do(t, "GET", status, nil, "x-api-key", w.key(t, mainScope)).refused(t, 401, fault.Unauthorized)
}

func TestADeploymentWhoseTestsDoNotPassIsNotPromoted(t *testing.T) {
	t.Parallel()
	w := newTested(t)
	d := w.deploy(t, "dev", fields{"entryAgentName": "echo"})
	up := w.ask(t, "POST", path(d)+"/promote", nil, "Idempotency-Key", "up").must(t, http.StatusCreated)
	require.Equal(t, "staging", up.deployment(t)["environment"], "its tests pass")

	w.ask(t, "PUT", agentsPath+"/echo/dsl", fields{"dslContent": strings.Replace(testedAgent, "SAY: You say x.", "SAY: You say y.", 1)}).
		must(t, 200)
	d = w.deploy(t, "dev", fields{"entryAgentName": "echo"})
	refused := w.ask(t, "POST", path(d)+"/promote", nil)
	refused.refused(t, 409, fault.Conflict)
	require.Contains(t, refused.Text, `echo, \"says it\": turn 1, say: expected \"You say y.\", got \"You say x.\"`)
	w.ask(t, "POST", path(d)+"/promote", fields{"targetEnvironment": "dev"}).refused(t, 400, fault.Validation, "targetEnvironment")
	skipped := w.ask(t, "POST", path(d)+"/promote", fields{"skipTests": true}, "Idempotency-Key", "skip").must(t, http.StatusCreated)
	require.Equal(t, "staging", skipped.deployment(t)["environment"])
	require.Equal(t, skipped.Text, w.ask(t, "POST", path(d)+"/promote", fields{"skipTests": true}, "Idempotency-Key", "skip").
		must(t, http.StatusCreated).Text, "a repeat is answered with it")
}
