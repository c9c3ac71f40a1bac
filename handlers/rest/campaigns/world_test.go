package campaigns_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/handlers/acts"
	api "github.com/parley-platform/parley/handlers/rest/campaigns"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/campaigns"
)

// office is the read models of acme's project p-1: its campaigns, its two contact lists
// and two flows, and the runs.
type office struct {
	campaigns map[string]models.Campaign // by "tenant/project/id"
	counts    map[string]int             // by list of acme in p-1
	say       string                     // what the agent of flow cf-1 says
	totals    map[string]models.CampaignTotals
	runs      map[string]models.Run // by "tenant/campaign/run"
	asked     []string              // what lists and counts were asked
	total     int
	down      map[string]error // by method
}

func (o *office) Get(_ context.Context, tenant, project, id string) (models.Campaign, bool, error) {
	c, ok := o.campaigns[tenant+"/"+project+"/"+id]
	return c, ok, o.down["Get"]
}

func (o *office) List(_ context.Context, tenant, project string, limit, offset int) (page []models.Campaign, total int, err error) {
	o.asked = append(o.asked, fmt.Sprint(tenant, " ", project, " ", limit, " ", offset))
	for _, c := range o.campaigns {
		page = append(page, c)
	}
	return page, o.total, o.down["List"]
}

func (o *office) FlowNamed(_ context.Context, tenant, project, name string) (f models.CampaignFlow, ok bool, err error) {
	if tenant+"/"+project+"/"+name == "acme/p-1/Support line" {
		return models.CampaignFlow{ID: "cf-1", Name: "Support line", AgentName: "greeter"}, true, o.down["FlowNamed"]
	}
	return f, false, o.down["FlowNamed"]
}

func (o *office) FlowOf(_ context.Context, tenant, project, id string) (f models.CampaignFlow, ok bool, err error) {
	if tenant+"/"+project+"/"+id == "acme/p-1/cf-1" {
		return models.CampaignFlow{ID: "cf-1", Name: "Support line", AgentName: "greeter", AgentDSL: o.say}, true, o.down["FlowOf"]
	}
	return f, false, o.down["FlowOf"]
}

func (o *office) Counts(_ context.Context, tenant, project string, names []string) (map[string]int, error) {
	out := map[string]int{}
	for _, name := range names {
		if n, ok := o.counts[name]; ok && tenant+"/"+project == "acme/p-1" {
			out[name] = n
		}
	}
	return out, o.down["Counts"]
}

func (o *office) RunTotals(_ context.Context, tenant string, ids []string) (map[string]models.CampaignTotals, error) {
	out := map[string]models.CampaignTotals{}
	for _, id := range ids {
		if t, ok := o.totals[tenant+"/"+id]; ok {
			out[id] = t
		}
	}
	return out, o.down["RunTotals"]
}

func (o *office) Run(_ context.Context, tenant, campaign, runID string) (models.Run, bool, error) {
	r, ok := o.runs[tenant+"/"+campaign+"/"+runID]
	return r, ok, o.down["Run"]
}

var (
	hours = campaigns.Hours{Frequency: campaigns.Weekly, Timezone: "America/New_York",
		Days: []campaigns.Window{{Day: "MO", Start: "9:00 AM", End: "5:00 PM"}}}
	voiceOnes = campaigns.Definition{Name: "Renewals", Description: "Contracts that end", Kind: campaigns.Voice, Priority: 3,
		OurNumber: "+15550100000", Hours: hours, FlowID: "cf-1", FlowName: "Support line", ContactLists: []string{"VIPs", "All"},
		MachineDetect: true, SchedulingEnabled: true, RecurrenceEnabled: true, Format: "advanced"}
)

func smsOnes() campaigns.Definition {
	d := voiceOnes
	d.Kind, d.MachineDetect = campaigns.SMS, false
	return d
}

// The state in which a campaign is given: what happened to it so far.
func ready(d campaigns.Definition, at time.Time) []event.Payload {
	return []event.Payload{campaigns.Defined{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", Definition: d, At: at}}
}

func active(d campaigns.Definition, at time.Time) []event.Payload {
	return append(ready(d, at), campaigns.Started{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", RunID: "cid-1", Name: d.Name,
		Kind: d.Kind, At: at})
}

func paused(d campaigns.Definition, at time.Time) []event.Payload {
	return append(active(d, at), campaigns.RunPaused{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", RunID: "cid-1", At: at})
}

func completed(d campaigns.Definition, at time.Time) []event.Payload {
	return append(active(d, at), campaigns.RunCompleted{TenantID: "acme", ProjectID: "p-1", CampaignID: "cd-1", RunID: "cid-1", At: at})
}

// newOffice declares the group's operations; campaign cd-1 of acme is given by its past.
func newOffice(t *testing.T, past ...event.Payload) (*resttest.Stored, *office) {
	t.Helper()
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeCampaigns})
	o := &office{campaigns: map[string]models.Campaign{}, counts: map[string]int{"VIPs": 2, "All": 3}, say: "ON_START:\n  SAY: Hello",
		totals: map[string]models.CampaignTotals{"acme/cd-1": {CallsCompleted: 7, MessagesSent: 8}, "globex/cd-1": {CallsCompleted: 70}},
		runs:   map[string]models.Run{}, down: map[string]error{}}
	if len(past) > 0 {
		stream := campaigns.Stream("acme", "cd-1")
		resttest.Given(w, campaigns.Campaigns, stream, past...)
		s := campaigns.Campaigns.State(past...)
		o.campaigns["acme/p-1/cd-1"] = models.Campaign{ID: s.ID, Definition: s.Definition, Status: s.Status, RunID: s.RunID,
			CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt}
	}
	start := acts.StartCampaign{Log: w.Commands.Log, Lists: o, Flows: o}
	api.DeclareCampaigns(w.Api, api.API{Commands: w.Commands, Campaigns: o, Lists: o, Runs: o, Start: start})
	api.DeclareCampaignRuns(w.Api, api.RunsAPI{Runs: o, Now: w.Commands.Now})
	api.DeclareVerdicts(w.Api, api.VerdictsAPI{Campaigns: o, Verdicts: o})
	return w, o
}

// named are the headers that every operation on campaigns wants.
func named(more ...string) []string {
	return append([]string{"accountId", "acme", "iid", "main"}, more...)
}
