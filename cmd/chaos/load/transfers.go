package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// transfers is a caller who has a call, waits for its session, hands it to a human agent
// or to a queue, sometimes to a second one, and sometimes says that an agent is away or
// back. Many sessions want few agents, each of whom takes one call.
func (c *client) transfers(ctx context.Context, r *random, every time.Duration) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprintf("transfer-%d-%d", c.id, i)
		if r.IntN(6) == 0 {
			agent, presence := c.w.Agents[r.IntN(len(c.w.Agents))], []string{"AVAILABLE", "AVAILABLE", "AWAY"}[r.IntN(3)]
			c.setPresence(ctx, key+"-presence", agent, presence, r.IntN(2))
		}
		call := c.placeCall(ctx, key+"-call", "tel:+1555000"+[]string{"0001", "0004"}[r.IntN(2)], r.IntN(2))
		if call.Outcome != OK {
			continue
		}
		if session := c.sessionOf(ctx, call.CallID); session != "" {
			for n := range 1 + r.IntN(2) {
				c.assign(ctx, fmt.Sprintf("%s-%d", key, n), c.target(r, session), r.IntN(2))
			}
		}
		pause(ctx, time.Duration(r.Int64N(int64(2*every))))
	}
}

// target is an agent or a queue for a session.
func (c *client) target(r *random, session string) Transfer {
	if r.IntN(2) == 0 {
		return Transfer{Session: session, Agent: c.w.Agents[r.IntN(len(c.w.Agents))]}
	}
	return Transfer{Session: session, Queue: c.w.Queues[r.IntN(len(c.w.Queues))]}
}

// sessionOf waits for the session of a call, until the call is over.
func (c *client) sessionOf(ctx context.Context, call string) string {
	for n := 0; n < 100 && ctx.Err() == nil; n++ {
		op := c.readCalls(ctx, c.w.Nodes[n%len(c.w.Nodes)])
		if session := op.sessions[call]; session != "" {
			return session
		}
		if op.Outcome == OK && rank[op.Calls[call]] > inProgress {
			return ""
		}
		pause(ctx, 50*time.Millisecond)
	}
	return ""
}

// inProgress is the rank of a call that was answered and is not over.
const inProgress = 3

// rank orders the states of a call as a list shows them.
var rank = map[string]int{"dialing": 1, "ringing": 2, "inProgress": inProgress, "completed": 4, "machineDetected": 4, "failed": 4}

// Rank is how far a call with that status is.
func Rank(status string) int { return rank[status] }

func (c *client) assign(ctx context.Context, key string, t Transfer, first int) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: Assign, Key: key, Path: "/agentassist/api/v1/public/" + c.w.Bot + "/assign-conversation",
		Transfer: t})
	c.repeatAssign(ctx, op, first)
	return op
}

// repeatAssign asks until the transfer has its first outcome. A session that has ended is
// a conflict. One that nobody knows yet is asked for again for a while: a call shows its
// session a moment before the session is there.
func (c *client) repeatAssign(ctx context.Context, op *Op, first int) {
	body := map[string]any{"callbackUrl": c.w.Callback, "orgId": c.w.Org, "botSessionId": op.Transfer.Session}
	if op.Transfer.Agent != "" {
		body["aId"] = op.Transfer.Agent
	} else {
		body["queueId"], body["transferredType"] = op.Transfer.Queue, "QUEUE"
	}
	var out struct{ SessionID, Status, Reason, TransferID string }
	replayed := false
	var outcome Outcome
	for unknown := 0; ; unknown++ {
		missing := false
		outcome = c.settle(ctx, op, first+unknown, func(node Node) answer {
			return c.send(ctx, op, node, http.MethodPost, op.Path, body, "auth", c.w.Token, "Idempotency-Key", op.Key)
		}, func(a answer) Outcome {
			switch {
			case a.Status == http.StatusConflict:
				return Refused
			case a.Status == http.StatusNotFound:
				missing = true
				return Refused
			case a.Status != http.StatusOK || json.Unmarshal(a.body, &out) != nil || out.TransferID == "" || out.Status == "" ||
				out.SessionID != op.Transfer.Session:
				return Failed
			}
			replayed = a.replayed
			return OK
		})
		if !missing || unknown == 40 {
			break
		}
		pause(ctx, 50*time.Millisecond)
	}
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() {
			op.Transfer.ID, op.Transfer.Status, op.Transfer.Reason, op.Replayed = out.TransferID, out.Status, out.Reason, replayed
		})
	}
}

func (c *client) setPresence(ctx context.Context, key, agent, presence string, first int) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: SetPresence, Key: key,
		Path:     "/agentassist/api/v1/public/" + c.w.Bot + "/agents/" + agent + "/presence",
		Transfer: Transfer{Agent: agent, Presence: presence}})
	c.repeatPresence(ctx, op, first)
	return op
}

func (c *client) repeatPresence(ctx context.Context, op *Op, first int) {
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodPut, op.Path, map[string]any{"onlineStatusType": op.Transfer.Presence}, "auth", c.w.Token,
			"accountId", c.w.Account, "Idempotency-Key", op.Key)
	}, func(a answer) Outcome {
		if a.Status != http.StatusOK {
			return Failed
		}
		replayed = a.replayed
		return OK
	})
	if outcome != Unknown {
		c.w.History.finish(op, outcome, func() { op.Replayed = replayed })
	}
}
