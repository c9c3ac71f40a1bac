package apply

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/flows"
)

// CampaignSpec is the spec of kind Campaign, in the field names of create-campaign; its
// metadata.name is the campaign's name, of at most 48 characters.
type CampaignSpec struct {
	ProjectID           string           `json:"projectId" jsonschema:"required,minLength=1" jsonschema_description:"The project it belongs to, by id or alias."`
	Description         string           `json:"description" jsonschema:"required,minLength=1,maxLength=256" jsonschema_description:"For people."`
	CampaignType        string           `json:"campaignType" jsonschema:"required,enum=voice,enum=sms" jsonschema_description:"How contacts are reached. It never changes."`
	ContactLists        []string         `json:"contactLists" jsonschema:"required,minItems=1,maxItems=50" jsonschema_description:"Names of contact lists of the project, in the order in which they are reached."`
	Priority            string           `json:"priority" jsonschema:"required,enum=1,enum=2,enum=3,enum=4,enum=5" jsonschema_description:"Of several campaigns the one with the higher priority goes first. Put it in quotes."`
	Format              string           `json:"format" jsonschema:"required,minLength=1,maxLength=48,example=advanced" jsonschema_description:"Message format."`
	DialingStrategy     CampaignDialing  `json:"dialingStrategy" jsonschema:"required" jsonschema_description:"What contacts see, and when they may be reached."`
	ExperienceFlowName  string           `json:"experienceFlowName" jsonschema:"required,minLength=1" jsonschema_description:"Name of the experience flow whose agent takes the calls, or whose start text is the message."`
	Schedule            CampaignSchedule `json:"schedule,omitempty" jsonschema_description:"How often the contacts are reached; once without it."`
	EnableMachineDetect bool             `json:"enableMachineDetect,omitempty" jsonschema_description:"Of voice: hang up on answering machines."`
}

// CampaignDialing is dialingStrategy.
type CampaignDialing struct {
	CallerID struct {
		PhoneNumber string `json:"phoneNumber" jsonschema:"required,minLength=1,maxLength=64,example=+15550100000" jsonschema_description:"What contacts see: a telephone number with its country code; of sms also a short code or a sender id."`
	} `json:"callerId" jsonschema:"required" jsonschema_description:"Who calls or sends."`
	CallingHours CampaignHours `json:"callingHours" jsonschema:"required" jsonschema_description:"When contacts may be reached. They always hold."`
}

// CampaignHours is dialingStrategy.callingHours.
type CampaignHours struct {
	Frequency string        `json:"frequency" jsonschema:"required,enum=WEEKLY,enum=DAILY,enum=CUSTOM" jsonschema_description:"WEEKLY: each day of the week at most once. DAILY: every day, whatever day says. CUSTOM: any number of windows of a day."`
	Timezone  string        `json:"timezone" jsonschema:"required,minLength=1,example=America/New_York" jsonschema_description:"IANA name."`
	Days      []CampaignDay `json:"days" jsonschema:"required,minItems=1,maxItems=56" jsonschema_description:"The windows of time; they must not overlap, except with DAILY."`
}

// CampaignDay is one window of calling hours.
type CampaignDay struct {
	Day   string `json:"day,omitempty" jsonschema:"enum=MO,enum=TU,enum=WE,enum=TH,enum=FR,enum=SA,enum=SU" jsonschema_description:"Day on which the window starts; not needed with DAILY."`
	Start string `json:"start" jsonschema:"required,example=9:00 AM" jsonschema_description:"Wall clock of the time zone."`
	End   string `json:"end" jsonschema:"required,example=5:00 PM" jsonschema_description:"Before start: on the next day. 11:59 PM: the end of the day."`
}

// CampaignSchedule is schedule.
type CampaignSchedule struct {
	IsSchedulingEnabled bool `json:"isSchedulingEnabled,omitempty" jsonschema_description:"Whether the rest of the schedule holds. A campaign is always started by the API."`
	IsRecurrenceEnabled bool `json:"isRecurrenceEnabled,omitempty" jsonschema_description:"Whether a run reaches its contacts again on each later day of the calling hours."`
}

var campaignKind = define(label{
	name:  campaignName,
	about: "Reaches the people on contact lists by voice or sms. Its metadata.id begins with cd-. It is not changed while it is Active.",
}, campaignSteps, nil).pruned(campaignsLeft)

// campaignSteps enters the campaign into the project's register first, where prune finds
// it, then defines it in its own stream; repeating both heals what a crash left between.
func campaignSteps(ctx context.Context, p *planner, d *draft, spec CampaignSpec) ([]step, error) {
	project, err := p.project(ctx, d, spec.ProjectID)
	if err != nil {
		return nil, err
	}
	id := d.meta.ID
	p.claim(d, "metadata.id", d.meta.Tenant, id)
	flow, err := p.flowNamed(ctx, d, project, spec.ExperienceFlowName)
	if err != nil {
		return nil, err
	}
	if err := p.contactLists(ctx, d, project, spec.ContactLists); err != nil {
		return nil, err
	}
	enter := campaigns.Enter{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Name: d.meta.Name}
	define := campaigns.Define{TenantID: d.meta.Tenant, ProjectID: project, ID: id, Definition: spec.definition(d.meta.Name, flow),
		Declared: true, At: p.now()}
	return []step{
		on(campaigns.Registers, campaigns.RegisterStream(d.meta.Tenant, project), enter.Decide, func(s campaigns.Register) bool {
			_, ok := s.Names[id]
			return ok
		}),
		on(campaigns.Campaigns, campaigns.Stream(d.meta.Tenant, id), inManifest(define.Decide), campaigns.State.Exists),
	}, nil
}

func (spec CampaignSpec) definition(name string, flow flows.Flow) campaigns.Definition {
	priority, _ := strconv.Atoi(spec.Priority) // the schema has refused what is no number
	hours := spec.DialingStrategy.CallingHours
	def := campaigns.Definition{Name: name, Description: spec.Description, Kind: campaigns.Kind(spec.CampaignType), Priority: priority,
		OurNumber: spec.DialingStrategy.CallerID.PhoneNumber,
		Hours:     campaigns.Hours{Frequency: campaigns.Frequency(hours.Frequency), Timezone: hours.Timezone}, FlowID: flow.ID,
		FlowName:      flow.Name,
		ContactLists:  spec.ContactLists,
		MachineDetect: spec.EnableMachineDetect, SchedulingEnabled: spec.Schedule.IsSchedulingEnabled,
		RecurrenceEnabled: spec.Schedule.IsRecurrenceEnabled, Format: spec.Format}
	for _, day := range hours.Days {
		def.Hours.Days = append(def.Hours.Days, campaigns.Window(day))
	}
	return def
}

// inManifest names the fields of a refusal as the manifest has them.
func inManifest(decide func(campaigns.State) ([]event.Payload, error)) func(campaigns.State) ([]event.Payload, error) {
	return func(s campaigns.State) ([]event.Payload, error) {
		payloads, err := decide(s)
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Validation {
			return payloads, err
		}
		var fields fault.Fields
		for _, detail := range f.Details {
			switch detail.Field {
			case "name":
				detail.Field = "metadata.name"
			case "metadata.id":
			default:
				detail.Field = "spec." + detail.Field
			}
			fields = append(fields, detail)
		}
		return nil, fields.Err()
	}
}

// flowNamed is the planned flow with a name; the name itself comes back for one that is
// not there, so that the rest of the manifest is judged all the same.
func (p *planner) flowNamed(ctx context.Context, d *draft, project, name string) (flows.Flow, error) {
	s, err := stateOf(ctx, p, flows.Flows, flows.Stream(d.meta.Tenant, project))
	if err != nil {
		return flows.Flow{}, err
	}
	name, problem := access.CleanName(name)
	flow, ok := s.ByName(name)
	if problem == "" && !ok {
		d.fault("spec.experienceFlowName", "%q is not an experience flow of project %s: put its ExperienceFlow manifest into this set, or "+
			"apply it before", name, project)
		flow = flows.Flow{ID: flows.IDPrefix + "unknown", Name: name}
	}
	p.needs(d, "spec.experienceFlowName", flowName, d.meta.Tenant, project, flow.ID)
	return flow, nil
}

func (p *planner) contactLists(ctx context.Context, d *draft, project string, names []string) error {
	s, err := stateOf(ctx, p, contactlists.Lists, contactlists.Stream(d.meta.Tenant, project))
	if err != nil {
		return err
	}
	for i, raw := range names {
		name, problem := access.CleanName(raw)
		field := fmt.Sprintf("spec.contactLists[%d]", i)
		list, ok := s.ByName(name)
		if problem == "" && !ok {
			d.fault(field, "%q is not a contact list of project %s: put its ContactList manifest into this set, or apply it before", name, project)
		}
		p.needs(d, field, contactListName, d.meta.Tenant, project, list.ID)
	}
	return nil
}

// campaignsLeft removes a campaign in its own stream first and strikes it from the
// register then.
func campaignsLeft(ctx context.Context, p *planner, tenant string) ([]leftover, error) {
	return inProjects(ctx, p, tenant, func(project string) ([]leftover, error) {
		stream := campaigns.RegisterStream(tenant, project)
		s, err := stateOf(ctx, p, campaigns.Registers, stream)
		if err != nil {
			return nil, err
		}
		var left []leftover
		for _, id := range unnamed(p, s.Names, campaignName, tenant) {
			remove, strike := campaigns.Remove{At: p.now()}, campaigns.Strike{TenantID: tenant, ProjectID: project, ID: id}
			left = append(left, leftover{id: id, name: s.Names[id], steps: []step{
				removing(campaigns.Campaigns, campaigns.Stream(tenant, id), remove.Decide),
				removing(campaigns.Registers, stream, strike.Decide),
			}})
		}
		return left, nil
	})
}
