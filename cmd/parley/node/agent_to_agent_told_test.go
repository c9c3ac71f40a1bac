//go:build !apache

package node_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/threads"
)

// toldAt is where another agent is told of its tasks.
type toldAt struct {
	*httptest.Server
	mu    sync.Mutex
	heads []http.Header
	told  []string
	seen  map[string]bool // ids of what was told: what is told again is not another thing
}

func newToldAt(t *testing.T) *toldAt {
	x := &toldAt{seen: map[string]bool{}}
	x.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		x.mu.Lock()
		defer x.mu.Unlock()
		if id := r.Header.Get("X-Delivery-Id"); id == "" || !x.seen[id] {
			x.seen[id] = true
			x.heads, x.told = append(x.heads, r.Header.Clone()), append(x.told, string(body))
		}
	}))
	t.Cleanup(x.Close)
	return x
}

// first are the first of what was told.
func (x *toldAt) first(t *testing.T, n int) (heads []http.Header, told []string) {
	t.Helper()
	require.Eventually(t, func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		heads, told = x.heads, x.told
		return len(told) >= n
	}, patience, 20*time.Millisecond)
	return heads, told
}

// Given an address that another agent names, then it is told there, once, when the task rests, with what
// shows that it is us; and nobody is told at an address inside.
func TestAnotherAgentIsToldOfItsTask(t *testing.T) {
	t.Parallel()
	c, x := newAgentCaller(t), newToldAt(t)
	config := fields{"id": "mine", "url": x.URL + "/told?key=hush", "token": "hush-token",
		"authentication": fields{"schemes": []string{"Bearer"}, "credentials": "hush-credentials"}}
	sent := older("Hello").and(fields{"configuration": fields{"blocking": false, "pushNotificationConfig": config}})
	task := c.rpc(t, c.a, "message/send", sent).task(t)
	heads, told := x.first(t, 1)
	require.Equal(t, []string{"hush-token", "Bearer hush-credentials"}, []string{heads[0].Get("X-A2A-Notification-Token"),
		heads[0].Get("Authorization")})
	require.NotEmpty(t, heads[0].Get("SAVG-Signature"))
	var got a2aTask
	require.NoError(t, json.Unmarshal([]byte(told[0]), &got))
	require.Equal(t, []string{task.ID, "task", "input-required"}, []string{got.ID, got.Kind, got.Status.State})

	shown := func(r rpcAnswer, want string) {
		t.Helper()
		require.Nil(t, r.Error, "%+v", r.Error)
		require.JSONEq(t, want, string(r.Result))
	}
	asking := fields{"id": task.ID, "pushNotificationConfigId": "mine"}
	mine := `{"taskId":"` + task.ID + `","pushNotificationConfig":{"id":"mine","url":"` + x.URL + `/told"}}`
	shown(c.rpc(t, c.b, "tasks/pushNotificationConfig/get", asking), mine)
	shown(c.rpc(t, c.b, "tasks/pushNotificationConfig/list", fields{"id": task.ID}), "["+mine+"]")
	one := c.speaking("1.0")
	set := one.rpc(t, c.a, "CreateTaskPushNotificationConfig", fields{"taskId": task.ID, "id": "newer", "url": x.URL})
	shown(set, `{"taskId":"`+task.ID+`","id":"newer","url":"`+x.URL+`"}`)
	shown(one.rpc(t, c.b, "GetTaskPushNotificationConfig", fields{"taskId": task.ID, "id": "newer"}), string(set.Result))
	shown(one.rpc(t, c.b, "ListTaskPushNotificationConfigs", fields{"taskId": task.ID}), `{"configs":[{"taskId":"`+task.ID+`","id":"mine",`+
		`"url":"`+x.URL+`/told"},`+string(set.Result)+`]}`)
	_, told = x.first(t, 2)
	var whole struct{ Task a2aTask }
	require.NoError(t, json.Unmarshal([]byte(told[1]), &whole))
	require.Equal(t, "TASK_STATE_INPUT_REQUIRED", whole.Task.Status.State, "who comes later is told how it stands")

	shown(c.rpc(t, c.a, "tasks/pushNotificationConfig/delete", asking), `null`)
	shown(one.rpc(t, c.a, "DeleteTaskPushNotificationConfig", fields{"taskId": task.ID, "id": "mine"}), `{}`)
	c.rpc(t, c.a, "tasks/pushNotificationConfig/get", asking).refused(t, -32001)
	c.rpc(t, c.a, "message/send", older("Gas", fields{"taskId": task.ID})).task(t)
	x.first(t, 3) // what is told is how the task stands: one that goes on before is told no more
	c.rpc(t, c.a, "message/send", older("1234", fields{"taskId": task.ID})).task(t)
	_, told = x.first(t, 4)
	require.NoError(t, json.Unmarshal([]byte(told[3]), &whole))
	require.Equal(t, "TASK_STATE_COMPLETED", whole.Task.Status.State)
	require.Len(t, told, 4)

	waits := c.rpc(t, c.a, "message/send", sent.and(fields{"message": older("Hello")["message"]})).task(t)
	x.first(t, 5)
	session := c.rpc(t, c.b, "tasks/get", fields{"id": waits.ID}).task(t).Metadata["sessionId"].(string)
	c.ask(t, "DELETE", sessionsPath+"/"+session, nil).must(t, 200)
	_, told = x.first(t, 6)
	require.NoError(t, json.Unmarshal([]byte(told[5]), &got))
	require.Equal(t, []string{waits.ID, "canceled"}, []string{got.ID, got.Status.State}, "the end of its session is its own")

	dead, address := "", "http://127.0.0.1:1/dead" // which nobody answers; it holds up no other
	for n := 0; dead == ""; n++ {
		if one := fmt.Sprint(address, n); (threads.Teller{URL: one}).Way("") != (threads.Teller{URL: x.URL + "/told"}).Way("") {
			dead = one
		}
	}
	toDead := fields{"blocking": false, "pushNotificationConfig": fields{"id": "dead", "url": dead}}
	begun := older("Hello").and(fields{"configuration": toDead})
	waits = c.rpc(t, c.a, "message/send", begun).task(t)
	c.rpc(t, c.a, "tasks/pushNotificationConfig/set", fields{"taskId": waits.ID, "pushNotificationConfig": config})
	_, told = x.first(t, 7)
	require.NoError(t, json.Unmarshal([]byte(told[6]), &got))
	require.Equal(t, waits.ID, got.ID)

	for name, config := range map[string]fields{"inside": {"url": "http://10.0.0.1/x"}, "no URL": {"url": "x"}, "none": {},
		"a secret of two lines": {"url": x.URL, "token": "a\nb"}} {
		got := c.rpc(t, c.a, "tasks/pushNotificationConfig/set", fields{"taskId": task.ID, "pushNotificationConfig": config})
		require.NotNil(t, got.Error, name)
		got.refused(t, -32602)
		sent := older("x").and(fields{"configuration": fields{"pushNotificationConfig": config}})
		c.rpc(t, c.a, "message/send", sent).refused(t, -32602)
	}
	c.rpc(t, c.a, "tasks/pushNotificationConfig/set", fields{"taskId": noTask, "pushNotificationConfig": config}).refused(t, -32001)
}

// Given an address that takes nothing, when another agent names another one in its place, or wants to be told there no more, then
// what is queued for it is withdrawn: it is told what it wants to know, and what stands behind goes on.
func TestWhatAnotherAgentWantsNoMoreIsNotTold(t *testing.T) {
	t.Parallel()
	c, x := newAgentCaller(t), newToldAt(t)
	var refused atomic.Int32
	takes := x.Config.Handler
	x.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-A2A-Notification-Token") == "old" {
			refused.Add(1)
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		takes.ServeHTTP(w, r)
	})
	at := func(id, token string) fields { return fields{"id": id, "url": x.URL + "/told", "token": token} }
	asks := func(push fields, more ...fields) a2aTask {
		t.Helper()
		sent := older("Hello", more...).and(fields{"configuration": fields{"blocking": false, "pushNotificationConfig": push}})
		return c.rpc(t, c.a, "message/send", sent).task(t)
	}
	tries := func(n int32) {
		t.Helper()
		require.Eventually(t, func() bool { return refused.Load() >= n }, patience, 20*time.Millisecond)
	}
	first := asks(at("mine", "old"))
	tries(1)
	set := fields{"taskId": first.ID, "pushNotificationConfig": at("mine", "new")}
	require.Nil(t, c.rpc(t, c.b, "tasks/pushNotificationConfig/set", set).Error)
	heads, told := x.first(t, 1)
	require.Equal(t, "new", heads[0].Get("X-A2A-Notification-Token"))
	require.Contains(t, told[0], first.ID)

	before := refused.Load()
	gone := asks(at("gone", "old"), fields{"contextId": first.ContextID})
	tries(before + 1)
	behind := asks(at("behind", "new"), fields{"contextId": first.ContextID})
	ended := fields{"id": gone.ID, "pushNotificationConfigId": "gone"}
	require.Nil(t, c.rpc(t, c.b, "tasks/pushNotificationConfig/delete", ended).Error)
	_, told = x.first(t, 2)
	require.Contains(t, told[1], behind.ID)
	require.NotContains(t, strings.Join(told, ""), `"id":"`+gone.ID)
}
