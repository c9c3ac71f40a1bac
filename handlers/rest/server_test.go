package rest_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestReadinessShowsTheParts(t *testing.T) {
	parts := []rest.Part{{Name: "log", Ready: true}, {Name: "projections", Ready: false, Detail: map[string]int{"lagEvents": 12}}}
	w := resttest.NewWorld(t, func(c *rest.Config) { c.Ready = func(context.Context) []rest.Part { return parts } })
	got := w.Call(http.MethodGet, "/readyz", "")
	require.Equal(t, 503, got.Status)
	require.JSONEq(t, `{"ready":false,"parts":[{"name":"log","ready":true},{"name":"projections","ready":false,"detail":{"lagEvents":12}}]}`,
		got.Text)
	parts = parts[:1]
	require.Equal(t, 200, w.Call(http.MethodGet, "/readyz", "").Status)
	require.JSONEq(t, `{"status":"ok"}`, w.Call(http.MethodGet, "/livez", "").Text)
	require.Equal(t, 404, w.Call(http.MethodGet, "/metrics", "").Status, "without a metrics handler there is no such path")
}

func TestRequestsAreMeasuredByOperation(t *testing.T) {
	registry := prometheus.NewRegistry()
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Measure, c.Metrics = registry, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	})
	w.Call(http.MethodGet, "/sessions", "", "x-api-key", resttest.FullKey)
	w.Call(http.MethodGet, "/sessions", "")
	w.Call(http.MethodGet, "/made/up/by/the/caller", "")
	got := w.Call(http.MethodGet, "/metrics", "").Text
	for status, which := range map[string]string{"200": "list-sessions", "401": "list-sessions", "404": "other"} {
		route := map[string]string{"list-sessions": "/sessions", "other": ""}[which]
		require.Contains(t, got, `http_server_request_duration_seconds_count{error_type="",http_request_method="GET",`+
			`http_response_status_code="`+status+`",http_route="`+route+`",parley_operation="`+which+`",url_scheme="http"} 1`)
	}
	require.Contains(t, got, `http_server_active_requests{http_request_method="GET",url_scheme="http"} 1`)
	require.NotContains(t, got, "made/up")
}

// Prometheus is told what /readyz says, part by part, as it is when it asks.
func TestReadinessIsMeasured(t *testing.T) {
	registry := prometheus.NewRegistry()
	parts := []rest.Part{{Name: "log", Ready: true, Degraded: true}, {Name: "projections"}}
	w := resttest.NewWorld(t, func(c *rest.Config) {
		c.Measure, c.Metrics = registry, promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
		c.Ready = func(context.Context) []rest.Part { return parts }
	})
	got := w.Call(http.MethodGet, "/metrics", "").Text
	for _, line := range []string{`parley_ready{part="log"} 1`, `parley_ready{part="projections"} 0`, `parley_degraded{part="log"} 1`,
		`parley_degraded{part="projections"} 0`} {
		require.Contains(t, got, line)
	}
	parts[1].Ready = true
	require.Contains(t, w.Call(http.MethodGet, "/metrics", "").Text, `parley_ready{part="projections"} 1`)
}

// A request in flight is finished after the end was asked for; new ones are not
// taken.
func TestServingEndsGracefully(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	api := rest.New(rest.Config{Log: slog.New(slog.DiscardHandler)})
	rest.Declare(api, rest.Operation{ID: "slow", Method: "GET", Path: "/slow", Summary: "Slow", Requirement: access.Public},
		func(ctx context.Context, _ *struct{}) (*resttest.Text, error) {
			close(entered)
			<-release
			return &resttest.Text{Body: "done"}, ctx.Err()
		})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended, answered := make(chan error, 1), make(chan string, 1)
	go func() { ended <- api.Serve(ctx, listener) }()
	go func() {
		resp, err := http.Get("http://" + listener.Addr().String() + "/slow")
		if err != nil {
			answered <- err.Error()
			return
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		answered <- string(body)
	}()
	<-entered
	stop()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}, resttest.WaitLong, resttest.WaitStep)
	close(release)
	require.Contains(t, <-answered, "done")
	require.NoError(t, <-ended)
}

func TestServingTellsWhenItCannot(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	require.Error(t, rest.New(rest.Config{Log: slog.New(slog.DiscardHandler)}).Serve(t.Context(), listener))
}

// Streams reach the client piece by piece.
func TestResponsesCanStream(t *testing.T) {
	w := resttest.NewWorld(t)
	release := make(chan struct{})
	rest.Declare(w.Api, rest.Operation{ID: "stream", Method: "GET", Path: "/stream", Summary: "Stream", Requirement: access.Public},
		func(context.Context, *struct{}) (*huma.StreamResponse, error) {
			return &huma.StreamResponse{Body: func(c huma.Context) {
				c.SetHeader("Content-Type", "text/event-stream")
				out := c.BodyWriter()
				_, _ = io.WriteString(out, ": first\n")
				require.NoError(t, http.NewResponseController(out.(http.ResponseWriter)).Flush())
				<-release
				_, _ = io.WriteString(out, ": second\n")
			}}, nil
		})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.Api.Serve(ctx, listener) }()
	resp, err := http.Get("http://" + listener.Addr().String() + "/stream")
	require.NoError(t, err)
	lines := bufio.NewScanner(resp.Body)
	require.True(t, lines.Scan())
	require.Equal(t, ": first", lines.Text())
	close(release)
	require.True(t, lines.Scan())
	require.Equal(t, ": second", lines.Text())
	_ = resp.Body.Close()
	stop()
	require.NoError(t, <-ended)
}
