package runtime_test

import (
	"testing"

	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	given "github.com/parley-platform/parley/projections/projectiontest"
	"github.com/parley-platform/parley/projections/runtime"
)

// Given the events of a project's test suites, then these are the rows after each.
func TestRowsOfTestSuites(t *testing.T) {
	model := given.Open(t).Follow(runtime.TestSuitesModel)
	model.After("acme.bot", given.Filled(func(e *testsuites.SuiteDefined) {
		e.ID, e.Cases = "ts-1", []testsuites.Case{{Name: "hello", Turns: []testsuites.Turn{{User: "Hi"}}}}
	}),
		"+ test_suites tenant=tenantId project_id=projectId suite_id=ts-1 name=name agent=agent language=language "+
			`cases=[{"name":"hello","turns":[{"user":"Hi"}]}] version=1`)
	model.After("acme.bot", given.Filled(func(e *testsuites.SuiteRemoved) { e.SuiteID = "ts-1" }),
		"- test_suites tenant=tenantId project_id=projectId suite_id=ts-1")
}

// Given the events of a run, then these are the rows after each.
func TestRowsOfTestRuns(t *testing.T) {
	model := given.Open(t).Follow(runtime.TestRunsModel)
	model.After("ctr-1", given.Filled(func(e *testruns.Requested) { e.RunID = "ctr-1" }),
		"+ test_runs run_id=ctr-1 tenant=tenantId project_id=projectId suite_id=suiteId suite_name=suiteName agent=agent "+
			"deployment_id=deploymentId environment=environment version=version language=language status=inprogress total=28 "+
			"requested_at=12:00:30")
	model.After("ctr-1", given.Filled[testruns.Started](),
		"+ timers stream=testrun-ctr-1 name=test-run topic=parley.testruns tenant=tenantId due_at=12:00:03 "+
			"claimed_until=-infinity")
	model.After("ctr-1", given.Filled(func(e *testruns.CasePlayed) {
		e.Number, e.Steps = 1, []testsuites.Step{{Turn: 2, Differences: []testsuites.Difference{{What: "say", Expected: "a", Got: "b"}}}}
	}),
		"+ test_run_cases run_id=ctr-1 number=1 name=name passed=12 error=error "+
			`steps=[{"differences":[{"expected":"a","got":"b","what":"say"}],"turn":2}]`,
		"~ timers stream=testrun-ctr-1 name=test-run: due_at=12:00:14")
	model.After("ctr-1", given.Filled(func(e *testruns.CasePlayed) { e.Number, e.Steps = 2, nil }),
		"+ test_run_cases run_id=ctr-1 number=2 name=name passed=12 error=error steps=[]")
	model.After("ctr-1", given.Filled[testruns.AttemptFailed](),
		"~ timers stream=testrun-ctr-1 name=test-run: due_at=12:00:04")
	model.After("ctr-1", given.Filled[testruns.Requeued](),
		"- timers stream=testrun-ctr-1 name=test-run")
	model.After("ctr-1", given.Filled[testruns.Ended](),
		"~ test_runs run_id=ctr-1: status=status reason=reason passed=4 failed=5 duration_ms=7")
}
