package slices

import (
	"context"
	"errors"

	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
)

// toolCaller makes the requests of agents' tools.
type toolCaller struct {
	requests *webhook.Tools
	secrets  acts.ToolSecrets
}

// codeSecretsAway is the code of a call whose secret cannot be read now.
const codeSecretsAway = "SECRET_UNAVAILABLE"

// Call implements the port of acts.Turns.
func (c toolCaller) Call(ctx context.Context, of acts.Asking) sessions.CallEnded {
	values, err := c.secrets.Open(ctx, of.Tenant, of.Project, of.Environment, of.Tool.Name, of.Tool.Request.Secrets())
	if missing := (*acts.SecretMissing)(nil); errors.As(err, &missing) {
		return notMade(acts.CodeSecretMissing)
	}
	if err != nil {
		acts.Logger(ctx).Warn("the secrets of a tool cannot be opened", "tool", of.Tool.Name, "error", err)
		return notMade(codeSecretsAway)
	}
	request, err := of.Tool.Request.Build(of.Scope, func(name string) (string, error) { return values[name], nil })
	if invalid := (*dsl.RequestError)(nil); errors.As(err, &invalid) {
		return notMade(dsl.CodeRequest)
	}
	if err != nil {
		return notMade(sessions.CodeDefect)
	}
	r := c.requests.Call(ctx, webhook.ToolCall{Request: request, Timeout: of.Tool.Timeout, Write: of.Tool.Write,
		Idempotent: of.Tool.Idempotent, Key: of.Key, Retry: of.Tool.Retry, Backoff: of.Tool.Backoff})
	return sessions.CallEnded{Outcome: r.Outcome, Code: r.Code, Result: r.Result, Status: r.Status, Tries: r.Tries,
		TookMs: r.Duration.Milliseconds()}
}

func notMade(code string) sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallFailed, Code: code}
}
