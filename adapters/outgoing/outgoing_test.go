package outgoing

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// answers is a transport that answers, or fails.
type answers struct {
	status int
	err    error
}

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	if a.err != nil {
		return nil, a.err
	}
	return &http.Response{StatusCode: a.status, Body: http.NoBody}, nil
}

// recorded are the spans of the process. Who asks for a tracer keeps that of the first provider.
var recorded = sync.OnceValue(func() *tracetest.SpanRecorder {
	spans := tracetest.NewSpanRecorder()
	otel.SetTracerProvider(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans)))
	return spans
})

func TestARequestOfOthersHasASpanAndAMeasureWithoutTheSecretsOfItsAddress(t *testing.T) {
	spans := recorded()
	Durations.Reset() // which are the process's, and so of what ran before in it
	for _, c := range []struct {
		name, url string
		answers
		status, failure string
		attributes      map[string]any
	}{
		{"answered", "https://u:secret@hooks.example/secret?secret", answers{status: 204}, "204", "",
			map[string]any{"server.address": "hooks.example",
				"server.port": int64(443), "url.full": "https://hooks.example/REDACTED", "http.response.status_code": int64(204),
				"http.request.method": "POST", "url.scheme": "https", "parley.peer": Webhooks}},
		{"refused", "http://hooks.example:8080", answers{status: 503}, "503", "503", map[string]any{"server.port": int64(8080),
			"url.full": "http://hooks.example:8080/", "error.type": "503"}},
		{"too slow", "http://hooks.example", answers{err: context.DeadlineExceeded}, "", "timeout", map[string]any{"server.port": int64(80),
			"error.type": "timeout"}},
		{"given up", "http://hooks.example", answers{err: context.Canceled}, "", "canceled", map[string]any{"error.type": "canceled"}},
		{"unreachable", "http://hooks.example", answers{err: errors.New("secret")}, "", "connection", map[string]any{"error.type": "connection"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			spans.Reset()
			r := httptest.NewRequest("POST", c.url, strings.NewReader("{}"))
			_, err := To(Webhooks, c.answers).RoundTrip(r)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, map[string]string{"parley_peer": Webhooks, "http_request_method": "POST", "http_response_status_code": c.status,
				"url_scheme": r.URL.Scheme, "error_type": c.failure}, measured(t))

			require.Len(t, spans.Ended(), 1)
			span := spans.Ended()[0]
			require.Equal(t, "POST", span.Name())
			require.Equal(t, c.failure != "", span.Status().Code == codes.Error)
			has := map[string]any{}
			for _, a := range span.Attributes() {
				has[string(a.Key)] = a.Value.AsInterface()
				require.NotContains(t, a.Value.String(), "secret", a.Key)
			}
			for key, want := range c.attributes {
				require.Equal(t, want, has[key], key)
			}
			require.Equal(t, c.failure, text(has["error.type"]))
		})
	}
}

// Given no transport, then there is the process's own, which is Go's but for the room that each connection has.
func TestConnectionsOfTheProcessHaveLittleRoom(t *testing.T) {
	over := To(Model, nil).(*transport).next.(*http.Transport)
	require.Equal(t, []int{Buffer, Buffer}, []int{over.ReadBufferSize, over.WriteBufferSize})
	require.NotNil(t, over.Proxy, "the environment's")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(w, r.Body)
	}))
	defer server.Close()
	large := strings.Repeat("word ", 100*Buffer)
	res, err := (&http.Client{Transport: To(Model, nil)}).Post(server.URL, "text/plain", strings.NewReader(large))
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	echo, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, large, string(echo))
}

// Given many who ask one peer at once, twice, then the second time they find the connections of the first.
func TestConnectionsOfTheProcessAreKept(t *testing.T) {
	const together = 16
	var here sync.WaitGroup
	var callers sync.Map
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		callers.Store(r.RemoteAddr, true)
		here.Done()
		here.Wait()
	}))
	defer server.Close()
	defer Durations.Reset()
	client := &http.Client{Transport: To(Model, nil)}
	for range 2 {
		here.Add(together)
		var all sync.WaitGroup
		for range together {
			all.Go(func() {
				if res, err := client.Get(server.URL); assert.NoError(t, err) {
					_ = res.Body.Close()
				}
			})
		}
		all.Wait()
	}
	connections := 0
	callers.Range(func(any, any) bool { connections++; return true })
	require.Equal(t, together, connections)
}

// measured are the labels of the one request since it was asked last.
func measured(t *testing.T) map[string]string {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(Durations)
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Len(t, families[0].Metric, 1)
	require.EqualValues(t, 1, families[0].Metric[0].GetHistogram().GetSampleCount())
	labels := map[string]string{}
	for _, l := range families[0].Metric[0].Label {
		labels[l.GetName()] = l.GetValue()
	}
	Durations.Reset()
	return labels
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
