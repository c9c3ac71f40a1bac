package node_test

import (
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/cmd/parley/version"
)

// collector takes OTLP over HTTP as the OpenTelemetry collector does, and remembers
// the spans of every trace.
type collector struct {
	mu       sync.Mutex
	spans    map[string][]span // by trace id
	resource map[string]any
}

// span is what is looked at of one.
type span struct {
	name string
	kind tracepb.Span_SpanKind
	has  map[string]any
}

func newCollector(t *testing.T) (*collector, string) {
	t.Helper()
	c := &collector{spans: map[string][]span{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var batch coltrace.ExportTraceServiceRequest
		if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &batch) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range batch.ResourceSpans {
			c.resource = attributes(resource.Resource.Attributes)
			for _, scope := range resource.ScopeSpans {
				for _, s := range scope.Spans {
					id := hex.EncodeToString(s.TraceId)
					c.spans[id] = append(c.spans[id], span{s.Name, s.Kind, attributes(s.Attributes)})
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	return c, s.URL
}

func attributes(list []*commonpb.KeyValue) map[string]any {
	out := map[string]any{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *commonpb.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			out[a.Key] = v.IntValue
		}
	}
	return out
}

// of is the first span of a trace, or of any where none is named, that has the name and
// the attributes.
func (c *collector) of(trace, name string, has map[string]any) (span, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	spans := c.spans[trace]
	if trace == "" {
		spans = slices.Concat(slices.Collect(maps.Values(c.spans))...)
	}
	for _, s := range spans {
		fits := s.name == name
		for key, value := range has {
			fits = fits && s.has[key] == value
		}
		if fits {
			return s, true
		}
	}
	return span{}, false
}

// about is who sent spans last, and those of a trace.
func (c *collector) about(trace string) (resource map[string]any, spans []span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resource, slices.Clone(c.spans[trace])
}

func (c *collector) await(t *testing.T, trace, name string, has map[string]any) (got span) {
	t.Helper()
	until(t, "a span "+name, func() (found bool) {
		got, found = c.of(trace, name, has)
		return found
	})
	return got
}

// Given a collector and a caller's trace, when a call is dialled, then the request, its
// command, the append, the read model's transaction, the database and the reactors that
// act on it are in that trace, described as OpenTelemetry's conventions have it; a caller
// who does not want his trace kept is obeyed.
func TestATraceGoesFromTheRequestThroughLogAndReadModelToTheReactor(t *testing.T) {
	t.Parallel()
	seen, url := newCollector(t)
	hears := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(hears.Close)
	w := newCallWorld(t, speed(100), func(cfg *node.Config) {
		all := 1.0
		cfg.TraceEndpoint, cfg.TraceShare, cfg.TraceAgents = url, &all, true
	})
	const kept, unwanted = "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c"
	call := aCall().and(fields{"notifyurl": hears.URL + "/secret"})
	for trace, flags := range map[string]string{kept: "01", unwanted: "00"} {
		w.ask(t, "POST", dialOutPath, call, "traceparent", "00-"+trace+"-b7ad6b7169203331-"+flags).must(t, 200)
	}
	// A command reads nothing of the database where the node that takes it knows what it asks of: a query does.
	w.ask(t, "GET", "/api/v1/projects/"+mainApp+"/interactions", nil, "traceparent", "00-"+kept+"-b7ad6b7169203331-01").must(t, 200)
	const route = "/api/1.1/public/bot/{botId}/assist/dialout"
	kafka := func(operation, name string, more map[string]any) map[string]any {
		has := map[string]any{"messaging.system": "kafka", "messaging.operation.type": operation, "messaging.operation.name": name,
			"messaging.destination.name": "parley.calls"}
		maps.Copy(has, more)
		return has
	}
	for _, want := range []struct {
		name string
		kind tracepb.Span_SpanKind
		has  map[string]any
	}{
		{"POST " + route, tracepb.Span_SPAN_KIND_SERVER, map[string]any{"http.request.method": "POST", "http.route": route,
			"url.scheme": "http", "url.path": "/api/1.1/public/bot/REDACTED/assist/dialout", "http.response.status_code": int64(200),
			"network.protocol.version": "1.1"}},
		{"command on calls", tracepb.Span_SPAN_KIND_INTERNAL, nil},
		{"send parley.calls", tracepb.Span_SPAN_KIND_PRODUCER, kafka("send", "send", nil)},
		{"project parley.calls", tracepb.Span_SPAN_KIND_CONSUMER, kafka("process", "project", nil)},
		{"process parley.calls", tracepb.Span_SPAN_KIND_CONSUMER, kafka("process", "process", map[string]any{"parley.reactor": "dialer",
			"messaging.consumer.group.name": "parley-dialer", "cloudevents.event_type": "parley.calls.requested.v1"})},
		{"SELECT", tracepb.Span_SPAN_KIND_CLIENT, map[string]any{"db.system.name": "postgresql", "db.operation.name": "SELECT"}},
	} {
		require.Equal(t, want.kind, seen.await(t, kept, want.name, want.has).kind, want.name)
	}
	// What the telephone network tells begins traces of its own.
	seen.await(t, "", "POST", map[string]any{"http.request.method": "POST", "parley.peer": "webhooks", "url.scheme": "http",
		"http.response.status_code": int64(200), "server.address": "127.0.0.1", "url.full": hears.URL + "/REDACTED"})
	resource, spans := seen.about(unwanted)
	require.Equal(t, []any{"parley", version.Number, w.Node.ID()}, []any{resource["service.name"], resource["service.version"],
		resource["service.instance.id"]})
	require.Empty(t, spans)
	spansOfATurn(t, w, seen, hears.URL)
}

// Given an agent that a model leads, when it has a tool called, then the turn, both answers of the
// model and the call are spans of the caller's trace, and nothing that was said is in any.
func spansOfATurn(t *testing.T, w *callWorld, seen *collector, url string) {
	t.Helper()
	const trace, secret = "2af7651916cd43dd8448eb211c80319c", "xyzzy"
	w.one.apply(t, "Agent", "a-guide", "guide", fields{"projectId": mainApp, "dslContent": `DSL: 1
AGENT: guide
GOAL: Find people.
TOOLS: {look_up: {KIND: http, URL: "` + url + `/found", QUERY: {name: "{{ args.name }}"},
  PARAMS: {type: object, required: [name], properties: {name: {type: string}}}}}
`})
	var begun struct{ Session map[string]string }
	w.ask(t, "POST", sessionsPath, fields{"agentId": "guide"}).must(t, 201).into(t, &begun)
	id := begun.Session["id"]
	w.ask(t, "POST", "/api/v1/chat/agent", fields{"projectId": mainApp, "sessionId": id, "message": `look_up {"name":"` + secret + `"}`},
		"traceparent", "00-"+trace+"-b7ad6b7169203331-01").must(t, 200)
	for name, has := range map[string]map[string]any{
		"invoke_agent guide": {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "guide", "parley.turn.outcome": "ended"},
		"chat local": {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "local", "gen_ai.request.model": "local",
			"gen_ai.agent.name": "guide"},
		"execute_tool look_up": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look_up", "gen_ai.agent.name": "guide"},
	} {
		has["gen_ai.conversation.id"] = id
		seen.await(t, trace, name, has)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for _, s := range seen.spans[trace] {
		for key, value := range s.has {
			require.NotContains(t, fmt.Sprint(value), secret, s.name, key)
		}
	}
}
