package mcptool_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/mcptool"
	"github.com/parley-platform/parley/domain/sessions"
)

func idOf(body string) string {
	var request struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(body), &request)
	return string(request.ID)
}

func saying(text string) string { return fmt.Sprintf(`"content":[{"type":"text","text":%q}]`, text) }

// Given a server that says of a tool that it has none as if the tool had failed, then its list tells
// which it was, also when the tool has gone between two calls.
func TestAServerThatHasNoSuchToolAndSaysThatItFailed(t *testing.T) {
	t.Parallel()
	p := newPeer(t, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	c := caller(t, mcptool.Options{})
	gone := false
	p.first(func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if !strings.Contains(body, `"tools/call"`) || !gone && !strings.Contains(body, "nothing") {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"isError":true,%s}}`, idOf(body), saying("Tool not found"))
		return true
	})
	got := c.Do(t.Context(), p.call("nothing"))
	require.Equal(t, []any{mcptool.CodeUnknownTool, "Tool not found"}, []any{got.Code, got.Problem})
	require.Equal(t, mcptool.CodeTool, c.Do(t.Context(), p.call("error")).Code, "one that it has")
	require.Equal(t, sessions.CallOK, c.Do(t.Context(), p.call("text")).Outcome)
	gone = true
	p.mcp.RemoveTools("text")
	require.Equal(t, mcptool.CodeUnknownTool, c.Do(t.Context(), p.call("text")).Code)
}

// Given a server that ends its answer before it is there, and says where it was, then the rest is asked
// for, and the tool is called once: also a write. Without that it is in doubt.
func TestAnAnswerThatGoesOnLater(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := caller(t, mcptool.Options{})
	var id string
	event := "id: e-1\nretry: 1\n"
	p.first(func(w http.ResponseWriter, r *http.Request, body string) bool {
		switch {
		case strings.Contains(body, `"tools/call"`):
			id = idOf(body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, event+"data: \n\n")
		case r.Method == http.MethodGet:
			assert.Equal(t, "e-1", r.Header.Get("Last-Event-ID"))
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprintf(w, "id: e-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{%s}}\n\n", id, saying("late"))
		default:
			return false
		}
		return true
	})
	call := p.call("forecast")
	call.Repeatable = false
	got := c.Do(t.Context(), call)
	require.Equal(t, []any{sessions.CallOK, `"late"`}, []any{got.Outcome, string(got.Result)}, "%s %s", got.Code, got.Problem)
	require.EqualValues(t, 1, p.called.Load())

	event = ""
	got = c.Do(t.Context(), call)
	require.Equal(t, []any{sessions.CallUnknown, sessions.CodeUnknown}, []any{got.Outcome, got.Code})
	require.EqualValues(t, 2, p.called.Load())
}
