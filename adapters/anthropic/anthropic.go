// Package anthropic is the part of Anthropic's Messages API that Parley uses: one request
// for an answer as a stream, and what its errors mean to those who asked.
//
// It owns the wire format and no prompt and no question. It never repeats a request, never
// follows a redirect, and never shows what Anthropic wrote.
package anthropic

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/sse"
)

// Provider is the name that results show.
const Provider = "anthropic"

// DefaultURL is Anthropic's own.
const DefaultURL = "https://api.anthropic.com"

const apiVersion = "2023-06-01"

// Config is how Anthropic, or a server that speaks its protocol, is reached.
type Config struct {
	APIKey    string
	BaseURL   string            // without the version: https://host; empty: DefaultURL
	Transport http.RoundTripper // of requests; nil: the process's own
	FirstByte time.Duration     // how long a stream may take to begin; 0: 30 s
	Silence   time.Duration     // how long one may say nothing; 0: 60 s
}

// Client sends each request once. It is safe for concurrent use.
type Client struct {
	base               *url.URL
	key                string
	http               *http.Client
	firstByte, silence time.Duration
}

// NewClient checks the settings; it asks nobody.
func NewClient(c Config) (*Client, error) {
	if c.APIKey == "" {
		return nil, errors.New("anthropic: an API key is needed")
	}
	if strings.ContainsFunc(c.APIKey, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("anthropic: the API key holds a character that no header may hold, such as the end of a line")
	}
	base, err := url.Parse(cmp.Or(c.BaseURL, DefaultURL))
	if err != nil || base.Host == "" || base.Scheme != "https" && base.Scheme != "http" || base.User != nil {
		return nil, errors.New("anthropic: the base URL must be an absolute http or https URL without a user")
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: base, key: c.APIKey, http: &http.Client{Transport: outgoing.To(outgoing.Model, c.Transport), CheckRedirect: stay},
		firstByte: cmp.Or(c.FirstByte, 30*time.Second), silence: cmp.Or(c.Silence, time.Minute)}, nil
}

// Error is Anthropic's no. Its text shows the status and the kind of error only.
type Error struct {
	Status     int
	Type       string // such as overloaded_error; may be empty
	RetryAfter time.Duration
}

var word = regexp.MustCompile(`^[a-z][a-z_]{0,63}$`)

// Error has no word of Anthropic's message.
func (e *Error) Error() string {
	said := fmt.Sprintf("Anthropic answered with status %d", e.Status)
	if word.MatchString(e.Type) {
		said += ", type " + e.Type
	}
	return said
}

// Answered is the status of the no, and how long Anthropic asks to wait; 0: it does not say.
func (e *Error) Answered() (status int, wait time.Duration) { return e.Status, e.RetryAfter }

// ErrCutOff says that a stream ended before it said so.
var ErrCutOff = errors.New("the stream of Anthropic was cut off")

// Stream asks for an answer and gives its events as they come. It returns nil when the
// stream was whole, the error of each, or what went wrong.
func (c *Client) Stream(ctx context.Context, r Request, each func(Event) error) error {
	r.Stream = true
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encoding messages: %w", err)
	}
	ctx, patience, stop := sse.Wait(ctx, c.firstByte, c.silence)
	defer stop()
	err = c.stream(ctx, patience, body, each)
	if err != nil && errors.Is(context.Cause(ctx), sse.ErrSilent) {
		return fmt.Errorf("asking Anthropic: %w", sse.ErrSilent)
	}
	return err
}

const mostError = 64 << 10 // bytes of the body of a no

func (c *Client) stream(ctx context.Context, patience *sse.Patience, body []byte, each func(Event) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base.JoinPath("v1/messages").String(), bytes.NewReader(body))
	if err != nil {
		return errors.New("making a request to Anthropic")
	}
	req.Header = http.Header{"Accept": {"text/event-stream"}, "User-Agent": {"parley"}, "Content-Type": {"application/json"},
		"X-Api-Key": {c.key}, "Anthropic-Version": {apiVersion}}
	res, err := c.http.Do(req)
	if err != nil {
		var named *url.Error
		if errors.As(err, &named) { // without the address, whose query may hold a secret
			err = named.Err
		}
		return fmt.Errorf("asking Anthropic: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		content, _ := io.ReadAll(io.LimitReader(res.Body, mostError))
		return errorOf(res.StatusCode, content, res.Header.Get("Retry-After"))
	}
	stopped := false
	err = sse.Read(patience.Of(res.Body), func(_ string, data []byte) error {
		var e Event
		if err := json.Unmarshal(data, &e); err != nil {
			return errors.New("the stream of Anthropic cannot be read")
		}
		switch e.Type {
		case "error":
			return errorOf(http.StatusBadGateway, data, "")
		case "message_stop":
			stopped = true
			return io.EOF
		}
		return each(e)
	})
	switch {
	case stopped:
		sse.Finish(res.Body)
		return nil
	case err == nil:
		return ErrCutOff
	}
	return err
}

func errorOf(status int, content []byte, retryAfter string) *Error {
	var body struct {
		Error struct {
			Type string `json:"type"`
		} `json:"error"`
	}
	_ = json.Unmarshal(content, &body) // what is readable of it
	e := &Error{Status: status, Type: body.Error.Type}
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(retryAfter), 64); err == nil && seconds > 0 {
		e.RetryAfter = time.Duration(min(seconds, 600) * float64(time.Second))
	}
	return e
}
