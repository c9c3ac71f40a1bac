// Package webhook sends signed HTTP notices to addresses that callers named.
//
// It owns the signature, the guard against addresses inside our own network and
// the rules of one attempt: what counts as delivered, what may be tried again.
// It never tries again itself, never follows a redirect, never uses a proxy of
// the environment, and never logs: headers and secrets leave it on the wire only.
package webhook

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/domain/deliveries"
)

const (
	defaultTimeout  = 10 * time.Second
	maxAnswer       = 64 << 10 // bytes of the answer's body that are read, to be thrown away
	maxAnswerHeader = 64 << 10
	userAgent       = "Parley-Webhook/1"
)

// Options of a Client. The zero value is that of production.
type Options struct {
	Guard    Guard
	Timeout  time.Duration    // of a whole attempt, a slow body included; 0 is 10 s
	Now      func() time.Time // for signatures and Retry-After dates; nil is time.Now
	Resolver *net.Resolver    // nil is the machine's
	RootCAs  *x509.CertPool   // nil is the machine's

	peer string // that is asked; empty is outgoing.Webhooks
}

// Client makes single attempts. It may be used by many goroutines.
type Client struct {
	http    *http.Client
	guard   Guard
	timeout time.Duration
	now     func() time.Time
}

// New makes a client with its own connections.
func New(o Options) *Client {
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Client{http: asking(cmp.Or(o.peer, outgoing.Webhooks), o.transport()), guard: o.Guard, timeout: o.Timeout, now: o.Now}
}

// asking is a client that follows no redirect.
func asking(peer string, transport http.RoundTripper) *http.Client {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: outgoing.To(peer, transport), CheckRedirect: stay}
}

// transport connects where the guard allows, and nowhere else.
func (o Options) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: o.Timeout, KeepAlive: 30 * time.Second, Resolver: o.Resolver, Control: o.Guard.Control}
	return &http.Transport{
		Proxy:                  nil, // a proxy would connect where the guard forbids
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.Timeout,
		MaxResponseHeaderBytes: maxAnswerHeader,
		ReadBufferSize:         outgoing.Buffer,
		WriteBufferSize:        outgoing.Buffer,
		DisableCompression:     true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    outgoing.IdlePerHost,
		IdleConnTimeout:        30 * time.Second,
		// HTTP/1.1 only: after a timeout its connection is closed, while a dead
		// HTTP/2 connection would fail one attempt after the other.
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Send makes one attempt of at most the client's timeout.
func (c *Client) Send(ctx context.Context, r deliveries.Post) deliveries.Answer {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(ctx, r)
	if err != nil {
		return deliveries.Answer{Err: err}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return deliveries.Answer{Retryable: !errors.Is(err, ErrRefusedAddress), Err: c.plain(err)}
	}
	defer res.Body.Close()
	// The status is the answer, however the rest of it fares; reading some of the
	// rest lets the connection be used again. After 101 there is no rest: what
	// follows is a raw connection that no deadline ends.
	if res.StatusCode != http.StatusSwitchingProtocols {
		_, _ = io.CopyN(io.Discard, res.Body, maxAnswer)
	}
	return judge(res, c.now())
}

func (c *Client) request(ctx context.Context, r deliveries.Post) (*http.Request, error) {
	if err := c.guard.CheckURL(r.URL); err != nil {
		return nil, errors.New("the URL " + err.Error())
	}
	if err := CheckHeaders(r.Headers); err != nil {
		return nil, errors.New("a header cannot be sent")
	}
	if len(r.Secrets) == 0 || slices.ContainsFunc(r.Secrets, func(s []byte) bool { return len(s) == 0 }) {
		return nil, errors.New("there is no webhook secret to sign with")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, errors.New("the URL cannot be requested")
	}
	req.Header.Set("User-Agent", userAgent)
	addHeaders(req.Header, r.Headers)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(DeliveryHeader, r.DeliveryID)
	req.Header.Set(AttemptHeader, strconv.Itoa(r.Attempt))
	// Spelled as it is documented: Set would send Savg-Signature, which receivers that compare letters miss.
	req.Header[SignatureHeader] = []string{SignAll(r.Secrets, c.now(), r.Body)}
	return req, nil
}
