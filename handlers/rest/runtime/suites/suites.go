// Package suites is the operations on test suites of agents: which there are, running one, and
// how a run goes.
package suites

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/agents"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	api "github.com/parley-platform/parley/handlers/rest/runtime"
	"github.com/parley-platform/parley/projections/runtime"
)

// API is what the operations on test suites need.
type API struct {
	rest.Commands
	Chat     api.ChatAPI // which agents and deployments there are
	Suites   suiteReader
	Programs *acts.Programs
}

// suiteReader knows test suites and their runs.
type suiteReader interface {
	Named(ctx context.Context, tenant, project, name string) (runtime.TestSuite, bool, error)
	List(ctx context.Context, tenant, project string, limit, offset int) ([]runtime.TestSuite, int, error)
	Run(ctx context.Context, tenant, project, suite, id string) (runtime.TestRun, bool, error)
	NotPassed(ctx context.Context, run string, most int) ([]runtime.TestRunCase, error)
}

const suitePath = "/api/public/stream/{streamId}/conversation/testsuite/{testSuiteName}"

// Declare adds the operations on test suites.
func Declare(api *rest.API, x API) {
	tags, needs := []string{"Test suites"}, access.TokenOnly(access.ScopeTestsExecution)
	rest.Declare(api, rest.Operation{
		ID: "list-test-suites", Method: http.MethodGet, Path: "/api/public/stream/{streamId}/conversation/testsuites", Extension: true,
		Tags: tags, Summary: "List the test suites of a project by name",
		Description: "Those of manifests; the TESTS of an agent's source are run as agent:NAME.",
		Requirement: needs, Resolve: rest.ProjectFrom("streamId"),
	}, x.list)
	rest.Declare(api, rest.Operation{
		ID: "run-test-suite", Method: http.MethodPost, Path: suitePath + "/run", Extension: true, Tags: tags, Status: http.StatusAccepted,
		Summary: "Run a test suite",
		Description: "Answers at once with the run, which goes on by itself: see test-run-status. It plays the suite and the agents as they " +
			"stand now, of working copies unless a deployment or an environment is named. Tools are answered in place of by the mocks of " +
			"the cases alone; no session is made, so a run is in no report. agent:NAME runs the TESTS of that agent's source.",
		Requirement: needs, Resolve: rest.ResolveAll(rest.ProjectFrom("streamId"), x.suiteOfPath),
		Refusals: []fault.Code{fault.NotFound, fault.Conflict, fault.Gone, fault.Unavailable, fault.NotExecuted, fault.OutcomeUnknown},
	}, x.run)
	rest.Declare(api, rest.Operation{
		ID: "test-run-status", Method: http.MethodGet, Path: suitePath + "/{testRunId}/status", Tags: tags,
		Summary: "How far a run of a test suite is, and what came of it",
		Description: "inprogress until it has ended: passed, failed when something was not as expected, error when it, or a case of it, could " +
			"not be played. failures tells what differed, step by step, as far as it was played.",
		Requirement: needs, Resolve: rest.ProjectFrom("streamId"), Refusals: []fault.Code{fault.NotFound},
	}, x.status)
}

// SuiteShown is a test suite in a list.
type SuiteShown struct {
	ID        string `json:"_id" example:"ts-acme-meter"`
	Name      string `json:"name"`
	AgentName string `json:"agentName" doc:"That its cases begin with."`
	Language  string `json:"language,omitempty"`
	Cases     int    `json:"cases"`
	Steps     int    `json:"totalTestStepsCount"`
}

type listIn struct {
	StreamID string `path:"streamId" doc:"Bot or stream id: a project's id or alias." example:"acme-bot"`
	rest.Page
}

type suitesOut struct {
	Body struct {
		Success    bool            `json:"success"`
		TestSuites []SuiteShown    `json:"testSuites"`
		Pagination rest.Pagination `json:"pagination"`
	}
}

func (x API) list(ctx context.Context, in *listIn) (*suitesOut, error) {
	project := rest.ProjectOf(ctx)
	found, total, err := x.Suites.List(ctx, project.TenantID, project.ID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	out := &suitesOut{}
	out.Body.Success, out.Body.Pagination = true, in.Of(total)
	out.Body.TestSuites = rest.Shown(found, func(s runtime.TestSuite) SuiteShown {
		return SuiteShown{ID: s.SuiteID, Name: s.Name, AgentName: s.Agent, Language: s.Language, Cases: len(s.Cases),
			Steps: testsuites.Steps(s.Cases)}
	})
	return out, nil
}

type runIn struct {
	StreamID    string `path:"streamId" doc:"Bot or stream id: a project's id or alias." example:"acme-bot"`
	Suite       string `path:"testSuiteName" doc:"Name of a test suite, or agent:NAME." example:"acme-meter"`
	BotLanguage string `header:"bot-language" maxLength:"35" pattern:"^([A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$" doc:"In which agents speak; the same as language."`
	Body        *struct {
		DeploymentID string `json:"deploymentId,omitempty" maxLength:"128" doc:"Whose agents are played; left out: working copies."`
		Environment  string `json:"environment,omitempty" enum:"dev,staging,production" doc:"Or those of the newest active deployment there."`
		Language     string `json:"language,omitempty" maxLength:"35" pattern:"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$" doc:"In which agents speak; left out: what bot-language says, else the suite." example:"de-AT"`
	}
}

func (x API) run(ctx context.Context, in *runIn) (*runOut, error) {
	project := rest.ProjectOf(ctx)
	cmd := testruns.Request{RunID: testruns.IDPrefix + x.NewID(ctx, "test run").String(), TenantID: project.TenantID,
		ProjectID: project.ID, By: rest.PrincipalOf(ctx).Actor(), At: x.Now()}
	stream := testruns.Runs.Stream(cmd.RunID)
	res, is, err := rest.Repeated(ctx, x.Commands, testruns.Runs, stream)
	if err != nil {
		return nil, err
	}
	if !is {
		if cmd.What, err = x.what(ctx, in); err != nil {
			return nil, err
		}
		if res, err = rest.Create(ctx, x.Commands, testruns.Runs, stream, cmd.Decide); err != nil {
			return nil, err
		}
	}
	asked, err := rest.Payload[testruns.Requested](res)
	if err != nil {
		return nil, err
	}
	return &runOut{shownRun(runtime.TestRun{RunID: asked.RunID, SuiteID: asked.SuiteID, SuiteName: asked.SuiteName, Agent: asked.Agent,
		DeploymentID: asked.DeploymentID, Environment: asked.Environment, Version: asked.Version, Language: asked.Language,
		Status: testruns.InProgress, Total: asked.Steps, RequestedAt: asked.At}, asked.ProjectID)}, nil
}

// suiteOfPath finds the suite that the path names; of agent:NAME there is none.
func (x API) suiteOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	name, project := p.Path("testSuiteName"), rest.ProjectOf(ctx)
	if strings.HasPrefix(name, testsuites.OwnPrefix) {
		return ctx, nil
	}
	name, problem := access.CleanName(name)
	if problem != "" {
		return ctx, testsuites.Unknown()
	}
	found, ok, err := x.Suites.Named(ctx, project.TenantID, project.ID, name)
	if err == nil && !ok {
		err = testsuites.Unknown()
	}
	return rest.About(ctx, found), err
}

// what is what a run plays: the suite and the agents as they stand now.
func (x API) what(ctx context.Context, in *runIn) (testruns.What, error) {
	var what testruns.What
	suite := rest.Found[runtime.TestSuite](ctx)
	name, own := strings.CutPrefix(in.Suite, testsuites.OwnPrefix)
	if !own {
		name = suite.Agent
	}
	agent, err := x.agent(ctx, name, own)
	if err != nil {
		return what, err
	}
	program, err := x.agents(ctx, in, agent, &what)
	if err != nil {
		return what, err
	}
	cases := suite.Cases
	what.SuiteID, what.SuiteName, what.SuiteVersion, what.Agent = suite.SuiteID, in.Suite, suite.Version, name
	if own {
		what.SuiteID = agent.AgentID
		if cases = testsuites.Own(program); len(cases) == 0 {
			return what, fault.New(fault.NotFound, "the agent %s has no TESTS", name)
		}
	} else {
		what.SuiteName = suite.Name
	}
	what.Cases, what.Steps = len(cases), testsuites.Steps(cases)
	what.Language = cmp.Or(what.Language, in.BotLanguage, suite.Language)
	return what, nil
}

// agent is the one that cases begin with. Of a suite it may be gone by now.
func (x API) agent(ctx context.Context, name string, own bool) (runtime.Agent, error) {
	project := rest.ProjectOf(ctx)
	var found []runtime.Agent
	var err error
	if agents.ValidName(name) {
		found, err = x.Chat.Agents.Named(ctx, project.TenantID, project.ID, name)
	}
	switch {
	case err != nil:
		return runtime.Agent{}, err
	case len(found) > 0:
		return found[0], nil
	case own:
		return runtime.Agent{}, testsuites.Unknown()
	}
	return runtime.Agent{}, fault.New(fault.NotFound, "the project has no agent %s, which the test suite begins with", name)
}

// agents says which of them are played, and gives the program of the one that begins.
func (x API) agents(ctx context.Context, in *runIn, agent runtime.Agent, what *testruns.What) (*dsl.Program, error) {
	deployment, environment := "", ""
	if b := in.Body; b != nil {
		deployment, environment, what.Language = b.DeploymentID, b.Environment, b.Language
	}
	if deployment == "" && environment == "" {
		manifest, programs, err := x.Chat.Frozen(ctx, agent)
		if err != nil {
			return nil, err
		}
		what.Manifest, what.Version = manifest, testruns.WorkingCopy
		return programs[0], nil
	}
	d, err := x.Chat.Deployments.Choose(ctx, deployment, environment)
	if err != nil {
		return nil, err
	}
	pinned, has := d.Manifest[agent.Name]
	if !has {
		field := "environment"
		if deployment != "" {
			field = "deploymentId"
		}
		return nil, fault.Field(field, "does not have the agent %s, which the test suite begins with", agent.Name)
	}
	what.DeploymentID, what.Environment, what.Manifest, what.Version = d.ID, d.Environment, d.Manifest, strconv.Itoa(pinned.Version)
	project := rest.ProjectOf(ctx)
	programs, err := x.Programs.Of(ctx, project.TenantID, project.ID, d.Manifest)
	return programs[agent.Name], err
}
