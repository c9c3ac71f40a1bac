package deployables

import (
	"time"

	"github.com/parley-platform/parley/domain/event"
)

// Jobs holds one stream per deployment job, deploymentjob-<dockStatusId>. Its rules:
//
//   - a job is asked for once, and ends once: SUCCESS or FAILED
//   - nothing changes after its end
var Jobs = event.NewAggregate[Job]("deploymentjobs", "deploymentjob", event.Busy)

// JobIDPrefix begins every dockStatusId.
const JobIDPrefix = "ds-"

// JobStatus is how far a job is.
type JobStatus string

// The statuses.
const (
	InProgress JobStatus = "IN_PROGRESS"
	Success    JobStatus = "SUCCESS"
	Failed     JobStatus = "FAILED"
)

// Job is the state of one job; an empty Status means that it was never asked for.
type Job struct {
	Requested JobRequested
	Status    JobStatus
	Version   int    // that was deployed
	Reason    string // why it failed
	EndedAt   time.Time
}

// RequestJob asks for a deployment.
type RequestJob struct {
	JobID     string
	TenantID  string
	ProjectID string
	Kind      Kind
	ID        string // of the workflow or tool
	Async     bool
	At        time.Time
}

// JobRequested says that a deployment is under way.
type JobRequested struct {
	JobID     string    `json:"jobId"`
	TenantID  string    `json:"tenantId"`
	ProjectID string    `json:"projectId"`
	Kind      Kind      `json:"kind"`
	ID        string    `json:"id"`
	Async     bool      `json:"async"`
	At        time.Time `json:"at"`
}

// JobSucceeded says that the version is live.
type JobSucceeded struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
}

// JobFailed says why nothing was deployed.
type JobFailed struct {
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

var (
	_ = event.Register[JobRequested](Jobs, "requested", 1)
	_ = event.Register[JobSucceeded](Jobs, "succeeded", 1)
	_ = event.Register[JobFailed](Jobs, "failed", 1)
)

// Decide asks once.
func (c RequestJob) Decide(s Job) ([]event.Payload, error) {
	if s.Status != "" {
		return nil, nil
	}
	return []event.Payload{JobRequested{JobID: c.JobID, TenantID: c.TenantID, ProjectID: c.ProjectID, Kind: c.Kind, ID: c.ID, Async: c.Async,
		At: event.Stamp(c.At)}}, nil
}

// EndJob records how a job ended: with a version, or with the reason of its failure.
type EndJob struct {
	Version int
	Reason  string // empty: it succeeded
	At      time.Time
}

// Decide ends a job that is under way.
func (c EndJob) Decide(s Job) ([]event.Payload, error) {
	at := event.Stamp(c.At)
	switch {
	case s.Status != InProgress:
		return nil, nil
	case c.Reason != "":
		return []event.Payload{JobFailed{Reason: c.Reason, At: at}}, nil
	}
	return []event.Payload{JobSucceeded{Version: c.Version, At: at}}, nil
}

// Apply folds the event.
func (e JobRequested) Apply(s *Job) { s.Requested, s.Status = e, InProgress }

// Apply folds the event.
func (e JobSucceeded) Apply(s *Job) { s.Status, s.Version, s.EndedAt = Success, e.Version, e.At }

// Apply folds the event.
func (e JobFailed) Apply(s *Job) { s.Status, s.Reason, s.EndedAt = Failed, e.Reason, e.At }
