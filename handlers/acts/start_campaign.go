package acts

import (
	"context"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// StartCampaign begins a run of a campaign, or goes on with the one that is paused.
type StartCampaign struct {
	Log
	Lists ContactCounts
	Flows CampaignFlows
}

// ContactCounts knows how many contacts are on lists, by name; a list that is not there
// is absent.
type ContactCounts interface {
	Counts(ctx context.Context, tenant, project string, names []string) (map[string]int, error)
}

// CampaignFlows knows the experience flows of projects; ok is false for what is not there.
type CampaignFlows interface {
	FlowOf(ctx context.Context, tenant, project, id string) (f campaignmodels.CampaignFlow, ok bool, err error)
}

// Do starts the campaign as its definition stands. It reads what a run begins with: how
// many there are to be reached, and the message. Lists that are gone count nothing. completed
// are the calls of its runs so far, which a repeat of the request is told again.
func (s StartCampaign) Do(ctx context.Context, by Caller, id string, d campaigns.Definition,
	completed *int) (eventstore.Result[campaigns.State], error) {
	var none eventstore.Result[campaigns.State]
	start := campaigns.Start{RunID: campaigns.RunPrefix + s.ID(by, "run of "+id).String(), CallsCompleted: completed, At: s.Now()}
	counts, err := s.Lists.Counts(ctx, by.Tenant, by.Project, d.ContactLists)
	if err != nil {
		return none, err
	}
	for _, n := range counts {
		start.Contacts += n
	}
	if d.Kind == campaigns.SMS {
		flow, _, err := s.Flows.FlowOf(ctx, by.Tenant, by.Project, d.FlowID)
		if err != nil {
			return none, err
		}
		start.MessageText = read.of(flow.AgentDSL).text
	}
	return Execute(ctx, s.Log, by, campaigns.Campaigns, campaigns.Stream(by.Tenant, id), orResume(start))
}

// orResume is the start, but of a campaign that is paused: that goes on with its run.
func orResume(start campaigns.Start) func(campaigns.State) ([]event.Payload, error) {
	return func(s campaigns.State) ([]event.Payload, error) {
		if s.Status == campaigns.Paused {
			return campaigns.Resume{CallsCompleted: start.CallsCompleted, At: start.At}.Decide(s)
		}
		return start.Decide(s)
	}
}
