package analytics

import (
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
)

// Definitions of campaigns are audit, what becomes of them is system. Each contact's
// call or message tells of itself.
var (
	_ = act[campaigns.Defined]()
	_ = act[campaigns.Updated]()
	_ = act[campaigns.Removed]()
	_ = act[contactlists.ListDefined]()
	_ = act[contactlists.ListRemoved]()
	_ = act[contactlists.ContactsPut]()

	_ = On(System, "", func(at At, e campaigns.Started) Entry {
		return ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
	})
	_ = On(System, "", func(at At, e campaigns.RunPaused) Entry {
		return ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
	})
	_ = On(System, "", func(at At, e campaigns.RunResumed) Entry {
		return ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
	})
	_ = On(System, "", func(at At, e campaigns.RunCompleted) Entry {
		return ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
	})
	_ = On(System, "", func(at At, e runs.Opened) Entry {
		return ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
	})
	_ = On(System, "", func(at At, e pacing.RunEntered) Entry {
		return ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
	})
	_ = On(System, "", func(at At, e pacing.RunFinished) Entry {
		out := ofCampaign(at, e.ProjectID, e.CampaignID, e.RunID)
		out.Metadata["contacts"], out.Metadata["untried"], out.Metadata["passes"], out.Metadata["stopped"] = e.Contacts, e.Untried, e.Passes,
			e.Stopped
		return out
	})

	_ = Ignore[campaigns.Entered](register)
	_ = Ignore[campaigns.Struck](register)
	_ = Ignore[runs.PassOpened](copied)
	_ = Ignore[runs.ContactsListed](copied)
	_ = Ignore[runs.PassListed](copied)
	_ = Ignore[pacing.PassBegun](paced)
	_ = Ignore[pacing.PassDue](paced)
	_ = Ignore[pacing.PassFinished](paced)
	_ = Ignore[pacing.RunHeld](paced)
	_ = Ignore[pacing.RunReleased](paced)
	_ = Ignore[pacing.RunStopped](paced)
	_ = Ignore[pacing.OpeningAwaited](paced)
	_ = Ignore[pacing.OpeningReached](paced)
	_ = Ignore[pacing.ContactsTaken](paced)
	_ = Ignore[pacing.ContactsReturned](paced)
	_ = Ignore[pacing.ContactFinished]("the contact's call or message tells it, and the end of the run sums it up")
)

const (
	register = "a list of what the campaigns' own streams tell"
	copied   = "the contacts of a run, copied for it"
	paced    = "how a run keeps its hours and its pace; its beginning and end are shown"
)

func ofCampaign(at At, project, campaign, runID string) Entry {
	return Entry{Traits: Traits{Project: project}, Metadata: map[string]any{"campaignId": campaign, "campaignInstanceId": runID,
		"actor": at.Actor}}
}
