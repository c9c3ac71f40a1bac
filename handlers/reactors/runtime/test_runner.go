package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/reactors"
	"github.com/parley-platform/parley/projections/runtime"
)

const (
	testLease  = 12 * time.Second // how long a run outlives the node that plays it
	testWithin = 5 * time.Minute  // of one attempt
)

// TestRunner plays the cases of runs of test suites. It errs on the side of at least once: a
// node that dies leaves the run to its lease, and the next node plays what is left of it.
type TestRunner struct {
	Store    *eventstore.Store
	Programs *acts.Programs
	Now      func() time.Time
	Log      *slog.Logger
}

// Attempts declares it.
func (x TestRunner) Attempts() *reactors.Attempts[testruns.State] {
	return &reactors.Attempts[testruns.State]{Name: "test-runner", Of: testruns.Runs, Timer: runtime.TestRunTimer,
		Side: reactors.AtLeastOnce, Events: []event.Payload{testruns.Requested{}, testruns.Requeued{}}, Rules: testruns.Attempts,
		Do: x.play, Within: testWithin, Lease: testLease, Problem: "the cases could not be played", Store: x.Store, Now: x.Now, Log: x.Log}
}

// play plays what is left of a run, and says after each step of it what came of that.
func (x TestRunner) play(ctx context.Context, run testruns.State) (attempt.Decision[testruns.State], error) {
	asked := run.Request
	stage := testsuites.Stage{Manifest: asked.Manifest, Agent: asked.Agent, Language: asked.Language, Session: asked.RunID, At: asked.At}
	var err error
	if stage.Programs, err = x.Programs.Of(ctx, asked.TenantID, asked.ProjectID, asked.Manifest); err != nil {
		var told *fault.Error
		if errors.As(err, &told) { // a source that does not compile here
			return testruns.Finish{Reason: told.Message, At: x.Now()}.Decide, nil
		}
		return nil, err
	}
	cases, err := x.cases(ctx, asked, stage)
	if err != nil {
		return nil, err
	}
	if err := acts.PlayCases(ctx, x.Log, stage, cases, run.Played, func(some []testruns.CaseOf) error {
		now := x.Now()
		return eventstore.Do(ctx, x.Store, testruns.Runs, testruns.Runs.Stream(asked.RunID), eventstore.Command{Actor: "reactor:test-runner"},
			testruns.Record{Cases: some, LeaseUntil: now.Add(testLease), At: now}.Decide)
	}); err != nil {
		return nil, err
	}
	return testruns.Finish{At: x.Now()}.Decide, nil
}

// cases are those of the suite as it stood when the run was asked for.
func (x TestRunner) cases(ctx context.Context, asked testruns.Requested, on testsuites.Stage) ([]testsuites.Case, error) {
	if asked.SuiteVersion == 0 {
		return testsuites.Own(on.Programs[asked.Agent]), nil
	}
	found, err := eventstore.ReadAt(ctx, x.Store, testsuites.Suites, testsuites.Stream(asked.TenantID, asked.ProjectID), asked.SuiteVersion)
	if err != nil {
		return nil, fmt.Errorf("reading the test suite: %w", err)
	}
	return found.State.Suites[asked.SuiteID].Cases, nil
}
