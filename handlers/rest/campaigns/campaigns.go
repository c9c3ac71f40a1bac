package campaigns

import (
	"context"
	"net/http"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/rest"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// API is what the operations on campaigns need.
type API struct {
	rest.Commands
	Campaigns campaignsKnown
	Lists     acts.ContactCounts
	Runs      runTotals
	Start     acts.StartCampaign
}

// campaignsKnown knows the campaigns and experience flows of projects; ok is false for
// what is not there.
type campaignsKnown interface {
	Get(ctx context.Context, tenant, project, id string) (c campaignmodels.Campaign, ok bool, err error)
	List(ctx context.Context, tenant, project string, limit, offset int) (page []campaignmodels.Campaign, total int, err error)
	FlowNamed(ctx context.Context, tenant, project, name string) (f campaignmodels.CampaignFlow, ok bool, err error)
}

// runTotals knows what all runs of campaigns have come to, by campaign id; a campaign
// that never ran is absent.
type runTotals interface {
	RunTotals(ctx context.Context, tenant string, campaignIDs []string) (map[string]campaignmodels.CampaignTotals, error)
}

// The paths of campaigns. IID is the application's id, which the API's documents also
// spell IId.
const (
	campaignsPath = "/agentassist/api/v1/public/{IID}/campaigns"
	campaignPath  = "/agentassist/api/v1/public/{IID}/campaign/{campaignId}"
	triggerPath   = "/api/v2/public/{streamId}/campaign/trigger/{campaignId}"
)

// DeclareCampaigns adds the reading, updating and starting of campaigns, and what they
// lack to be used without manifests: list, create, pause and resume.
func DeclareCampaigns(api *rest.API, c API) {
	tags, who := []string{"Campaigns"}, access.TokenOnly(access.ScopeCampaigns)
	one := func(param string) rest.ResolveFunc { return rest.ResolveAll(campaignProject(param), c.campaignOfPath) }
	writes := []fault.Code{fault.Conflict, fault.NotExecuted, fault.OutcomeUnknown}
	rest.Declare(api, rest.Operation{
		ID: "update-sms-campaign", Method: http.MethodPut, Path: campaignPath,
		Summary: "Update an SMS campaign",
		Description: "Replaces all that it says, and makes the campaign Ready. An Active one is not changed (CONFLICT, with its " +
			"campaignInstanceId): pause it first. " +
			"The run of a Paused one ends with the update: it reaches nobody any more.",
		Tags: tags, Requirement: who, Resolve: one("IID"), Refusals: writes,
	}, c.update)
	rest.Declare(api, rest.Operation{
		ID: "get-campaign", Method: http.MethodGet, Path: campaignPath,
		Summary:     "Read a campaign",
		Description: "The campaign as it was last defined, with its status and the sums of its runs.", Tags: tags, Requirement: who,
		Resolve: one("IID"),
	}, c.get)
	rest.Declare(api, rest.Operation{
		ID: "trigger-campaign", Method: http.MethodPost, Path: triggerPath,
		Summary: "Start, pause or resume a campaign",
		Description: "play starts a Ready or Completed campaign with a new campaignInstanceId, and resumes a Paused one with its own; of an " +
			"Active one it is refused (CONFLICT, with the campaignInstanceId that runs). " +
			"A start outside of the calling hours waits for them. A campaign whose contact lists are all empty is not started, nor is one of sms " +
			"whose experience flow says nothing. " +
			"pause and resume, and campaignType=sms, are extensions.",
		Tags: tags, Requirement: who, Resolve: one("streamId"), Refusals: writes,
	}, c.trigger)
	rest.Declare(api, rest.Operation{
		ID: "list-campaigns", Method: http.MethodGet, Path: campaignsPath, Extension: true,
		Summary:     "List the campaigns of a project, oldest first",
		Description: "Campaigns of voice and of sms, each as get-campaign shows it.", Tags: tags, Requirement: who,
		Resolve: campaignProject("IID"),
	}, c.list)
	rest.Declare(api, rest.Operation{
		ID: "create-campaign", Method: http.MethodPost, Path: campaignsPath, Extension: true, Status: http.StatusCreated,
		Summary: "Create a campaign of voice or sms",
		Description: "The campaign is Ready: it reaches nobody before it is started. Contact lists and the experience flow are named and must " +
			"be there.", Tags: tags, Requirement: who, Resolve: campaignProject("IID"), Refusals: writes,
	}, c.create)
}

// campaignProject is the project of a path, whose account and application the headers name too.
func campaignProject(param string) rest.ResolveFunc {
	return rest.ResolveAll(rest.OwnAccount("accountId"), rest.ProjectFrom(param), rest.ProjectFromHeader("iid"))
}

// campaignOf is the campaign of the path, as campaignOfPath found it.
func campaignOf(ctx context.Context) campaignmodels.Campaign {
	return rest.Found[campaignmodels.Campaign](ctx)
}

func (c API) campaignOfPath(ctx context.Context, p rest.Params) (context.Context, error) {
	id := p.Path("campaignId")
	var found campaignmodels.Campaign
	ok := campaigns.ValidID(id)
	if ok {
		var err error
		if found, ok, err = c.Campaigns.Get(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, id); err != nil {
			return ctx, err
		}
	}
	if !ok {
		return ctx, fault.New(fault.NotFound, "there is no such campaign")
	}
	return rest.About(ctx, found), nil
}

// CampaignIn names a campaign.
type CampaignIn struct {
	IID        string `path:"IID" doc:"The application: a project's id or alias." example:"acme-bot"`
	CampaignID string `path:"campaignId" doc:"Id of the campaign." example:"cd-acme-reminders"`
	rest.AccountHeader
	rest.ProjectHeader
}

type campaignOut struct {
	Body struct {
		Status  string       `json:"status" required:"true" enum:"success"`
		Message string       `json:"message" required:"true" example:"Campaign Updated"`
		Data    campaignData `json:"data" required:"true"`
	}
}

func (c API) get(ctx context.Context, _ *CampaignIn) (*campaignOut, error) {
	return c.answer(ctx, campaignOf(ctx), "Campaign Found")
}

// answer shows a campaign with the totals of its runs.
func (c API) answer(ctx context.Context, found campaignmodels.Campaign, message string) (*campaignOut, error) {
	totals, err := c.Runs.RunTotals(ctx, rest.PrincipalOf(ctx).TenantID, []string{found.ID})
	if err != nil {
		return nil, err
	}
	out := &campaignOut{}
	out.Body.Status, out.Body.Message, out.Body.Data = "success", message, campaignShown(found, totals[found.ID])
	return out, nil
}

type campaignsIn struct {
	IID string `path:"IID" doc:"The application: a project's id or alias." example:"acme-bot"`
	rest.AccountHeader
	rest.ProjectHeader
	rest.Page
}

type listCampaignsOut struct {
	Body struct {
		Success    bool            `json:"success" required:"true"`
		Campaigns  []campaignData  `json:"campaigns" required:"true"`
		Pagination rest.Pagination `json:"pagination" required:"true"`
	}
}

func (c API) list(ctx context.Context, in *campaignsIn) (*listCampaignsOut, error) {
	tenant := rest.PrincipalOf(ctx).TenantID
	page, total, err := c.Campaigns.List(ctx, tenant, rest.ProjectOf(ctx).ID, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(page))
	for i, found := range page {
		ids[i] = found.ID
	}
	totals, err := c.Runs.RunTotals(ctx, tenant, ids)
	if err != nil {
		return nil, err
	}
	out := &listCampaignsOut{}
	out.Body.Success, out.Body.Pagination = true, in.Of(total)
	out.Body.Campaigns = rest.Shown(page, func(c campaignmodels.Campaign) campaignData { return campaignShown(c, totals[c.ID]) })
	return out, nil
}
