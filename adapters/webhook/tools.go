package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
)

// Tools makes the requests of agents' tools, where the guard allows. It may be used by many
// goroutines.
//
// A write that must not be made twice has a connection of its own: on one that was used
// before, net/http itself repeats a request to which nothing came back, as soon as it has an
// Idempotency-Key.
type Tools struct {
	repeatable, once *http.Client
	guard            Guard
	now              func() time.Time
}

// longestTool is the most that a tool may take; the call's own timeout is mostly shorter.
const longestTool = time.Minute

// NewTools makes one with its own connections. Of the options Timeout counts for a call that
// has none.
func NewTools(o Options) *Tools {
	if o.Timeout <= 0 {
		o.Timeout = longestTool
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	single := o.transport()
	single.DisableKeepAlives = true
	return &Tools{repeatable: asking(outgoing.Tools, o.Guard.over(o.transport())), once: asking(outgoing.Tools, o.Guard.over(single)),
		guard: o.Guard, now: o.Now}
}

// Close drops idle connections.
func (t *Tools) Close() { t.repeatable.CloseIdleConnections() }

// ToolCall is one call of a tool.
type ToolCall struct {
	Request    dsl.Sent
	Timeout    time.Duration // of the whole call: tries, and pauses between them; 0: a minute
	Write      bool          // it may change something
	Idempotent bool          // a write that may be repeated with the same key
	Key        string        // the call's: Idempotency-Key of a write, unless the request has its own
	Retry      int           // how often it is tried again
	Backoff    time.Duration // the most before the first repeat; doubles
}

// Codes of calls that failed. One that was answered with a status from 400 on has
// HTTP_<status>.
const (
	ToolRedirect    = "REDIRECT"            // the answer leads elsewhere, and is not followed
	ToolTooLarge    = sessions.CodeTooLarge // more than 1 MiB, or 256 KiB as compact JSON
	ToolTimeout     = sessions.CodeTimeout
	ToolRefused     = "ADDRESS_REFUSED" // not a public address
	ToolUnreachable = "UNREACHABLE"     // no connection was made
	ToolNoAnswer    = "NO_ANSWER"       // the connection ended before the answer did, or it was no HTTP
	ToolNotJSON     = "NOT_JSON"
	ToolCancelled   = "CANCELLED" // by the caller
)

// Call makes the request, again where it failed for now and may be repeated.
func (t *Tools) Call(ctx context.Context, c ToolCall) tries.Ended {
	if c.Timeout <= 0 {
		c.Timeout = longestTool
	}
	rules := tries.Rules{Timeout: c.Timeout, Repeatable: c.repeatable(), Retry: c.Retry, Backoff: c.Backoff}
	return rules.Call(ctx, func(within context.Context) tries.Try {
		a := t.try(within, c)
		if a.lost() && errors.Is(ctx.Err(), context.Canceled) {
			a.code, a.passing = ToolCancelled, false
		}
		return tries.Try{Code: a.code, Problem: a.problem, Result: a.result, Status: a.status, Passing: a.passing, Doubtful: a.doubtful,
			Done: a.done, After: a.retryAfter}
	})
}

func (c ToolCall) repeatable() bool { return !c.Write || c.Idempotent }

// attempt is what came of one try.
type attempt struct {
	code       string // empty: it succeeded
	problem    string // what there is to say beside it
	result     json.RawMessage
	status     int
	passing    bool          // it is worth another try
	doubtful   bool          // the other side may have done what was asked
	done       bool          // it says that it has: only its answer is of no use
	retryAfter time.Duration // asked for by the other side
}

// lost says that there was no whole answer.
func (a attempt) lost() bool {
	return a.code == ToolUnreachable || a.code == ToolTimeout || a.code == ToolNoAnswer
}

func (t *Tools) try(ctx context.Context, c ToolCall) attempt {
	req, code := t.request(ctx, c)
	if code != "" {
		return attempt{code: code}
	}
	var connected atomic.Bool // from here on the other side may have it
	req = req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }}))
	client := t.repeatable
	if !c.repeatable() {
		client = t.once
	}
	res, err := client.Do(req)
	if err != nil {
		return failure(err, connected.Load())
	}
	defer res.Body.Close()
	return t.judge(res, c.Request.Method)
}

func (t *Tools) request(ctx context.Context, c ToolCall) (*http.Request, string) {
	req, err := http.NewRequestWithContext(ctx, c.Request.Method, c.Request.URL, bytes.NewReader(c.Request.Body))
	if err != nil {
		return nil, dsl.CodeRequest
	}
	where := url.URL{Scheme: req.URL.Scheme, User: req.URL.User, Host: req.URL.Host, Path: "/"}
	if t.guard.CheckURL(where.String()) != nil {
		return nil, ToolRefused
	}
	req.Header.Set("User-Agent", "Parley-Tool/1")
	req.Header.Set("Accept", "application/json")
	if c.Write && c.Key != "" {
		req.Header.Set("Idempotency-Key", c.Key)
	}
	for name, value := range c.Request.Headers {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, dsl.CodeRequest
		}
		req.Header.Set(name, value)
	}
	return req, ""
}

// failure is a try without an answer.
func failure(err error, connected bool) attempt {
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, ErrRefusedAddress):
		return attempt{code: ToolRefused}
	case !connected:
		why := NeverConnects(err)
		return attempt{code: ToolUnreachable, problem: why, passing: why == ""}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return attempt{code: ToolTimeout, doubtful: true}
	}
	return attempt{code: ToolNoAnswer, doubtful: true, passing: true}
}

// StatusCode is the code of a call that was refused with a status, and whether that is for now.
func StatusCode(status int) (code string, passing bool) {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		passing = true
	}
	return "HTTP_" + strconv.Itoa(status), passing
}

// judge says what an answer means.
func (t *Tools) judge(res *http.Response, method string) attempt {
	a := attempt{status: res.StatusCode}
	switch {
	case res.StatusCode/100 == 3:
		a.code = ToolRedirect
	case res.StatusCode/100 != 2:
		if a.code, a.passing = StatusCode(res.StatusCode); a.passing {
			a.retryAfter = RetryAfter(res.Header.Get("Retry-After"), t.now())
		}
	case method == http.MethodHead || res.StatusCode == http.StatusNoContent:
		a.result = json.RawMessage("null")
	default:
		return a.read(res)
	}
	return a
}
