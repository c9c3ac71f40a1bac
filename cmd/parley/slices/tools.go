package slices

import (
	"context"
	"errors"

	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
)

// toolCaller makes the calls of agents' tools, each kind in its way.
type toolCaller struct {
	requests *webhook.Tools
	code     *codetool.Runner
	secrets  acts.ToolSecrets
}

func (n Needs) toolCaller() toolCaller {
	return toolCaller{webhook.NewTools(webhook.Options{Guard: n.Guard}), codetool.New(codetool.Options{Log: n.Log}),
		acts.ToolSecrets{Log: n.acting(), Unseal: n.openToolSecret}}
}

// Close lets go of what is kept from one call to the next.
func (c toolCaller) Close(context.Context) error {
	c.requests.Close()
	c.code.Close()
	return nil
}

// codeSecretsAway is the code of a call whose secret cannot be read now.
const codeSecretsAway = "SECRET_UNAVAILABLE"

// Call implements the port of acts.Turns.
func (c toolCaller) Call(ctx context.Context, of acts.Asking) sessions.CallEnded {
	switch of.Tool.Kind {
	case dsl.ToolCode:
		return c.run(ctx, of)
	default:
		return c.request(ctx, of)
	}
}

// request makes the request of a tool of kind http or callback.
func (c toolCaller) request(ctx context.Context, of acts.Asking) sessions.CallEnded {
	values, failed := c.open(ctx, of, of.Tool.Name, of.Tool.Request.Secrets())
	if failed != "" {
		return notMade(failed)
	}
	request, err := of.Tool.Request.Build(of.Scope, func(name string) (string, error) { return values[name], nil })
	if invalid := (*dsl.RequestError)(nil); errors.As(err, &invalid) {
		return notMade(dsl.CodeRequest)
	}
	if err != nil {
		return notMade(sessions.CodeDefect)
	}
	return ended(c.requests.Call(ctx, webhook.ToolCall{Request: request, Timeout: of.Tool.Timeout, Write: of.Tool.Write,
		Idempotent: of.Tool.Idempotent, Key: of.Key, Retry: of.Tool.Retry, Backoff: of.Tool.Backoff}))
}

// run runs the code of a tool.
func (c toolCaller) run(ctx context.Context, of acts.Asking) sessions.CallEnded {
	return ended(c.code.Run(ctx, codetool.Call{Source: of.Tool.Source, MemoryMB: of.Tool.MemoryMB, Timeout: of.Tool.Timeout,
		Names:      map[string]any{"args": of.Scope["args"], "call": of.Scope["call"], "message_metadata": of.Scope["message_metadata"]},
		Repeatable: of.Repeat, Retry: of.Tool.Retry, Backoff: of.Tool.Backoff}))
}

// open gives the secrets of a tool, or the code of the call that cannot be made without them.
func (c toolCaller) open(ctx context.Context, of acts.Asking, tool string, names []string) (values map[string]string, failed string) {
	values, err := c.secrets.Open(ctx, of.Tenant, of.Project, of.Environment, tool, names)
	if missing := (*acts.SecretMissing)(nil); errors.As(err, &missing) {
		return nil, acts.CodeSecretMissing
	}
	if err != nil {
		acts.Logger(ctx).Warn("the secrets of a tool cannot be opened", "tool", tool, "error", err)
		return nil, codeSecretsAway
	}
	return values, ""
}

func ended(r tries.Ended) sessions.CallEnded {
	return sessions.CallEnded{Outcome: r.Outcome, Code: r.Code, Problem: r.Problem, Result: r.Result, Status: r.Status, Tries: r.Tries,
		TookMs: r.Duration.Milliseconds()}
}

func notMade(code string) sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallFailed, Code: code}
}
