package analytics

import "github.com/parley-platform/parley/domain/docks"

// Deploying is deployment, defining what can be deployed is audit.
var (
	_ = act[docks.WorkflowDefined]()
	_ = act[docks.ToolDefined]()
	_ = act[docks.Removed]()

	_ = On(Deployment, "", func(_ At, e docks.Deployed) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Metadata: map[string]any{"kind": e.Kind, "id": e.ID, "name": e.Name, "version": e.Version}}
	})
	_ = On(Deployment, "", func(_ At, e docks.JobRequested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"jobId": e.JobID, "kind": e.Kind, "id": e.ID}}
	})
	_ = On(Deployment, "", func(_ At, e docks.JobSucceeded) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"version": e.Version}}
	})
	_ = On(Deployment, "", func(_ At, e docks.JobFailed) Entry { return Entry{Lifetime: true, Error: e.Reason} })
)
