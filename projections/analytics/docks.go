package analytics

import "github.com/parley-platform/parley/domain/deployables"

// Deploying is deployment, defining what can be deployed is audit.
var (
	_ = act[deployables.WorkflowDefined]()
	_ = act[deployables.ToolDefined]()
	_ = act[deployables.Removed]()

	_ = On(Deployment, "", func(_ At, e deployables.Deployed) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Metadata: map[string]any{"kind": e.Kind, "id": e.ID, "name": e.Name,
			"version": e.Version}}
	})
	_ = On(Deployment, "", func(_ At, e deployables.JobRequested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"jobId": e.JobID, "kind": e.Kind, "id": e.ID}}
	})
	_ = On(Deployment, "", func(_ At, e deployables.JobSucceeded) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"version": e.Version}}
	})
	_ = On(Deployment, "", func(_ At, e deployables.JobFailed) Entry { return Entry{Lifetime: true, Error: e.Reason} })
)
