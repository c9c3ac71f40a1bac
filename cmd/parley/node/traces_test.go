package node_test

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/parley-platform/parley/cmd/parley/node"
)

// collector takes OTLP over HTTP as the OpenTelemetry collector does, and remembers
// the names of the spans of every trace.
type collector struct {
	mu    sync.Mutex
	spans map[string][]string // by trace id
}

func newCollector(t *testing.T) (*collector, string) {
	t.Helper()
	c := &collector{spans: map[string][]string{}}
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
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					id := hex.EncodeToString(span.TraceId)
					c.spans[id] = append(c.spans[id], span.Name)
				}
			}
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(s.Close)
	return c, s.URL
}

func (c *collector) of(trace string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.spans[trace], "\n")
}

// Given a collector and a caller's trace, when a call is dialled, then the request, its
// command, the read model's transaction and the reactors that act on it are in that
// trace; a caller who does not want his trace kept is obeyed.
func TestATraceGoesFromTheRequestThroughLogAndReadModelToTheReactor(t *testing.T) {
	t.Parallel()
	seen, url := newCollector(t)
	w := newCallWorld(t, func(cfg *node.Config) { cfg.TraceEndpoint, cfg.TraceShare = url, 1 })
	const kept, unwanted = "0af7651916cd43dd8448eb211c80319c", "1af7651916cd43dd8448eb211c80319c"
	for trace, flags := range map[string]string{kept: "01", unwanted: "00"} {
		w.ask(t, "POST", dialOutPath, aCall(), "traceparent", "00-"+trace+"-b7ad6b7169203331-"+flags).must(t, 200)
	}
	until(t, "the whole trace", func() bool {
		spans := seen.of(kept)
		for _, want := range []string{"POST /api/1.1/public/bot/{botId}/assist/dialout", "command on calls", "project parley.calls",
			"reactor dialer"} {
			if !strings.Contains(spans, want) {
				return false
			}
		}
		return true
	})
	require.Empty(t, seen.of(unwanted))
}
