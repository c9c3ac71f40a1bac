package suites

import (
	"context"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/runtime"
)

type statusIn struct {
	StreamID    string `path:"streamId" doc:"Bot or stream id: a project's id or alias." example:"acme-bot"`
	Suite       string `path:"testSuiteName" doc:"Name of the test suite, as when it was run." example:"acme-meter"`
	RunID       string `path:"testRunId" doc:"_id of the run." example:"ctr-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	BotLanguage string `header:"bot-language" maxLength:"35" doc:"Taken, and changes nothing: a run keeps the language that it was begun with."`
}

// TestRun is a run of a test suite.
type TestRun struct {
	ID         string        `json:"_id" required:"true" example:"ctr-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	StreamID   string        `json:"streamId" required:"true" doc:"The project's id." example:"acme-bot"`
	SuiteID    string        `json:"testSuiteId" required:"true" doc:"Of agent:NAME the agent's id." example:"ts-acme-meter"`
	Status     string        `json:"status" required:"true" enum:"inprogress,passed,failed,error"`
	Total      int           `json:"totalTestStepsCount" required:"true" doc:"Turns that are judged, of all cases."`
	Percentage int           `json:"percentageCompleted" required:"true" minimum:"0" maximum:"100"`
	Result     TestRunResult `json:"result" required:"true"`

	SuiteName    string    `json:"testSuiteName" required:"true" doc:"(Extension)"`
	AgentName    string    `json:"agentName" required:"true" doc:"That cases begin with (extension)."`
	Language     string    `json:"language,omitempty" doc:"(Extension)"`
	DeploymentID string    `json:"deploymentId,omitempty" doc:"Absent: working copies (extension)."`
	Environment  string    `json:"environment,omitempty" doc:"(Extension)"`
	Reason       string    `json:"reason,omitempty" doc:"Of an error: why (extension)."`
	Failures     []Failure `json:"failures" required:"true" doc:"What did not pass so far, in the order of the suite; at most 500 (extension)."`
}

// TestRunResult is what a run came to.
type TestRunResult struct {
	StartTime   string       `json:"startTime" required:"true" format:"date-time" doc:"When it was asked for."`
	Version     string       `json:"version" required:"true" doc:"Of the agent: a number, or working-copy." example:"3"`
	Status      string       `json:"status" required:"true" enum:"inprogress,passed,failed,error"`
	StepDetails *StepDetails `json:"stepDetails,omitempty" doc:"Once it has ended."`
	Duration    *int64       `json:"duration,omitempty" doc:"Milliseconds, once it has ended."`
}

// StepDetails counts steps.
type StepDetails struct {
	Passed int `json:"passed"`
	Failed int `json:"failed" doc:"Also those that an error kept from being played."`
	Total  int `json:"total"`
}

// Failure is a step that did not pass, or a case that could not be played to its end.
type Failure struct {
	Case        string           `json:"case" required:"true"`
	Turn        int              `json:"turn,omitempty" doc:"Of the case, from 1."`
	Differences []StepDifference `json:"differences" required:"true"`
	Error       string           `json:"error,omitempty" doc:"Why the case could not be played to its end."`
}

// StepDifference is something that was not as expected.
type StepDifference struct {
	What     string `json:"what" required:"true" doc:"The member of the expectation; turn: that there is an answer at all." example:"say"`
	Expected string `json:"expected" required:"true"`
	Got      string `json:"got" required:"true"`
}

type runOut struct{ Body TestRun }

// mostFailures are shown of a run.
const mostFailures = 500

func (x API) status(ctx context.Context, in *statusIn) (*runOut, error) {
	project := rest.ProjectOf(ctx)
	run, ok, err := x.Suites.Run(ctx, project.TenantID, project.ID, access.PlainName(in.Suite), in.RunID)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, fault.New(fault.NotFound, "there is no such run of the test suite")
	}
	cases, err := x.Suites.NotPassed(ctx, run.RunID, mostFailures)
	if err != nil {
		return nil, err
	}
	out := &runOut{shownRun(run, project.ID)}
	for _, c := range cases {
		out.Body.Failures = append(out.Body.Failures, failuresOf(c)...)
	}
	out.Body.Failures = out.Body.Failures[:min(len(out.Body.Failures), mostFailures)]
	return out, nil
}

func failuresOf(c runtime.TestRunCase) (out []Failure) {
	for _, s := range c.Steps {
		if len(s.Differences) > 0 {
			out = append(out, Failure{Case: c.Name, Turn: s.Turn, Differences: rest.Shown(s.Differences,
				func(d testsuites.Difference) StepDifference { return StepDifference(d) })})
		}
	}
	if c.Error != "" {
		out = append(out, Failure{Case: c.Name, Differences: []StepDifference{}, Error: c.Error})
	}
	return out
}

func shownRun(r runtime.TestRun, project string) TestRun {
	out := TestRun{ID: r.RunID, StreamID: project, SuiteID: r.SuiteID, Status: string(r.Status), Total: r.Total,
		Result:    TestRunResult{StartTime: rest.ISOTime(&r.RequestedAt), Version: r.Version, Status: string(r.Status)},
		SuiteName: r.SuiteName, AgentName: r.Agent, Language: r.Language, DeploymentID: r.DeploymentID, Environment: r.Environment,
		Reason: r.Reason, Failures: []Failure{}}
	switch {
	case r.Status != testruns.InProgress:
		out.Percentage = 100
		out.Result.StepDetails = &StepDetails{Passed: r.Passed, Failed: r.Failed, Total: r.Total}
		out.Result.Duration = &r.DurationMs
	case r.Total > 0:
		out.Percentage = r.Judged * 100 / r.Total
	}
	return out
}
