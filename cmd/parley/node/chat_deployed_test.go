//go:build !apache

package node_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
)

const usingAgent = `DSL: 1
AGENT: guide
TOOLS:
  weather: {KIND: mcp, SERVER: srv-weather, TOOL: forecast, EFFECT: read, TIMEOUT: 60s}
  gone: {KIND: mcp, SERVER: srv-weather, TOOL: gone, EFFECT: read, TIMEOUT: 60s}
  locked: {KIND: mcp, SERVER: srv-weather, TOOL: locked, EFFECT: read, TIMEOUT: 60s}
  order: {USE: tool-orders, EFFECT: read, CACHE: 1h, TIMEOUT: 60s}
  price: {USE: tool-price, TIMEOUT: 60s}
  warm: {USE: tool-weather, TIMEOUT: 60s}
  none: {USE: tool-none}
  renew: {KIND: workflow, USE: wf-renew, TIMEOUT: 60s}
FLOW:
  START: choose
  STEPS:
    choose:
      BRANCH:
        - {IF: 'turn.text == "weather"', NEXT: weather}
        - {IF: 'turn.text == "gone"', NEXT: gone}
        - {IF: 'turn.text == "locked"', NEXT: locked}
        - {IF: 'turn.text == "order"', NEXT: order}
        - {IF: 'turn.text == "price"', NEXT: price}
        - {IF: 'turn.text == "warm"', NEXT: warm}
        - {IF: 'turn.text == "none"', NEXT: none}
        - {ELSE: true, NEXT: renew}
    weather: {CALL: weather, WITH: {city: '"Graz"'}, AS: session.out, NEXT: tell, ON_ERROR: failed}
    gone: {CALL: gone, AS: session.out, NEXT: tell, ON_ERROR: failed}
    locked: {CALL: locked, AS: session.out, NEXT: tell, ON_ERROR: failed}
    order: {CALL: order, WITH: {number: '"A/7"'}, AS: session.out, NEXT: tell, ON_ERROR: failed}
    price: {CALL: price, WITH: {years: "4", price: "100"}, AS: session.out, NEXT: tell, ON_ERROR: failed}
    warm: {CALL: warm, WITH: {city: '"Linz"'}, AS: session.out, NEXT: tell, ON_ERROR: failed}
    none: {CALL: none, AS: session.out, NEXT: tell, ON_ERROR: failed}
    renew: {CALL: renew, WITH: {number: '"B8"', who: '"Ann"'}, AS: session.out, NEXT: tell, ON_ERROR: failed}
    tell: {SAY: "{{ session.out }}", END: true}
    failed: {SAY: "Not now.", END: true}
`

// Given tools, a server of the Model Context Protocol and a workflow that are deployed for a
// project, then its agents call them by their ids, with secrets that stand under these ids.
func TestAnAgentUsesWhatIsDeployed(t *testing.T) {
	t.Parallel()
	w := newTalkWorld(t)
	weather := mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1"}, nil)
	type place struct {
		City string `json:"city"`
	}
	forecast := func(_ context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, any, error) {
		return nil, map[string]any{"said": "sunny in " + in.City}, nil
	}
	mcp.AddTool(weather, &mcp.Tool{Name: "forecast"}, forecast)
	locked := func(_ context.Context, asked *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("the key %s may not", asked.Extra.Header.Get("X-Key"))
	}
	mcp.AddTool(weather, &mcp.Tool{Name: "locked"}, locked)
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return weather }, nil)
	var mu sync.Mutex
	var seen []string
	peer := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			if r.Header.Get("X-Key") != "s3cr3t" {
				out.WriteHeader(http.StatusUnauthorized)
				return
			}
			handler.ServeHTTP(out, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		seen = append(seen, r.Method+" "+r.URL.RequestURI()+" "+string(body))
		mu.Unlock()
		out.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(out, `{"years":5,"price":200}`)
	}))
	t.Cleanup(func() { peer.CloseClientConnections(); peer.Close() })

	of := func(more fields) fields { return fields{"projectId": mainApp}.and(more) }
	server := fields{"type": "mcp", "url": peer.URL + "/mcp", "headers": fields{"X-Key": "${secret:KEY}"}}
	w.apply(t, "Tool", "srv-weather", "Weather", of(server))
	w.apply(t, "Tool", "tool-weather", "Forecast", of(server).and(fields{"tool": "forecast"}))
	w.apply(t, "Tool", "tool-orders", "Orders", of(fields{"type": "http", "method": "GET", "url": peer.URL + "/orders/{number}"}))
	w.apply(t, "Tool", "tool-price", "Price", of(fields{"type": "code", "code": "return input.years >= 3 ? input.price * 0.9 : input.price",
		"parameters": fields{"type": "object", "required": []string{"years", "price"}}}))
	w.apply(t, "Tool", "tool-note", "Note", of(fields{"type": "http", "method": "POST", "url": peer.URL + "/notes"}))
	w.apply(t, "Tool", "tool-none", "None", of(fields{"type": "code", "code": "return 1"}))
	steps := []fields{{"id": "find", "tool": "tool-orders"}, {"id": "price", "tool": "tool-price"},
		{"id": "note", "tool": "tool-note", "arguments": fields{"for": "{{ args.who }}", "eur": "{{ steps.price }}"}},
		{"id": "tell", "tool": "tool-price", "arguments": fields{"years": 0, "price": "{{ steps.price }}"}}}
	w.apply(t, "Workflow", "wf-renew", "Renew", of(fields{"steps": steps}))
	w.apply(t, "Agent", "a-guide", "guide", of(fields{"dslContent": usingAgent}))
	for _, tool := range []string{"srv-weather", "tool-weather"} {
		w.ask(t, "POST", "/api/tool-secrets", of(fields{"toolName": tool, "secretKey": "KEY", "value": "s3cr3t"})).must(t, http.StatusCreated)
	}
	w.scope(t, "as-deployer", "deployer", mainApp, access.AppEdit)
	key := w.key(t, "as-deployer")

	type told struct{ Says, Outcome, Code, Problem string }
	var ran []string // steps of the workflow that was called last
	talk := func(text string) told {
		out := w.say(t, w.begin(t, "guide"), text)
		for _, e := range out.TraceEvents {
			if e.Type == "tool_call" {
				ran = nil
				all, _ := e.Data["steps"].([]any)
				for _, s := range all {
					s := s.(map[string]any)
					ran = append(ran, strings.TrimSuffix(fmt.Sprint(s["step"], " ", s["tool"], " ", s["outcome"], " ", s["error"]), " <nil>"))
				}
				problem, _ := e.Data["problem"].(string)
				return told{out.Response, e.Data["outcome"].(string), e.Data["code"].(string), problem}
			}
		}
		return told{Says: out.Response}
	}
	require.Equal(t, told{"Not now.", "error", "NOT_DEPLOYED", "the tool srv-weather is not deployed"}, talk("weather"))
	require.Equal(t, told{"Not now.", "error", "NOT_DEPLOYED", "the workflow wf-renew is not deployed"}, talk("renew"))
	for _, path := range []string{tools + "srv-weather", tools + "tool-weather", tools + "tool-orders", tools + "tool-price",
		tools + "tool-note", workflows + "wf-renew"} {
		require.Equal(t, "SUCCESS", w.tenant.deploy(t, key, path, false).Status)
	}
	require.Equal(t, told{`{"said":"sunny in Graz"}`, "ok", "", ""}, talk("weather"))
	require.Equal(t, told{"Not now.", "error", "UNKNOWN_TOOL", `unknown tool "gone"`}, talk("gone"))
	require.Equal(t, told{"Not now.", "error", "TOOL_ERROR", "the key *** may not"}, talk("locked"))
	require.Equal(t, told{`{"said":"sunny in Linz"}`, "ok", "", ""}, talk("warm"))
	require.Equal(t, told{`{"price":200,"years":5}`, "ok", "", ""}, talk("order"))
	require.Equal(t, told{`{"price":200,"years":5}`, "ok", "", ""}, talk("order"), "it was kept")
	require.Equal(t, told{"90", "ok", "", ""}, talk("price"))
	require.Equal(t, told{"Not now.", "error", "NOT_DEPLOYED", "the tool tool-none is not deployed"}, talk("none"))
	require.Empty(t, ran, "what is no workflow has no steps")
	require.Equal(t, told{"180", "ok", "", ""}, talk("renew"))
	require.Equal(t, []string{"find tool-orders ok", "price tool-price ok", "note tool-note ok", "tell tool-price ok"}, ran)
	mu.Lock()
	require.Equal(t, []string{"GET /orders/A%2F7 ", "GET /orders/B8 ", `POST /notes {"eur":180,"for":"Ann"}`}, seen)
	mu.Unlock()

	// What a step cannot do ends the workflow.
	steps[2]["arguments"] = fields{"for": "{{ args.nobody }}"}
	w.apply(t, "Workflow", "wf-renew", "Renew", of(fields{"steps": steps}))
	require.Equal(t, "180", talk("renew").Says, "it is not live yet")
	w.tenant.deploy(t, key, workflows+"wf-renew", false)
	got := talk("renew")
	require.Equal(t, []string{"Not now.", "error", "ARGUMENTS"}, []string{got.Says, got.Outcome, got.Code})
	require.Contains(t, got.Problem, "step note: ")
	require.Equal(t, "note tool-note error ARGUMENTS", ran[2])
	require.Len(t, ran, 3)

	// A deployment of agents keeps the version that it names, which need be neither the newest nor the live one,
	// and whatever the workflow is called later.
	steps = steps[:1]
	w.apply(t, "Workflow", "wf-renew", "Renew", of(fields{"steps": steps}))
	w.tenant.deploy(t, key, workflows+"wf-renew", false)
	deployed := func(version string) *answer {
		return w.ask(t, "POST", agentDeployments, fields{"environment": "dev", "entryAgentName": "guide",
			"agentVersionManifest": fields{"guide": "auto"}, "workflowVersionManifest": fields{"Renew": version}})
	}
	first, second := deployed("1").must(t, http.StatusCreated).deployment(t), deployed("2").must(t, http.StatusCreated).deployment(t)
	for _, none := range []string{"4", "4294967297"} { // the second is 1 where only 32 bits of it are looked at
		deployed(none).refused(t, 400, fault.Validation, "workflowVersionManifest")
	}
	w.apply(t, "Workflow", "wf-renew", "Prolong", of(fields{"steps": steps}))
	promoted := w.ask(t, "POST", path(first)+"/promote", fields{}).must(t, http.StatusCreated).deployment(t)
	runs := func(d map[string]any) string {
		var begun chatAnswer
		w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "deploymentId": d["id"], "message": "renew"}).must(t, 200).
			into(t, &begun)
		return begun.Response
	}
	require.Equal(t, []string{"180", "Not now.", "180"}, []string{runs(first), runs(second), runs(promoted)})
}
