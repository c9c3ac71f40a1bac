package mcptool_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/mcptool"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/sessions"
)

// peer is a server of the protocol by its own SDK, with tools that answer in every way.
type peer struct {
	*httptest.Server
	mcp    *mcp.Server
	called atomic.Int64
	begun  atomic.Int64
	ended  atomic.Int64
	mu     sync.Mutex
	heads  []http.Header
	before func(w http.ResponseWriter, r *http.Request, body string) bool // nil: nothing; true: it has answered
}

type place struct {
	City string `json:"city" jsonschema:"where"`
}

func newPeer(t *testing.T, o *mcp.StreamableHTTPOptions) *peer {
	p := &peer{mcp: mcp.NewServer(&mcp.Implementation{Name: "peer", Version: "1"}, nil)}
	says := func(contents ...mcp.Content) *mcp.CallToolResult { return &mcp.CallToolResult{Content: contents} }
	text := func(s string) *mcp.TextContent { return &mcp.TextContent{Text: s} }
	p.tool("forecast", func(_ context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, any, error) {
		return nil, map[string]any{"city": in.City, "degrees": 21.5}, nil
	})
	for name, answer := range map[string]*mcp.CallToolResult{
		"text": says(text("It <rains> & snows")), "json": says(text(` {"a": [1, 2]} `)), "lines": says(text("one"), text("two")), "none": says(),
		"no json": says(text("[not json]")), "number": says(text("42")),
		"image":   says(text("seen"), &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}),
		"both":    {Content: []mcp.Content{text("for people")}, StructuredContent: map[string]any{"for": "programs"}},
		"error":   {IsError: true, Content: []mcp.Content{text("no such place"), text("try another")}},
		"chatter": {IsError: true, Content: []mcp.Content{text(strings.Repeat("x", 900))}},
		"half":    says(text(strings.Repeat("x", 300<<10))), "large": says(text(strings.Repeat("x", 2<<20))),
	} {
		p.tool(name, func(context.Context, *mcp.CallToolRequest, place) (*mcp.CallToolResult, any, error) {
			return answer, answer.StructuredContent, nil
		})
	}
	p.tool("hang", func(ctx context.Context, _ *mcp.CallToolRequest, _ place) (*mcp.CallToolResult, any, error) {
		select {
		case <-ctx.Done():
		case <-time.After(3 * time.Second):
		}
		return nil, nil, ctx.Err()
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return p.mcp }, o)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		p.mu.Lock()
		p.heads = append(p.heads, r.Header.Clone())
		before := p.before
		p.mu.Unlock()
		switch {
		case strings.Contains(string(body), `"tools/call"`):
			p.called.Add(1)
		case strings.Contains(string(body), `"initialize"`), strings.Contains(string(body), `"server/discover"`):
			p.begun.Add(1)
		case r.Method == http.MethodDelete:
			p.ended.Add(1)
		}
		if before == nil || !before(w, r, string(body)) {
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { p.CloseClientConnections(); p.Close() })
	return p
}

func (p *peer) tool(name string, f mcp.ToolHandlerFor[place, any]) {
	mcp.AddTool(p.mcp, &mcp.Tool{Name: name, Description: name}, f)
}

func (p *peer) first(before func(w http.ResponseWriter, r *http.Request, body string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.before = before
}

func (p *peer) call(tool string) mcptool.Call {
	return mcptool.Call{Owner: "acme", URL: p.URL, Tool: tool, Arguments: map[string]any{"city": "Graz"}, Timeout: time.Minute,
		Repeatable: true, Backoff: time.Millisecond}
}

func caller(t *testing.T, o mcptool.Options) *mcptool.Caller {
	o.Guard.AllowLoopback = true
	c := mcptool.New(o)
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

// Both ways in which servers of the protocol are run: with sessions, and without.
func peers(t *testing.T) map[string]*peer {
	return map[string]*peer{
		"with sessions, as streams": newPeer(t, nil),
		"without, as JSON":          newPeer(t, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}),
	}
}

func TestWhatAToolAnswers(t *testing.T) {
	t.Parallel()
	for how, p := range peers(t) {
		c := caller(t, mcptool.Options{})
		for tool, want := range map[string]string{
			"forecast": `{"city":"Graz","degrees":21.5}`,
			"text":     `"It <rains> & snows"`,
			"json":     `{"a":[1,2]}`,
			"lines":    `"one\ntwo"`,
			"none":     `null`,
			"no json":  `"[not json]"`,
			"number":   `"42"`,
			"image":    `[{"type":"text","text":"seen"},{"type":"image","mimeType":"image/png","data":"eA=="}]`,
			"both":     `{"for":"programs"}`,
		} {
			got := c.Do(t.Context(), p.call(tool))
			assert.Equal(t, sessions.CallOK, got.Outcome, "%s, %s: %s %s", how, tool, got.Code, got.Problem)
			assert.JSONEq(t, want, string(got.Result), "%s, %s", how, tool)
		}
		assert.EqualValues(t, 9, p.called.Load())
	}
}

func TestWhatAToolRefuses(t *testing.T) {
	t.Parallel()
	for how, p := range peers(t) {
		c := caller(t, mcptool.Options{})
		for tool, want := range map[string]string{
			"error":   mcptool.CodeTool + " no such place\ntry another",
			"chatter": mcptool.CodeTool + " " + strings.Repeat("x", 500) + "…",
			"nothing": mcptool.CodeUnknownTool + ` unknown tool "nothing"`,
			"half":    sessions.CodeTooLarge + " ",
			"large":   sessions.CodeTooLarge + " ",
			"hang":    sessions.CodeTimeout + " ",
		} {
			call := p.call(tool)
			if tool == "hang" {
				call.Timeout = time.Second
			}
			got := c.Do(t.Context(), call)
			assert.Equal(t, want, got.Code+" "+got.Problem, "%s, %s", how, tool)
			assert.Equal(t, sessions.CallFailed, got.Outcome, "%s, %s", how, tool)
			assert.Empty(t, got.Result)
		}
		call := p.call("forecast")
		call.Arguments = map[string]any{"town": "Graz"}
		got := c.Do(t.Context(), call)
		assert.Contains(t, got.Problem, "town", how)
		assert.Equal(t, sessions.CallFailed, got.Outcome)
		require.Equal(t, sessions.CallOK, c.Do(t.Context(), p.call("forecast")).Outcome, "the next call is as if nothing had been")
	}
}

// Given a write of which nobody knows whether it was done, then it is unknown, and not made again.
func TestAWriteInDoubt(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := caller(t, mcptool.Options{})
	require.Equal(t, sessions.CallOK, c.Do(t.Context(), p.call("forecast")).Outcome, "the session is there: its beginning is in no doubt")
	call := p.call("hang")
	call.Repeatable, call.Retry, call.Timeout = false, 3, time.Second
	got := c.Do(t.Context(), call)
	require.Equal(t, []any{sessions.CallUnknown, sessions.CodeUnknown, 1}, []any{got.Outcome, got.Code, got.Tries})

	call = p.call("forecast")
	call.Repeatable, call.Retry = false, 3
	p.first(func(_ http.ResponseWriter, _ *http.Request, body string) bool {
		if strings.Contains(body, `"tools/call"`) {
			panic(http.ErrAbortHandler)
		}
		return false
	})
	before := p.called.Load()
	got = c.Do(t.Context(), call)
	require.Equal(t, []any{sessions.CallUnknown, sessions.CodeUnknown}, []any{got.Outcome, got.Code})
	require.Equal(t, before+1, p.called.Load())
	p.first(nil)
	require.Equal(t, sessions.CallOK, c.Do(t.Context(), call).Outcome)
}

// What fails for now is tried again, if it may be.
func TestCallsAreTriedAgain(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := caller(t, mcptool.Options{})
	busy := func(times int64) {
		var n atomic.Int64
		p.first(func(w http.ResponseWriter, _ *http.Request, body string) bool {
			if strings.Contains(body, `"tools/call"`) && n.Add(1) <= times {
				w.WriteHeader(http.StatusServiceUnavailable)
				return true
			}
			return false
		})
	}
	call := p.call("forecast")
	busy(2)
	got := c.Do(t.Context(), call)
	require.Equal(t, []any{"HTTP_503", 503, 1}, []any{got.Code, got.Status, got.Tries})
	call.Retry = 2
	busy(2)
	got = c.Do(t.Context(), call)
	require.Equal(t, []any{sessions.CallOK, 3}, []any{got.Outcome, got.Tries}, got.Code)
}

// An answer that is cut off is one that failed for now, whatever of it had come: it is tried again, if it may be.
func TestAnAnswerThatIsCutOff(t *testing.T) {
	t.Parallel()
	for how, begin := range map[string]string{"application/json": `{"jsonrpc":"2.0","id":`,
		"text/event-stream": "event: message\ndata: {\"js"} {
		p := newPeer(t, nil)
		c := caller(t, mcptool.Options{})
		cut := func(times int64) {
			var n atomic.Int64
			p.first(func(w http.ResponseWriter, _ *http.Request, body string) bool {
				if !strings.Contains(body, `"tools/call"`) || n.Add(1) > times {
					return false
				}
				w.Header().Set("Content-Type", how)
				_, _ = io.WriteString(w, begin)
				w.(http.Flusher).Flush()
				panic(http.ErrAbortHandler)
			})
		}
		call := p.call("forecast")
		cut(1)
		got := c.Do(t.Context(), call)
		require.Equal(t, []any{sessions.CallFailed, webhook.ToolNoAnswer}, []any{got.Outcome, got.Code}, how)
		call.Retry = 1
		cut(1)
		got = c.Do(t.Context(), call)
		require.Equal(t, []any{sessions.CallOK, 2}, []any{got.Outcome, got.Tries}, how)
		call.Repeatable = false
		cut(1)
		got = c.Do(t.Context(), call)
		require.Equal(t, []any{sessions.CallUnknown, sessions.CodeUnknown, 1}, []any{got.Outcome, got.Code, got.Tries}, how)
	}
}

// Calls whose session ends as others in it fail are made all the same, each once.
func TestCallsBesideThoseThatFail(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := caller(t, mcptool.Options{})
	p.first(func(w http.ResponseWriter, _ *http.Request, body string) bool {
		if strings.Contains(body, `"tools/call"`) && strings.Contains(body, `"number"`) {
			w.WriteHeader(http.StatusInternalServerError)
			return true
		}
		return false
	})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 40 {
				call := p.call([]string{"number", "forecast"}[i%2])
				call.Repeatable = false
				if got := c.Do(t.Context(), call); i%2 == 1 {
					assert.Equal(t, sessions.CallOK, got.Outcome, "%s %s", got.Code, got.Problem)
				}
			}
		})
	}
	all.Wait()
}

// Given a server that changes its tools between two calls, then each finds what there is.
func TestAServerThatChangesItsTools(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := caller(t, mcptool.Options{})
	require.Equal(t, sessions.CallOK, c.Do(t.Context(), p.call("text")).Outcome)
	p.mcp.RemoveTools("text")
	require.Equal(t, mcptool.CodeUnknownTool, c.Do(t.Context(), p.call("text")).Code)
	p.tool("text", func(context.Context, *mcp.CallToolRequest, place) (*mcp.CallToolResult, any, error) {
		return nil, "another", nil
	})
	require.Equal(t, `"another"`, string(c.Do(t.Context(), p.call("text")).Result))
}

// One session serves all calls with the same address and headers, and ends when nobody calls.
func TestASessionIsKept(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := mcptool.New(mcptool.Options{Guard: webhook.Guard{AllowLoopback: true}, Idle: 300 * time.Millisecond})
	call := p.call("text")
	call.Headers = map[string]string{"Authorization": "Bearer one"}
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { assert.Equal(t, sessions.CallOK, c.Do(t.Context(), call).Outcome) })
	}
	all.Wait()
	begun := p.begun.Load()
	p.mu.Lock()
	for _, h := range p.heads {
		assert.Equal(t, []string{"Bearer one", "Parley-Tool/1"}, []string{h.Get("Authorization"), h.Get("User-Agent")})
	}
	p.mu.Unlock()
	require.Eventually(t, func() bool { return p.ended.Load() == 1 }, 10*time.Second, time.Millisecond, "nobody calls")

	for i, owner := range []string{"acme", "other"} {
		call.Owner = owner
		require.Equal(t, sessions.CallOK, c.Do(t.Context(), call).Outcome)
		require.Equal(t, begun*int64(i+2), p.begun.Load(), "a session is never shared among owners")
	}
	call.Headers = map[string]string{"Authorization": "Bearer two"}
	require.Equal(t, sessions.CallOK, c.Do(t.Context(), call).Outcome)
	require.Equal(t, begun*4, p.begun.Load(), "a changed secret begins another")
	c.Close(t.Context())
	require.EqualValues(t, 4, p.ended.Load())
}

// Given a server that has forgotten the session, then another one is begun, and the call made
// once: also a write, as nothing was done.
func TestAServerThatForgot(t *testing.T) {
	t.Parallel()
	p := newPeer(t, nil)
	c := caller(t, mcptool.Options{})
	call := p.call("forecast")
	call.Repeatable = false
	require.Equal(t, sessions.CallOK, c.Do(t.Context(), call).Outcome)
	var once sync.Once
	p.first(func(w http.ResponseWriter, _ *http.Request, body string) (answered bool) {
		if strings.Contains(body, `"tools/call"`) {
			once.Do(func() {
				w.WriteHeader(http.StatusNotFound)
				answered = true
			})
		}
		return answered
	})
	got := c.Do(t.Context(), call)
	require.Equal(t, sessions.CallOK, got.Outcome, "%s %s", got.Code, got.Problem)
}

// Given a server whose certificate nobody trusts, then another try would not help.
func TestAServerThatNobodyTrusts(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	call := (&peer{Server: s}).call("x")
	call.Retry, call.Repeatable = 2, true
	got := caller(t, mcptool.Options{}).Do(t.Context(), call)
	require.Equal(t, []any{webhook.ToolUnreachable, "the certificate is not trusted", 1}, []any{got.Code, got.Problem, got.Tries})
}

// What is no server of the protocol, or is none that may be asked.
func TestWhatIsNoServer(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for want, handler := range map[string]http.HandlerFunc{
		"HTTP_401": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"HTTP_500": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"REDIRECT": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		},
		"MCP_ERROR": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, "<html>")
		},
		"TOOL_RESULT_TOO_LARGE": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":"`+strings.Repeat("x", 5<<20)+`"}`)
		},
		"UNREACHABLE":     nil,
		"ADDRESS_REFUSED": nil,
	} {
		call := (&peer{Server: gone}).call("x")
		c := caller(t, mcptool.Options{})
		switch {
		case handler != nil:
			s := httptest.NewServer(handler)
			t.Cleanup(s.Close)
			call.URL = s.URL
		case want == "ADDRESS_REFUSED":
			call.URL = "http://10.1.2.3/mcp"
		}
		call.Repeatable = false
		got := c.Do(t.Context(), call)
		assert.Equal(t, want, got.Code, got.Problem)
		assert.Equal(t, sessions.CallFailed, got.Outcome, "%s: no tool was called", want)
	}
	strict := mcptool.New(mcptool.Options{})
	p := newPeer(t, nil)
	require.Equal(t, webhook.ToolRefused, strict.Do(t.Context(), p.call("text")).Code)
	require.Zero(t, p.begun.Load())
	require.Equal(t, webhook.ToolRefused, strict.Do(t.Context(), mcptool.Call{URL: fmt.Sprint("http://localhost:", 1)}).Code)
}
