package slices

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/deployables"
	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/deployed"
	"github.com/parley-platform/parley/domain/sessions"
	"github.com/parley-platform/parley/handlers/acts"
	"github.com/parley-platform/parley/handlers/acts/driving"
	models "github.com/parley-platform/parley/projections/runtime"
)

// Codes of calls of what is deployed.
const (
	codeNotDeployed = "NOT_DEPLOYED"
	codeArguments   = "ARGUMENTS"
	codeAway        = "UNAVAILABLE"
)

// deployedTools knows the tools and workflows that are deployed, compiled.
type deployedTools struct {
	versions *models.DockVersions

	mu   sync.Mutex
	kept map[[sha256.Size]byte]*dsl.Tool
}

// mostKept is how many compiled tools are kept; with one more all are compiled anew.
const mostKept = 1_000

// tool is the live version of a tool; failed is what came of a call that wants one that is not
// there, or cannot be called.
func (d *deployedTools) tool(ctx context.Context, of driving.Asking, id string) (*dsl.Tool, *sessions.CallEnded) {
	v, ok, err := d.versions.Live(ctx, of.Tenant, of.Project, deployables.Tool, id)
	switch {
	case err != nil:
		return nil, d.away(ctx, id, err)
	case !ok:
		return nil, notCallable(codeNotDeployed, "the tool "+id+" is not deployed")
	case deployables.ToolType(v.ToolType) == deployables.ToolAsyncWebhook:
		return nil, notCallable(codeNotDeployed, "the answer of "+id+" comes later: KIND: callback, not USE")
	}
	key := sha256.Sum256([]byte(v.ToolType + "\x00" + string(v.Content)))
	d.mu.Lock()
	tool := d.kept[key]
	d.mu.Unlock()
	if tool != nil {
		return tool, nil
	}
	var settings deployables.Settings
	if err := json.Unmarshal(v.Content, &settings); err != nil {
		return nil, d.away(ctx, id, err)
	}
	tool, problems := settings.As(deployables.ToolType(v.ToolType)).Compile()
	if tool == nil {
		return nil, notCallable(dsl.CodeRequest, problems.Error())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kept == nil || len(d.kept) >= mostKept {
		d.kept = map[[sha256.Size]byte]*dsl.Tool{}
	}
	d.kept[key] = tool
	return tool, nil
}

func (d *deployedTools) away(ctx context.Context, id string, err error) *sessions.CallEnded {
	acts.Logger(ctx).Warn("what is deployed cannot be read", "id", id, "error", err)
	return notCallable(codeAway, "")
}

func notCallable(code, problem string) *sessions.CallEnded {
	return &sessions.CallEnded{Outcome: sessions.CallFailed, Code: code, Problem: problem}
}

// use calls a deployed tool: it is asked with the arguments of the call, in the time and with the
// tries that the agent gives it.
func (c toolCaller) use(ctx context.Context, of driving.Asking, id string) sessions.CallEnded {
	tool, failed := c.deployed.tool(ctx, of, id)
	if failed != nil {
		return *failed
	}
	if tool.Kind == dsl.ToolMCP && tool.Remote == "" {
		return *notCallable(codeNotDeployed, id+" names no tool of its server: spec.tool of the manifest, or KIND: mcp")
	}
	if err := tool.Params.Check(of.Scope["args"]); err != nil {
		return *notCallable(codeArguments, err.Error())
	}
	as := *tool // what the agent says of it, and whose secrets it has
	as.Name, as.Write, as.Idempotent = id, of.Tool.Write, of.Tool.Idempotent
	as.Timeout, as.Retry, as.Backoff, as.Cache = of.Tool.Timeout, of.Tool.Retry, of.Tool.Backoff, of.Tool.Cache
	of.Tool = &as
	of.Scope["input"] = of.Scope["args"] // which code that is deployed is written for
	return c.Call(ctx, of)
}

// mcp calls a tool of a server: one that an agent names at a deployed server, or a deployed tool.
func (c toolCaller) mcp(ctx context.Context, of driving.Asking) sessions.CallEnded {
	server := of.Tool
	if of.Tool.Server != "" {
		found, failed := c.deployed.tool(ctx, of, of.Tool.Server)
		switch {
		case failed != nil:
			return *failed
		case found.Kind != dsl.ToolMCP:
			return *notCallable(codeNotDeployed, of.Tool.Server+" is no server of the Model Context Protocol")
		}
		as := *found
		as.Name = of.Tool.Server
		server = &as
	}
	return c.asked(ctx, of, server)
}

// workflow runs the steps of a deployed workflow, one after the other. What one of them cannot do
// ends it.
func (c toolCaller) workflow(ctx context.Context, of driving.Asking) sessions.CallEnded {
	began := time.Now()
	ended := c.steps(ctx, of)
	ended.TookMs = time.Since(began).Milliseconds()
	return ended
}

func (c toolCaller) steps(ctx context.Context, of driving.Asking) sessions.CallEnded {
	v, ok, err := c.deployed.versions.Served(ctx, of.Tenant, of.Project, of.Deployment, of.Tool.Use)
	if err != nil {
		return *c.deployed.away(ctx, of.Tool.Use, err)
	}
	if !ok {
		return *notCallable(codeNotDeployed, "the workflow "+of.Tool.Use+" is not deployed")
	}
	var defined []deployed.Step
	if err := json.Unmarshal(v.Content, &defined); err != nil {
		return *c.deployed.away(ctx, of.Tool.Use, err)
	}
	runs, problems := deployed.Workflow(defined)
	if len(problems) > 0 {
		return *notCallable(codeNotDeployed, problems[0].Field+" "+problems[0].Hint)
	}
	return c.results.or(of, []any{v, of.Scope["args"]}, func() sessions.CallEnded { return c.all(ctx, of, runs) })
}

// all runs steps in their order.
func (c toolCaller) all(ctx context.Context, of driving.Asking, runs []deployed.Run) sessions.CallEnded {
	ctx, cancel := context.WithTimeout(ctx, of.Tool.Timeout)
	defer cancel()
	end, args := time.Now().Add(of.Tool.Timeout), of.Scope["args"].(map[string]any)
	results, done := map[string]any{}, 0
	last := sessions.CallEnded{Outcome: sessions.CallOK}
	var ran []sessions.StepRan
	for _, run := range runs {
		last = c.step(ctx, of, run, args, results, last.Result, time.Until(end))
		ran = append(ran, sessions.StepRan{Step: run.ID, Tool: run.Tool, Outcome: last.Outcome, Code: last.Code, Tries: last.Tries,
			TookMs: last.TookMs})
		if last.Outcome != sessions.CallOK {
			last.Steps = ran
			last.Problem = strings.TrimSuffix("step "+run.ID+": "+last.Problem, ": ")
			return last
		}
		var result any
		_ = json.Unmarshal(last.Result, &result) // it was checked to be JSON
		results[run.ID] = result
		done += last.Tries
	}
	return sessions.CallEnded{Outcome: sessions.CallOK, Result: last.Result, Tries: done, Steps: ran}
}

// step calls the tool of one step, in the time that is left.
func (c toolCaller) step(ctx context.Context, of driving.Asking, run deployed.Run, args, results map[string]any, before json.RawMessage,
	left time.Duration) sessions.CallEnded {
	if left <= 0 || ctx.Err() != nil {
		return notMade(sessions.CodeTimeout)
	}
	var last any
	_ = json.Unmarshal(before, &last)
	given, err := run.Arguments(args, results, last)
	if err != nil {
		return *notCallable(codeArguments, err.Error())
	}
	as := *of.Tool
	as.Timeout, as.Retry, as.Cache = left, 0, 0 // a step is made once; with the whole again, if that may be
	scope := dsl.Scope{}
	for name, v := range of.Scope {
		scope[name] = v
	}
	of.Key += "/" + run.ID
	scope["args"], scope["call"] = given, map[string]any{"id": of.Key}
	of.Tool, of.Scope = &as, scope
	ended := c.use(ctx, of, run.Tool)
	if ended.Outcome == sessions.CallFailed && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		ended.Code = sessions.CodeTimeout
	}
	return ended
}
