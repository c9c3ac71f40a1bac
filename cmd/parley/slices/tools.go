package slices

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/parley-platform/parley/adapters/a2atool"
	"github.com/parley-platform/parley/adapters/codetool"
	"github.com/parley-platform/parley/adapters/genai"
	"github.com/parley-platform/parley/adapters/mcptool"
	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/adapters/webhook"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	"github.com/parley-platform/parley/handlers/acts/stores"
	models "github.com/parley-platform/parley/projections/runtime"
)

// toolCaller makes the calls of agents' tools, each kind in its way.
type toolCaller struct {
	requests *webhook.Tools
	code     *codetool.Runner
	servers  *mcptool.Caller
	agents   *a2atool.Caller
	deployed *deployedTools
	results  *toolResults
	secrets  acts.ToolSecrets
	memory   *stores.Stores // of code; nil: code is not let in
}

func (n Needs) toolCaller(programs *acts.Programs) toolCaller {
	c := toolCaller{requests: webhook.NewTools(webhook.Options{Guard: n.Guard}), code: codetool.New(codetool.Options{Log: n.Log}),
		servers:  mcptool.New(mcptool.Options{Guard: n.Guard}),
		agents:   a2atool.New(n.Guard),
		deployed: &deployedTools{versions: models.NewDockVersions(n.Read)},
		results:  newToolResults(n.Now, n.Keys.Erasures),
		secrets:  acts.ToolSecrets{Log: n.acting(), Unseal: n.openToolSecret}}
	if !n.SandboxOff {
		c.memory = new(n.stores(programs))
	}
	return c
}

// Close lets go of what is kept from one call to the next.
func (c toolCaller) Close(ctx context.Context) error {
	c.requests.Close()
	c.code.Close()
	c.agents.Close()
	c.servers.Close(ctx)
	return nil
}

// codeSecretsAway is the code of a call whose secret cannot be read now.
const codeSecretsAway = "SECRET_UNAVAILABLE"

// Call makes a call in the way of its kind.
func (c toolCaller) Call(ctx context.Context, of driving.Asking) sessions.CallEnded {
	switch of.Tool.Kind {
	case dsl.ToolCode:
		return c.run(ctx, of)
	case dsl.ToolMCP:
		return c.mcp(ctx, of)
	case dsl.ToolAgent:
		return c.agent(ctx, of)
	case dsl.ToolDeployed:
		return c.use(ctx, of, of.Tool.Use)
	case dsl.ToolWorkflow:
		return c.workflow(ctx, of)
	default:
		return c.request(ctx, of)
	}
}

// watchedTools are tools whose calls are watched.
type watchedTools struct {
	tools toolCaller
	watch *genai.Watch
}

// Call implements the port of driving.Turns.
func (c watchedTools) Call(ctx context.Context, of driving.Asking) sessions.CallEnded {
	ctx, seen := c.watch.Tool(ctx, genai.ToolCall{Session: of.Session, Agent: of.Agent, Tool: of.Tool.Name, Kind: of.Tool.Kind,
		CallID: of.CallID})
	e := c.tools.Call(ctx, of)
	seen(e)
	return e
}

// request makes the request of a tool of kind http or callback.
func (c toolCaller) request(ctx context.Context, of driving.Asking) sessions.CallEnded {
	request, _, failed := c.build(ctx, of, of.Tool)
	if failed.Code != "" {
		return failed
	}
	return c.results.or(of, request, func() sessions.CallEnded {
		return ended(c.requests.Call(ctx, webhook.ToolCall{Request: request, Timeout: of.Tool.Timeout, Write: of.Tool.Write,
			Idempotent: of.Tool.Idempotent, Key: of.Key, Retry: of.Tool.Retry, Backoff: of.Tool.Backoff}))
	})
}

// build computes the request of a tool, with its secrets. Without that which signs its answer it is not made either:
// none would be believed.
func (c toolCaller) build(ctx context.Context, of driving.Asking, tool *dsl.Tool) (request dsl.Sent, values openSecrets,
	failed sessions.CallEnded) {
	values, failed = c.open(ctx, of, tool.Name, tool.Secrets())
	if failed.Code != "" {
		return request, nil, failed
	}
	request, err := tool.Request.Build(of.Scope, func(name string) (string, error) { return values[name], nil })
	if invalid := (*dsl.RequestError)(nil); errors.As(err, &invalid) {
		return request, nil, notMade(dsl.CodeRequest)
	}
	if err != nil {
		return request, nil, notMade(sessions.CodeDefect)
	}
	return request, values, sessions.CallEnded{}
}

// asked calls a tool of a server of the Model Context Protocol.
func (c toolCaller) asked(ctx context.Context, of driving.Asking, server *dsl.Tool) sessions.CallEnded {
	request, secrets, failed := c.build(ctx, of, server)
	if failed.Code != "" {
		return failed
	}
	delete(request.Headers, "Content-Type") // which the protocol has
	return c.results.or(of, []any{request, of.Tool.Remote, of.Scope["args"]}, func() sessions.CallEnded {
		return secrets.outOf(ended(c.servers.Do(ctx, mcptool.Call{Account: of.Tenant,
			Owner: of.Tenant + "/" + of.Project + "/" + of.Environment, URL: request.URL,
			Headers: request.Headers, Tool: of.Tool.Remote, Arguments: of.Scope["args"], Timeout: of.Tool.Timeout, Repeatable: of.Repeat,
			Retry: of.Tool.Retry, Backoff: of.Tool.Backoff})))
	})
}

// openSecrets are those of a tool by their keys.
type openSecrets map[string]string

// outOf takes them out of what the other side says of a failure: it may quote the key that it does not like, and what it says is on the
// log, in traces, and told to a model.
func (o openSecrets) outOf(e sessions.CallEnded) sessions.CallEnded {
	longest := func(a, b string) int { return cmp.Compare(len(b), len(a)) } // one may be within another
	for _, secret := range slices.SortedFunc(maps.Values(o), longest) {
		if secret != "" {
			e.Problem = strings.ReplaceAll(e.Problem, secret, "***")
		}
	}
	return e
}

// open gives the secrets of a tool, or the outcome of the call that cannot be made without them: it names the first that is not
// there, which whoever looks into a session would not guess.
func (c toolCaller) open(ctx context.Context, of driving.Asking, tool string, names []string) (values openSecrets,
	failed sessions.CallEnded) {
	values, err := c.secrets.Open(ctx, of.Tenant, of.Project, of.Environment, tool, names)
	if missing := (*acts.SecretMissing)(nil); errors.As(err, &missing) {
		failed = notMade(acts.CodeSecretMissing)
		failed.Problem = missing.Problem()
		return nil, failed
	}
	if err != nil {
		acts.Logger(ctx).Warn("the secrets of a tool cannot be opened", "tool", tool, "error", err)
		return nil, notMade(codeSecretsAway)
	}
	return values, sessions.CallEnded{}
}

func ended(r tries.Ended) sessions.CallEnded {
	return sessions.CallEnded{Outcome: r.Outcome, Code: r.Code, Problem: r.Problem, Result: r.Result, Status: r.Status, Tries: r.Tries,
		TookMs: r.Duration.Milliseconds()}
}

func notMade(code string) sessions.CallEnded {
	return sessions.CallEnded{Outcome: sessions.CallFailed, Code: code}
}
