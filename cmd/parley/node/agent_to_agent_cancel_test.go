//go:build !apache

package node_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Given a task whose turn waits for a tool, when it is cancelled on another node, then the tool's request is cut off, the
// task is canceled, who follows it hears that as the last thing, and it cannot be cancelled again. What waits behind it in
// its context is cancelled by itself, and what is said next has its turn.
func TestATaskIsCancelledWhileItsTurnRuns(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		version, send, stream, get, cancel, canceled, waits string
		said                                                func(string, ...fields) fields
		now                                                 fields // that nobody waits for the answer
		last                                                func(result map[string]any) (status any, final bool)
	}{
		"0.3": {"", "message/send", "message/stream", "tasks/get", "tasks/cancel", "canceled", "submitted", older, fields{"blocking": false},
			func(r map[string]any) (any, bool) {
				return r["status"], r["kind"] == "status-update" && r["final"] == true
			}},
		"1.0": {"1.0", "SendMessage", "SendStreamingMessage", "GetTask", "CancelTask", "TASK_STATE_CANCELED", "TASK_STATE_SUBMITTED", newer,
			fields{"returnImmediately": true}, func(r map[string]any) (any, bool) {
				update, is := r["statusUpdate"].(map[string]any)
				return update["status"], is
			}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTooled(t, "1h")
			w.deploy(t, "production", fields{"entryAgentName": "shop", "agentVersionManifest": fields{"shop": "auto"}})
			w.ask(t, "POST", "/api/tool-secrets", fields{"projectId": mainApp, "toolName": "find", "secretKey": "TOKEN", "value": "s",
				"environment": "production"}).must(t, http.StatusCreated)
			c := w.agentCaller(t)
			if of.version != "" {
				c = c.speaking(of.version)
			}
			task := c.rpc(t, c.a, of.send, of.said("Hello")).task(t)
			asked, cut, told := make(chan struct{}, 1), make(chan struct{}, 1), make(chan []map[string]any, 1)
			w.answering(func(_ http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				<-r.Context().Done()
				cut <- struct{}{}
			})
			go func() { told <- c.stream(t, c.a, of.stream, of.said("Ann", fields{"taskId": task.ID})) }()
			await(t, asked)

			behind := of.said("Bob", fields{"contextId": task.ContextID}).and(fields{"configuration": of.now})
			waits := c.rpc(t, c.a, of.send, behind).task(t)
			require.Equal(t, of.waits, waits.Status.State)
			require.Equal(t, of.canceled, c.rpc(t, c.b, of.cancel, fields{"id": waits.ID}).task(t).Status.State)

			require.Equal(t, of.canceled, c.rpc(t, c.b, of.cancel, fields{"id": task.ID}).task(t).Status.State)
			await(t, cut)
			all := await(t, told)
			status, final := of.last(all[len(all)-1]["result"].(map[string]any))
			require.True(t, final, "%v", all[len(all)-1])
			require.Equal(t, of.canceled, status.(map[string]any)["state"])
			for _, on := range []*server{c.a, c.b} {
				require.Equal(t, of.canceled, c.rpc(t, on, of.get, fields{"id": task.ID}).task(t).Status.State)
				c.rpc(t, on, of.cancel, fields{"id": task.ID}).refused(t, -32002)
				c.rpc(t, on, of.cancel, fields{"id": waits.ID}).refused(t, -32002)
			}
			c.rpc(t, c.a, of.send, of.said("more", fields{"taskId": task.ID})).refused(t, -32004)

			w.answering(func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusTeapot) })
			next := c.rpc(t, c.b, of.send, of.said("Eve", fields{"contextId": task.ContextID})).task(t)
			require.Equal(t, []string{"Not found."}, next.texts(), "what is said next has its turn")
			require.Empty(t, c.rpc(t, c.a, of.get, fields{"id": waits.ID}).task(t).texts(), "what was cancelled has none")
		})
	}
}
