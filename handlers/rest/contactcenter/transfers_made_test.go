package contactcenter_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/queues"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/eventstore/memory"
	"github.com/parley-platform/parley/handlers/acts/assign"
	api "github.com/parley-platform/parley/handlers/rest/contactcenter"
	"github.com/parley-platform/parley/handlers/rest/resttest"
	models "github.com/parley-platform/parley/projections/contactcenter"
)

// desk is whom there is to transfer to, and what is known of sessions, by
// "tenant/project/id" or "tenant/id".
type desk struct {
	people
	queues   map[string]queues.Queue
	sessions map[string]models.TransferredSession
	before   map[string][]models.Transfer
	opened   map[string]bool
	asked    []string
	total    int
}

func (d *desk) Queue(_ context.Context, tenant, id string) (queues.Queue, bool, error) {
	q, ok := d.queues[tenant+"/"+id]
	return q, ok, d.down["Queue"]
}

func (d *desk) Session(_ context.Context, tenant, project, id string) (models.TransferredSession, bool, error) {
	s, ok := d.sessions[tenant+"/"+project+"/"+id]
	return s, ok, d.down["Session"]
}

func (d *desk) OfSession(_ context.Context, tenant, session string) ([]models.Transfer, error) {
	return d.before[tenant+"/"+session], d.down["OfSession"]
}

func (d *desk) HasConversation(_ context.Context, tenant, project, id string) (bool, error) {
	return d.opened[tenant+"/"+project+"/"+id], d.down["HasConversation"]
}

// The view of the process: agents may have one conversation, and nobody is free.

func (d *desk) Capacity(context.Context, string, string, humanagents.Kind) (assign.Capacity, bool, error) {
	return assign.Capacity{Limit: 1}, true, d.down["Capacity"]
}

func (d *desk) Candidates(context.Context, string, string, humanagents.Kind, []string, []string) ([]transfers.Candidate, error) {
	return nil, d.down["Candidates"]
}

func (d *desk) HasQueue(context.Context, string, string) (bool, error)            { return true, nil }
func (d *desk) Served(context.Context, string, string, string) ([]string, error)  { return nil, nil }
func (d *desk) Rivals(context.Context, string, string) ([]assign.Rival, error)    { return nil, nil }
func (d *desk) SessionOver(context.Context, string, string, string) (bool, error) { return false, nil }
func (d *desk) Standing(context.Context, string, string, string) (itDoes, anybody bool, err error) {
	return false, false, nil
}
func (d *desk) Lines(context.Context, string) ([]string, error) { return nil, nil }

// handed is the part of the desk that knows transfers.
type handed struct{ *desk }

func (h handed) List(_ context.Context, tenant, project, session string, limit, offset int) ([]models.Transfer, int, error) {
	h.desk.asked = append(h.desk.asked, fmt.Sprintf("%s %s %q %d %d", tenant, project, session, limit, offset))
	return h.before[tenant+"/"+session], h.total, h.down["List"]
}

// newDesk has Maria, who is of acme's organisation, Tom, who is of another, a queue, and
// the session s-1 of p-1.
func newDesk(t *testing.T) (*resttest.Stored, *desk) {
	t.Helper()
	w := resttest.NewStored(t, []access.ClientScope{access.ScopeRouting}, access.PermSessionRead)
	d := &desk{people: people{&floor{agents: map[string]models.HumanAgent{}, down: map[string]error{}}}, queues: map[string]queues.Queue{},
		sessions: map[string]models.TransferredSession{"acme/p-1/s-1": {Channel: "web", CustomerID: "u-9"}},
		before:   map[string][]models.Transfer{},
		opened:   map[string]bool{}}
	for id, org := range map[string]string{"a-maria": "acme-org", "a-tom": "other-org"} {
		d.agents["acme/"+id] = models.HumanAgent{Record: humanagents.Record{ID: id, OrgID: org}}
	}
	d.queues["acme/q-1"] = queues.Queue{ID: "q-1", Name: "Support", WaitTimeoutSeconds: 90, OnTimeout: queues.Voicemail}
	d.queues["acme/q-2"] = queues.Queue{ID: "q-2", Name: "Sales", WaitTimeoutSeconds: 30, OnTimeout: queues.Fail}
	seal := func(tenant, raw string) (string, string, error) {
		bare, query, _ := strings.Cut(raw, "?")
		if query == "" {
			return bare, "", d.down["SealURL"]
		}
		return bare, "sealed for " + tenant, d.down["SealURL"]
	}
	process := assign.Process{Streams: assign.Log{Store: w.Commands.Store}, View: d, Now: w.Commands.Now}
	api.DeclareTransfers(w.Api, api.Transfers{Commands: w.Commands, Transfers: handed{d}, CheckURL: func(string) error { return nil },
		Assign: assign.Assign{Log: w.Commands.Log, Agents: d, Transfers: d, SealURL: seal, Process: process}})
	return w, d
}

const toMaria = `{"callbackUrl":"https://crm.example/t","orgId":"acme-org","botSessionId":"s-1","aId":"a-maria"}`

func toQueue(id string) string {
	return strings.Replace(toMaria, `"aId":"a-maria"`, `"queueId":"`+id+`","transferredType":"QUEUE","skills":["s-german"]`, 1)
}

// requested is how the only transfer was asked for since the last look.
func requested(w *resttest.Stored) transfers.Requested {
	w.Helper()
	since := w.Since()
	require.NotEmpty(w, since)
	require.Equal(w, "user:ada@crm", since[0].Actor, "in the name of who asked")
	return memory.Payload(transfers.Transfers.Category, since[0]).(transfers.Requested)
}

func TestATransferToAnAgentIsOfferedAndAnswered(t *testing.T) {
	w, _ := newDesk(t)
	got := w.Ask("POST", assigning, strings.Replace(toMaria, "/t", "/t?secret=1", 1))
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	e := requested(w)
	require.JSONEq(t, fmt.Sprintf(`{"sessionId":"s-1","agentId":"a-maria","status":"failed","reason":"AGENT_OFFLINE",
		"requestCompletedAt":%d,"transferId":%q}`, noon.UnixMilli(), e.TransferID), got.Text, "nobody took it, so there is no conversation")
	require.Equal(t, transfers.Requested{TransferID: e.TransferID, TenantID: "acme", ProjectID: "p-1", OrgID: "acme-org", SessionID: "s-1",
		ConversationID: "c-" + e.TransferID, CustomerID: "u-9", Kind: humanagents.Chat, CallbackURL: "https://crm.example/t",
		CallbackSealed: "sealed for acme", HumanAgentID: "a-maria", Turn: 1, At: w.Now}, e)
}

func TestATransferToAQueueTakesWhatTheQueueSaysNow(t *testing.T) {
	for id, want := range map[string]transfers.Requested{
		"q-1": {QueueID: "q-1", QueueName: "Support", WaitMs: 90_000, Voicemail: true},
		"q-2": {QueueID: "q-2", QueueName: "Sales", WaitMs: 30_000},
	} {
		w, d := newDesk(t)
		d.opened["acme/p-1/c-9"] = true
		d.before["acme/s-1"] = []models.Transfer{{Turn: 1, Status: transfers.PhaseAssigned, ConversationID: "c-9"}}
		got := w.Ask("POST", assigning, toQueue(id))
		require.Equal(t, http.StatusOK, got.Status, got.Text)
		e := requested(w)
		require.JSONEq(t, fmt.Sprintf(`{"sessionId":"s-1","queueId":%q,"status":"transferred","requestCompletedAt":%d,"transferId":%q,
			"conversationId":"c-9"}`, id, noon.UnixMilli(), e.TransferID), got.Text)
		require.Equal(t, []any{want.QueueID, want.QueueName, want.WaitMs, want.Voicemail, []string{"s-german"}},
			[]any{e.QueueID, e.QueueName, e.WaitMs, e.Voicemail, e.Skills})
	}
}

// A session's transfers have turns. The next one keeps the conversation of one that
// somebody has, or that waits, and begins another after one that came to nothing.
func TestATransferFollowsTheOthersOfItsSession(t *testing.T) {
	for _, c := range []struct {
		name         string
		before       []models.Transfer
		turn         int
		conversation string // empty: its own
	}{
		{"the first", nil, 1, ""},
		{"one that failed", []models.Transfer{{Turn: 1, Status: transfers.PhaseFailed, ConversationID: "c-1"}}, 2, ""},
		{"one that is over", []models.Transfer{{Turn: 4, Status: transfers.PhaseEnded, ConversationID: "c-1"}}, 5, ""},
		{"one that nobody has taken yet", []models.Transfer{{Turn: 1, Status: transfers.PhaseRequested, ConversationID: "c-1"}}, 2, ""},
		{"one that waits", []models.Transfer{{Turn: 1, Status: transfers.PhaseQueued, ConversationID: "c-1"}}, 2, "c-1"},
		{"one that somebody has", []models.Transfer{{Turn: 1, Status: transfers.PhaseAssigned, ConversationID: "c-1"}}, 2, "c-1"},
		{"one whose conversation has ended meanwhile", []models.Transfer{{Turn: 1, Status: transfers.PhaseAssigned, ConversationID: "c-1",
			ConversationOver: true}}, 2, ""},
		{"the highest turn counts", []models.Transfer{{Turn: 7, Status: transfers.PhaseAssigned, ConversationID: "c-7"},
			{Turn: 3, Status: transfers.PhaseFailed, ConversationID: "c-3"}}, 8, "c-7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newDesk(t)
			d.before["acme/s-1"] = c.before
			require.Equal(t, http.StatusOK, w.Ask("POST", assigning, toQueue("q-1")).Status)
			e := requested(w)
			require.Equal(t, c.turn, e.Turn)
			if c.conversation == "" {
				c.conversation = "c-" + e.TransferID
			}
			require.Equal(t, c.conversation, e.ConversationID)
		})
	}
}

func TestWhomAndWhatThereIsNotToTransfer(t *testing.T) {
	for _, c := range []struct {
		name, body string
		change     func(*desk)
		status     int
		says       string
	}{
		{"another organisation", strings.Replace(toMaria, "acme-org", "other-org", 1), nil, 404, "no such organisation"},
		{"an unknown session", strings.Replace(toMaria, "s-1", "s-2", 1), nil, 404, "no such session"},
		{"an unknown agent", strings.Replace(toMaria, "a-maria", "a-nobody", 1), nil, 404, "no such agent"},
		{"an agent of another organisation", strings.Replace(toMaria, "a-maria", "a-tom", 1), nil, 404, "no such agent"},
		{"an unknown queue", toQueue("q-9"), nil, 404, "no such queue"},
		{"a session that is over", toMaria, func(d *desk) { d.sessions["acme/p-1/s-1"] = models.TransferredSession{Ended: true} }, 409,
			"the session has ended"},
		{"an unknown agent of a session that is over", strings.Replace(toMaria, "a-maria", "a-nobody", 1),
			func(d *desk) { d.sessions["acme/p-1/s-1"] = models.TransferredSession{Ended: true} }, 404, "no such agent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, d := newDesk(t)
			if c.change != nil {
				c.change(d)
			}
			got := w.Ask("POST", assigning, c.body)
			w.Refused(got, c.status)
			require.Contains(t, got.Text, c.says)
		})
	}
	for _, away := range []string{"SealURL", "Organisation", "Session", "Agent", "Queue", "OfSession"} {
		w, d := newDesk(t)
		d.down[away] = fault.New(fault.Unavailable, "the read models catch up")
		body := toMaria
		if away == "Queue" {
			body = toQueue("q-1")
		}
		w.Refused(w.Ask("POST", assigning, body), http.StatusServiceUnavailable)
	}
}

// The same Idempotency-Key is the same transfer, whatever became of its session since.
func TestARepeatedTransferIsNotASecondOne(t *testing.T) {
	w, d := newDesk(t)
	first := w.Ask("POST", assigning, toMaria, "Idempotency-Key", "k-1")
	require.Equal(t, http.StatusOK, first.Status, first.Text)
	require.NotEmpty(t, w.Since())
	d.sessions["acme/p-1/s-1"] = models.TransferredSession{Ended: true}
	delete(d.agents, "acme/a-maria")
	again := w.Ask("POST", assigning, toMaria, "Idempotency-Key", "k-1")
	require.Equal(t, first.Text, again.Text)
	require.Empty(t, w.Since())
	w.Refused(w.Ask("POST", assigning, toQueue("q-1"), "Idempotency-Key", "k-1"), http.StatusConflict)
}

func TestATransferThatIsNotDecidedInTimeIsNotDenied(t *testing.T) {
	w, d := newDesk(t)
	d.down["Capacity"] = errors.New("the database is away")
	got := w.Ask("POST", assigning, toMaria)
	require.Equal(t, fault.OutcomeUnknown, got.Code(), got.Text)
	require.EqualValues(t, 1000, *got.Refusal.Error.RetryAfterMs)
	require.NotEmpty(t, requested(w), "it was taken down, and reactors go on with it")

	delete(d.down, "Capacity")
	require.Equal(t, http.StatusOK, w.Ask("POST", assigning, toMaria).Status)
	d.down["HasConversation"] = fault.New(fault.Unavailable, "the read models catch up")
	require.Equal(t, http.StatusServiceUnavailable, w.Ask("POST", assigning, toMaria).Status)
}

func TestTransfersAreListed(t *testing.T) {
	w, d := newDesk(t)
	const transfersOf = "/api/v1/projects/main/transfers"
	at := func(s int) *time.Time { moment := noon.Add(time.Duration(s) * time.Second); return &moment }
	d.total = 12
	d.before["acme/s-1"] = []models.Transfer{
		{TransferID: "t-2", SessionID: "s-1", ConversationID: "c-2", Opened: true, Status: transfers.PhaseEnded, QueueID: "q-1",
			QueueName: "Support", Skills: []string{"s-german"}, RequestedAt: *at(1), QueuedAt: at(2), WaitUntil: at(92),
			HumanAgentID: "a-maria", AssignedAt: at(3),
			EndedAt: at(4), Reason: transfers.SessionEnded, Voicemail: true, Turn: 2},
		{TransferID: "t-1", SessionID: "s-1", ConversationID: "c-1", Status: transfers.PhaseRequested, AskedHumanAgentID: "a-tom",
			Skills:      []string{},
			RequestedAt: *at(0)},
	}
	got := w.Ask("GET", transfersOf+"?sessionId=s-1&limit=2&offset=3", "")
	require.Equal(t, http.StatusOK, got.Status, got.Text)
	require.JSONEq(t, `{"success":true,"transfers":[
		{"transferId":"t-2","sessionId":"s-1","conversationId":"c-2","status":"ended","queueId":"q-1","queueName":"Support",
		"skills":["s-german"],"agentId":"a-maria","reason":"SESSION_ENDED","voicemail":true,"requestedAt":"2025-03-01T12:00:01.000Z",
		"queuedAt":"2025-03-01T12:00:02.000Z","waitUntil":"2025-03-01T12:01:32.000Z","assignedAt":"2025-03-01T12:00:03.000Z",
		"acceptedTime":"2025-03-01T12:00:03.000Z","endedAt":"2025-03-01T12:00:04.000Z"},
		{"transferId":"t-1","sessionId":"s-1","status":"requested","aId":"a-tom","skills":[],"voicemail":false,
		"requestedAt":"2025-03-01T12:00:00.000Z"}],"pagination":{"total":12,"limit":2,"offset":3}}`, got.Text)
	require.Equal(t, []string{`acme p-1 "s-1" 2 3`}, d.asked)

	require.Contains(t, w.Ask("GET", transfersOf, "").Text, `"transfers":[]`, "none is a list too")
	d.down["List"] = fault.New(fault.Unavailable, "the read models catch up")
	require.Equal(t, http.StatusServiceUnavailable, w.Ask("GET", transfersOf, "").Status)
}
