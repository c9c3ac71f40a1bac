package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/conversations"
)

// A summary whose node is killed while the model thinks is made after the restart, and
// stands on the log once.
func TestASummaryOfANodeThatIsKilled(t *testing.T) {
	var asked atomic.Int32
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if asked.Add(1) == 1 {
			<-r.Context().Done() // until who asked is no more
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"model":"m","choices":[{"index":0,`+
			`"message":{"role":"assistant","content":"A parcel."},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(peer.Close)
	t.Setenv("OPENAI_API_KEY", "sk-test")
	t.Setenv("OPENAI_BASE_URL", peer.URL+"/v1")
	data, listen := dataFolder(t), freeAddress(t)
	node := serveDev(t, data, listen, "--llm-provider", "openai")
	c := clientOf(node)
	moved := func(transition string) map[string]any {
		return map[string]any{"name": "INTERNAL_TRANSFER_EVENT", "transfertype": "NA", "transition": transition, "isExtAD": "false",
			"language": "en", "experience": "chat", "reason": "agent_initiated",
			"participant": map[string]any{"identity": "a1", "name": "Ann", "type": "agent"}}
	}
	triggered := map[string]any{"name": "TRIGGER_SUMMARY_EVENT", "data": map[string]any{"language": "English", "locale": "en", "type": "post"}}
	bot := c.env["BOT_ID"]
	a, err := c.do(http.MethodPost, "/agentassist/api/v1/hooks/"+bot, map[string]any{"conversationId": "c1", "botId": bot,
		"events": []map[string]any{moved("entry"), moved("exit"), triggered}}, "auth", c.env["PARLEY_TOKEN"])
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a)
	node.await("the model to be asked", func() bool { return asked.Load() > 0 })
	node.kill()

	node = serveDev(t, data, listen, "--llm-provider", "openai")
	c = clientOf(node)
	var shown struct {
		Conversation struct{ Summary struct{ Status, Text string } }
	}
	node.await("the summary", func() bool {
		a, err := c.do(http.MethodGet, "/api/v1/projects/"+bot+"/conversations/c1", nil, "auth", c.env["PARLEY_TOKEN"])
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, a.status, "%s", a)
		a.read(t, &shown)
		return shown.Conversation.Summary.Status == "done"
	})
	require.Equal(t, "A parcel.", shown.Conversation.Summary.Text)
	made := 0
	for _, r := range accepted(t, c.env["KAFKA_BROKERS"], conversations.Conversations.Topic(), loginOf(t, c.env)) {
		if strings.HasPrefix(r.Type, "parley.conversations.summarized.") {
			made++
		}
	}
	require.Equal(t, 1, made)
	require.GreaterOrEqual(t, asked.Load(), int32(2))
}
