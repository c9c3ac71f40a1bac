package transfers_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/event/eventtest"
	"github.com/parley-platform/parley/domain/fault/faulttest"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func after(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

const id = "11111111-1111-7111-8111-111111111111"

// What happens to a transfer to agent a-1, and to one to the queue q-1.
var (
	toAgent = transfers.Request{TransferID: id, TenantID: "acme", ProjectID: "bot", OrgID: "o-1", SessionID: "s-1", ConversationID: "c-s-1",
		Kind:        humanagents.Chat,
		CallbackURL: "https://crm.example/transfers", HumanAgentID: "a-1", Turn: 1, At: noon}
	toQueue = transfers.Request{TransferID: id, TenantID: "acme", ProjectID: "bot", OrgID: "o-1", SessionID: "s-1", ConversationID: "c-s-1",
		CustomerID: "+15550000001", Kind: humanagents.Voice,
		CallbackURL: "https://crm.example/transfers", Queue: transfers.Queue{ID: "q-1", Name: "Support", Wait: time.Minute},
		Skills: []string{"german"}, Turn: 2, At: noon}
	agentRequested = transfers.Requested{TransferID: id, TenantID: "acme", ProjectID: "bot", OrgID: "o-1", SessionID: "s-1",
		ConversationID: "c-s-1", Kind: humanagents.Chat,
		CallbackURL: "https://crm.example/transfers", HumanAgentID: "a-1", Turn: 1, At: noon}
	queueRequested = transfers.Requested{TransferID: id, TenantID: "acme", ProjectID: "bot", OrgID: "o-1", SessionID: "s-1",
		ConversationID: "c-s-1", CustomerID: "+15550000001", Kind: humanagents.Voice,
		CallbackURL: "https://crm.example/transfers", QueueID: "q-1", QueueName: "Support", WaitMs: 60_000, Skills: []string{"german"}, Turn: 2,
		At: noon}
	escalatedRequested = func() transfers.Requested {
		r := queueRequested
		r.Escalation = &transfers.Escalation{AgentName: "front", Step: "ask", Priority: "high", Why: "A bill",
			Context: map[string]json.RawMessage{"gather.kind": json.RawMessage(`"gas"`)}}
		return r
	}()
	secretRequested    = func() transfers.Requested { r := agentRequested; r.CallbackSealed = "sealed:v1:abc"; return r }()
	voicemailRequested = func() transfers.Requested { r := queueRequested; r.Voicemail = true; return r }()
	offered            = transfers.Offered{HumanAgentID: "a-1", Attempt: 1, At: noon}
	declined           = transfers.Declined{HumanAgentID: "a-1", Attempt: 1, Reason: "AGENT_FULL", At: after(1)}
	queued             = transfers.Queued{QueueID: "q-1", At: after(1), Until: after(61)}
	assigned           = transfers.Assigned{HumanAgentID: "a-1", ClaimID: id + "-1", At: after(2)}
	failed             = transfers.Failed{Reason: "AGENT_FULL", At: after(1)}
	timedOut           = transfers.TimedOut{QueueID: "q-1", Reason: transfers.QueueTimeout, At: after(61)}
	ended              = transfers.Ended{Reason: transfers.SessionEnded, At: after(90)}
)

func TestACallbackUrlWithAnOpenSecretIsNotTakenDown(t *testing.T) {
	open := toAgent
	open.CallbackURL += "?token=secret"
	_, err := open.Decide(transfers.State{})
	require.Equal(t, []string{"callbackUrl"}, faulttest.Fields(t, err))
	require.NotContains(t, err.Error(), "secret")

	sealed := toAgent
	sealed.CallbackSealed = secretRequested.CallbackSealed
	events, err := sealed.Decide(transfers.State{})
	require.NoError(t, err)
	require.Equal(t, []event.Payload{secretRequested, offered}, events)
}

func TestDecisions(t *testing.T) {
	type past = []event.Payload
	assign := transfers.Assign{Attempt: 1, ClaimUntil: after(30), At: after(2)}.Decide
	decline := transfers.Decline{Attempt: 1, Reason: "AGENT_FULL", At: after(1)}.Decide
	lost := transfers.Decline{Attempt: 1, Reason: transfers.ClaimLost, At: after(1)}.Decide
	offer := transfers.MakeOffer{HumanAgentID: "a-2", At: after(3)}.Decide
	wait := transfers.Wait{At: after(1)}.Decide
	timeout := func(seconds int) func(transfers.State) ([]event.Payload, error) {
		return transfers.TimeOut{At: after(seconds)}.Decide
	}
	end := transfers.End{Reason: transfers.SessionEnded, At: after(90)}.Decide
	came := func(agent string, at time.Time) func(transfers.State) ([]event.Payload, error) {
		return transfers.TakeUp{HumanAgentID: agent, ClaimID: "h-1", At: at}.Decide
	}
	taken := transfers.Assigned{HumanAgentID: "a-2", ClaimID: "h-1", At: after(4)}
	fail := transfers.Fail{ClaimID: id + "-1", Reason: transfers.ClaimLost, At: after(40)}.Decide
	for _, c := range []struct {
		given string
		past  past
		when  func(transfers.State) ([]event.Payload, error)
		then  past
	}{
		{"nothing, a transfer to an agent is offered at once", nil, toAgent.Decide, past{agentRequested, offered}},
		{"nothing, a transfer to a queue looks for somebody", nil, toQueue.Decide, past{queueRequested}},
		{"a transfer, asking again changes nothing", past{queueRequested}, toQueue.Decide, nil},

		{"a queue's transfer, it is offered", past{queueRequested}, offer,
			past{transfers.Offered{HumanAgentID: "a-2", Attempt: 1, At: after(3)}}},
		{"one that waits, it is offered", past{queueRequested, queued}, offer,
			past{transfers.Offered{HumanAgentID: "a-2", Attempt: 1, At: after(3)}}},
		{"an open offer, no other is made", past{queueRequested, offered}, offer, nil},
		{"a declined offer, the next one is made", past{queueRequested, offered, declined}, offer,
			past{transfers.Offered{HumanAgentID: "a-2", Attempt: 2, At: after(3)}}},
		{"a transfer to an agent, nobody else is offered it", past{agentRequested}, offer, nil},
		{"an assigned one, it is not offered again", past{queueRequested, offered, assigned}, offer, nil},
		{"a failed one, it is not offered again", past{queueRequested, failed}, offer, nil},

		{"an agent who cannot, the transfer fails", past{agentRequested, offered}, decline, past{declined, failed}},
		{"an agent of a queue who cannot, the transfer goes on", past{queueRequested, offered}, decline, past{declined}},
		{"an agent whose claim was lost, it is claimed once more", past{agentRequested, offered}, lost,
			past{transfers.Declined{HumanAgentID: "a-1", Attempt: 1, Reason: transfers.ClaimLost, At: after(1)},
				transfers.Offered{HumanAgentID: "a-1",
					Attempt: 2, At: after(1)}}},
		{"no offer, nothing is declined", past{queueRequested}, decline, nil},
		{"a later offer, a late refusal of the first says nothing", past{queueRequested, offered, declined, transfers.Offered{HumanAgentID: "a-2",
			Attempt: 2, At: after(1)}}, decline, nil},
		{"an assigned one, a late refusal says nothing", past{queueRequested, offered, assigned}, decline, nil},

		{"an offer, it is assigned", past{agentRequested, offered}, assign, past{assigned}},
		{"an offer out of the line, it is assigned", past{queueRequested, queued, offered}, assign, past{assigned}},
		{"an offer whose claim is over, it is not", past{agentRequested, offered}, transfers.Assign{Attempt: 1, ClaimUntil: after(2),
			At: after(2)}.Decide, nil},
		{"a declined offer, it is not", past{queueRequested, offered, declined}, assign, nil},
		{"an offer that came too late, it is not", past{queueRequested, queued, offered, timedOut}, assign, nil},
		{"an assigned one, once is enough", past{agentRequested, offered, assigned}, assign, nil},

		{"nobody free, it waits", past{queueRequested}, wait, past{queued}},
		{"it waits, it does not wait twice", past{queueRequested, queued}, wait, nil},
		{"an open offer, it does not wait yet", past{queueRequested, offered}, wait, nil},
		{"a transfer to an agent, it never waits", past{agentRequested, offered, declined, failed}, wait, nil},

		{"it waits, an agent who comes has it", past{queueRequested, queued}, came("a-2", after(4)), past{taken}},
		{"it waits, who comes is no agent of ours", past{queueRequested, queued}, came("", after(4)),
			past{transfers.Assigned{ClaimID: "h-1", At: after(4)}}},
		{"it looks for somebody, an agent who comes has it", past{queueRequested}, came("a-2", after(4)), past{taken}},
		{"an open offer, another agent who comes has it", past{queueRequested, queued, offered}, came("a-2", after(4)), past{taken}},
		{"an open offer, who comes is the agent of the offer", past{queueRequested, queued, offered}, came("a-1", after(4)), nil},
		{"it waits, who was there before hands it on", past{queueRequested, queued}, came("a-2", after(-1)), nil},
		{"a transfer to an agent, it is that agent's", past{agentRequested, offered}, came("a-2", after(4)), nil},
		{"an assigned one, who comes later changes nothing", past{queueRequested, offered, assigned}, came("a-2", after(4)), nil},
		{"it waited for too long, who comes later changes nothing", past{queueRequested, queued, timedOut}, came("a-2", after(70)), nil},
		{"another agent came, an offer of the claim before comes too late", past{queueRequested, queued, offered, taken}, assign, nil},
		{"it waits, a timer that is early says nothing", past{queueRequested, queued}, timeout(60), nil},
		{"it waits, its time is over", past{queueRequested, queued}, timeout(61), past{timedOut}},
		{"it waits where voicemail follows, its time is over", past{voicemailRequested, queued}, timeout(61),
			past{transfers.TimedOut{QueueID: "q-1", Voicemail: true, Reason: transfers.QueueVoicemail, At: after(61)}}},
		{"it waits with an open offer, its time is over", past{queueRequested, queued, offered}, timeout(61), past{timedOut}},
		{"assigned, a late timer says nothing", past{queueRequested, queued, offered, assigned}, timeout(61), nil},
		{"timed out, once is enough", past{queueRequested, queued, timedOut}, timeout(62), nil},
		{"it never waited, there is no timeout", past{queueRequested}, timeout(61), nil},

		{"assigned, the interaction is over", past{agentRequested, offered, assigned}, end, past{ended}},
		{"assigned, and the telephone rang until it was over: it fails", past{agentRequested, offered, assigned},
			transfers.End{Reason: transfers.SessionEnded, Ringing: true, At: after(90)}.Decide,
			past{transfers.Failed{Reason: transfers.SessionEnded, At: after(90)}}},
		{"nobody has it, it fails", past{queueRequested, queued}, end, past{transfers.Failed{Reason: transfers.SessionEnded, At: after(90)}}},
		{"an open offer, it fails", past{agentRequested, offered}, end, past{transfers.Failed{Reason: transfers.SessionEnded, At: after(90)}}},
		{"ended, it ends once", past{agentRequested, offered, assigned, ended}, end, nil},
		{"failed, it does not end", past{agentRequested, offered, declined, failed}, end, nil},
		{"nothing, nothing ends", nil, end, nil},

		{"assigned, and the claim could not be kept", past{agentRequested, offered, assigned}, fail,
			past{transfers.Failed{Reason: transfers.ClaimLost, At: after(40)}}},
		{"ended, nothing more fails", past{agentRequested, offered, assigned, ended}, fail, nil},
		{"another claim stands, a late one says nothing", past{agentRequested, offered, transfers.Assigned{HumanAgentID: "a-1",
			ClaimID: id + "-2",
			At:      after(2)}}, fail, nil},
	} {
		t.Run(c.given, func(t *testing.T) {
			got, err := c.when(transfers.Transfers.State(c.past...))
			require.NoError(t, err)
			require.Equal(t, c.then, got)
		})
	}
}

func TestTheFirstOutcomeIsTheAnswer(t *testing.T) {
	transferred := transfers.Answer{Status: transfers.StatusTransferred, At: after(1)}
	require.Empty(t, transfers.Transfers.State(queueRequested, offered).Answer)
	require.Equal(t, transferred, transfers.Transfers.State(queueRequested, queued, timedOut).Answer, "the queue had taken it")
	require.Equal(t, transfers.Answer{Status: transfers.StatusFailed, Reason: "AGENT_FULL", At: after(1)},
		transfers.Transfers.State(agentRequested, offered, declined, failed).Answer)
	require.Equal(t, transfers.Answer{Status: transfers.StatusTransferred, At: after(2)}, transfers.Transfers.State(agentRequested, offered,
		assigned, ended).Answer)
}

func TestWhatCallersAreTold(t *testing.T) {
	toAgent, toQueue := transfers.Transfers.State(agentRequested), transfers.Transfers.State(queueRequested)
	require.Equal(t, &transfers.Notice{SessionID: "s-1", HumanAgentID: "a-1", Status: "transferred", RequestCompletedAt: after(2).UnixMilli()},
		transfers.NoticeOf(toAgent, assigned))
	require.Equal(t, &transfers.Notice{SessionID: "s-1", HumanAgentID: "a-1", Status: "failed", Reason: "AGENT_FULL",
		RequestCompletedAt: after(1).UnixMilli()}, transfers.NoticeOf(toAgent, failed))
	require.Equal(t, &transfers.Notice{SessionID: "s-1", QueueID: "q-1", Status: "transferred", RequestCompletedAt: after(1).UnixMilli()},
		transfers.NoticeOf(toQueue, queued))
	require.Equal(t, &transfers.Notice{SessionID: "s-1", QueueID: "q-1", HumanAgentID: "a-1", Status: "transferred",
		RequestCompletedAt: after(2).UnixMilli()}, transfers.NoticeOf(toQueue, assigned))
	require.Equal(t, &transfers.Notice{SessionID: "s-1", QueueID: "q-1", Status: "failed", Reason: "QUEUE_TIMEOUT",
		RequestCompletedAt: after(61).UnixMilli()}, transfers.NoticeOf(toQueue, timedOut))
	for _, silent := range []event.Payload{queueRequested, offered, declined, ended} {
		require.Nil(t, transfers.NoticeOf(toQueue, silent))
	}
}

// An escalation's priority is its rank in a line; what nobody escalated is as any other.
func TestTheRankOfAPriority(t *testing.T) {
	require.Zero(t, queueRequested.Rank())
	for priority, rank := range map[string]int{"low": -1, "normal": 0, "": 0, "high": 1, "urgent": 2} {
		of := queueRequested
		of.Escalation = &transfers.Escalation{Priority: priority}
		require.Equal(t, rank, of.Rank(), priority)
	}
}

// A person is told why, and what is known, by telephone: what can be said, and takes no more than a moment.
func TestWhatAPersonIsTold(t *testing.T) {
	var none *transfers.Escalation
	require.Empty(t, none.Spoken())
	require.Equal(t, "A bill", (&transfers.Escalation{Why: " A bill "}).Spoken())
	require.Equal(t, "kind: gas", (&transfers.Escalation{Context: map[string]json.RawMessage{"kind": json.RawMessage(`"gas"`)}}).Spoken())
	known := map[string]json.RawMessage{"gather.kind": json.RawMessage(`"gas"`), "gather.customer_number": json.RawMessage(`4711`),
		"gather.paid": json.RawMessage(`false`), "gather.meters": json.RawMessage(`[1,2]`), "gather.nothing": json.RawMessage(`null`),
		"gather.torn": json.RawMessage(`{`), "gather.story": json.RawMessage(`"` + strings.Repeat("long ", 100) + `"`)}
	require.Equal(t, "A bill. customer number: 4711. kind: gas. paid: no", (&transfers.Escalation{Why: "A bill.", Context: known}).Spoken())
	many := map[string]json.RawMessage{}
	for i := range 100 {
		many["n"+strconv.Itoa(i)] = json.RawMessage(`"a value of some length"`)
	}
	require.LessOrEqual(t, len((&transfers.Escalation{Why: "A bill", Context: many}).Spoken()), 700)
}

func TestWhoIsChosen(t *testing.T) {
	idle := transfers.Candidate{HumanAgentID: "a-idle", IdleSince: noon}
	fresh := transfers.Candidate{HumanAgentID: "a-fresh", IdleSince: after(60)}
	preferred := transfers.Candidate{HumanAgentID: "a-preferred", Preferred: true, IdleSince: after(120)}
	known := transfers.Candidate{HumanAgentID: "a-known", IdleSince: after(180)}
	for _, c := range []struct {
		rule           string
		among          []transfers.Candidate
		served, except []string
		chosen         string
	}{
		{"who has been idle for longest", []transfers.Candidate{fresh, idle}, nil, nil, "a-idle"},
		{"a preferred agent of the queue before others", []transfers.Candidate{idle, preferred}, nil, nil, "a-preferred"},
		{"who had the customer before the preferred", []transfers.Candidate{idle, preferred, known}, []string{"a-other", "a-known"}, nil,
			"a-known"},
		{"of two who had the customer, the first of the list", []transfers.Candidate{{HumanAgentID: "a-x"}, known}, []string{"a-known", "a-x"},
			nil,
			"a-known"},
		{"alike, by id", []transfers.Candidate{{HumanAgentID: "a-2"}, {HumanAgentID: "a-1"}}, nil, nil, "a-1"},
		{"not who has the conversation now", []transfers.Candidate{idle, known}, []string{"a-known"}, []string{"a-known"}, "a-idle"},
		{"nobody", []transfers.Candidate{known}, nil, []string{"a-known"}, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			chosen, ok := transfers.Choose(c.among, c.served, c.except...)
			require.Equal(t, c.chosen, chosen)
			require.Equal(t, c.chosen != "", ok)
		})
	}
}

func TestWhichTransferIsLater(t *testing.T) {
	require.True(t, transfers.Later(2, "a", 1, "b"))
	require.True(t, transfers.Later(1, "b", 1, "a"))
	require.False(t, transfers.Later(1, "b", 2, "a"))
	require.False(t, transfers.Later(1, "a", 1, "a"))
}

func TestWhatAChannelTakesUp(t *testing.T) {
	for channel, kind := range map[string]humanagents.Kind{"voice": humanagents.Voice, "email": humanagents.Email, "api": humanagents.Chat,
		"rtm": humanagents.Chat, "": humanagents.Chat,
		"whatsapp": humanagents.Messaging, "sms": humanagents.Messaging} {
		require.Equal(t, kind, transfers.KindOf(channel), channel)
	}
}

func TestEventsStayReadable(t *testing.T) {
	eventtest.Golden(t, transfers.Transfers.Category, "testdata/events", transfers.Erased{Erasure: eventtest.Erasure}, queueRequested,
		agentRequested, secretRequested, escalatedRequested,
		voicemailRequested, offered, declined, queued, assigned, failed, timedOut, ended)
}
