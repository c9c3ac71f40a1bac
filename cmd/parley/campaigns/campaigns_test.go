package campaigns

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/api"
	"github.com/parley-platform/parley/cmd/parley/exit"
	"github.com/parley-platform/parley/cmd/parley/show"
)

// node is one with campaigns, each as the API shows it, and a run of theirs.
type node struct {
	*httptest.Server
	campaigns []string
	run       string
	asked     []string // method, path and query
	headers   http.Header
}

func newNode(t *testing.T, campaigns ...string) *node {
	t.Helper()
	n := &node{campaigns: campaigns}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /agentassist/api/v1/public/acme-bot/campaigns", func(w http.ResponseWriter, r *http.Request) {
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		rest := n.campaigns[min(offset, len(n.campaigns)):]
		_, _ = fmt.Fprintf(w, `{"campaigns":[%s]}`, strings.Join(rest[:min(limit, len(rest))], ","))
	})
	mux.HandleFunc("GET /agentassist/api/v1/public/acme-bot/campaign/{id}", func(w http.ResponseWriter, r *http.Request) {
		for _, c := range n.campaigns {
			if strings.Contains(c, fmt.Sprintf(`"_id":%q`, r.PathValue("id"))) {
				_, _ = fmt.Fprintf(w, `{"data":%s}`, c)
				return
			}
		}
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":{"code":"NOT_FOUND","message":"there is no such campaign"}}`)
	})
	mux.HandleFunc("GET /agentassist/api/v1/public/acme-bot/campaign/cd-1/runs/{run}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"data":%s}`, n.run)
	})
	mux.HandleFunc("POST /api/v2/public/acme-bot/campaign/trigger/cd-1", func(w http.ResponseWriter, r *http.Request) {
		n.headers = r.Header
		_, _ = io.WriteString(w, `{"message":"Campaign started","campaignInstanceId":"cid-8"}`)
	})
	n.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n.asked = append(n.asked, r.Method+" "+r.URL.RequestURI())
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(n.Close)
	return n
}

// at opens a desk at the node, which prints in a form.
func (n *node) at(t *testing.T, form string) (desk, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	d, err := asking{OfProject: api.OfProject{Project: "acme-bot"}, Flags: api.Flags{Server: api.Server{URL: n.URL},
		Token: api.Token{Token: "x.eyJhY2NvdW50SWQiOiJhY21lIn0.y"}}, Form: show.Flags{Output: form}}.open(out) // {"accountId":"acme"}
	require.NoError(t, err)
	return d, out
}

const renewals = `{"_id":"cd-1","name":"Renewals","description":"Each March","status":"Active","campaignType":"voice","priority":"High",
	"campaignInstanceId":"cid-7","experienceFlowName":"renew","contactLists":["cl-1","cl-2"],"totalCallsCompleted":12,"totalMessagesSent":0,
	"updatedAt":"2020-03-01T12:00:00Z","more":{"a":1}}`

func TestCampaignsAreListed(t *testing.T) {
	changed := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC).Local().Format("2006-01-02")
	n := newNode(t, renewals, `{"_id":"cd-2","name":"Notices","status":"Ready","campaignType":"sms","totalMessagesSent":34,
		"totalCallsCompleted":5}`)
	d, out := n.at(t, show.Table)
	require.NoError(t, d.list(t.Context()))
	require.Equal(t, [][]string{{"CAMPAIGN", "STATUS", "REACHED", "NAME", "TYPE", "CHANGED", "LAST", "RUN"},
		{"cd-1", "Active", "12", "called", "Renewals", "voice", changed, "cid-7"}, {"cd-2", "Ready", "34", "sent", "Notices", "sms"}}, words(out))

	d, out = n.at(t, show.JSON)
	require.NoError(t, d.list(t.Context()))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2, "an object per line")
	require.JSONEq(t, renewals, lines[0], "as the API says it")

	d, out = newNode(t).at(t, show.Table)
	require.NoError(t, d.list(t.Context()))
	require.Contains(t, out.String(), "no campaigns; make one with POST ")
	d, out = newNode(t).at(t, show.JSON)
	require.NoError(t, d.list(t.Context()))
	require.Empty(t, out.String(), "no object is no line")
}

func TestTheColourOfAStatus(t *testing.T) {
	for status, want := range map[string]show.Colour{"Active": show.Green, "Paused": show.Yellow, "Ready": show.Plain,
		"Completed": show.Plain} {
		require.Equal(t, want, campaign{Status: status}.colour(), status)
	}
}

func words(out *bytes.Buffer) (rows [][]string) {
	for line := range strings.Lines(out.String()) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

func TestAllPagesOfCampaignsAreListed(t *testing.T) {
	for count, asked := range map[int]int{199: 1, 200: 2, 201: 2, 400: 3} {
		var all []string
		for i := range count {
			all = append(all, fmt.Sprintf(`{"_id":"cd-%d"}`, i))
		}
		n := newNode(t, all...)
		d, out := n.at(t, show.JSON)
		require.NoError(t, d.list(t.Context()))
		require.Equal(t, count, strings.Count(out.String(), "\n"))
		require.Len(t, n.asked, asked)
	}
}

func TestACampaignIsShownWithAllThatItIs(t *testing.T) {
	n := newNode(t, renewals)
	d, out := n.at(t, show.Table)
	require.NoError(t, d.show(t.Context(), "cd-1"))
	changed := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC).Local().Format("2006-01-02 15:04:05")
	require.Equal(t, []string{"campaign cd-1", "name Renewals", "description Each March", "type voice", "status Active", "priority High",
		"flow renew", "reached 12 called", "last run cid-7", "changed " + changed, "contact list cl-1", "contact list cl-2"}, pairs(out))
	d, out = n.at(t, show.JSON)
	require.NoError(t, d.show(t.Context(), "cd-1"))
	require.JSONEq(t, renewals, out.String())

	err := d.show(t.Context(), "cd-9")
	require.ErrorContains(t, err, "there is no such campaign")
	require.ErrorContains(t, err, "parley campaigns lists those of the project")
}

// pairs are the lines of what was printed, a space between name and text.
func pairs(out *bytes.Buffer) (lines []string) {
	for _, row := range words(out) {
		lines = append(lines, strings.Join(row, " "))
	}
	return lines
}

// The trigger is told what kind of campaign it is, and of which account, without being asked.
func TestACampaignIsStartedHeldAndLetGoOn(t *testing.T) {
	for _, what := range []string{"play", "pause", "resume"} {
		n := newNode(t, renewals)
		d, out := n.at(t, show.Table)
		require.NoError(t, d.trigger(t.Context(), "cd-1", what))
		require.Equal(t, []string{"GET /agentassist/api/v1/public/acme-bot/campaign/cd-1",
			"POST /api/v2/public/acme-bot/campaign/trigger/cd-1?accountId=acme&campaignType=voice&trigger=" + what}, n.asked)
		require.Equal(t, []string{"acme", "acme-bot"}, []string{n.headers.Get("accountId"), n.headers.Get("iid")})
		require.Equal(t, "Campaign started: run cid-8; how far it is: parley campaigns results cd-1\n", out.String())
	}
	n := newNode(t, renewals)
	d, out := n.at(t, show.JSON)
	require.NoError(t, d.trigger(t.Context(), "cd-1", "play"))
	require.JSONEq(t, `{"message":"Campaign started","campaignInstanceId":"cid-8"}`, out.String())
	require.ErrorContains(t, d.trigger(t.Context(), "cd-9", "play"), "there is no such campaign")
}

// Whose token tells no account says it.
func TestTheAccountIsThatOfTheToken(t *testing.T) {
	for token, want := range map[string]string{"x.eyJhY2NvdW50SWQiOiJhY21lIn0.y": "acme", "opaque": ""} {
		d, err := asking{Flags: api.Flags{Token: api.Token{Token: token}}}.open(io.Discard)
		require.NoError(t, err)
		require.Equal(t, want, d.Account)
	}
	d, err := asking{Account: "globex", Flags: api.Flags{Token: api.Token{Token: "x.eyJhY2NvdW50SWQiOiJhY21lIn0.y"}}}.open(io.Discard)
	require.NoError(t, err)
	require.Equal(t, "globex", d.Account)
	_, err = asking{}.open(io.Discard)
	require.ErrorContains(t, err, "--scopes 'Campaign Management'")
	require.Equal(t, exit.Change, exit.Of(err))
}

const halfWay = `{"campaignInstanceId":"cid-7","status":"Active","pass":2,"totalContacts":100,"pending":60,"underWay":5,
	"totalCallsCompleted":30,"totalMessagesSent":1,"totalFailed":4,"startedAt":"2020-03-01T12:00:00Z","endedAt":"2020-03-01T13:00:00Z",
	"nextOpening":"2020-03-02T08:00:00Z","more":1}`

func TestHowFarARunIs(t *testing.T) {
	n := newNode(t, renewals, `{"_id":"cd-2","status":"Ready"}`)
	n.run = halfWay
	shown := func(text string) string {
		at, err := time.Parse(time.RFC3339, text)
		require.NoError(t, err)
		return at.Local().Format("2006-01-02 15:04:05")
	}
	d, out := n.at(t, show.Table)
	require.NoError(t, d.results(t.Context(), "cd-1", ""))
	require.Equal(t, []string{"run cid-7", "status Active", "pass 2", "contacts 100", "waiting 60", "under way 5", "called 30", "sent 1",
		"failed 4", "started " + shown("2020-03-01T12:00:00Z"), "ended " + shown("2020-03-01T13:00:00Z"),
		"goes on " + shown("2020-03-02T08:00:00Z")}, pairs(out))
	require.Equal(t, "GET /agentassist/api/v1/public/acme-bot/campaign/cd-1/runs/cid-7", n.asked[1], "the last one, or that is under way")

	n.asked = nil
	d, out = n.at(t, show.JSON)
	require.NoError(t, d.results(t.Context(), "cd-1", "cid-3"))
	require.Equal(t, []string{"GET /agentassist/api/v1/public/acme-bot/campaign/cd-1/runs/cid-3"}, n.asked)
	require.JSONEq(t, halfWay, out.String())

	err := d.results(t.Context(), "cd-2", "")
	require.EqualError(t, err, "campaign cd-2 was never started; start it with: parley campaigns start cd-2")
	require.Equal(t, exit.Change, exit.Of(err))
	require.ErrorContains(t, d.results(t.Context(), "cd-9", ""), "there is no such campaign")
}

// What is no campaign of ours is said, and nothing is made up.
func TestAnswersThatCannotBeReadAreErrors(t *testing.T) {
	n := newNode(t, `{"_id":"cd-1","campaignInstanceId":"cid-7","totalCallsCompleted":"many"}`)
	n.run = `{"pass":"first"}`
	d, _ := n.at(t, show.Table)
	require.ErrorContains(t, d.list(t.Context()), "reading a campaign")
	require.ErrorContains(t, d.show(t.Context(), "cd-1"), "reading the campaign")
	require.ErrorContains(t, d.results(t.Context(), "cd-1", "cid-7"), "reading the run")
}
