package node_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/eventstore"
)

// What account one has beside what every tenant has: a flow and its agent for
// mainApp, and two trunks. Account two has a bot whose name account one lacks.
const (
	callCaller   = "15550100"
	nobodyTakes  = "15550199" // a caller without a flow
	callGreeting = "Hello from account one"
	callSecret   = "webhook secret of these tests, long enough"
	foreignBot   = "foreign-bot"
	human        = "tel:+15550000001"
)

// callWorld is a node with two accounts on it, of which one places calls.
type callWorld struct {
	*server
	cluster  *cluster
	one, two *tenant
	auth     string // a token of account one that may do everything
}

// newCallWorld starts a node of the test's own. Without the reactor role nobody
// dials: what is asked for stays as it was asked for.
func newCallWorld(t *testing.T, change ...func(*node.Config)) *callWorld {
	t.Helper()
	w := &callWorld{cluster: newCluster(t)}
	w.server = w.cluster.start(t, change...)
	w.one, w.two = newTenant(t, w.server, "one"), newTenant(t, w.server, "two")
	w.one.apply(t, "Project", mainApp, "The bot", fields{"aliases": []string{mainAlias}, "webhookSecret": callSecret})
	w.one.apply(t, "Trunk", "", "main", fields{"provider": "local", "default": true})
	w.one.apply(t, "Trunk", "", "spare", fields{"provider": "local"})
	w.one.apply(t, "Agent", "greeter", "greeter", fields{"projectId": mainApp, "dslContent": "ON_START:\n  SAY: " + callGreeting + "\n"})
	w.one.apply(t, "ExperienceFlow", "cf-main", "main", fields{"projectId": mainApp, "number": callCaller, "agentName": "greeter",
		"language": "en-US"})
	w.two.apply(t, "Project", foreignBot, "Another bot", nil)
	w.auth = w.one.token(t)
	return w
}

func speed(n int) func(*node.Config) { return func(c *node.Config) { c.SimSpeed = n } }

func nobodyDials(c *node.Config) { c.Roles = []node.Role{node.RoleAPI, node.RoleProjector} }

// ask sends a request with the world's token.
func (w *callWorld) ask(t *testing.T, method, path string, body any, headers ...string) *answer {
	t.Helper()
	return w.do(t, method, path, body, append([]string{"auth", w.auth}, headers...)...)
}

// fields is a JSON object in the making.
type fields map[string]any

// and is a copy with more members; nil takes one away.
func (f fields) and(more fields) fields {
	out := fields{}
	for _, part := range []fields{f, more} {
		for name, v := range part {
			if out[name] = v; v == nil {
				delete(out, name)
			}
		}
	}
	return out
}

const dialOutPath = "/api/1.1/public/bot/" + mainApp + "/assist/dialout"

// aCall is the least that a dial-out can say, to the human of the simulation.
func aCall() fields { return fields{"botId": mainApp, "target": human, "caller": callCaller} }

// placed is the answer to a dial-out.
type placed struct {
	SID    string `json:"sid"`
	CallID string `json:"callId"`
}

// dialOut places a call that must be taken.
func (w *callWorld) dialOut(t *testing.T, body any) (p placed) {
	t.Helper()
	w.ask(t, "POST", dialOutPath, body).must(t, 200).into(t, &p)
	return p
}

// call is a call as it stands.
func (w *callWorld) call(t *testing.T, callID string) calls.State {
	t.Helper()
	return folded(t, w.server, calls.Calls, calls.Calls.Stream(callID)).State
}

// ended waits for the end of a call.
func (w *callWorld) ended(t *testing.T, callID string) (s calls.State) {
	t.Helper()
	until(t, "the end of the call", func() bool { s = w.call(t, callID); return s.Ended() })
	return s
}

// onlyCall waits until the one call that there is, as a list shows it, is as it is to be.
func (w *callWorld) onlyCall(t *testing.T, what string, is func(row map[string]any) bool) (row map[string]any) {
	t.Helper()
	until(t, what, func() bool {
		all := w.interactions(t, mainApp, "").Interactions
		if len(all) != 1 {
			return false
		}
		row = all[0]
		return is(row)
	})
	return row
}

// answeredCall waits until the one call that there is has been answered, and gives its id.
func (w *callWorld) answeredCall(t *testing.T) string {
	t.Helper()
	id := func(row map[string]any) string { return row["conversationId"].(string) }
	return id(w.onlyCall(t, "the call", func(row map[string]any) bool { return w.call(t, id(row)).Answered() }))
}

// events are the accepted events of a stream, oldest first.
func (w *callWorld) events(t *testing.T, stream string) []*eventstore.Record {
	t.Helper()
	records := served(t, func() ([]*eventstore.Record, error) { return w.Store().Index.Load(t.Context(), stream) })
	require.NoError(t, eventstore.Open(t.Context(), w.Store().Keys, calls.Calls.Category, records...))
	return records
}
