package campaigns

import (
	"context"
	"net/http"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/campaigns"
)

// RunsAPI is what the operation on runs needs.
type RunsAPI struct {
	Runs campaignRuns
	Now  func() time.Time
}

// campaignRuns knows the runs of campaigns; ok is false for one that is not there.
type campaignRuns interface {
	Run(ctx context.Context, tenant, campaignID, runID string) (r campaigns.Run, ok bool, err error)
}

type campaignRunIn struct {
	IID        string `path:"IID" doc:"The application: a project's id or alias." example:"acme-bot"`
	CampaignID string `path:"campaignId" doc:"Id of the campaign." example:"cd-acme-renewals"`
	RunID      string `path:"campaignInstanceId" doc:"Id of the run, as the trigger answered it." example:"cid-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	rest.AccountHeader
	rest.ProjectHeader
}

type campaignRunData struct {
	RunID               string `json:"campaignInstanceId" required:"true"`
	CampaignID          string `json:"campaignId" required:"true"`
	CampaignType        string `json:"campaignType" required:"true" enum:"voice,sms"`
	Status              string `json:"status" required:"true" enum:"listing,running,held,waiting,stopped,finished" doc:"listing: its contacts are being listed; held: the campaign is paused; waiting: for its next pass; stopped: the campaign was changed or removed."`
	Pass                int    `json:"pass" required:"true" doc:"From 1; only recurring campaigns make further ones."`
	TotalContacts       int    `json:"totalContacts" required:"true" doc:"Of all passes so far."`
	Pending             int    `json:"pending" required:"true" doc:"Contacts that wait for their turn."`
	UnderWay            int    `json:"underWay" required:"true" doc:"Calls and messages without an outcome yet."`
	TotalCallsCompleted int    `json:"totalCallsCompleted" required:"true" doc:"Answered, and over."`
	TotalMessagesSent   int    `json:"totalMessagesSent" required:"true"`
	TotalFailed         int    `json:"totalFailed" required:"true" doc:"Not answered, not sent, or not to be asked for at all."`
	StartedAt           string `json:"startedAt" required:"true" format:"date-time"`
	EndedAt             string `json:"endedAt,omitempty" format:"date-time"`
	NextOpening         string `json:"nextOpening,omitempty" format:"date-time" doc:"When contacts are reached again: the campaign is outside of its calling hours, or waits for its next pass."`
}

type campaignRunOut struct {
	Body struct {
		Status  string          `json:"status" required:"true" enum:"success"`
		Message string          `json:"message" required:"true" example:"Run Found"`
		Data    campaignRunData `json:"data" required:"true"`
	}
}

// DeclareCampaignRuns adds the progress of a run (extension).
func DeclareCampaignRuns(api *rest.API, c RunsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "get-campaign-run", Method: http.MethodGet, Path: campaignPath + "/runs/{campaignInstanceId}", Extension: true,
		Summary:     "Read how far a run of a campaign is",
		Description: "What the run has done so far: how many contacts it has, how many were reached, and whether it goes on.",
		Tags:        []string{"Campaigns"}, Requirement: access.TokenOnly(access.ScopeCampaigns),
		Resolve: rest.ResolveAll(campaignProject("IID"), c.runOfPath),
	}, c.get)
}

func (c RunsAPI) runOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	campaignID, runID := p.Path("campaignId"), p.Path("campaignInstanceId")
	if access.ValidID(campaignID) && access.ValidID(runID) {
		run, ok, err := c.Runs.Run(ctx, rest.PrincipalOf(ctx).TenantID, campaignID, runID)
		if err != nil {
			return ctx, err
		}
		if ok && run.ProjectID == rest.ProjectOf(ctx).ID {
			return rest.About(ctx, run), nil
		}
	}
	return ctx, fault.New(fault.NotFound, "there is no such run")
}

func (c RunsAPI) get(ctx context.Context, _ *campaignRunIn) (*campaignRunOut, error) {
	r := rest.Found[campaigns.Run](ctx)
	out := &campaignRunOut{}
	out.Body.Status, out.Body.Message = "success", "Run Found"
	out.Body.Data = campaignRunData{RunID: r.RunID, CampaignID: r.CampaignID, CampaignType: string(r.Kind),
		Status: string(r.Status), Pass: max(r.Pass, 1),
		TotalContacts: r.Contacts, Pending: max(0, r.Contacts-r.UnderWay-r.CallsCompleted-r.MessagesSent-r.Failed), UnderWay: r.UnderWay,
		TotalCallsCompleted: r.CallsCompleted, TotalMessagesSent: r.MessagesSent, TotalFailed: r.Failed, StartedAt: rest.ISOTime(&r.StartedAt),
		EndedAt: rest.ISOTime(r.EndedAt), NextOpening: c.opening(r)}
	return out, nil
}

// opening is when a run reaches people again that reaches nobody now because of the time.
func (c RunsAPI) opening(r campaigns.Run) string {
	now := c.Now()
	switch {
	case r.Status == campaigns.RunWaiting:
		return rest.ISOTime(r.NextPassAt)
	case r.Status != campaigns.RunRunning && r.Status != campaigns.RunListing || r.Hours.Open(now):
		return ""
	}
	next, ok := r.Hours.Next(now)
	if !ok {
		return ""
	}
	return rest.ISOTime(&next)
}
