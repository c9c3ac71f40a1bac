package checks

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/chaos/load"
	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/humanagents"
	"github.com/parley-platform/parley/domain/transfers"
	"github.com/parley-platform/parley/domain/waitinglines"
)

// aTransfer waits in the line of a queue, gets an agent, and ends with its session.
func aTransfer() []line {
	stream, queue := transfers.Stream("t-1"), waitinglines.Stream(tenant, "q-1")
	return []line{
		{transfers.Transfers.Category, stream, transfers.Requested{TransferID: "t-1", SessionID: "s-1", QueueID: "q-1",
			CallbackURL: "http://127.0.0.1/"}},
		{transfers.Transfers.Category, stream, transfers.Queued{QueueID: "q-1"}},
		{waitinglines.Lines.Category, queue, waitinglines.Entered{TransferID: "t-1", QueueID: "q-1"}}, // 2
		{transfers.Transfers.Category, stream, transfers.Offered{HumanAgentID: "a-1", Attempt: 1}},
		{transfers.Transfers.Category, stream, transfers.Assigned{HumanAgentID: "a-1", ClaimID: "t-1-1"}}, // 4
		{waitinglines.Lines.Category, queue, waitinglines.Left{TransferID: "t-1", QueueID: "q-1"}},
		{transfers.Transfers.Category, stream, transfers.Ended{Reason: transfers.SessionEnded}}, // 6
	}
}

// callBack queues and delivers all that is told of transfers, and says what came.
func callBack(t *testing.T, w written) map[string]load.Delivery {
	seen := map[string]load.Delivery{}
	for _, r := range append(w.f.Streams[transfers.Stream("t-1")][:0:0], w.f.Streams[transfers.Stream("t-1")]...) {
		p, err := transfers.Transfers.Decode(r.Type, r.Data)
		require.NoError(t, err)
		state := transfers.Transfers.State(aTransfer()[0].payload)
		if n := transfers.NoticeOf(state, p); n != nil {
			body, err := json.Marshal(n)
			require.NoError(t, err)
			stream := deliveries.Deliveries.Stream(r.Stream)
			w.add(deliveries.Deliveries.Category, stream, "", deliveries.Enqueued{NoticeID: noticeID(r), Body: body})
			w.add(deliveries.Deliveries.Category, stream, "", deliveries.Delivered{NoticeID: noticeID(r)})
			seen[noticeID(r)] = load.Delivery{Session: "s-1", Status: string(n.Status), Body: string(body), Times: 1}
		}
	}
	return seen
}

func TestTransferred(t *testing.T) {
	same := func(l []line) []line { return l }
	answer := load.Transfer{ID: "t-1", Session: "s-1", Queue: "q-1", Status: "transferred"}
	for name, c := range map[string]struct {
		change func([]line) []line
		answer load.Transfer
		came   func(map[string]load.Delivery)
		found  bool
	}{
		"queued, assigned, ended": {same, answer, nil, false},
		"assigned twice": {func(l []line) []line {
			return put(l, 4, l[4].payload, transfers.Assigned{HumanAgentID: "a-2", ClaimID: "t-1-2"})
		}, answer, nil, true},
		"ended twice": {func(l []line) []line { return put(l, 6, l[6].payload, transfers.Failed{Reason: transfers.Replaced}) },
			answer, nil, true},
		"never ended":                  {func(l []line) []line { return put(l, 6) }, answer, nil, true},
		"answered with something else": {same, load.Transfer{ID: "t-1", Status: "failed", Reason: "AGENT_FULL"}, nil, true},
		"acknowledged and not there":   {same, load.Transfer{ID: "t-2", Status: "transferred"}, nil, true},
		"never called back":            {same, answer, func(seen map[string]load.Delivery) { clear(seen) }, true},
		"called back with another outcome": {same, answer, func(seen map[string]load.Delivery) {
			for id, d := range seen {
				d.Body = `{"sessionId":"s-1","status":"failed"}`
				seen[id] = d
			}
		}, true},
		"still in the line":      {func(l []line) []line { return put(l, 5) }, answer, nil, true},
		"entered the line twice": {func(l []line) []line { return put(l, 5, l[5].payload, l[2].payload, l[5].payload) }, answer, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.all(c.change(aTransfer()))
			seen := callBack(t, w)
			if c.came != nil {
				c.came(seen)
			}
			asked := op(load.Assign, load.OK, 1, 2, func(o *load.Op) { o.Transfer = c.answer })
			var out Findings
			Transferred(w.f, []load.Op{asked}, seen, &out)
			require.Equal(t, !c.found, out.OK(), "%v", out.Problems)
		})
	}
}

// What is told of a transfer is queued for delivery like what is told of a call.
func TestActedOnTransfers(t *testing.T) {
	w := newLog(t)
	w.all(aTransfer())
	var without Findings
	Acted(w.f, nil, &without)
	require.Contains(t, without.Checks(), "reactors", "nothing was queued")
	seen := callBack(t, w)
	var out Findings
	Acted(w.f, seen, &out)
	require.True(t, out.OK(), "%v", out.Problems)
}

func TestCapacity(t *testing.T) {
	desk := humanagents.DeskStream(tenant, "a-1")
	there := humanagents.AgentPresenceChanged{HumanAgentID: "a-1", Type: humanagents.Available}
	claimed := func(id string, load int) event.Payload {
		return humanagents.CapacityClaimed{HumanAgentID: "a-1", ClaimID: id, ConversationID: "c-" + id, Kind: humanagents.Voice, Load: load,
			ExpiresAt: time.Now()}
	}
	released := func(id string, load int) event.Payload {
		return humanagents.CapacityReleased{HumanAgentID: "a-1", ClaimID: id, Kind: humanagents.Voice, Load: load}
	}
	for name, c := range map[string]struct {
		desk  []event.Payload
		found bool
	}{
		"one after the other":         {[]event.Payload{there, claimed("1", 1), released("1", 0), claimed("2", 1), released("2", 0)}, false},
		"two at once":                 {[]event.Payload{there, claimed("1", 1), claimed("2", 2), released("1", 1), released("2", 0)}, true},
		"two at once, counted as one": {[]event.Payload{there, claimed("1", 1), claimed("2", 1), released("1", 1), released("2", 0)}, true},
		"not given back":              {[]event.Payload{there, claimed("1", 1)}, true},
		"to somebody who is away":     {[]event.Payload{claimed("1", 1), released("1", 0)}, true},
		"a load that is wrong":        {[]event.Payload{there, claimed("1", 1), released("1", 1)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newLog(t)
			w.add(humanagents.Organisations.Category, humanagents.OrganisationStream(tenant, "org"), "",
				humanagents.HumanAgentDefined{Agent: humanagents.Record{
					ID: "a-1", AccountID: tenant, OrgID: "org", Status: humanagents.Active, CanSupportVoice: true}})
			for _, p := range c.desk {
				w.add(humanagents.Desks.Category, desk, "", p)
			}
			var out Findings
			Capacity(w.f, &out)
			require.Equal(t, !c.found, out.OK(), "%v", out.Problems)
		})
	}
}
