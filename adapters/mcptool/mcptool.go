// Package mcptool calls tools of servers of the Model Context Protocol, over streamable HTTP, with
// the protocol's own SDK.
//
// It keeps one session with each server that is asked, for as long as it is likely to be asked
// again. It has what the SDK leaves open: where requests may lead, how much of an answer is read,
// what an answer means for the call, and whether it may be made again.
package mcptool

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/sessions"
)

// Options of a Caller.
type Options struct {
	Guard webhook.Guard
	Idle  time.Duration // after which a session that nobody uses ends; 0: five minutes
	Now   func() time.Time
}

// Caller calls tools. It may be used by many goroutines.
type Caller struct {
	o      Options
	client *mcp.Client
	http   *http.Client
	kept   kept
}

// New makes one that has no session yet.
func New(o Options) *Caller {
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Caller{o: o, http: &http.Client{Transport: watching(o.Guard), CheckRedirect: stay, Timeout: longest},
		client: mcp.NewClient(&mcp.Implementation{Name: "parley", Version: "1"}, &mcp.ClientOptions{
			Logger:       slog.New(slog.DiscardHandler), // what goes wrong is the outcome of a call
			Capabilities: &mcp.ClientCapabilities{}, MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true}})}
}

// longest is how long any request may take; the time of a call is mostly shorter.
const longest = 65 * time.Second

// Call is one call of a tool.
type Call struct {
	Owner      string // sessions are shared among calls with the same one only
	Account    string // whose sessions make room for each other
	URL        string
	Headers    map[string]string // with their secrets
	Tool       string            // its name at the server
	Arguments  any
	Timeout    time.Duration // of the whole call, with tries and pauses
	Repeatable bool
	Retry      int
	Backoff    time.Duration
}

// Codes of calls that failed, beside those of requests.
const (
	CodeTool        = "TOOL_ERROR"   // the tool says that it failed; what it says is the problem
	CodeUnknownTool = "UNKNOWN_TOOL" // the server has no such tool (any more)
	CodeServer      = "MCP_ERROR"    // the server refuses the call; what it says is the problem
	CodeNeedsInput  = "INPUT_WANTED" // the tool wants to ask somebody something
	CodeNotJSON     = webhook.ToolNotJSON
	codeArguments   = "ARGUMENTS"
)

// Do makes a call, again where it failed for now and may be repeated.
func (c *Caller) Do(ctx context.Context, call Call) tries.Ended {
	if call.Timeout <= 0 {
		call.Timeout = longest
	}
	rules := tries.Rules{Timeout: call.Timeout, Repeatable: call.Repeatable, Retry: call.Retry, Backoff: call.Backoff}
	return rules.Call(ctx, func(ctx context.Context) tries.Try { return c.try(ctx, call) })
}

func (c *Caller) try(ctx context.Context, call Call) tries.Try {
	if c.o.Guard.CheckURL(call.URL) != nil {
		return tries.Try{Code: webhook.ToolRefused}
	}
	for again := range mostSessionsTried {
		session, failed := c.session(ctx, call)
		if failed != nil {
			return *failed
		}
		seen := &request{}
		result, err := session.CallTool(seen.in(ctx), &mcp.CallToolParams{Name: call.Tool, Arguments: call.Arguments})
		if err == nil {
			return c.judged(ctx, session, call, outcome(result))
		}
		answer := (*jsonrpc.Error)(nil)
		if errors.As(err, &answer) && seen.answered(answer) {
			return c.refused(ctx, session, call, answer)
		}
		c.kept.drop(keyOf(call), session)
		if forgotten(err) && again == 0 || seen.left(err) {
			continue // that session did nothing
		}
		t := seen.failure(ctx, err)
		t.Doubtful = t.Doubtful && !forgotten(err)
		return t
	}
	return tries.Try{Code: webhook.ToolNoAnswer, Passing: true}
}

// mostSessionsTried is in how many sessions a call is tried before anything of it was sent: the server forgets one once, and calls
// that fail beside this one may end each.
const mostSessionsTried = 5

// forgotten is a session that the server does not know, or that ended before the request left.
func forgotten(err error) bool { return errors.Is(err, mcp.ErrSessionMissing) }

// judged is an outcome as it is told. Some servers say that there is no such tool as if the tool had
// failed: their list of tools tells them apart.
func (c *Caller) judged(ctx context.Context, session *mcp.ClientSession, call Call, t tries.Try) tries.Try {
	if t.Code == CodeTool && lacks(ctx, session, call.Tool) {
		t.Code = CodeUnknownTool
	}
	return t
}

// lacks is whether the list of a server's tools has not this one (any more).
func lacks(ctx context.Context, session *mcp.ClientSession, name string) bool {
	for tool, err := range session.Tools(ctx, nil) {
		if err != nil || tool.Name == name {
			return false
		}
	}
	return true
}

// refused is what it means that the server answered with an error. That there is no such tool is
// said with the same code as that its arguments do not fit.
func (c *Caller) refused(ctx context.Context, session *mcp.ClientSession, call Call, answer *jsonrpc.Error) tries.Try {
	t := tries.Try{Code: CodeServer, Problem: tries.Problem(answer.Message), Status: http.StatusOK}
	switch answer.Code {
	case jsonrpc.CodeMethodNotFound:
		t.Code = CodeUnknownTool
	case jsonrpc.CodeInvalidParams:
		if t.Code = codeArguments; lacks(ctx, session, call.Tool) {
			t.Code = CodeUnknownTool
		}
	}
	return t
}

// request is what is seen of a request, by whoever carries it.
type request struct {
	connected atomic.Bool  // from here on the server may have it
	status    atomic.Int64 // of its answer; 0: there was none
	large     atomic.Bool  // the answer was longer than anybody reads
	cut       atomic.Bool  // the answer ended before it was whole
	after     atomic.Int64 // the pause that it asks for
}

type requestKey struct{}

func (r *request) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// answered is whether an error came from the server, and is not one of the SDK's own.
func (r *request) answered(e *jsonrpc.Error) bool {
	status := r.status.Load()
	return status == http.StatusOK || status >= 400 && (e.Code == jsonrpc.CodeMethodNotFound || e.Code == jsonrpc.CodeInvalidParams)
}

// left is a session that ended on this side, with a call beside this one that failed, before this request was sent.
func (r *request) left(err error) bool {
	return errors.Is(err, mcp.ErrConnectionClosed) && !r.connected.Load()
}

// failure is a request without an answer that the protocol knows.
func (r *request) failure(ctx context.Context, err error) tries.Try {
	t := tries.Try{Status: int(r.status.Load())}
	switch {
	case r.large.Load():
		t.Code, t.Done = sessions.CodeTooLarge, true
	case t.Status/100 == 3:
		t.Code = webhook.ToolRedirect
	case t.Status >= 400:
		t.Code, t.Passing = webhook.StatusCode(t.Status)
		t.After = time.Duration(r.after.Load())
	case errors.Is(err, webhook.ErrRefusedAddress):
		t.Code = webhook.ToolRefused
	case errors.Is(context.Cause(ctx), context.Canceled):
		t.Code, t.Doubtful = webhook.ToolCancelled, r.connected.Load()
	case !r.connected.Load():
		t.Code, t.Problem = webhook.ToolUnreachable, webhook.NeverConnects(err)
		t.Passing = t.Problem == ""
	case ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		t.Code, t.Doubtful = sessions.CodeTimeout, true
	case t.Status == 0 || r.cut.Load():
		t.Code, t.Doubtful, t.Passing = webhook.ToolNoAnswer, true, true
	default: // what came was an answer, and none of the protocol
		t.Code, t.Doubtful = CodeServer, true
	}
	return t
}

// outcome is what a tool answered.
func outcome(r *mcp.CallToolResult) tries.Try {
	t := tries.Try{Status: http.StatusOK}
	switch {
	case r.NeedsInput():
		t.Code = CodeNeedsInput
	case r.IsError:
		text, _ := textOf(r.Content)
		t.Code, t.Problem = CodeTool, tries.Problem(text)
	default:
		if t.Result, t.Code = resultOf(r); t.Code == "" && len(t.Result) > sessions.LargestResult {
			t.Result, t.Code = nil, sessions.CodeTooLarge
		}
		t.Done = t.Code != ""
	}
	return t
}
