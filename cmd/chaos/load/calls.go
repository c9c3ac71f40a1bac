package load

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/examples"
)

// callees are who is called, by the simulated carrier's numbers: all that can happen
// to a call, those who answer most often.
var callees = []string{"0001", "0001", "0002", "0004", "0005", "0005", "0006", "0007", "0008", "0009", "0010"}

// DialOutPath is where calls are placed.
func (w *World) DialOutPath() string { return "/api/1.1/public/bot/" + w.Bot + "/assist/dialout" }

// placeCall asks for one call until it has an answer.
func (c *client) placeCall(ctx context.Context, key, target string, first int) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: DialOut, Key: key, Path: c.w.DialOutPath(), Target: target})
	c.repeatCall(ctx, op, first)
	return op
}

// repeatCall goes on with an operation that has no outcome.
func (c *client) repeatCall(ctx context.Context, op *Op, first int) {
	body := map[string]any{"botId": c.w.Bot, "target": op.Target, "caller": c.w.OurNumber, "machineDetection": "detect",
		"notifyurl": c.w.Notify}
	var out struct{ CallID, SID string }
	replayed := false
	outcome := c.settle(ctx, op, first, func(node Node) answer {
		return c.send(ctx, op, node, http.MethodPost, op.Path, body, "auth", c.w.Token, "Idempotency-Key", op.Key)
	}, func(a answer) Outcome {
		if a.Status != http.StatusOK && a.Status != http.StatusAccepted || json.Unmarshal(a.body, &out) != nil || out.CallID == "" {
			return Failed
		}
		replayed = a.replayed
		return OK
	})
	if outcome == Unknown {
		return
	}
	c.w.History.finish(op, outcome, func() { op.CallID, op.SID, op.Replayed = out.CallID, out.SID, replayed })
}

// readCalls reads the newest interactions at a node.
func (c *client) readCalls(ctx context.Context, node Node) *Op {
	op := c.w.History.add(&Op{Caller: c.id, Kind: ReadCalls})
	a := c.send(ctx, op, node, http.MethodGet, "/api/v1/projects/"+c.w.Bot+"/interactions?limit=200", nil, "Authorization",
		"Bearer "+c.w.Token)
	if a.Status != http.StatusOK {
		if !c.again(op, a) {
			c.wrong(op, a)
		}
		c.w.History.finish(op, Failed, nil)
		return op
	}
	var page struct {
		Interactions []struct{ ConversationID, Status, SessionID string }
		Pagination   struct{ Total int }
	}
	if err := json.Unmarshal(a.body, &page); err != nil {
		c.wrong(op, a)
	}
	listed, sessions := map[string]string{}, map[string]string{}
	for _, i := range page.Interactions {
		listed[i.ConversationID], sessions[i.ConversationID] = i.Status, i.SessionID
	}
	c.w.History.finish(op, OK, func() { op.Calls, op.sessions, op.Total = listed, sessions, page.Pagination.Total })
	return op
}

// dial is a caller who places calls, and looks at both nodes for each that was
// acknowledged, until the context ends.
func (c *client) dial(ctx context.Context, r *random, every time.Duration) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprintf("call-%d-%d", c.id, i)
		op := c.placeCall(ctx, key, "tel:+1555000"+callees[r.IntN(len(callees))], r.IntN(2))
		if op.Outcome == OK && r.IntN(3) == 0 {
			for _, node := range c.w.Nodes {
				c.readCalls(ctx, node)
			}
		}
		pause(ctx, time.Duration(r.Int64N(int64(2*every))))
	}
}

// KeysByPartition finds, for each partition of calls, an Idempotency-Key under which
// a call falls into it.
func (w *World) KeysByPartition(v *vault.Vault, prefix string) map[int]string {
	out := map[int]string{}
	for i := 0; len(out) < calls.Calls.Partitions; i++ {
		key := fmt.Sprintf("%s-%d", prefix, i)
		id := eventstore.DerivedID(v.MAC, eventstore.RequestID(v.MAC, examples.Account, "dial-out", w.DialOutPath(), key), "call")
		out[eventstore.PartitionOf(calls.Calls.Stream(id.String()), calls.Calls.Partitions)] = key
	}
	return out
}
