// Package a2atool asks agents of others, by the agent-to-agent protocol: it sends a message, waits for
// what comes of it, and says what that means for the call of a tool.
//
// It keeps nothing from one call to the next: in which context and task a conversation stands is said by
// whoever calls. It never follows where an answer leads.
package a2atool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/adapters/outgoing"
	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/a2a"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
)

// Caller asks them. It may be used by many goroutines.
type Caller struct {
	guard webhook.Guard
	http  *http.Client
	now   func() time.Time
}

// New makes one, whose requests lead where the guard allows.
func New(guard webhook.Guard) *Caller {
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	transport := guard.Transport()
	return &Caller{guard: guard, now: time.Now, http: &http.Client{Transport: outgoing.To(outgoing.Tools, transport), CheckRedirect: stay}}
}

// Close drops idle connections.
func (c *Caller) Close() { c.http.CloseIdleConnections() }

// Call is one message on its way.
type Call struct {
	URL        string
	Headers    map[string]string // with their secrets
	Version    a2a.Version
	Message    a2a.Message
	Seen       []string      // artifacts of the message's task that are known from before, by their ids
	Anew       bool          // where the message's task is no more, it begins another one in the same context
	Timeout    time.Duration // of the whole call, with tries, pauses and the waiting for the task
	Repeatable bool          // the other agent knows a message by its id
	Retry      int
	Backoff    time.Duration
}

// Codes of calls that failed, beside those of requests.
const (
	CodeRefused  = "AGENT_REFUSED"       // the agent answers with a fault of the protocol, which is the problem
	CodeAnswer   = "AGENT_ANSWER"        // what it answers is none of the protocol
	CodeFailed   = "AGENT_TASK_FAILED"   // what it says of that is the problem
	CodeRejected = "AGENT_TASK_REJECTED" // it did not begin
	CodeCanceled = "AGENT_TASK_CANCELED" // somebody there ended it
	CodeAuth     = "AGENT_AUTH_REQUIRED" // it wants to know more of who asks
)

// The pauses between two looks at a task that is worked on.
const (
	firstLook = 100 * time.Millisecond
	lastLook  = 2 * time.Second
	letGo     = 2 * time.Second // that telling the other side takes, that nobody waits any more
	mostRead  = 1 << 20
)

// Do makes a call, again where it failed for now and may be repeated.
func (c *Caller) Do(ctx context.Context, call Call) tries.Ended {
	rules := tries.Rules{Timeout: call.Timeout, Repeatable: call.Repeatable, Retry: call.Retry, Backoff: call.Backoff}
	return rules.Call(ctx, func(ctx context.Context) tries.Try { return c.try(ctx, call) })
}

func (c *Caller) try(ctx context.Context, call Call) tries.Try {
	if c.guard.CheckURL(call.URL) != nil {
		return tries.Try{Code: webhook.ToolRefused}
	}
	answer, failed := c.ask(ctx, call, a2a.SendMessage, call.Version.Send(call.Message))
	if failed != nil && call.Anew && c.over(ctx, call, answer, *failed) {
		call.Message.TaskID = ""
		answer, failed = c.ask(ctx, call, a2a.SendMessage, call.Version.Send(call.Message))
	}
	for pause := firstLook; failed == nil && answer.Task != nil && !answer.Task.Status.State.Pauses(); pause = min(pause*2, lastLook) {
		task := answer.Task.ID
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			c.cancel(ctx, call, task)
			return late(ctx)
		}
		var lost *tries.Try
		if answer, lost = c.about(ctx, call, a2a.GetTask, task); lost != nil {
			if ctx.Err() == nil && lost.Passing { // it is worked on all the same
				answer = a2a.Answered{Task: &a2a.Task{ID: task, Status: a2a.Status{State: a2a.Working}}}
				continue
			}
			c.cancel(ctx, call, task)
			lost.Doubtful = true
			return *lost
		}
	}
	if failed != nil {
		return *failed
	}
	return outcome(call, answer)
}

// over is whether a message was refused, and certainly not taken, because its task is no more: the other side
// has forgotten it, or it has ended there. By which code that is said differs, so the task is looked at.
func (c *Caller) over(ctx context.Context, call Call, answer a2a.Answered, failed tries.Try) bool {
	if call.Message.TaskID == "" || failed.Code != CodeRefused || failed.Doubtful {
		return false
	}
	if answer.Refused.Code == a2a.TaskNotFound {
		return true
	}
	task, lost := c.about(ctx, call, a2a.GetTask, call.Message.TaskID)
	if lost != nil {
		return task.Refused != nil && task.Refused.Code == a2a.TaskNotFound
	}
	return task.Task != nil && task.Task.Status.State.Terminal()
}

// late is a task that did not rest in time.
func late(ctx context.Context) tries.Try {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return tries.Try{Code: webhook.ToolCancelled, Doubtful: true}
	}
	return tries.Try{Code: sessions.CodeTimeout, Doubtful: true}
}

// cancel tells the other side that nobody waits any more; whether it hears that is its affair.
func (c *Caller) cancel(ctx context.Context, call Call, task string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), letGo)
	defer cancel()
	_, _ = c.about(ctx, call, a2a.CancelTask, task)
}

// about asks for something of a task; what is answered of another one is none.
func (c *Caller) about(ctx context.Context, call Call, m a2a.Method, task string) (out a2a.Answered, failed *tries.Try) {
	out, failed = c.ask(ctx, call, m, a2a.Named(task))
	if failed == nil && (out.Task == nil || out.Task.ID != task) {
		failed = &tries.Try{Code: CodeAnswer, Problem: "the answer is about another task", Status: http.StatusOK, Done: true}
	}
	return out, failed
}

// ask makes one request.
func (c *Caller) ask(ctx context.Context, call Call, m a2a.Method, params any) (out a2a.Answered, failed *tries.Try) {
	body, err := plainjson.Of(call.Version.Ask(call.Message.ID, m, params))
	if err != nil {
		return out, &tries.Try{Code: sessions.CodeDefect}
	}
	var connected atomic.Bool // from here on the other side may have it
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, call.URL, bytes.NewReader(body))
	if err != nil {
		return out, &tries.Try{Code: webhook.ToolRefused}
	}
	for name, value := range call.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "Parley-Tool/1")
	if call.Version == a2a.V1 {
		req.Header.Set(a2a.VersionHeader, string(a2a.V1))
	}
	res, err := c.http.Do(req)
	if err != nil {
		return out, noAnswer(ctx, err, connected.Load())
	}
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(res.Body, mostRead+1))
	switch {
	case len(data) > mostRead:
		return out, &tries.Try{Code: sessions.CodeTooLarge, Status: res.StatusCode, Done: true}
	case err != nil:
		return out, noAnswer(ctx, err, true)
	case res.StatusCode/100 == 3:
		return out, &tries.Try{Code: webhook.ToolRedirect, Status: res.StatusCode}
	}
	out, fault := call.Version.ReadAnswer(call.Message.ID, data)
	if res.StatusCode/100 != 2 && out.Refused == nil {
		t := tries.Try{Status: res.StatusCode, After: webhook.RetryAfter(res.Header.Get("Retry-After"), c.now())}
		t.Code, t.Passing = webhook.StatusCode(res.StatusCode)
		return out, &t
	}
	if fault != nil {
		return out, &tries.Try{Code: CodeAnswer, Problem: tries.Problem(fault.Message), Status: res.StatusCode, Done: true}
	}
	if out.Refused != nil {
		return out, &tries.Try{Code: CodeRefused, Problem: tries.Problem(out.Refused.Message), Status: res.StatusCode,
			Doubtful: out.Refused.Code == a2a.InternalError}
	}
	return out, nil
}

// noAnswer is a request that nothing came back to.
func noAnswer(ctx context.Context, err error, connected bool) *tries.Try {
	switch {
	case errors.Is(err, webhook.ErrRefusedAddress):
		return &tries.Try{Code: webhook.ToolRefused}
	case errors.Is(context.Cause(ctx), context.Canceled):
		return &tries.Try{Code: webhook.ToolCancelled, Doubtful: connected}
	case !connected:
		why := webhook.NeverConnects(err)
		return &tries.Try{Code: webhook.ToolUnreachable, Problem: why, Passing: why == ""}
	case ctx.Err() != nil:
		return &tries.Try{Code: sessions.CodeTimeout, Doubtful: true}
	}
	return &tries.Try{Code: webhook.ToolNoAnswer, Doubtful: true, Passing: true}
}

// Result is what an agent said.
type Result struct {
	State     a2a.State         `json:"state"`
	Text      string            `json:"text"`
	Data      []json.RawMessage `json:"data,omitempty"`
	ContextID string            `json:"contextId,omitempty"`
	TaskID    string            `json:"taskId,omitempty"`    // of one that waits for an answer
	Artifacts []string          `json:"artifacts,omitempty"` // ids of all of that task
}

// outcome is what an answer means for the call.
func outcome(call Call, a a2a.Answered) tries.Try {
	t := tries.Try{Status: http.StatusOK}
	out := Result{State: a2a.Completed}
	var parts []a2a.Part
	if a.Message != nil {
		out.ContextID, parts = a.Message.ContextID, a.Message.Parts
	} else {
		state := a.Task.Status
		out.State, out.ContextID = state.State, a.Task.ContextID
		code, failed := map[a2a.State]string{a2a.Failed: CodeFailed, a2a.Rejected: CodeRejected, a2a.Canceled: CodeCanceled,
			a2a.AuthRequired: CodeAuth}[state.State]
		if failed {
			t.Code = code
			if state.Message != nil {
				text, _ := a2a.Said(state.Message.Parts)
				t.Problem = tries.Problem(text)
			}
			return t
		}
		for _, made := range a.Task.Artifacts {
			out.Artifacts = append(out.Artifacts, made.ID)
			if a.Task.ID != call.Message.TaskID || !slices.Contains(call.Seen, made.ID) {
				parts = append(parts, made.Parts...)
			}
		}
		if state.State == a2a.InputRequired {
			out.TaskID = a.Task.ID
		} else {
			out.Artifacts = nil
		}
		if state.Message != nil && (state.State == a2a.InputRequired || len(parts) == 0) {
			parts = state.Message.Parts
		}
	}
	out.Text, out.Data = a2a.Said(parts)
	result, err := plainjson.Of(out)
	plain, ok := plainjson.Compact(result)
	switch {
	case err != nil || !ok:
		t.Code, t.Done = CodeAnswer, true
	case len(plain) > sessions.LargestResult:
		t.Code, t.Done = sessions.CodeTooLarge, true
	default:
		t.Result = plain
	}
	return t
}
