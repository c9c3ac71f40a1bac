package reporting_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/conversations"
	"github.com/parley-platform/parley/domain/fault"
	told "github.com/parley-platform/parley/domain/reporting"
	"github.com/parley-platform/parley/handlers/rest/reporting"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	"github.com/parley-platform/parley/projections/contactcenter"
)

// archive has sessions that have ended and a directory of agents, and notes what it is
// asked.
type archive struct {
	sessions []told.Session
	total    int
	cards    map[string]contactcenter.HumanAgentCard
	asked    []contactcenter.Ended
	names    []string
	down     map[string]error // by what is asked
}

func (x *archive) Ended(_ context.Context, q contactcenter.Ended) ([]told.Session, int, error) {
	x.asked = append(x.asked, q)
	return x.sessions, x.total, x.down["Ended"]
}

func (x *archive) Named(_ context.Context, tenant string, names []string) (map[string]contactcenter.HumanAgentCard, error) {
	x.names = append([]string{tenant}, names...)
	return x.cards, x.down["Named"]
}

func (x *archive) Organisation(_ context.Context, tenant string) (string, bool, error) {
	return tenant + "-org", true, x.down["Organisation"]
}

func newArchive(t *testing.T) (*resttest.Stored, *archive) {
	t.Helper()
	w, x := resttest.NewStored(t, nil), &archive{down: map[string]error{}}
	reporting.DeclareCallDetails(w.Api, reporting.CallDetailsAPI{Sessions: x, Agents: x})
	return w, x
}

const detailsPath = "/agentassist/api/public/analytics/account/acme/calldetails"

// members are those of a body.
type members map[string]any

// detailed asks about a week of project main, in UTC, with these members in the body.
func detailed(w *resttest.Stored, query string, more members) *resttest.Reply {
	w.Helper()
	body := members{"startDate": "2026-11-16", "endDate": "2026-11-22", "timeZoneOffset": 0}
	maps.Copy(body, more)
	text, err := json.Marshal(body)
	require.NoError(w, err)
	return w.Ask("POST", detailsPath+query, string(text), "accountId", "acme", "iid", "main")
}

// nine is a moment of that week, and the moments of a session are after it.
var nine = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func soon(d time.Duration) *time.Time {
	t := nine.Add(d)
	return &t
}

// short is a call of a minute and a half in which nobody else took part.
func short() told.Session {
	return told.Session{SessionID: "s-1", ConversationID: "call-1", Channel: "voice", Direction: "Outbound",
		CustomerID: "+15550001", CustomerPhone: "+15550001", CenterID: "+15550002",
		StartedAt: nine, EndedAt: *soon(90*time.Second + 5*time.Millisecond),
		DisconnectingEvent: told.BotHangup, FinalStatus: told.BotResolved,
		Customer: calls.Customer{FirstName: "Ada", LastName: "Byron", Email: "ada@example.org"}}
}

func TestACallDetailSaysHowASessionWent(t *testing.T) {
	const plain = `"sessionId":"s-1","conversationId":"call-1","channel":"Voice","botId":"p-1","userId":"+15550001",
		"channelSpecificUserId":"+15550001","disconnectingEvent":"Bot Hangup","finalStatus":"BotResolved"`
	const utc = `,"sessionStartTime":"2026-11-20T09:00:00.000","sessionEndTime":"2026-11-20T09:01:30.005"`
	noted := `,"customerinfo":{"CustomerPhone":"+15550001","CenterPhone":"+15550002","Direction":"Outbound","CustomerFirstName":"Ada",
		"CustomerLastName":"Byron","CustomerEmail":"ada@example.org"}`
	for name, c := range map[string]struct {
		more members
		want string
	}{
		"in UTC, and nothing of people where none was": {nil, utc},
		"in the zone that was asked for": {members{"timeZoneOffset": -330},
			`,"sessionStartTime":"2026-11-20T03:30:00.000","sessionEndTime":"2026-11-20T03:31:30.005"`},
		"with the customer":               {selected("customerinfo"), utc + noted},
		"with skills, none":               {selected("skills"), utc + `,"skills":[]`},
		"with tags of the user, none":     {selected("userleveltags"), utc + `,"userleveltags":[]`},
		"with tags of the session, none":  {selected("sessionleveltags"), utc + `,"sessionleveltags":[]`},
		"with several":                    {selected("sessionleveltags", "customerinfo"), utc + noted + `,"sessionleveltags":[]`},
		"a field that is asked for twice": {selected("skills", "skills"), utc + `,"skills":[]`},
	} {
		t.Run(name, func(t *testing.T) {
			w, x := newArchive(t)
			x.sessions, x.total = []told.Session{short()}, 1
			got := detailed(w, "", c.more)
			require.Equal(t, http.StatusOK, got.Status, got.Text)
			require.JSONEq(t, `{"numResults":1,"data":[{`+plain+c.want+`}]}`, got.Text)
		})
	}
}

func selected(fields ...string) members { return members{"selectedFields": fields} }

// A conversation that a queue gave to Ada, who passed it on to Eve, of whom only hooks
// told; nobody answered a second transfer.
func TestACallDetailSaysWhoHadTheConversation(t *testing.T) {
	w, x := newArchive(t)
	s := short()
	s.DisconnectingEvent, s.FinalStatus = told.UserHangup, told.Closed
	s.Transfers = []told.Transfer{
		{TransferID: "t-1", ConversationID: "c-1", Opened: true, Status: "ended", QueueID: "q-1", QueueName: "Support",
			Skills: []string{"german"}, RequestedAt: *soon(10 * time.Second), HumanAgentID: "a-1", AssignedAt: soon(12 * time.Second),
			EndedAt: soon(40 * time.Second), Reason: "CONVERSATION_ENDED"},
		{TransferID: "t-2", Status: "failed", AskedHumanAgentID: "a-2", RequestedAt: *soon(80 * time.Second), Reason: "AGENT_REMOVED"}}
	s.Conversation = &told.Conversation{ConversationID: "c-1", EndedAt: soon(70 * time.Second), Dispositions: []string{"sold"},
		DispositionRemarks: []string{"two of them"}, AgentNotes: []string{"kind"}, UserLevelTags: []string{"gold"},
		SessionLevelTags: []conversations.Tag{{Name: "topic", Value: "orders"}}, MetaInfo: json.RawMessage(`{"vip":true}`),
		Participants:  []told.Stay{{Identity: "eve", Name: "Eve", Email: "eve@example.org", EnteredAt: *soon(45 * time.Second)}},
		AfterCallWork: []conversations.AfterCallWork{{HumanAgentID: "ada@example.org", DurationMs: 2500}}}
	s.Said = map[string][]time.Time{"a-1": {*soon(13500 * time.Millisecond)}}
	x.sessions, x.total = []told.Session{s}, 1
	ada := contactcenter.HumanAgentCard{HumanAgentID: "a-1", Name: "Ada", Email: "ada@example.org"}
	x.cards = map[string]contactcenter.HumanAgentCard{"a-1": ada, "ada@example.org": ada}

	got := detailed(w, "", selected("skills", "userleveltags", "sessionleveltags"))
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"numResults":1,"data":[{"sessionId":"s-1","conversationId":"c-1","channel":"Voice","botId":"p-1",
		"userId":"+15550001","channelSpecificUserId":"+15550001","disconnectingEvent":"Agent Closed","finalStatus":"CLOSED","orgId":"acme-org",
		"sessionStartTime":"2026-11-20T09:00:00.000","sessionEndTime":"2026-11-20T09:01:30.005","skills":["german"],"userleveltags":["gold"],
		"sessionleveltags":[{"name":"topic","value":"orders"}],"dispositions":["sold"],"dispositionRemarks":["two of them"],
		"metaInfo":{"vip":true,"sessionId":"s-1","caller":{"userId":"+15550001","channel":"voice"},"transfers":[
			{"transferId":"t-1","queueId":"q-1","agentId":"a-1","skills":["german"],"status":"ended","reason":"CONVERSATION_ENDED"},
			{"transferId":"t-2","agentId":"a-2","skills":[],"status":"failed","reason":"AGENT_REMOVED"}]},
		"destinations":[
			{"destinationType":"QueueEntry","queueId":"q-1","queueName":"Support","CallbackOpted":false,"CallbackOptedTime":null,
			"userCallbackAcceptTime":null,"EnterTime":"2026-11-20T09:00:10.000","respondingAgent":{"agentId":"a-1","name":"Ada",
				"email":"ada@example.org","agentNotes":["kind"],"destinationType":"AgentSegment","status":"Answered",
				"assignedAt":"2026-11-20T09:00:12.000","acceptedTime":"2026-11-20T09:00:12.000",
				"firstResponseTime":"2026-11-20T09:00:13.500","firstResponseDuration":1.5,
				"interactionEndTime":"2026-11-20T09:00:40.000","interactionDuration":28,
				"afterCallWorkEndTime":"2026-11-20T09:00:42.500","afterCallWorkDuration":2.5}},
			{"destinationType":"AgentEntry","CallbackOpted":false,"CallbackOptedTime":null,"userCallbackAcceptTime":null,
			"EnterTime":"2026-11-20T09:00:45.000","respondingAgent":{"agentId":"eve","name":"Eve","email":"eve@example.org",
				"agentNotes":["kind"],"destinationType":"AgentSegment","status":"Answered","assignedAt":"2026-11-20T09:00:45.000",
				"acceptedTime":"2026-11-20T09:00:45.000","interactionEndTime":"2026-11-20T09:01:10.000","interactionDuration":25}},
			{"destinationType":"AgentEntry","CallbackOpted":false,"CallbackOptedTime":null,"userCallbackAcceptTime":null,
			"EnterTime":"2026-11-20T09:01:20.000"}]}]}`, got.Text)
	require.Equal(t, []string{"acme", "a-1", "ada@example.org", "eve", "eve@example.org"}, x.names, "each name is asked for once")
}

// A chat says who its contact was, with the id that the channel has for them.
func TestACallDetailSaysWhoAChatWasWith(t *testing.T) {
	w, x := newArchive(t)
	x.sessions = []told.Session{{SessionID: "s-2", Channel: "slack", CustomerID: "slack:U1", Customer: calls.Customer{FirstName: "Kim Ng"}}}
	var got struct{ Data []map[string]any }
	detailed(w, "", selected("customerinfo")).Decode(t, &got)
	require.Equal(t, []any{"slack:U1", "U1"}, []any{got.Data[0]["userId"], got.Data[0]["channelSpecificUserId"]})
	require.Equal(t, map[string]any{"CustomerPhone": "", "CenterPhone": "", "CustomerFirstName": "Kim Ng", "CustomerLastName": "",
		"CustomerEmail": ""}, got.Data[0]["customerinfo"])
}

// What nobody told of is left out; lists are empty.
func TestACallDetailLeavesOutWhatIsNotKnown(t *testing.T) {
	w, x := newArchive(t)
	s := short()
	s.Conversation = &told.Conversation{ConversationID: "c-1", Participants: []told.Stay{{Identity: "eve", EnteredAt: nine}},
		AfterCallWork: []conversations.AfterCallWork{{HumanAgentID: "eve", DurationMs: 1000}}}
	x.sessions = []told.Session{s}
	var got struct{ Data []map[string]json.RawMessage }
	detailed(w, "", nil).Decode(t, &got)
	require.JSONEq(t, `[{"destinationType":"AgentEntry","CallbackOpted":false,"CallbackOptedTime":null,"userCallbackAcceptTime":null,
		"EnterTime":"2026-11-20T09:00:00.000","respondingAgent":{"agentId":"eve","name":"","email":"","agentNotes":[],
		"destinationType":"AgentSegment","status":"Answered","assignedAt":"2026-11-20T09:00:00.000","acceptedTime":"2026-11-20T09:00:00.000",
		"afterCallWorkDuration":1}}]`, string(got.Data[0]["destinations"]))
	require.JSONEq(t, `[]`, string(got.Data[0]["dispositions"]))
	require.JSONEq(t, `[]`, string(got.Data[0]["dispositionRemarks"]))

	s.Conversation.Participants = nil
	x.sessions = []told.Session{s}
	got.Data = nil
	detailed(w, "", nil).Decode(t, &got)
	require.JSONEq(t, `[]`, string(got.Data[0]["destinations"]), "something was noted, and nobody had it")

	x.sessions = nil
	require.JSONEq(t, `{"numResults":0,"data":[]}`, detailed(w, "", nil).Text)
}

// Which sessions call-details asks for: each parameter and its default.
func TestWhichSessionsCallDetailsAreOf(t *testing.T) {
	day := func(d, hour int) time.Time { return time.Date(2026, 11, d, hour, 0, 0, 0, time.UTC) }
	week := contactcenter.Ended{Tenant: "acme", Project: "p-1", From: day(16, 0), Until: day(23, 0), Limit: 100}
	with := func(change func(*contactcenter.Ended)) contactcenter.Ended {
		q := week
		change(&q)
		return q
	}
	of := func(channels ...string) contactcenter.Ended {
		return with(func(q *contactcenter.Ended) { q.Channels = channels })
	}
	for name, c := range map[string]struct {
		query string
		more  members
		want  contactcenter.Ended
	}{
		"those of a week": {"", nil, week},
		"so many":         {"?limit=1", nil, with(func(q *contactcenter.Ended) { q.Limit = 1 })},
		"from there":      {"?offset=10", nil, with(func(q *contactcenter.Ended) { q.Offset = 10 })},
		"of channels by slug": {"", members{"channels": []string{"voice", "rtm"}},
			of("voice", "rtm", "web", "web_debug", "mobile", "sdk")},
		"of channels as shown": {"", members{"channels": []string{"Web/Mobile Client"}},
			of("rtm", "web", "web_debug", "mobile", "sdk")},
		"of channels by another word": {"", members{"channels": []string{"sms", "sip"}}, of("sms", "twilio_sms", "audiocodes")},
		"that entered a queue": {"", members{"queues": []string{"q-1", "q-2"}},
			with(func(q *contactcenter.Ended) { q.Queues = []string{"q-1", "q-2"} })},
	} {
		t.Run(name, func(t *testing.T) {
			w, x := newArchive(t)
			x.total = 1234
			got := detailed(w, c.query, c.more)
			require.Equal(t, http.StatusOK, got.Status, got.Text)
			require.Contains(t, got.Text, `"numResults":1234`, "all that match, whatever the limit")
			for i := range x.asked {
				x.asked[i].From, x.asked[i].Until = x.asked[i].From.UTC(), x.asked[i].Until.UTC()
			}
			require.Equal(t, []contactcenter.Ended{c.want}, x.asked)
		})
	}
}

func TestWhatCallDetailsRefuse(t *testing.T) {
	w, x := newArchive(t)
	for field, more := range map[string]members{
		"channels[1]":       {"channels": []string{"voice", "fax"}},
		"selectedFields[0]": {"selectedFields": []string{"colour"}},
		"selectedFields[1]": {"selectedFields": []string{"skills", "Skills"}},
		"queues[1]":         {"queues": []string{"q-1", "no queue"}},
		"endDate":           {"endDate": "2026-11-15"},
		"startDate":         {"startDate": "today"},
		"timeZoneOffset":    {"timeZoneOffset": 0.5},
	} {
		w.Refused(detailed(w, "", more), http.StatusBadRequest, field)
	}
	got := detailed(w, "", members{"channels": []string{"fax"}, "queues": []string{"?"}, "selectedFields": []string{"colour"}, "endDate": "x"})
	w.Refused(got, http.StatusBadRequest, "channels[0]", "endDate", "queues[0]", "selectedFields[0]")
	for _, says := range []string{"must be one of rtm, voice, ", ", or Voice or Web/Mobile Client", "must be the id of a queue",
		"must be one of skills, customerinfo, userleveltags, sessionleveltags"} {
		require.Contains(t, got.Text, says)
	}
	for query, field := range map[string]string{"?limit=0": "limit", "?limit=101": "limit", "?offset=11": "offset"} {
		w.Refused(detailed(w, query, nil), http.StatusBadRequest, field)
	}
	w.Refused(w.Ask("POST", "/agentassist/api/public/analytics/account/globex/calldetails", `{"startDate":"2026-11-16",
		"endDate":"2026-11-22","timeZoneOffset":0}`, "accountId", "globex", "iid", "main"), http.StatusNotFound)
	require.Empty(t, x.asked, "nothing is read for what is refused")

	for _, away := range []string{"Ended", "Named", "Organisation"} {
		x.down = map[string]error{away: fault.New(fault.Unavailable, "the read models catch up")}
		w.Refused(detailed(w, "", nil), http.StatusServiceUnavailable)
		x.down = map[string]error{away: errors.New("connection refused")}
		w.Refused(detailed(w, "", nil), http.StatusInternalServerError)
	}
}
