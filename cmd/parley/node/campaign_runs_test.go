package node_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/childtest"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/campaigns"
	"github.com/parley-platform/parley/domain/contactlists"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
	"github.com/parley-platform/parley/domain/texts"
	"github.com/parley-platform/parley/eventstore"
)

// campaigner is a tenant with an experience flow, whose campaigns are made and started
// beside the API: these tests are about what happens then.
type campaigner struct {
	*tenant
	testing.TB
}

func newCampaigner(t testing.TB, w *tenant) *campaigner {
	w.apply(t, "Agent", "greeter", "greeter", fields{"projectId": mainApp, "dslContent": "ON_START:\n  SAY: Hello from the campaign\n"})
	w.apply(t, "ExperienceFlow", "cf-main", "main", fields{"projectId": mainApp, "number": callCaller, "agentName": "greeter",
		"language": "en-US"})
	return &campaigner{tenant: w, TB: t}
}

// send sends a command beside the API.
func send[S any](t testing.TB, on *server, tenant string, agg *event.Aggregate[S], stream string, decide func(S) ([]event.Payload, error)) {
	t.Helper()
	executed(t, on, tenant, agg, stream, decide)
}

// list makes a contact list of the numbers from one on.
func (c *campaigner) list(name string, from, n int, number string) {
	people := make([]contactlists.Contact, n)
	for i := range people {
		people[i] = contactlists.Contact{PhoneNumber: fmt.Sprintf(number, from+i), FirstName: fmt.Sprint("Ada ", from+i)}
	}
	send(c, c.on, c.id, contactlists.Lists, contactlists.Stream(c.id, mainApp),
		contactlists.DefineList{TenantID: c.id, ProjectID: mainApp, ID: strings.ToLower(name), Name: name, Contacts: people}.Decide)
}

func open24() campaigns.Hours {
	return campaigns.Hours{Frequency: campaigns.Daily, Timezone: "UTC", Days: []campaigns.Window{{Start: "12:00 AM", End: "11:59 PM"}}}
}

// campaign makes a voice campaign that is always open, unless changed.
func (c *campaigner) campaign(id string, lists []string, change ...func(*campaigns.Definition)) {
	d := campaigns.Definition{Name: id, Description: "of a test", Kind: campaigns.Voice, Priority: 3, OurNumber: "+" + callCaller,
		Hours: open24(), FlowID: "cf-main", FlowName: "main",
		ContactLists: lists, Format: "advanced"}
	for _, f := range change {
		f(&d)
	}
	send(c, c.on, c.id, campaigns.Campaigns, campaigns.Stream(c.id, id), campaigns.Define{TenantID: c.id, ProjectID: mainApp, ID: id,
		Definition: d, At: time.Now()}.Decide)
}

// start begins a run and gives its id.
func (c *campaigner) start(id string) string {
	c.Helper()
	runID := campaigns.RunPrefix + uuid.NewString()
	send(c, c.on, c.id, campaigns.Campaigns, campaigns.Stream(c.id, id), campaigns.Start{RunID: runID, Contacts: 1,
		MessageText: "Hello!", At: time.Now()}.Decide)
	return runID
}

func (c *campaigner) status(id string) campaigns.Status {
	return folded(c, c.on, campaigns.Campaigns, campaigns.Stream(c.id, id)).State.Status
}

// completed waits for the ends of campaigns: on a busy machine for as long as their lines do something.
func (c *campaigner) completed(ids ...string) {
	c.Helper()
	for _, id := range ids {
		for over := false; !over; {
			did := c.steps()
			until(c, "the end of "+id, func() bool {
				over = c.status(id) == campaigns.Completed
				return over || c.steps() > did
			})
		}
	}
}

// steps is how much the tenant's lines did.
func (c *campaigner) steps() int64 {
	return folded(c, c.on, pacing.Pacing, pacing.Stream(c.id)).Version
}

// runProgress is a run as the API shows it.
type runProgress struct {
	Status                                 string
	TotalContacts, Pending, UnderWay       int
	TotalCallsCompleted, TotalMessagesSent int
	TotalFailed, Pass                      int
	NextOpening, EndedAt                   string
}

// progress reads the run.
func (c *campaigner) progress(campaign, runID string) (p runProgress) {
	c.Helper()
	var body struct{ Data runProgress }
	c.on.do(c, "GET", "/agentassist/api/v1/public/"+mainApp+"/campaign/"+campaign+"/runs/"+runID, nil, "auth", c.token(c), "accountId",
		c.id, "iid", mainApp).must(c, 200).into(c, &body)
	return body.Data
}

// lineEvents are what the tenant's lines did, oldest first.
func (c *campaigner) lineEvents() (out []event.Payload) {
	records := served(c, func() ([]*eventstore.Record, error) { return c.on.Store().Index.Load(c.Context(), pacing.Stream(c.id)) })
	for _, r := range records {
		p, err := pacing.Pacing.Decode(r.Type, r.Data)
		require.NoError(c, err)
		out = append(out, p)
	}
	return out
}

// checkLines folds what the lines did: never more at once than there are, each contact
// taken once and with one outcome.
func (c *campaigner) checkLines(most int) {
	c.Helper()
	type contact struct {
		run   string
		index int
	}
	taken, outcomes := map[contact]int{}, map[contact]int{}
	for _, e := range c.lineEvents() {
		switch e := e.(type) {
		case pacing.ContactsTaken:
			for _, i := range e.Contacts {
				taken[contact{e.RunID, i}]++
			}
		case pacing.ContactFinished:
			outcomes[contact{e.RunID, e.Contact}]++
		}
		require.LessOrEqual(c, len(taken)-len(outcomes), most)
	}
	require.Equal(c, taken, outcomes)
	for k, n := range taken {
		require.Equal(c, 1, n, k)
	}
}

// calls are those of a run that stand on the log, by target.
func (c *campaigner) calls(runID string) map[string][]calls.State {
	out := map[string][]calls.State{}
	for _, e := range c.lineEvents() {
		if e, ok := e.(pacing.ContactFinished); ok && e.RunID == runID && e.EffectID != "" {
			loaded := folded(c, c.on, calls.Calls, calls.Calls.Stream(e.EffectID))
			out[loaded.State.Request.Target] = append(out[loaded.State.Request.Target], loaded.State)
		}
	}
	return out
}

func TestACampaignCallsEachContactOnce(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("North", 0, 24, "+1555111%04d")
	c.list("South", 20, 10, "+1555111%04d") // four of them are on both
	c.list("Busy", 5, 1, "+1555000%04d")    // does not answer
	c.campaign("cd-spring", []string{"North", "gone", "South", "Busy"}, func(d *campaigns.Definition) { d.MachineDetect = true })
	run := c.start("cd-spring")
	c.completed("cd-spring")

	p := c.progress("cd-spring", run)
	require.Equal(t, []any{"finished", 31, 0, 0, 30, 1}, []any{p.Status, p.TotalContacts, p.Pending, p.UnderWay, p.TotalCallsCompleted,
		p.TotalFailed})
	require.NotEmpty(t, p.EndedAt)
	c.checkLines(10)
	placed := c.calls(run)
	require.Len(t, placed, 31)
	target, problem := calls.NormalTarget("tel:+15551110003")
	require.Empty(t, problem)
	require.Len(t, placed[target], 1)
	one := placed[target][0]
	require.Equal(t, []any{"+" + callCaller, "cf-main", "greeter", calls.DetectionDisconnect, run},
		[]any{one.Request.OurNumber, one.Request.Flow.ID, one.Request.Flow.AgentName, one.Request.MachineDetection, one.Request.Campaign.RunID})
	require.Equal(t, []string{"Hello from the campaign"}, one.Said)
	var metadata struct{ Contact contactlists.Contact }
	require.NoError(t, json.Unmarshal(one.Request.Metadata, &metadata))
	require.Equal(t, "Ada 3", metadata.Contact.FirstName, "the agent knows whom it talks to")

	again := c.start("cd-spring")
	c.completed("cd-spring")
	require.NotEqual(t, run, again)
	require.Len(t, c.calls(again), 31, "a run of its own")
	require.Equal(t, p, c.progress("cd-spring", run), "the first one stays what it was")
}

func TestTheHigherPriorityIsReachedFirst(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("Low", 0, 40, "+1555111%04d")
	c.list("High", 0, 15, "+1555112%04d")
	c.campaign("cd-low", []string{"Low"}, func(d *campaigns.Definition) { d.Priority = 1 })
	c.campaign("cd-high", []string{"High"}, func(d *campaigns.Definition) { d.Priority = 5 })
	low := c.start("cd-low")
	high := c.start("cd-high")
	c.completed("cd-low", "cd-high")
	c.checkLines(10)
	waits := 0 // contacts of the high one that wait
	for _, e := range c.lineEvents() {
		switch e := e.(type) {
		case pacing.RunEntered:
			if e.RunID == high {
				waits = e.Contacts
			}
		case pacing.ContactsTaken:
			if e.RunID == high {
				waits -= len(e.Contacts)
			} else {
				require.Equal(t, low, e.RunID)
				require.Zero(t, waits, "the low one got a line while the high one waited")
			}
		}
	}
}

func TestASMSCampaignSendsEachMessageOnce(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("Texts", 0, 60, "+1555111%04d")
	c.campaign("cd-texts", []string{"Texts"}, func(d *campaigns.Definition) { d.Kind = campaigns.SMS })
	run := c.start("cd-texts")
	c.completed("cd-texts")
	p := c.progress("cd-texts", run)
	require.Equal(t, []any{"finished", 60, 60, 0}, []any{p.Status, p.TotalContacts, p.TotalMessagesSent, p.TotalFailed})
	c.checkLines(50)
	to := map[string]bool{}
	for _, e := range c.lineEvents() {
		if e, ok := e.(pacing.ContactFinished); ok {
			loaded := folded(t, c.on, texts.Texts, texts.Texts.Stream(e.EffectID))
			require.Equal(t, "Hello!", loaded.State.Request.Text)
			to[loaded.State.Request.To] = true
		}
	}
	require.Len(t, to, 60)
	var list struct {
		Messages []struct {
			To, Text, Status, CampaignID string
			RunID                        string `json:"campaignInstanceId"`
		}
		Pagination struct{ Total int }
	}
	c.on.do(t, "GET", "/api/v1/projects/"+mainApp+"/messages?limit=200&campaignId=cd-texts&campaignInstanceId="+run, nil, "Authorization",
		"Bearer "+c.token(t)).must(t, 200).into(t, &list)
	require.Equal(t, 60, list.Pagination.Total)
	for _, m := range list.Messages {
		require.Equal(t, []string{"Hello!", "sent", "cd-texts", run}, []string{m.Text, m.Status, m.CampaignID, m.RunID})
		delete(to, m.To)
	}
	require.Empty(t, to, "each of them is listed")
}

// waves are people for so many turns of all lines that a campaign is still in the middle when who started it comes to pause it.
const waves = 60

func TestAPausedCampaignReachesNobodyElse(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("Slow", 0, waves, "+1555111%04d")
	c.campaign("cd-slow", []string{"Slow"})
	run := c.start("cd-slow")
	stream := campaigns.Stream(c.id, "cd-slow")
	send(t, c.on, c.id, campaigns.Campaigns, stream, campaigns.Pause{At: time.Now()}.Decide)
	until(t, "the pause, and the end of what was under way", func() bool {
		p := c.progress("cd-slow", run)
		return p.Status == "held" && p.UnderWay == 0
	})
	held := c.progress("cd-slow", run)
	require.Positive(t, held.Pending)
	require.Equal(t, campaigns.Paused, c.status("cd-slow"))
	send(t, c.on, c.id, campaigns.Campaigns, stream, campaigns.Resume{At: time.Now()}.Decide)
	c.completed("cd-slow")
	require.Equal(t, waves, c.progress("cd-slow", run).TotalCallsCompleted)
	c.checkLines(10)
}

func TestAChangedCampaignEndsItsPausedRun(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("Slow", 0, waves, "+1555111%04d")
	c.campaign("cd-slow", []string{"Slow"})
	run := c.start("cd-slow")
	stream := campaigns.Stream(c.id, "cd-slow")
	send(t, c.on, c.id, campaigns.Campaigns, stream, campaigns.Pause{At: time.Now()}.Decide)
	c.campaign("cd-slow", []string{"Slow"}, func(d *campaigns.Definition) { d.Description = "changed" })
	until(t, "the end of the run", func() bool { p := c.progress("cd-slow", run); return p.Status == "stopped" && p.EndedAt != "" })
	require.Equal(t, campaigns.Ready, c.status("cd-slow"), "the campaign is not completed by it")
	require.Positive(t, c.progress("cd-slow", run).Pending)
}

func TestACampaignWaitsForItsHours(t *testing.T) {
	t.Parallel()
	c := newCampaigner(t, shared(t).tenant(t, ""))
	c.list("Night", 0, 2, "+1555111%04d")
	opens := time.Now().UTC().Add(3 * time.Hour).Truncate(time.Hour)
	c.campaign("cd-night", []string{"Night"}, func(d *campaigns.Definition) {
		d.Hours.Days = []campaigns.Window{{Start: opens.Format("3:04 PM"), End: opens.Add(time.Hour).Format("3:04 PM")}}
	})
	run := c.start("cd-night")
	until(t, "the run to enter", func() bool { return c.progress("cd-night", run).Status == "running" })
	p := c.progress("cd-night", run)
	require.Equal(t, []any{2, 2, opens.Format("2006-01-02T15:04:05.000Z")}, []any{p.TotalContacts, p.Pending, p.NextOpening})
	require.True(t, slices.ContainsFunc(c.lineEvents(), func(e event.Payload) bool {
		awaited, ok := e.(pacing.OpeningAwaited)
		return ok && awaited.Until.Equal(opens)
	}))
	require.Equal(t, campaigns.Active, c.status("cd-night"))
}

func TestTheRunsOfOthersAreNotFound(t *testing.T) {
	t.Parallel()
	world := shared(t)
	c, other := newCampaigner(t, world.tenant(t, "")), world.tenant(t, "")
	c.list("One", 0, 1, "+1555111%04d")
	c.campaign("cd-one", []string{"One"})
	run := c.start("cd-one")
	c.completed("cd-one")
	path := func(app, campaign, run string) string {
		return "/agentassist/api/v1/public/" + app + "/campaign/" + campaign + "/runs/" + run
	}
	for name, s := range world.both() {
		s.do(t, "GET", path(mainApp, "cd-one", run), nil, "auth", c.token(t), "accountId", c.id, "iid", mainApp).must(t, 200)
		for _, p := range []string{path(otherApp, "cd-one", run), path(mainApp, "cd-two", run), path(mainApp, "cd-one", "cid-none"),
			path(mainApp, "cd-one", "%00")} {
			app := strings.Split(p, "/")[5]
			require.Equal(t, 404, s.do(t, "GET", p, nil, "auth", c.token(t), "accountId", c.id, "iid", app).Status, "%s %s", name, p)
		}
		require.Equal(t, 404, s.do(t, "GET", path(mainApp, "cd-one", run), nil, "auth", other.token(t), "accountId", other.id, "iid",
			mainApp).Status)
	}
}

// Two starts at once are one run, and the node that carries it is stopped in the middle:
// the other goes on, and everybody is called once.
func TestACampaignOutlivesANode(t *testing.T) {
	t.Parallel()
	childtest.Integration(t)
	world := newCluster(t)
	few := func(cfg *node.Config) { cfg.CampaignLines = 4 }
	first := world.start(t, few, speed(20))
	second := world.start(t, few, speed(20))
	world.a = first
	c := newCampaigner(t, world.tenant(t, ""))
	c.on = second
	const people = 40
	c.list("All", 0, people, "+1555111%04d")
	c.campaign("cd-all", []string{"All"})
	began := make([]error, 2)
	together(2, func(i int) {
		on := []*server{first, second}[i]
		start := campaigns.Start{RunID: fmt.Sprintf("cid-%d", i), Contacts: 1, At: time.Now()}
		_, began[i] = eventstore.Execute(t.Context(), on.Store(), campaigns.Campaigns, campaigns.Stream(c.id, "cd-all"),
			eventstore.Command{Tenant: c.id, Actor: "user:test"}, start.Decide)
	})
	run := "cid-0"
	if began[0] != nil {
		run = "cid-1"
	}
	require.Equal(t, 1, len(slices.DeleteFunc(began, func(err error) bool { return err != nil })), "one of the two starts")
	var p runProgress
	until(t, "some outcomes", func() bool { p = c.progress("cd-all", run); return p.TotalCallsCompleted > 5 })
	require.Positive(t, p.Pending, "it is in the middle")
	first.stop() // the other goes on meanwhile
	c.completed("cd-all")

	p = c.progress("cd-all", run)
	require.Equal(t, []any{"finished", people, people}, []any{p.Status, p.TotalContacts, p.TotalCallsCompleted + p.TotalFailed})
	c.checkLines(4)
	placed, answered := c.calls(run), 0
	require.Len(t, placed, people)
	for target, of := range placed {
		require.Len(t, of, 1, target)
		if of[0].Phase == calls.PhaseCompleted {
			answered++
		}
	}
	require.Equal(t, answered, p.TotalCallsCompleted, "the total is that of the calls")
}
