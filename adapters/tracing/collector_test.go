package tracing

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// peer is a collector that gives one answer after the other, the last one again and again.
type peer struct {
	answers []http.Response
	asked   []*http.Request
	batches []*coltrace.ExportTraceServiceRequest
	at      []time.Time
}

// RoundTrip implements http.RoundTripper.
func (p *peer) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		sent = unpacked
	}
	body, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	batch := &coltrace.ExportTraceServiceRequest{}
	if err := proto.Unmarshal(body, batch); err != nil {
		return nil, err
	}
	answer := p.answers[min(len(p.asked), len(p.answers)-1)]
	p.asked, p.batches, p.at = append(p.asked, r), append(p.batches, batch), append(p.at, time.Now())
	if answer.StatusCode == 0 {
		return nil, errors.New("no way to it")
	}
	if answer.Body == nil {
		answer.Body = io.NopCloser(strings.NewReader(""))
	}
	return &answer, nil
}

func to(t *testing.T, p *peer) *collector {
	t.Helper()
	c, err := newCollector(place{url: "http://collector:4318/v1/traces"})
	require.NoError(t, err)
	c.http.Transport = p
	return c
}

var spans = []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{
	Spans: []*tracepb.Span{{Name: "GET /", TraceId: []byte("0123456789abcdef")}}}}}}

func TestABatchIsSentAsCollectorsReadIt(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=general, x-team = a%20b ,")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=traces")
	p := &peer{answers: []http.Response{{StatusCode: 200}}}
	require.NoError(t, to(t, p).UploadTraces(t.Context(), spans))
	require.True(t, proto.Equal(&coltrace.ExportTraceServiceRequest{ResourceSpans: spans}, p.batches[0]))
	header := p.asked[0].Header
	require.Equal(t, []string{"application/x-protobuf", "traces", "a b"},
		[]string{header.Get("Content-Type"), header.Get("Api-Key"), header.Get("X-Team")})
	require.Equal(t, "POST http://collector:4318/v1/traces", p.asked[0].Method+" "+p.asked[0].URL.String())
}

func TestABusyCollectorGetsTheBatchAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answers: []http.Response{{StatusCode: 503}, {StatusCode: 429, Header: http.Header{"Retry-After": {"20"}}}, {StatusCode: 200}}}
		require.NoError(t, to(t, p).UploadTraces(t.Context(), spans))
		require.Len(t, p.batches, 3)
		require.GreaterOrEqual(t, p.at[2].Sub(p.at[1]), 20*time.Second, "when it asked for it")
	})
}

func TestPatienceWithACollectorEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &peer{answers: []http.Response{{StatusCode: 503}}}
		begin := time.Now()
		require.ErrorContains(t, to(t, p).UploadTraces(t.Context(), spans), "busy (status 503)")
		require.LessOrEqual(t, time.Since(begin), 2*patience)
		require.Greater(t, len(p.asked), 2)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Error(t, to(t, p).UploadTraces(ctx, spans))
		require.Error(t, ctx.Err(), "it waited no longer than it may")
	})
}

func TestWhatACollectorRefuses(t *testing.T) {
	partial, err := proto.Marshal(&coltrace.ExportTraceServiceResponse{
		PartialSuccess: &coltrace.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "secret"}})
	require.NoError(t, err)
	for says, answer := range map[string]http.Response{
		"status 400":            {StatusCode: 400, Body: io.NopCloser(strings.NewReader("secret"))},
		"status 302":            {StatusCode: 302, Header: http.Header{"Location": {"http://elsewhere/"}}},
		"no way to it":          {},
		"left out 3 spans":      {StatusCode: 200, Body: io.NopCloser(strings.NewReader(string(partial)))},
		"status 500":            {StatusCode: 500},
		"status 401":            {StatusCode: 401},
		"answered with status ": {StatusCode: 413},
	} {
		p := &peer{answers: []http.Response{answer}}
		err := to(t, p).UploadTraces(t.Context(), spans)
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "secret")
		require.Len(t, p.asked, 1)
	}
	for _, fine := range []string{"", "{}", "\x0a\x00", "\xff\xff", string(partial[:3])} { // OTLP's empty answer, and what is none
		require.NoError(t, refused([]byte(fine)), "%q", fine)
	}
}

func TestSettingsOfACollector(t *testing.T) {
	for _, wrong := range []string{"secret", "a b=secret", "a=%zzsecret", "a=secret%0a"} {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", wrong)
		_, err := newCollector(place{url: "http://collector:4318"})
		require.ErrorContains(t, err, "OTEL_EXPORTER_OTLP_HEADERS: wanted is name=value")
		require.NotContains(t, err.Error(), "secret")
	}
}
