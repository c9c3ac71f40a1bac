package runtime

import (
	"context"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/projections"
)

// TestRunTimer is the name of the timer of a run of a test suite: a lease runs out then, or the
// pause after a failed attempt is over.
const TestRunTimer = "test-run"

// TestRunsModel stores how runs of test suites go, and keeps their timers.
var TestRunsModel = newTestRunsModel()

func newTestRunsModel() *projections.Model {
	m := projections.NewModel("test_runs", 1, []string{"test_runs", "test_run_cases", "timers"}, testruns.Runs.Category)
	projections.On(m, func(b *projections.Batch, at projections.At, e testruns.Requested) {
		b.Put("test_runs", projections.Row{"run_id": e.RunID}, projections.Row{"tenant": e.TenantID, "project_id": e.ProjectID,
			"suite_id": e.SuiteID, "suite_name": e.SuiteName, "agent": e.Agent, "deployment_id": e.DeploymentID, "environment": e.Environment,
			"version": e.Version, "language": e.Language, "status": string(testruns.InProgress), "total": e.Steps, "requested_at": e.At})
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e testruns.Started) {
		b.SetTimer(at, TestRunTimer, e.LeaseUntil)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e testruns.CasePlayed) {
		steps := e.Steps
		if steps == nil {
			steps = []testsuites.Step{}
		}
		b.Put("test_run_cases", projections.Row{"run_id": at.StreamID, "number": e.Number}, projections.Row{"name": e.Name,
			"passed": e.Passed, "error": e.Error, "steps": steps})
		b.SetTimer(at, TestRunTimer, e.LeaseUntil)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, e testruns.AttemptFailed) {
		b.SetTimer(at, TestRunTimer, e.RetryAt)
	})
	projections.On(m, func(b *projections.Batch, at projections.At, _ testruns.Requeued) { b.ClearTimer(at, TestRunTimer) })
	projections.On(m, func(b *projections.Batch, at projections.At, e testruns.Ended) {
		b.Set("test_runs", projections.Row{"run_id": at.StreamID}, projections.Row{"status": string(e.Status), "reason": e.Reason,
			"passed": e.Passed, "failed": e.Failed, "duration_ms": e.DurationMs})
		b.ClearTimer(at, TestRunTimer)
	})
	return m
}

// TestRun is a run of a test suite.
type TestRun struct {
	RunID        string
	SuiteID      string
	SuiteName    string
	Agent        string
	DeploymentID string // empty: working copies
	Environment  string
	Version      string // of the agent
	Language     string
	Status       testruns.Status
	Reason       string
	Total        int // steps
	Passed       int
	Failed       int
	Judged       int // steps so far
	RequestedAt  time.Time
	DurationMs   int64
}

// TestRunCase is a case of a run that did not pass.
type TestRunCase struct {
	Number int
	Name   string
	Error  string
	Steps  []testsuites.Step
}

// Run finds a run of a suite that a name means.
func (x *TestSuites) Run(ctx context.Context, tenant, project, suite, id string) (TestRun, bool, error) {
	if !strings.HasPrefix(id, testruns.IDPrefix) {
		return TestRun{}, false, nil
	}
	return projections.One[TestRun](ctx, x.db, "reading a run of a test suite", `SELECT run_id, suite_id, suite_name, agent, deployment_id,
			environment, version, language, status, reason, total, passed, failed, requested_at, duration_ms,
			(SELECT coalesce(sum(jsonb_array_length(steps)), 0) FROM test_run_cases c WHERE c.run_id = r.run_id)::integer AS judged
		FROM test_runs r WHERE run_id = $1 AND tenant = $2 AND project_id = $3 AND suite_name = $4`, id, tenant, project, suite)
}

// NotPassed are the cases of a run that did not pass, in the order of the suite.
func (x *TestSuites) NotPassed(ctx context.Context, run string, most int) ([]TestRunCase, error) {
	return projections.All[TestRunCase](ctx, x.db, "reading the cases of a run", `SELECT number, name, error, steps FROM test_run_cases
		WHERE run_id = $1 AND (error <> '' OR passed < jsonb_array_length(steps)) ORDER BY number LIMIT $2`, run, most)
}
