package exports

import (
	"fmt"
	"slices"
	"time"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/searchindexes"
)

// Request asks for an export (export-search-app).
type Request struct {
	JobID        string // fj-<uuid>
	TenantID     string
	ProjectID    string
	IndexID      string // of the project's search index; empty: it has none
	IndexVersion int64  // of the stream of search indexes, at which the index is exported
	Features     []string
	At           time.Time
}

// Requested says what the job exports.
type Requested struct {
	JobID         string `json:"jobId"`
	TenantID      string `json:"tenantId"`
	ProjectID     string `json:"projectId"`
	SearchIndexID string `json:"searchIndexId,omitempty"`
	// version of the search index's stream: what came after it is not exported
	IndexVersion int64                   `json:"indexVersion,omitempty"`
	Features     []searchindexes.Feature `json:"features"`
	At           time.Time               `json:"at"`
}

var _ = event.Register[Requested](Jobs, "requested", 1)

// NoIndex is why a job of a project without a search index fails.
const NoIndex = "the project has no search index"

// Decide gives the features the order in which the API lists them; none means all. A
// job that has nothing to export ends at once.
func (c Request) Decide(s State) ([]event.Payload, error) {
	features, err := c.features()
	if err != nil {
		return nil, err
	}
	if s.Status != "" {
		return nil, fault.New(fault.Conflict, "the export job %s exists already", c.JobID)
	}
	requested := Requested{JobID: c.JobID, TenantID: c.TenantID, ProjectID: c.ProjectID, SearchIndexID: c.IndexID,
		IndexVersion: c.IndexVersion, Features: features, At: event.Stamp(c.At)}
	if c.IndexID == "" {
		return []event.Payload{requested, Failed{Reason: NoIndex, At: event.Stamp(c.At)}}, nil
	}
	return []event.Payload{requested}, nil
}

func (c Request) features() ([]searchindexes.Feature, error) {
	all := searchindexes.Features()
	var f fault.Fields
	for i, name := range c.Features {
		switch {
		case !slices.Contains(all, searchindexes.Feature(name)):
			f.Add(fmt.Sprintf("features[%d]", i), "must be one of %v", all)
		case slices.Contains(c.Features[:i], name):
			f.Add(fmt.Sprintf("features[%d]", i), "is named twice")
		}
	}
	if len(c.Features) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(all, func(x searchindexes.Feature) bool { return !slices.Contains(c.Features, string(x)) }), f.Err()
}

// Apply folds the event.
func (e Requested) Apply(s *State) {
	s.Request, s.Status = e, Queued
	s.Attempt.Ask()
}
