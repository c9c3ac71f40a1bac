package reporting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/channels"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// CallDetailsAPI is what the call details operation needs.
type CallDetailsAPI struct {
	Sessions endedSessions
	Agents   agentDirectory
}

// endedSessions knows the sessions that have ended, and how many there are in all.
type endedSessions interface {
	Ended(ctx context.Context, q contactcenter.Ended) ([]reporting.Session, int, error)
}

// agentDirectory knows the agents of a tenant by what others call them, and the id of its
// organisation.
type agentDirectory interface {
	Named(ctx context.Context, tenant string, names []string) (map[string]contactcenter.HumanAgentCard, error)
	Organisation(ctx context.Context, tenant string) (orgID string, ok bool, err error)
}

// callDetailsIn is what call-details is asked.
type callDetailsIn struct {
	AccountPath string `path:"accountId" doc:"The account of the credential."`
	rest.AccountHeader
	rest.ProjectHeader
	Limit  int `query:"limit" default:"100" minimum:"1" maximum:"100" doc:"Records to return."`
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"10" doc:"Records to skip. Read on by moving startDate."`
	Body   struct {
		StartDate      string   `json:"startDate" required:"true" doc:"yyyy-mm-dd hh:mm:ss or yyyy-mm-dd, inclusive, in the zone of timeZoneOffset; or as sessionStartTime has it, to read on (extension)." example:"2026-11-16 00:00:00"`
		EndDate        string   `json:"endDate" required:"true" doc:"Same format; a date means the end of that day. At most seven days in all." example:"2026-11-21"`
		TimeZoneOffset *float64 `json:"timeZoneOffset" required:"true" nullable:"false" minimum:"-840" maximum:"840" doc:"Minutes east of UTC." example:"-300"`
		Channels       []string `json:"channels,omitempty" maxItems:"50" doc:"Only these channels: kind slugs, or as records show them."`
		SelectedFields []string `json:"selectedFields,omitempty" maxItems:"10" doc:"Optional fields to add: skills, customerinfo, userleveltags, sessionleveltags."`
		Queues         []string `json:"queues,omitempty" maxItems:"200" doc:"Only conversations that entered one of these queues."`
	}
}

type callDetailsOut struct {
	Body struct {
		NumResults int          `json:"numResults" doc:"All matches, whatever the limit."`
		Data       []callDetail `json:"data"`
	}
}

// DeclareCallDetails adds POST /agentassist/api/public/analytics/account/{accountId}/calldetails.
func DeclareCallDetails(api *rest.API, d CallDetailsAPI) {
	rest.Declare(api, rest.Operation{
		ID: "call-details", Method: "POST", Reads: true, Path: "/agentassist/api/public/analytics/account/{accountId}/calldetails",
		Summary: "Raw details of ended conversations, at most seven days at once", Tags: []string{"Call details"},
		Description: "finalStatus is BotResolved where no person was asked for, MachineDetected where a machine had answered, Abandoned where " +
			"a person was asked for and waited for until the end or in vain, and CLOSED where a person had it, " +
			"none could be had, or a failure ended it. " +
			"disconnectingEvent says who ended it: User Hangup, Bot Hangup, Gateway Hangup or Agent Closed.",
		Requirement: access.TokenOnly(), Resolve: rest.ResolveAll(rest.OwnAccount("accountId"), rest.ProjectFromHeader("iid")),
	}, d.list)
}

var selectableFields = []string{"skills", "customerinfo", "userleveltags", "sessionleveltags"}

func (d CallDetailsAPI) list(ctx context.Context, in *callDetailsIn) (*callDetailsOut, error) {
	q, zone, err := in.query(ctx)
	if err != nil {
		return nil, err
	}
	found, total, err := d.Sessions.Ended(ctx, q)
	if err != nil {
		return nil, err
	}
	known, err := d.Agents.Named(ctx, q.Tenant, reporting.AgentsOf(found))
	if err != nil {
		return nil, err
	}
	agents := reporting.HumanAgents{}
	for name, card := range known {
		agents[name] = reporting.HumanAgent{ID: card.HumanAgentID, Name: card.Name, Email: card.Email}
	}
	w := detailWriter{zone: zone, project: q.Project, selected: in.Body.SelectedFields}
	if w.org, _, err = d.Agents.Organisation(ctx, q.Tenant); err != nil {
		return nil, err
	}
	out := &callDetailsOut{}
	out.Body.NumResults, out.Body.Data = total, []callDetail{}
	for _, session := range found {
		out.Body.Data = append(out.Body.Data, w.shown(agents.Record(session)))
	}
	return out, nil
}

// query checks what the schema cannot say: the period, and names.
func (in *callDetailsIn) query(ctx context.Context) (contactcenter.Ended, *time.Location, error) {
	period, f := reporting.PeriodOf(in.Body.StartDate, in.Body.EndDate, *in.Body.TimeZoneOffset)
	kinds := channelsOf(&f, "channels", in.Body.Channels)
	checkNames(&f, "selectedFields", in.Body.SelectedFields, selectableFields)
	for i, queue := range in.Body.Queues {
		if !access.ValidID(queue) {
			f.Add(fmt.Sprintf("queues[%d]", i), "must be the id of a queue")
		}
	}
	return contactcenter.Ended{Tenant: rest.PrincipalOf(ctx).TenantID, Project: rest.ProjectOf(ctx).ID, From: period.From, Until: period.Until,
		Channels: kinds, Queues: in.Body.Queues, Limit: in.Limit, Offset: in.Offset}, period.Zone, f.InOrder().Err()
}

// channelsOf are the kinds of channels that a filter names, by slug or as records show
// them.
func channelsOf(f *fault.Fields, field string, given []string) (kinds []string) {
	for i, name := range given {
		if _, ok := channels.Named(name); !ok {
			f.Add(fmt.Sprintf("%s[%d]", field, i), "must be one of %s, or Voice or Web/Mobile Client", strings.Join(channels.Kinds(), ", "))
		}
		kinds = append(kinds, channels.Spelled(name)...)
	}
	return kinds
}

func checkNames(f *fault.Fields, field string, given, known []string) {
	for i, name := range given {
		if !slices.Contains(known, name) {
			f.Add(fmt.Sprintf("%s[%d]", field, i), "must be one of %s", strings.Join(known, ", "))
		}
	}
}
