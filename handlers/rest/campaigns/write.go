package campaigns

import (
	"context"
	"fmt"
	"strconv"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// campaignBody is what update-sms-campaign and create-campaign are asked.
type campaignBody struct {
	Name                string                 `json:"name" required:"true" minLength:"1" maxLength:"48"`
	Description         string                 `json:"description" required:"true" minLength:"1" maxLength:"256"`
	ContactLists        []string               `json:"contactLists" required:"true" minItems:"1" maxItems:"50" nullable:"false" doc:"Names of contact lists of the project, each once, in the order in which they are reached."`
	Priority            string                 `json:"priority" required:"true" enum:"1,2,3,4,5" doc:"Of several campaigns the one with the higher priority goes first."`
	Format              string                 `json:"format" required:"true" minLength:"1" maxLength:"48" doc:"Message format." example:"advanced"`
	CampaignType        string                 `json:"campaignType" required:"true" enum:"voice,sms"`
	DialingStrategy     dialingStrategy        `json:"dialingStrategy" required:"true"`
	ExperienceFlowName  string                 `json:"experienceFlowName" required:"true" minLength:"1" maxLength:"100" doc:"Name of an experience flow of the project: its agent takes the calls, and the agent's start text is the message of sms."`
	Schedule            *campaignScheduleGiven `json:"schedule,omitempty"`
	EnableMachineDetect bool                   `json:"enableMachineDetect,omitempty" doc:"Of voice: hang up on answering machines."`
}

// campaignScheduleGiven is schedule in requests, where its members are optional.
type campaignScheduleGiven struct {
	IsSchedulingEnabled bool `json:"isSchedulingEnabled,omitempty" doc:"Whether isRecurrenceEnabled holds. A campaign is started by its trigger alone."`
	IsRecurrenceEnabled bool `json:"isRecurrenceEnabled,omitempty" doc:"Whether a run reaches its contacts again on each later day of the calling hours, instead of once."`
}

type updateCampaignIn struct {
	CampaignIn
	CampaignType string `query:"campaignType" required:"true" enum:"sms" doc:"Campaigns of voice are not updated here."`
	Body         campaignBody
}

func (c API) update(ctx context.Context, in *updateCampaignIn) (*campaignOut, error) {
	before := campaignOf(ctx)
	d, f, err := c.definition(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if in.Body.CampaignType != in.CampaignType {
		f.Add("campaignType", "is %s in the body and %s in the query", in.Body.CampaignType, in.CampaignType)
	}
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	cmd := campaigns.Update{Definition: d, At: c.Now()}
	res, err := rest.Execute(ctx, c.Commands, campaigns.Campaigns, campaigns.Stream(rest.PrincipalOf(ctx).TenantID, before.ID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	is := res.State // also where nothing was to change
	return c.answer(ctx, campaignmodels.Campaign{ID: before.ID, Definition: is.Definition, Status: is.Status, RunID: before.RunID,
		CreatedAt: before.CreatedAt, UpdatedAt: is.UpdatedAt}, "Campaign Updated")
}

type createCampaignIn struct {
	IID string `path:"IID" doc:"The application: a project's id or alias." example:"acme-bot"`
	rest.AccountHeader
	rest.ProjectHeader
	Body campaignBody
}

func (c API) create(ctx context.Context, in *createCampaignIn) (*campaignOut, error) {
	d, f, err := c.definition(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	if err := f.InOrder().Err(); err != nil {
		return nil, err
	}
	cmd := campaigns.Define{TenantID: rest.PrincipalOf(ctx).TenantID, ProjectID: rest.ProjectOf(ctx).ID, ID: campaigns.IDPrefix +
		c.NewID(ctx, "campaign").String(), Definition: d, At: c.Now()}
	res, err := rest.Create(ctx, c.Commands, campaigns.Campaigns, campaigns.Stream(cmd.TenantID, cmd.ID), cmd.Decide)
	if err != nil {
		return nil, err
	}
	accepted, err := rest.Payload[campaigns.Defined](res)
	if err != nil {
		return nil, err
	}
	return c.answer(ctx, campaignmodels.Campaign{ID: accepted.CampaignID, Definition: accepted.Definition, Status: campaigns.Ready,
		CreatedAt: accepted.At, UpdatedAt: accepted.At}, "Campaign Created")
}

// definition is what a body says, and what is wrong with the names in it.
func (c API) definition(ctx context.Context, body campaignBody) (d campaigns.Definition, f fault.Fields, err error) {
	priority, _ := strconv.Atoi(body.Priority) // the schema has refused what is no number
	schedule := campaignScheduleGiven{}
	if body.Schedule != nil {
		schedule = *body.Schedule
	}
	d = campaigns.Definition{Name: body.Name, Description: body.Description, Kind: campaigns.Kind(body.CampaignType), Priority: priority,
		OurNumber: body.DialingStrategy.CallerID.PhoneNumber,
		Hours:     body.DialingStrategy.CallingHours.hours(), ContactLists: body.ContactLists, MachineDetect: body.EnableMachineDetect,
		SchedulingEnabled: schedule.IsSchedulingEnabled, RecurrenceEnabled: schedule.IsRecurrenceEnabled, Format: body.Format}
	tenant, project := rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID
	flow, ok, err := c.Campaigns.FlowNamed(ctx, tenant, project, access.PlainName(body.ExperienceFlowName))
	if err != nil {
		return d, nil, err
	}
	if d.FlowID, d.FlowName = flow.ID, flow.Name; !ok {
		f.Add("experienceFlowName", "%q is not an experience flow of the project", body.ExperienceFlowName)
		d.FlowID = "unknown" // said already
	}
	err = c.checkLists(ctx, &f, body.ContactLists)
	return d, append(f, d.Validate()...), err
}

func (c API) checkLists(ctx context.Context, f *fault.Fields, names []string) error {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = access.PlainName(name)
	}
	known, err := c.Lists.Counts(ctx, rest.PrincipalOf(ctx).TenantID, rest.ProjectOf(ctx).ID, plain)
	if err != nil {
		return err
	}
	for i, name := range plain {
		if _, ok := known[name]; !ok {
			f.Add(fmt.Sprintf("contactLists[%d]", i), "%q is not a contact list of the project", name)
		}
	}
	return nil
}
