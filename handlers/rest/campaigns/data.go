package campaigns

import (
	"strconv"

	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/handlers/rest"
	campaignmodels "github.com/parley-platform/parley/projections/campaigns"
)

// campaignData is a campaign as responses show it.
type campaignData struct {
	ID                  string           `json:"_id" required:"true" example:"cd-acme-reminders"`
	Name                string           `json:"name" required:"true"`
	LowerName           string           `json:"lname" required:"true" doc:"The name in lower case."`
	Description         string           `json:"description" required:"true"`
	Status              string           `json:"status" required:"true" enum:"Ready,Active,Paused,Completed"`
	Priority            string           `json:"priority" required:"true" enum:"1,2,3,4,5"`
	DialingStrategy     dialingStrategy  `json:"dialingStrategy" required:"true"`
	ExperienceFlow      string           `json:"experienceFlow" required:"true" doc:"Id of the experience flow." example:"cf-acme-support"`
	ExperienceFlowName  string           `json:"experienceFlowName" required:"true" doc:"Its name when the campaign was last defined."`
	Schedule            campaignSchedule `json:"schedule" required:"true"`
	ContactLists        []string         `json:"contactLists" required:"true" doc:"Names of contact lists, in the order in which they are reached."`
	EnableMachineDetect bool             `json:"enableMachineDetect" required:"true" doc:"Of voice: whether answering machines are hung up on. Always false of sms."`
	Format              string           `json:"format" required:"true" example:"advanced"`
	CampaignType        string           `json:"campaignType" required:"true" enum:"voice,sms"`
	Direction           string           `json:"direction" required:"true" enum:"outbound" doc:"Campaigns reach people; they never wait to be reached."`
	TotalMessagesSent   int              `json:"totalMessagesSent" required:"true" doc:"By all runs."`
	TotalCallsCompleted int              `json:"totalCallsCompleted" required:"true" doc:"Calls of all runs that were answered and are over."`
	RunID               string           `json:"campaignInstanceId,omitempty" doc:"The run that is under way, else the last one; absent before the first." example:"cid-0196b6f2-5d0c-7c4e-9a55-2f6d3c1b8e70"`
	CreatedAt           string           `json:"createdAt" required:"true" format:"date-time"`
	UpdatedAt           string           `json:"updatedAt" required:"true" format:"date-time" doc:"When it was last changed, started, paused, resumed or completed."`
}

type dialingStrategy struct {
	CallerID struct {
		PhoneNumber string `json:"phoneNumber" required:"true" minLength:"1" maxLength:"64" example:"+15550100100" doc:"What contacts see: a telephone number with its country code, shown as E.164; of sms also a short code or a sender id."`
	} `json:"callerId" required:"true"`
	CallingHours callingHours `json:"callingHours" required:"true" doc:"When contacts may be reached. They always hold."`
}

type callingHours struct {
	Frequency string       `json:"frequency" required:"true" enum:"WEEKLY,DAILY,CUSTOM" doc:"WEEKLY: each day of the week at most once. DAILY: every day, whatever day says. CUSTOM: any number of windows of a day."`
	Timezone  string       `json:"timezone" required:"true" minLength:"1" maxLength:"64" doc:"IANA name." example:"America/New_York"`
	Days      []callingDay `json:"days" required:"true" minItems:"1" maxItems:"56" nullable:"false"`
}

type callingDay struct {
	Day   string `json:"day,omitempty" enum:"MO,TU,WE,TH,FR,SA,SU" doc:"On which the window starts; not needed with DAILY."`
	Start string `json:"start" required:"true" pattern:"^(0?[1-9]|1[0-2]):[0-5][0-9] (AM|PM)$" example:"9:00 AM"`
	End   string `json:"end" required:"true" pattern:"^(0?[1-9]|1[0-2]):[0-5][0-9] (AM|PM)$" example:"5:00 PM" doc:"Before start: on the next day. 11:59 PM: the end of the day."`
}

type campaignSchedule struct {
	IsSchedulingEnabled bool `json:"isSchedulingEnabled" doc:"Whether isRecurrenceEnabled holds. A campaign is started by its trigger alone."`
	IsRecurrenceEnabled bool `json:"isRecurrenceEnabled" doc:"Whether a run reaches its contacts again on each later day of the calling hours, instead of once."`
}

// outbound is the direction of every campaign.
const outbound = "outbound"

func campaignShown(c campaignmodels.Campaign, totals campaignmodels.CampaignTotals) campaignData {
	d := c.Definition
	out := campaignData{ID: c.ID, Name: d.Name, LowerName: d.LowerName(), Description: d.Description, Status: string(c.Status),
		Priority:       strconv.Itoa(d.Priority),
		ExperienceFlow: d.FlowID, ExperienceFlowName: d.FlowName, Schedule: campaignSchedule{IsSchedulingEnabled: d.SchedulingEnabled,
			IsRecurrenceEnabled: d.RecurrenceEnabled},
		ContactLists: d.ContactLists, EnableMachineDetect: d.MachineDetect, Format: d.Format, CampaignType: string(d.Kind), Direction: outbound,
		TotalMessagesSent: totals.MessagesSent, TotalCallsCompleted: totals.CallsCompleted, RunID: c.RunID,
		CreatedAt: rest.ISOTime(&c.CreatedAt), UpdatedAt: rest.ISOTime(&c.UpdatedAt)}
	out.DialingStrategy.CallerID.PhoneNumber = d.OurNumber
	out.DialingStrategy.CallingHours = callingHours{Frequency: string(d.Hours.Frequency), Timezone: d.Hours.Timezone, Days: []callingDay{}}
	for _, w := range d.Hours.Days {
		out.DialingStrategy.CallingHours.Days = append(out.DialingStrategy.CallingHours.Days, callingDay(w))
	}
	return out
}

func (h callingHours) hours() campaigns.Hours {
	out := campaigns.Hours{Frequency: campaigns.Frequency(h.Frequency), Timezone: h.Timezone}
	for _, day := range h.Days {
		out.Days = append(out.Days, campaigns.Window(day))
	}
	return out
}
