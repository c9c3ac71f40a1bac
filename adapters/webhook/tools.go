package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/parley-platform/parley/adapters/outgoing"
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
	return &Tools{repeatable: asking(outgoing.Tools, o.transport()), once: asking(outgoing.Tools, single), guard: o.Guard, now: o.Now}
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
	ToolDoubt       = sessions.CodeUnknown
	ToolCancelled   = "CANCELLED" // by the caller
)

// ToolResult is what came of a call. It holds nothing of the request.
type ToolResult struct {
	Outcome  sessions.CallOutcome // unknown: only of a write that is not idempotent, which may have been done
	Code     string               // empty: it succeeded
	Result   json.RawMessage      // compact JSON, if it succeeded
	Status   int                  // of the last answer; 0: there was none
	Tries    int
	Duration time.Duration
}

// Call makes the request, again where it failed for now and may be repeated.
func (t *Tools) Call(ctx context.Context, c ToolCall) ToolResult {
	began := time.Now()
	if c.Timeout <= 0 {
		c.Timeout = longestTool
	}
	within, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	out := ToolResult{}
	for pause := c.Backoff; ; pause *= 2 {
		a := t.try(within, c)
		if a.lost() && errors.Is(ctx.Err(), context.Canceled) {
			a.code, a.passing = ToolCancelled, false
		}
		out.Tries++
		out.Outcome, out.Code, out.Result, out.Status = sessions.CallOK, a.code, a.result, a.status
		switch {
		case a.code == "":
		case a.doubtful && !c.repeatable():
			out.Outcome, out.Code = sessions.CallUnknown, ToolDoubt
		default:
			out.Outcome = sessions.CallFailed
		}
		if a.code == "" || !a.passing || !c.repeatable() || out.Tries > c.Retry || !wait(within, a.pause(pause)) {
			out.Duration = time.Since(began)
			return out
		}
	}
}

func (c ToolCall) repeatable() bool { return !c.Write || c.Idempotent }

// attempt is what came of one try.
type attempt struct {
	code       string // empty: it succeeded
	result     json.RawMessage
	status     int
	passing    bool          // it is worth another try
	doubtful   bool          // the other side may have done what was asked
	retryAfter time.Duration // asked for by the other side
}

// lost says that there was no whole answer.
func (a attempt) lost() bool {
	return a.code == ToolUnreachable || a.code == ToolTimeout || a.code == ToolNoAnswer
}

// pause is how long to wait for the next try: as the other side says, else at random, so
// that those who failed together do not come again together.
func (a attempt) pause(most time.Duration) time.Duration {
	if a.retryAfter > 0 {
		return a.retryAfter
	}
	return rand.N(max(most, 1))
}

// wait reports whether time is left for another try after a pause; it does not begin a pause
// that would not end in time.
func wait(ctx context.Context, pause time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= pause {
		return false
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
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
		return attempt{code: ToolUnreachable, passing: true}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return attempt{code: ToolTimeout, doubtful: true}
	}
	return attempt{code: ToolNoAnswer, doubtful: true, passing: true}
}

// judge says what an answer means.
func (t *Tools) judge(res *http.Response, method string) attempt {
	a := attempt{status: res.StatusCode}
	switch {
	case res.StatusCode/100 == 3:
		a.code = ToolRedirect
	case res.StatusCode/100 != 2:
		a.code = "HTTP_" + strconv.Itoa(res.StatusCode)
		switch res.StatusCode {
		case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
			http.StatusGatewayTimeout:
			a.passing = true
			a.retryAfter = RetryAfter(res.Header.Get("Retry-After"), t.now())
		}
	case method == http.MethodHead || res.StatusCode == http.StatusNoContent:
		a.result = json.RawMessage("null")
	default:
		return a.read(res)
	}
	return a
}
