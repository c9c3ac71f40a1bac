// Package testruns owns the runs of test suites: asked for, under way case by case, and
// ended: passed, failed, or in an error.
//
// It decides who plays the cases, what of them is played already, and how the whole ended. It
// never plays one: package testsuites does.
package testruns

import (
	"time"

	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/sessions"
)

// Runs holds one stream per run: testrun-ctr-<uuid>. Its rules:
//
//   - a run plays the suite, and the agents, as they stood when it was asked for
//   - an attempt is begun by one node and holds its lease, which each case renews; a lease that
//     has run out makes the run due again, and what was played stays
//   - what a case came to is taken once
//   - a run ends once: when all cases are played, or after MaxAttempts attempts
var Runs = event.NewAggregate[State]("testruns", "testrun", event.Busy)

// IDPrefix begins the id of every run.
const IDPrefix = "ctr-"

// MaxAttempts is after how many attempts a run ends in an error.
const MaxAttempts = 5

// Status of a run (get-test-run).
type Status string

// The statuses.
const (
	InProgress Status = "inprogress"
	Passed     Status = "passed"
	Failed     Status = "failed"
	Error      Status = "error" // it could not be played, or not all of it
)

// WorkingCopy is the version of a run that plays no deployment.
const WorkingCopy = "working-copy"

// State is the state of one run; an empty Status means that there is none.
type State struct {
	Request Requested
	Status  Status
	Attempt attempt.State
	Cases   map[int]Tally // that are played, by their place in the suite
}

// Tally is what a case came to.
type Tally struct {
	Name   string
	Passed int
	Error  string
}

// Played reports whether a case is.
func (s State) Played(number int) bool {
	_, ok := s.Cases[number]
	return ok
}

// What is what a run plays.
type What struct {
	SuiteID      string                     `json:"suiteId"` // of an agent's own TESTS the agent's id
	SuiteName    string                     `json:"suiteName"`
	SuiteVersion int64                      `json:"suiteVersion,omitempty"` // of the stream of suites; 0: the agent's own TESTS
	Agent        string                     `json:"agent"`                  // that cases begin with
	DeploymentID string                     `json:"deploymentId,omitempty"` // empty: working copies
	Environment  string                     `json:"environment,omitempty"`
	Version      string                     `json:"version"` // of the agent: 3, or working-copy
	Manifest     map[string]sessions.Pinned `json:"manifest"`
	Language     string                     `json:"language,omitempty"`
	Cases        int                        `json:"cases"`
	Steps        int                        `json:"steps"` // that are judged, of all cases
}

// Request asks for a run.
type Request struct {
	RunID     string // ctr-<uuid>
	TenantID  string
	ProjectID string
	What
	By string
	At time.Time
}

// Requested says what the run plays.
type Requested struct {
	RunID     string `json:"runId"`
	TenantID  string `json:"tenantId"`
	ProjectID string `json:"projectId"`
	What
	By string    `json:"by"`
	At time.Time `json:"at"`
}

var _ = event.Register[Requested](Runs, "requested", 1)

// Decide does nothing for a run that there is.
func (c Request) Decide(s State) ([]event.Payload, error) {
	if s.Status != "" {
		return nil, nil
	}
	return []event.Payload{Requested{RunID: c.RunID, TenantID: c.TenantID, ProjectID: c.ProjectID, What: c.What, By: c.By,
		At: event.Stamp(c.At)}}, nil
}

// Apply folds the event.
func (e Requested) Apply(s *State) {
	s.Request, s.Status = e, InProgress
	s.Attempt.Ask()
}
