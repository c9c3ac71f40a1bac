// Package openai is the part of OpenAI's HTTP API that Parley uses: one request for a
// chat completion, whole or as a stream, one for a transcription, and what their errors mean to those who
// asked.
//
// It owns the wire format and no prompt and no question. It never repeats a request,
// never follows a redirect, and never shows what OpenAI wrote: its messages may quote
// keys and what people said.
package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
)

// Provider is the name that results show.
const Provider = "openai"

// DefaultURL is OpenAI's own.
const DefaultURL = "https://api.openai.com/v1/"

// Config is how OpenAI, or a server that speaks its protocol, is reached.
type Config struct {
	APIKey       string
	BaseURL      string // with the version: https://host/v1; empty: DefaultURL
	Organization string // that is charged; empty: the key's own
	Project      string // the same

	Transport http.RoundTripper // of requests; nil: the process's own

	FirstByte time.Duration // how long a stream may take to begin; 0: 30 s
	Silence   time.Duration // how long one may say nothing; 0: 60 s
}

// Client sends each request once. It is safe for concurrent use. Callers say by their
// contexts how long they wait.
type Client struct {
	base   *url.URL
	header http.Header // of every request
	http   *http.Client

	firstByte, silence time.Duration
}

// mostAnswer bounds an answer, in bytes once it is unpacked. What is said in the longest
// recording that OpenAI takes is far less.
const mostAnswer = 4 << 20

// NewClient checks the settings; it asks nobody.
func NewClient(c Config) (*Client, error) {
	if c.APIKey == "" {
		return nil, errors.New("openai: an API key is needed")
	}
	header := http.Header{"Accept": {"application/json"}, "User-Agent": {"parley"}}
	for _, h := range []struct{ name, value, what string }{
		{"Authorization", "Bearer " + c.APIKey, "API key"},
		{"OpenAI-Organization", c.Organization, "organization"},
		{"OpenAI-Project", c.Project, "project"},
	} {
		if strings.ContainsFunc(h.value, func(r rune) bool { return r < ' ' || r > '~' }) {
			return nil, fmt.Errorf("openai: the %s holds a character that no header may hold, such as the end of a line", h.what)
		}
		if h.value != "" {
			header.Set(h.name, h.value)
		}
	}
	if c.BaseURL == "" {
		c.BaseURL = DefaultURL
	}
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil {
		return nil, errors.New("openai: the base URL must be an absolute http or https URL without a user")
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, header: header, http: &http.Client{Transport: outgoing.To(outgoing.Model, c.Transport), CheckRedirect: stay},
		firstByte: cmp.Or(c.FirstByte, 30*time.Second), silence: cmp.Or(c.Silence, time.Minute)}, nil
}

// post sends one body and reads the answer into a struct. Its error is an *Error when
// OpenAI said no; else nobody knows whether OpenAI did what was asked.
func (c *Client) post(ctx context.Context, path, contentType string, body io.Reader, answer any) error {
	res, err := c.send(ctx, path, contentType, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(res.Body, mostAnswer+1))
	switch {
	case res.StatusCode/100 != 2: // its body says more, or is none
		return errorOf(res, content)
	case err != nil:
		return fmt.Errorf("reading OpenAI's answer: %w", err)
	case len(content) > mostAnswer:
		return fmt.Errorf("OpenAI's answer has more than %d bytes", mostAnswer)
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("OpenAI's answer cannot be read: %w", unquoted(err))
	}
	return nil
}

func (c *Client) send(ctx context.Context, path, contentType string, body io.Reader) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath(path).String(), body)
	if err != nil {
		return nil, fmt.Errorf("making a request to OpenAI: %w", err)
	}
	req.Header = c.header.Clone()
	req.Header.Set("Content-Type", contentType)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking OpenAI: %w", withoutURL(err))
	}
	return res, nil
}

// withoutURL is an error of net/http without the address, whose query may hold a secret.
func withoutURL(err error) error {
	var named *url.Error
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// unquoted is an error of encoding/json without the value that it may quote.
func unquoted(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return fmt.Errorf("%s is of another type", wrong.Field)
	}
	return errors.New("it is not JSON")
}
