package campaigns

import (
	"context"
	"fmt"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/runs"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/reactors"
)

const pacerName = "campaign-pacer"

// pacer lets listed passes in, and tells the lines what a campaign says about its run:
// go on, wait, stop.
func (c Engine) pacer() reactors.Reactor {
	return reactors.Reactor{Name: pacerName, Categories: []*event.Category{runs.Runs.Category, campaigns.Campaigns.Category},
		Side: reactors.AtLeastOnce, Handle: c.pacePass,
		Events: []event.Payload{runs.PassListed{}, campaigns.RunPaused{}, campaigns.RunResumed{}, campaigns.Updated{}, campaigns.Removed{}}}
}

func (c Engine) pacePass(ctx context.Context, e reactors.Event) error {
	switch p := e.Payload.(type) {
	case runs.PassListed:
		return c.letIn(ctx, e, p)
	case campaigns.RunPaused:
		return c.steer(ctx, e, p.CampaignID, p.RunID)
	case campaigns.RunResumed:
		return c.steer(ctx, e, p.CampaignID, p.RunID)
	case campaigns.Updated:
		return c.steer(ctx, e, p.CampaignID, p.EndedRunID)
	case campaigns.Removed:
		return c.steer(ctx, e, p.CampaignID, p.EndedRunID)
	}
	return nil
}

// letIn lets a pass in as its campaign stands, and looks at the campaign once more
// afterwards: a pause that came in between found no run to hold.
func (c Engine) letIn(ctx context.Context, e reactors.Event, p runs.PassListed) error {
	s, err := c.run(ctx, e.Tenant, runs.IDOf(runs.Runs.StreamID(e.Stream)))
	if err != nil {
		return err
	}
	t := s.Terms
	if p.Pass > 1 {
		return c.pace(ctx, after(pacerName, e), pacing.BeginPass{Clock: c.clock(), RunID: t.RunID, Pass: p.Pass,
			Contacts: p.Contacts}.Decide)
	}
	ruling, version, err := c.ruling(ctx, e.Tenant, t.CampaignID, t.RunID)
	if err != nil {
		return err
	}
	enter := pacing.Enter{Clock: c.clock(), RunID: t.RunID, CampaignID: t.CampaignID, ProjectID: t.ProjectID,
		Channel:  pacing.Channel(t.Kind),
		Priority: t.Priority, Hours: t.Hours, Recurring: t.Recurring, Contacts: p.Contacts, Ruling: ruling, Version: version}
	if err := c.pace(ctx, reactors.Because(pacerName, "enter", e), enter.Decide); err != nil {
		return err
	}
	again, newer, err := c.ruling(ctx, e.Tenant, t.CampaignID, t.RunID)
	if err != nil || newer == version {
		return err
	}
	return c.pace(ctx, after(pacerName, e), pacing.Steer{Clock: c.clock(), RunID: t.RunID, Ruling: again, Version: newer}.Decide)
}

// steer asks what the campaign says now and passes it on. The event says only that
// something changed: a pause that was followed by a resume is not to hold the run.
func (c Engine) steer(ctx context.Context, e reactors.Event, campaignID, runID string) error {
	if runID == "" {
		return nil
	}
	ruling, version, err := c.ruling(ctx, e.Tenant, campaignID, runID)
	if err != nil {
		return err
	}
	return c.pace(ctx, after(pacerName, e), pacing.Steer{Clock: c.clock(), RunID: runID, Ruling: ruling, Version: version}.Decide)
}

// ruling is what a campaign says about a run, and the version of its stream that does.
func (c Engine) ruling(ctx context.Context, tenant, campaignID, runID string) (pacing.Ruling, int64, error) {
	campaign, err := eventstore.Read(ctx, c.Store, campaigns.Campaigns, campaigns.Stream(tenant, campaignID))
	if err != nil {
		return "", 0, fmt.Errorf("folding the campaign %s: %w", campaignID, err)
	}
	s := campaign.State
	switch {
	case s.RunID != runID || !s.Running():
		return pacing.Stop, campaign.Version, nil
	case s.Status == campaigns.Paused:
		return pacing.Hold, campaign.Version, nil
	default:
		return pacing.Go, campaign.Version, nil
	}
}
