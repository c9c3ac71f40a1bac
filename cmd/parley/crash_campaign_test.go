package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go/sasl"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/domain/calls"
)

// campaignContacts is how many people the campaigns of these tests call; five at once, so
// that a node which is killed early has most of them before it.
const campaignContacts = 30

// runOfCampaign is a run as the API shows it.
type runOfCampaign struct {
	path      string
	campaign  string // its path
	client    client
	Status    string
	Pending   int
	UnderWay  int
	Completed int `json:"totalCallsCompleted"`
	Failed    int `json:"totalFailed"`
	Contacts  int `json:"totalContacts"`
}

// startCampaign makes a contact list and a campaign, and starts it.
func startCampaign(t *testing.T, c client) *runOfCampaign {
	t.Helper()
	people := make([]map[string]any, campaignContacts)
	for i := range people {
		people[i] = map[string]any{"phoneNumber": fmt.Sprintf("+1555200%04d", i)}
	}
	list := map[string]any{"kind": "ContactList", "metadata": map[string]any{"id": "cl-crash", "name": "Crash", "tenant": c.env["ACCOUNT_ID"]},
		"spec": map[string]any{"projectId": c.env["BOT_ID"], "contacts": people}}
	a := c.must(t, http.MethodPost, "/api/v1/admin/apply", map[string]any{"manifests": []any{list}}, "auth", c.env["PARLEY_TOKEN"])
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	campaign := map[string]any{"name": "Crash", "description": "Is interrupted", "contactLists": []string{"Crash"}, "priority": "3",
		"format": "advanced", "campaignType": "voice", "experienceFlowName": "Acme support line",
		"dialingStrategy": map[string]any{"callerId": map[string]any{"phoneNumber": "15550100100"},
			"callingHours": map[string]any{"frequency": "DAILY", "timezone": "UTC",
				"days": []any{map[string]any{"start": "12:00 AM", "end": "11:59 PM"}}}}}
	r := &runOfCampaign{client: c}
	var made struct {
		Data struct {
			ID string `json:"_id"`
		}
	}
	base := "/agentassist/api/v1/public/" + c.env["BOT_ID"] + "/campaign"
	r.ask(t, http.MethodPost, base+"s", campaign, http.StatusCreated, &made)
	var started struct {
		RunID string `json:"campaignInstanceId"`
	}
	r.ask(t, http.MethodPost, "/api/v2/public/"+c.env["BOT_ID"]+"/campaign/trigger/"+made.Data.ID+"?campaignType=voice&trigger=play",
		map[string]any{}, http.StatusOK, &started)
	r.campaign = base + "/" + made.Data.ID
	r.path = r.campaign + "/runs/" + started.RunID
	r.look(t)
	return r
}

func (r *runOfCampaign) ask(t *testing.T, method, path string, body any, status int, into any) {
	t.Helper()
	a := r.client.must(t, method, path, body, "auth", r.client.env["PARLEY_TOKEN"], "accountId", r.client.env["ACCOUNT_ID"], "iid",
		r.client.env["BOT_ID"])
	require.Equal(t, status, a.status, "%s", a)
	a.read(t, into)
}

// look reads how far the run is.
func (r *runOfCampaign) look(t *testing.T) {
	t.Helper()
	r.ask(t, http.MethodGet, r.path, nil, http.StatusOK, &struct{ Data *runOfCampaign }{r})
}

// requireCalledOnce waits for the end of the run on a node, and compares it with the log:
// each contact has one call, each call was begun at most once and has one end, and the
// totals count them.
func (r *runOfCampaign) requireCalledOnce(t *testing.T, at client, brokers string, node *process, login ...sasl.Mechanism) {
	t.Helper()
	r.client = at
	node.await("the end of the run", func() bool { r.look(t); return r.Status == "finished" })
	targets, of := map[string]int{}, map[string]bool{}
	attempts, completed, failed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range accepted(t, brokers, calls.Calls.Topic(), login...) {
		id := calls.Calls.StreamID(e.Stream)
		switch {
		case strings.HasPrefix(e.Type, "parley.calls.requested."):
			var requested calls.Requested
			require.NoError(t, json.Unmarshal(e.Data, &requested))
			if requested.Campaign != nil {
				of[id] = true
				targets[requested.Target]++
			}
		case strings.HasPrefix(e.Type, "parley.calls.attempt-started."):
			attempts[id]++
		case strings.HasPrefix(e.Type, "parley.calls.completed."):
			completed[id]++
		case strings.HasPrefix(e.Type, "parley.calls.failed."):
			failed[id]++
		}
	}
	require.Len(t, targets, campaignContacts)
	for target, n := range targets {
		require.Equal(t, 1, n, "calls of %s", target)
	}
	require.Len(t, of, campaignContacts)
	answered := 0
	for id := range of {
		require.LessOrEqual(t, attempts[id], 1, "call %s was dialled again", id)
		require.Equal(t, 1, completed[id]+failed[id], "ends of call %s", id)
		answered += completed[id]
	}
	require.Equal(t, []int{campaignContacts, 0, 0, answered, campaignContacts - answered}, []int{r.Contacts, r.Pending, r.UnderWay,
		r.Completed, r.Failed}, "the totals of the run")
	var campaign struct {
		Data struct {
			Status    string
			Completed int `json:"totalCallsCompleted"`
		}
	}
	node.await("the campaign to be completed", func() bool {
		r.ask(t, http.MethodGet, r.campaign, nil, http.StatusOK, &campaign)
		return campaign.Data.Status == "Completed"
	})
	require.Equal(t, answered, campaign.Data.Completed)
	t.Logf("%d of %d calls were answered, %d had been cut off", answered, campaignContacts, campaignContacts-answered)
}

// inTheMiddle waits until a call has ended and most are still to come. The node is to place
// them slowly, or the run may be over before anybody looks.
func (r *runOfCampaign) inTheMiddle(t *testing.T, node *process) {
	t.Helper()
	node.await("some calls", func() bool { r.look(t); return r.Completed > 0 && r.UnderWay > 0 })
	require.Positive(t, r.Pending)
}

var fewLines = slices.Clip([]string{"--campaign-lines", "5", "--call-lease", "2s"})

// A node that is killed while it dials a campaign goes on with it when it comes back,
// and calls nobody twice.
func TestACampaignSurvivesAKill(t *testing.T) {
	t.Parallel()
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen, append(fewLines, "--sim-speed", "2")...)
	run := startCampaign(t, clientOf(node))
	run.inTheMiddle(t, node)
	node.kill()
	node = serveDev(t, data, listen, fewLines...)
	env := environment(t, data)
	run.requireCalledOnce(t, clientOf(node), env["KAFKA_BROKERS"], node, loginOf(t, env))
}

// When one of two nodes is killed, the other goes on with the campaign.
func TestACampaignGoesOnWhenANodeIsKilled(t *testing.T) {
	t.Parallel()
	first, second := dataFolder(t), dataFolder(t)
	brokers, database := embeddedtest.Parts(t)
	shared := slices.Clip(append([]string{"--kafka-brokers", strings.Join(brokers, ","), "--database-url", database, "--keyset",
		filepath.Join(first, "shared.json")}, fewLines...))
	one := serveDev(t, first, freeAddress(t), append(shared, "--sim-speed", "2")...)
	two := serve(t, second, freeAddress(t), append(shared, "--sim-speed", "4")...)
	atOne := clientOf(one)
	run := startCampaign(t, atOne)
	run.inTheMiddle(t, one)
	one.kill()
	run.requireCalledOnce(t, client{url: two.url, env: atOne.env}, strings.Join(brokers, ","), two)
}
