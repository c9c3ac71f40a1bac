// Package exports owns the jobs that export the settings of a search index into a file:
// queued, in progress, and ended in success or failure.
//
// It decides who makes an attempt and when the next one is due. It never builds the
// file nor stores it: a reactor does, and says here what came of it.
package exports

import (
	"github.com/parley-platform/parley/domain/attempt"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/searchindexes"
)

// Jobs holds one stream per job: export-fj-<uuid>. Its rules:
//
//   - a job exports the index as it stood when the job was requested
//   - an attempt is begun by one worker and holds its lease; a lease that has run out
//     makes the job due again
//   - a job ends once: after MaxAttempts attempts it fails
var Jobs = event.NewAggregate[State]("exports", "export", event.Busy)

// IDPrefix begins the id of every job.
const IDPrefix = "fj-"

// MaxAttempts is after how many attempts a job fails for good.
const MaxAttempts = 5

// Status of a job (docs/api-rules.md "Search export").
type Status string

// The statuses.
const (
	Queued     Status = "QUEUED"
	InProgress Status = "INPROGRESS"
	Success    Status = "SUCCESS"
	Failure    Status = "FAILED"
)

// State is the state of one job; an empty Status means that there is none.
type State struct {
	Request Requested
	Status  Status
	Attempt attempt.State
	Reason  string // why it failed
}

// FeatureResult is what became of one feature.
type FeatureResult struct {
	Feature searchindexes.Feature `json:"feature"`
	Status  string                `json:"status"` // success
}
