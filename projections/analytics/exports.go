package analytics

import (
	"github.com/parley-platform/parley/domain/dashboards"
	"github.com/parley-platform/parley/domain/exports"
	"github.com/parley-platform/parley/domain/searchindexes"
)

// Exports of search applications are search; indexes and dashboards are administration.
var (
	_ = On(Search, "", func(_ At, e exports.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"jobId": e.JobID,
			"searchIndexId": e.SearchIndexID}}
	})
	_ = On(Search, "", func(_ At, e exports.Started) Entry { return Entry{Metadata: map[string]any{"attempt": e.Attempt}} })
	_ = On(Search, "", func(_ At, e exports.AttemptFailed) Entry {
		return Entry{Error: e.Reason, Metadata: map[string]any{"attempt": e.Attempt}}
	})
	_ = On(Search, "", func(_ At, e exports.Succeeded) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"attempt": e.Attempt, "sizeBytes": e.SizeBytes}}
	})
	_ = On(Search, "", func(_ At, e exports.Failed) Entry { return Entry{Lifetime: true, Error: e.Reason} })
	_ = Ignore[exports.Requeued]("the next attempt tells it")

	_ = act[searchindexes.IndexDefined]()
	_ = act[searchindexes.IndexRemoved]()
	_ = act[dashboards.DashboardDefined]()
	_ = act[dashboards.DashboardRemoved]()
)
