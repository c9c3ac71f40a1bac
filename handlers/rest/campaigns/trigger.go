package campaigns

import (
	"context"
	"time"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/handlers/rest"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

type triggerCampaignIn struct {
	StreamID   string `path:"streamId" doc:"Stream or bot id: a project's id or alias." example:"acme-bot"`
	CampaignID string `path:"campaignId" doc:"Id of the campaign." example:"cd-acme-renewals"`
	rest.AccountHeader
	rest.ProjectHeader
	AccountQuery string `query:"accountId" shown:"no" doc:"The account of the credential."`
	CampaignType string `query:"campaignType" required:"true" enum:"voice,sms" doc:"The campaign's kind."`
	Trigger      string `query:"trigger" required:"true" enum:"play,pause,resume" doc:"What to do."`
	Body         *struct{}
}

type triggerCampaignOut struct {
	Body struct {
		Status              string `json:"status" required:"true" enum:"Active,Paused" doc:"Of the campaign, after this."`
		Message             string `json:"message" required:"true" enum:"Campaign Started,Campaign Paused,Campaign Resumed"`
		TotalCallsCompleted int    `json:"totalCallsCompleted" required:"true" doc:"Calls of all runs of the campaign that were answered and are over."`
		UpdatedAt           string `json:"updatedAt" required:"true" format:"date-time"`
		RunID               string `json:"campaignInstanceId" required:"true" example:"cid-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	}
}

func (c API) trigger(ctx context.Context, in *triggerCampaignIn) (*triggerCampaignOut, error) {
	campaign := campaignOf(ctx)
	if kind := string(campaign.Definition.Kind); in.CampaignType != kind {
		return nil, fault.Field("campaignType", "must be %s, as the campaign is", kind)
	}
	totals, err := c.Runs.RunTotals(ctx, rest.PrincipalOf(ctx).TenantID, []string{campaign.ID})
	if err != nil {
		return nil, err
	}
	completed := totals[campaign.ID].CallsCompleted
	res, err := c.triggered(ctx, in.Trigger, campaign, completed)
	if err != nil {
		return nil, err
	}
	return triggerShown(res, completed), nil
}

// triggered does what a trigger means. How many calls are completed goes with it, to be told again to who repeats the request.
func (c API) triggered(ctx context.Context, trigger string, campaign campaignmodels.Campaign,
	completed int) (eventstore.Result[campaigns.State], error) {
	stream := campaigns.Stream(rest.PrincipalOf(ctx).TenantID, campaign.ID)
	switch trigger {
	case "pause":
		return rest.Execute(ctx, c.Commands, campaigns.Campaigns, stream, campaigns.Pause{CallsCompleted: &completed, At: c.Now()}.Decide)
	case "resume":
		return rest.Execute(ctx, c.Commands, campaigns.Campaigns, stream, campaigns.Resume{CallsCompleted: &completed, At: c.Now()}.Decide)
	}
	res, err := c.Start.Do(ctx, c.Caller(ctx), campaign.ID, campaign.Definition, &completed)
	if err == nil {
		rest.Answers(ctx, res)
	}
	return res, err
}

// triggerShown shows the accepted event, or what already was so. Events of a version before do not say how many calls were
// completed: those that are now.
func triggerShown(res eventstore.Result[campaigns.State], completed int) *triggerCampaignOut {
	s, out := res.State, &triggerCampaignOut{}
	show := func(status campaigns.Status, message, runID string, then *int, at time.Time) {
		if out.Body.TotalCallsCompleted = completed; then != nil {
			out.Body.TotalCallsCompleted = *then
		}
		out.Body.Status, out.Body.Message, out.Body.RunID, out.Body.UpdatedAt = string(status), message, runID, rest.ISOTime(&at)
	}
	if s.Status == campaigns.Paused {
		show(campaigns.Paused, "Campaign Paused", s.RunID, nil, s.UpdatedAt)
	} else {
		show(campaigns.Active, "Campaign Resumed", s.RunID, nil, s.UpdatedAt)
	}
	for _, e := range res.Payloads() {
		switch e := e.(type) {
		case campaigns.Started:
			show(campaigns.Active, "Campaign Started", e.RunID, e.CallsCompleted, e.At)
		case campaigns.RunPaused:
			show(campaigns.Paused, "Campaign Paused", e.RunID, e.CallsCompleted, e.At)
		case campaigns.RunResumed:
			show(campaigns.Active, "Campaign Resumed", e.RunID, e.CallsCompleted, e.At)
		}
	}
	return out
}
