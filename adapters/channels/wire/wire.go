// Package wire is one request to a provider of a channel: what all adapters do alike.
//
// It owns that a request is made once, that no redirect carries credentials away, how much
// of an answer is read, whether the provider may have read a request that it did not
// answer, and from where files come. What an answer means is its adapter's. It never logs.
package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

const (
	patience   = 10 * time.Second // for one answer
	mostAnswer = 1 << 20          // bytes of one that are read
)

// Provider is where one is, and what people call it.
type Provider struct {
	name, base string
	client     *http.Client
	public     *http.Client // for addresses of files
}

// At is the provider of a name at a base URL; where that is empty, at its own address.
func At(name, base, own string) (*Provider, error) {
	if base == "" {
		base = own
	}
	p, err := at(name, base, anywhere)
	if err == nil {
		p.public = publicly()
	}
	return p, err
}

// AtAccounts is the provider of a name where an account says that its own is: at public addresses
// only.
func AtAccounts(name, base string) (*Provider, error) { return at(name, base, public) }

var (
	anywhere = outgoing.To(outgoing.Messages, nil)
	public   = outgoing.To(outgoing.Messages, webhook.Guard{}.Transport())
)

func at(name, base string, by http.RoundTripper) (*Provider, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Host == "" || parsed.Scheme != "https" && parsed.Scheme != "http" || parsed.User != nil {
		return nil, errors.New("the base URL of " + name + " must be an absolute http or https URL without a user")
	}
	return &Provider{name: name, base: strings.TrimRight(base, "/"), client: &http.Client{Transport: by, CheckRedirect: stay}}, nil
}

// stay follows no redirect.
func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// ByURL is a provider that callers name by the address of each request, over a transport that goes
// only where callers may lead.
func ByURL(name string, over http.RoundTripper) *Provider {
	return &Provider{name: name, client: &http.Client{Transport: outgoing.To(outgoing.Webhooks, over), CheckRedirect: stay}}
}

// Request is one of the provider's, by a path that begins with a slash; of one that is ByURL by a URL.
func (p *Provider) Request(method, path, contentType, body string) (*http.Request, error) {
	req, err := http.NewRequest(method, p.base+path, strings.NewReader(body))
	if err != nil {
		return nil, errors.New("the request to " + p.name + " cannot be made") // the error would name the URL
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "parley")
	return req, nil
}

// Unfit is the outcome of a message for which nobody is asked: its text is beyond the limits, or
// the connection lacks what lacking says. false: it may be sent.
func Unfit(l channels.Limits, text string, lacking error) (out channels.Outcome, unfit bool) {
	if problem := l.Problem(text); problem != "" {
		return channels.Outcome{Status: channels.Refused, Code: "TEXT_TOO_LONG", Reason: "the text " + problem}, true
	}
	return Lacks(lacking)
}

// Lacks is the outcome where nobody is asked because the connection lacks what lacking says. false: it
// lacks nothing.
func Lacks(lacking error) (out channels.Outcome, is bool) {
	if lacking == nil {
		return out, false
	}
	return channels.Outcome{Status: channels.NotTaken, Code: "CREDENTIALS", Reason: lacking.Error(), Denied: true}, true
}

// Denied is the outcome where a provider does not accept the credentials of a connection: another try is
// worth it once they are others, and the connection shows what is wrong with it meanwhile.
func Denied(code, provider string) channels.Outcome {
	return channels.Outcome{Status: channels.NotTaken, Code: code, Reason: provider + " does not accept the credentials", Denied: true}
}

// Answer is what a provider answered. A body that was cut is none.
type Answer struct {
	Status     int
	Header     http.Header
	Body       []byte
	RetryAfter time.Duration // zero: it did not say
}

// Ask makes the request once. Without an answer it is not ok, and the outcome says whether
// the provider may have read something.
func (p *Provider) Ask(ctx context.Context, req *http.Request) (a Answer, none channels.Outcome, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var connected atomic.Bool // from here on it may have
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	res, err := p.client.Do(req.WithContext(traced))
	switch {
	case err != nil && connected.Load():
		return a, channels.Outcome{Reason: p.name + " did not answer"}, false
	case err != nil:
		return a, channels.Outcome{Status: channels.NotTaken, Code: "UNREACHABLE", Reason: p.name + " cannot be reached"}, false
	}
	defer func() { _ = res.Body.Close() }()
	a = Answer{Status: res.StatusCode, Header: res.Header, RetryAfter: webhook.RetryAfter(res.Header.Get("Retry-After"), time.Now())}
	if body, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer)); err == nil {
		a.Body = body
	}
	return a, none, true
}
