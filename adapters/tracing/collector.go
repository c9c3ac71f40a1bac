package tracing

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v4"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"golang.org/x/net/http/httpguts"
	"google.golang.org/protobuf/proto"
)

// collector takes batches of spans by OTLP over HTTP, in the form of protobuf.
type collector struct {
	url    string
	header http.Header
	packed bool // with gzip
	http   *http.Client
}

const (
	sendTimeout = 10 * time.Second // of one request
	firstPause  = 5 * time.Second
	mostPause   = 30 * time.Second
	patience    = time.Minute // with a collector that wants a batch later
	mostAnswer  = 64 << 10
)

// newCollector reads the headers that OpenTelemetry's environment variables ask for,
// such as the key of a service that takes traces.
func newCollector(at place) (*collector, error) {
	if err := spoken(); err != nil {
		return nil, err
	}
	within, err := timeout()
	if err != nil {
		return nil, err
	}
	packed, err := compressed()
	if err != nil {
		return nil, err
	}
	trust, err := certificates()
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		if err := readHeaders(header, os.Getenv(name)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	header.Set("Content-Type", "application/x-protobuf")
	header.Set("User-Agent", "parley")
	if packed {
		header.Set("Content-Encoding", "gzip")
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trust
	return &collector{at.url, header, packed, &http.Client{Timeout: within, CheckRedirect: stay, Transport: transport}}, nil
}

// pack cannot fail: it writes to memory.
func pack(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(body)
	_ = w.Close()
	return out.Bytes()
}

// certificates are whom the collector is believed to be, and who we are to it.
func certificates() (*tls.Config, error) {
	trust := &tls.Config{MinVersion: tls.VersionTLS12}
	if file, variable := otlp("CERTIFICATE"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", variable, err)
		}
		trust.RootCAs = x509.NewCertPool()
		if !trust.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s: %s holds no certificate in PEM", variable, file)
		}
	}
	own, variable := otlp("CLIENT_CERTIFICATE")
	key, _ := otlp("CLIENT_KEY")
	if own != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(own, key)
		if err != nil {
			return nil, fmt.Errorf("%s and its _CLIENT_KEY: %w", cmp.Or(variable, "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"), err)
		}
		trust.Certificates = []tls.Certificate{pair}
	}
	return trust, nil
}

// readHeaders takes name=value,name=value apart; values are escaped as in a URL.
func readHeaders(into http.Header, pairs string) error {
	for pair := range strings.SplitSeq(pairs, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, escaped, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		name = strings.TrimSpace(name)
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return errors.New("wanted is name=value,name=value with values escaped as in a URL")
		}
		into.Set(name, value)
	}
	return nil
}

// Start implements otlptrace.Client.
func (*collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client; what is under way ends with its context.
func (c *collector) Stop(context.Context) error { c.http.CloseIdleConnections(); return nil }

// UploadTraces implements otlptrace.Client: one batch, again while the collector says
// that it is busy.
func (c *collector) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans}) // the bytes of an ExportTraceServiceRequest
	if err != nil {
		return fmt.Errorf("encoding spans: %w", err)
	}
	if c.packed {
		body = pack(body)
	}
	pauses := backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(firstPause), backoff.WithMaxInterval(mostPause), backoff.WithMaxElapsedTime(patience))
	for {
		err := c.send(ctx, body)
		var busy *busyError
		if err == nil || !errors.As(err, &busy) {
			return err
		}
		pause := pauses.NextBackOff()
		if pause == backoff.Stop || busy.after > patience {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(pause, busy.after)):
		}
	}
}

// busyError is of a collector that wants the same batch later.
type busyError struct {
	status int
	after  time.Duration
}

func (e *busyError) Error() string { return fmt.Sprintf("the collector is busy (status %d)", e.status) }

// send makes one request. What the collector writes is not repeated, but for how many
// spans it refused.
func (c *collector) send(ctx context.Context, body []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("making a request to the collector: %w", err)
	}
	r.Header = c.header.Clone()
	res, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("sending spans: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer))
	switch {
	case res.StatusCode/100 == 2:
		return errors.Join(err, refused(content))
	case res.StatusCode == http.StatusTooManyRequests, res.StatusCode == http.StatusBadGateway,
		res.StatusCode == http.StatusServiceUnavailable, res.StatusCode == http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After"))
		return &busyError{res.StatusCode, time.Duration(min(max(seconds, 0), 3_600)) * time.Second}
	}
	return fmt.Errorf("the collector answered with status %d", res.StatusCode)
}
