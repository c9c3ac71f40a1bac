package wire

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/channels"
)

// mostHops is how often an answer may lead to another address.
const mostHops = 3

// Anywhere of Place.Beyond is every public address.
const Anywhere = "*"

// Place is where a provider keeps files, and who asks for them. Hosts are named "files.example.com",
// or ".example.com" for all below it; the one that the provider is asked at need not be named.
type Place struct {
	Hosts  []string            // that are shown the credentials
	Beyond []string            // that are not: where answers lead, or what people give addresses of
	Login  func(*http.Request) // adds the credentials; no answer leads them elsewhere
}

// publicly asks at addresses that came from outside: never one that leads inward, whatever its name
// stands for.
func publicly() *http.Client {
	return &http.Client{Transport: outgoing.To(outgoing.Messages, webhook.Guard{}.Transport()), CheckRedirect: stay}
}

// URL is an address of the provider, by a path that begins with a slash.
func (p *Provider) URL(path string) string { return p.base + path }

// File gets what a person sent, with one request and what it leads to. The error is a
// channels.Unfetched; it never shows the address, which often is a secret. How long it may take is
// ctx's to say, and how much of the body is read is the caller's.
func (p *Provider) File(ctx context.Context, f channels.File, from Place) (channels.Fetched, error) {
	login, address := from.Login, f.URL
	for range mostHops + 1 {
		to, client, named, err := p.lies(address, from)
		if err != nil {
			return channels.Fetched{}, err
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
		if err != nil {
			return channels.Fetched{}, elsewhere()
		}
		req.Header.Set("User-Agent", "parley")
		if login != nil && named {
			login(req)
		}
		res, err := client.Do(req)
		if err != nil {
			return channels.Fetched{}, p.silence(err)
		}
		if next := res.Header.Get("Location"); res.StatusCode/100 == 3 && next != "" {
			_ = res.Body.Close()
			led, err := to.Parse(next)
			if err != nil {
				return channels.Fetched{}, elsewhere()
			}
			login, address = nil, led.String()
			continue
		}
		if err := p.refusal(res, f); err != nil {
			_ = res.Body.Close()
			return channels.Fetched{}, err
		}
		return channels.Fetched{Body: cut{res.Body, p}, Name: nameOf(res),
			ContentType: cmp.Or(res.Header.Get("Content-Type"), f.ContentType)}, nil
	}
	return channels.Fetched{}, &channels.Unfetched{Code: channels.FileRefused, Reason: "the file is led on too often"}
}

// FromAnywhere gets a file whose address somebody gave, from public addresses only, and shows no credentials
// there. of is what people call whoever gave it.
func FromAnywhere(of string) func(context.Context, channels.File) (channels.Fetched, error) {
	p := &Provider{name: of, public: publicly()}
	return func(ctx context.Context, f channels.File) (channels.Fetched, error) {
		return p.File(ctx, f, Place{Beyond: []string{Anywhere}})
	}
}

// lies judges an address, and says who asks there: named is whether the credentials are for it.
func (p *Provider) lies(address string, from Place) (to *url.URL, client *http.Client, named bool, err error) {
	to, err = url.Parse(address)
	if err != nil || to.Host == "" || to.User != nil {
		return nil, nil, false, elsewhere()
	}
	to.Fragment = ""
	if base, err := url.Parse(p.base); err == nil && to.Scheme == base.Scheme && to.Host == base.Host {
		return to, p.client, true, nil
	}
	if to.Scheme != "https" || (webhook.Guard{}).CheckURL(address) != nil {
		return nil, nil, false, elsewhere()
	}
	host := strings.ToLower(to.Hostname())
	if port := to.Port(); port != "" && port != "443" {
		host += ":" + port // of nobody that is named
	}
	named = among(from.Hosts, host)
	if !named && !among(from.Beyond, host) && !slices.Contains(from.Beyond, Anywhere) {
		return nil, nil, false, elsewhere()
	}
	return to, p.public, named, nil
}

func among(hosts []string, host string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool {
		return h == host || strings.HasPrefix(h, ".") && strings.HasSuffix(host, h)
	})
}

func elsewhere() error {
	return &channels.Unfetched{Code: channels.FileElsewhere, Reason: "the file is not where the provider keeps files"}
}

// silence is no answer.
func (p *Provider) silence(err error) error {
	if errors.Is(err, webhook.ErrRefusedAddress) {
		return elsewhere()
	}
	return &channels.Unfetched{Code: channels.FileAway, Reason: p.name + " does not answer", Again: true}
}

// refusal is what an answer says instead of giving the file.
func (p *Provider) refusal(res *http.Response, f channels.File) error {
	switch status := res.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &channels.Unfetched{Code: channels.FileDenied, Reason: p.name + " does not accept the credentials for the file"}
	case status == http.StatusNotFound, status == http.StatusGone:
		return &channels.Unfetched{Code: channels.FileGone, Reason: "the file is not there any more"}
	case status == http.StatusRequestEntityTooLarge:
		return &channels.Unfetched{Code: channels.FileTooLarge, Reason: "the file is too large for " + p.name}
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status/100 == 5:
		return &channels.Unfetched{Code: channels.FileAway, Reason: p.name + " does not give the file at the moment", Again: true,
			RetryAfter: webhook.RetryAfter(res.Header.Get("Retry-After"), time.Now())}
	case status != http.StatusOK:
		return &channels.Unfetched{Code: channels.FileRefused, Reason: p.name + " does not give the file"}
	}
	if isPage(res.Header.Get("Content-Type")) && !isPage(f.ContentType) {
		return &channels.Unfetched{Code: channels.FilePage, Reason: p.name + " gave a page instead of the file"}
	}
	return nil
}

func isPage(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "text/html" || media == "application/xhtml+xml"
}

// nameOf is how an answer calls the file that it is.
func nameOf(res *http.Response) string {
	_, params, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	return params["filename"]
}

// cut is a body that may end too early, and then says so without the address.
type cut struct {
	io.ReadCloser
	from *Provider
}

// Read implements io.Reader.
func (b cut) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.from.silence(err)
	}
	return n, err
}
