package mcptool

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/webhook"
)

// mostAnswer is how many bytes of one answer are read.
const mostAnswer = 1 << 20

// watched carries requests where the guard allows, and tells the call what it saw.
type watched struct {
	next http.RoundTripper
	now  func() time.Time
}

func watching(guard webhook.Guard) http.RoundTripper {
	return watched{outgoing.To(outgoing.Tools, guard.Transport()), time.Now}
}

var errTooLarge = errors.New("the answer is larger than anybody reads")

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	seen, _ := r.Context().Value(requestKey{}).(*request)
	if seen == nil {
		seen = &request{}
	}
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { seen.connected.Store(true) }}))
	res, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	seen.status.Store(int64(res.StatusCode))
	seen.after.Store(int64(webhook.RetryAfter(res.Header.Get("Retry-After"), w.now())))
	res.Body = &bounded{ReadCloser: res.Body, seen: seen, left: mostAnswer}
	return res, nil
}

// CloseIdleConnections lets go of what is not used.
func (w watched) CloseIdleConnections() {
	(&http.Client{Transport: w.next}).CloseIdleConnections()
}

// bounded is the body of an answer, as far as it is read.
type bounded struct {
	io.ReadCloser
	seen *request
	left int
}

// Read fails behind the bound.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.seen.large.Store(true)
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	if err != nil && !errors.Is(err, io.EOF) { // the SDK hides it behind words of its own
		b.seen.cut.Store(true)
	}
	return n, err
}

// with is a client whose requests have headers more.
func (c *Caller) with(headers map[string]string) *http.Client {
	client := *c.http
	client.Transport = headed{c.http.Transport, headers}
	return &client
}

type headed struct {
	next    http.RoundTripper
	headers map[string]string
}

// RoundTrip implements http.RoundTripper.
func (h headed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", "Parley-Tool/1")
	for name, value := range h.headers {
		r.Header.Set(name, value)
	}
	return h.next.RoundTrip(r)
}
