package analytics

import (
	"github.com/parley-platform/parley/domain/completions"
	"github.com/parley-platform/parley/domain/connections"
	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/deployments"
	"github.com/parley-platform/parley/domain/memories"
	"github.com/parley-platform/parley/domain/sdkchannels"
	"github.com/parley-platform/parley/domain/testruns"
	"github.com/parley-platform/parley/domain/testsuites"
)

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

// What models were asked outside of sessions' turns is llm.
var (
	_ = On(LLM, "llm_completion", func(_ At, e completions.Finished) Entry {
		out := completed(e.Figures)
		out.Metadata["finishReason"] = e.FinishReason
		return out
	})
	_ = On(LLM, "llm_completion_failed", func(_ At, e completions.Failed) Entry {
		out := completed(e.Figures)
		out.Error = e.Reason
		return out
	})
	_ = Ignore[completions.AnswerDropped]("its time was over: nobody did anything")
)

// What the code of agents keeps is of the session in which it does; what it keeps is in no
// figure.
var (
	_ = On(Session, "memory_written", func(_ At, e memories.Written) Entry {
		out := remembered(e.By, e.Scope, e.Store, e.Version)
		out.Metadata["bytes"] = e.Bytes
		return out
	})
	_ = On(Session, "memory_deleted", func(_ At, e memories.Deleted) Entry { return remembered(e.By, e.Scope, e.Store, e.Version) })
)

func remembered(by memories.By, scope memories.Scope, store string, version int) Entry {
	return Entry{Omit: by.Test, Metadata: map[string]any{"scope": string(scope), "store": store, "version": version}}
}

func completed(f completions.Figures) Entry {
	out := Entry{Traits: Traits{Project: f.ProjectID, SessionID: f.SessionID}, Model: f.ModelID, Duration: Milliseconds(f.LatencyMs),
		TokensIn: f.TokensIn, TokensOut: f.TokensOut, Cost: f.Cost, Metadata: map[string]any{"provider": f.Provider}}
	if f.Estimated {
		out.Metadata["estimated"] = true
	}
	return out
}

// What is deployed of agents.
var (
	_ = On(Deployment, "deployment_created", func(_ At, e deployments.Created) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, AgentName: e.EntryAgent}, Metadata: map[string]any{"deploymentId": e.DeploymentID,
			"environment": e.Environment, "promotedFrom": e.PromotedFrom}, Remember: true}
	})
	_ = On(Deployment, "deployment_retired", func(_ At, e deployments.WasRetired) Entry {
		return Entry{Metadata: map[string]any{"deploymentId": e.DeploymentID}}
	})
	_ = On(Deployment, "deployment_drained", func(_ At, e deployments.Drained) Entry {
		return Entry{Metadata: map[string]any{"deploymentIds": e.DeploymentIDs}}
	})
	_ = On(Deployment, "deployment_rolled_back", func(_ At, e deployments.RolledBack) Entry {
		return Entry{Metadata: map[string]any{"deploymentId": e.DeploymentID}}
	})
)

// Runs of test suites are evaluation; what the suites are is audit. The turns of a run are in no
// stream, and so in no figure; and a run that does not pass has found an error, and is none.
var (
	_ = act[testsuites.SuiteDefined]()
	_ = act[testsuites.SuiteRemoved]()

	_ = On(Evaluation, "test_run_requested", func(_ At, e testruns.Requested) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID}, Remember: true, Metadata: map[string]any{"runId": e.RunID,
			"suiteId": e.SuiteID, "suite": e.SuiteName, "agent": e.Agent, "deploymentId": e.DeploymentID, "version": e.Version, "steps": e.Steps}}
	})
	_ = On(Evaluation, "test_run_ended", func(_ At, e testruns.Ended) Entry {
		return Entry{Lifetime: true, Metadata: map[string]any{"status": string(e.Status), "passed": e.Passed, "failed": e.Failed}}
	})
	_ = Ignore[testruns.Started]("asking for the run tells it")
	_ = Ignore[testruns.AttemptFailed]("the next attempt tells it")
	_ = Ignore[testruns.CasePlayed]("the end of the run counts the steps")
	_ = Ignore[testruns.Requeued]("the next attempt tells it")
)

// What becomes of connections and SDK channels is channel: which kind, never what it is called or let in with.
var (
	_ = On(Channel, "connection_created", func(_ At, e connections.Created) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, Channel: e.Kind}, Remember: true,
			Metadata: map[string]any{"connectionId": e.ConnectionID, "isActive": e.Settings.Active}}
	})
	_ = On(Channel, "connection_changed", func(_ At, e connections.Changed) Entry {
		return Entry{Metadata: map[string]any{"connectionId": e.ConnectionID, "isActive": e.Settings.Active}}
	})
	_ = On(Channel, "connection_deleted", func(_ At, e connections.Deleted) Entry {
		return Entry{Metadata: map[string]any{"connectionId": e.ConnectionID}}
	})
	_ = On(Channel, "sdk_channel_created", func(_ At, e sdkchannels.Created) Entry {
		return Entry{Traits: Traits{Project: e.ProjectID, Channel: string(e.Settings.Type)}, Remember: true,
			Metadata: map[string]any{"channelId": e.ChannelID, "isActive": e.Settings.Active}}
	})
	_ = On(Channel, "sdk_channel_changed", func(_ At, e sdkchannels.Changed) Entry {
		return Entry{Metadata: map[string]any{"channelId": e.ChannelID, "isActive": e.Settings.Active}}
	})
	_ = On(Channel, "sdk_channel_deleted", func(_ At, e sdkchannels.Deleted) Entry {
		return Entry{Metadata: map[string]any{"channelId": e.ChannelID}}
	})
	_ = On(Channel, "connection_observed", func(_ At, e connections.Observed) Entry {
		out := Entry{Traits: Traits{Project: e.ProjectID, Channel: e.Kind}, Metadata: map[string]any{"connectionId": e.ConnectionID,
			"about": string(e.About)}}
		if e.Trouble != nil {
			out.Error, out.Metadata["code"] = e.Trouble.Reason, e.Trouble.Code
		}
		return out
	})
	_ = Ignore[connections.ClaimGivenUp](claiming)
	_ = Ignore[connections.Claimed](claiming)
)
