// Package codetool runs the code of agents' tools: JavaScript of people who are not trusted with
// the server. It runs in child processes of the same binary, which have no files, no network, no
// environment and bounds of memory and time, and which end whenever something was not as it
// should be.
//
// A child runs one call at a time, each in an engine of its own, so that no call finds anything
// of another. It knows nothing of agents and turns.
package codetool

import (
	"context"
	"encoding/json"
	"time"

	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
)

// Call is one call of a tool.
type Call struct {
	Owner      string         // whose program it is: owners share the children
	Source     string         // the body of a function
	Names      map[string]any // what it sees
	MemoryMB   int            // 0: 16
	Timeout    time.Duration  // of the program, in one try; 0: 10 s
	Repeatable bool
	Retry      int
	Backoff    time.Duration
	Memory     Memory // that it sees; nil: none
}

// Codes of calls that failed.
const (
	CodeThrew     = "CODE_ERROR"    // the program threw, or is none; what it threw is the problem
	CodeMemory    = "OUT_OF_MEMORY" // it wanted more than MEMORY_MB
	CodeCrashed   = "CODE_CRASHED"  // the process that ran it ended
	CodeBusy      = "CODE_BUSY"     // no process was free in time
	CodeTooMuch   = "ARGUMENTS_TOO_LARGE"
	CodeNotJSON   = "NOT_JSON"
	CodeAway      = "CODE_UNAVAILABLE" // no process can be started here
	CodeCancelled = "CANCELLED"        // by the caller
	codeTimeout   = sessions.CodeTimeout
	codeTooLarge  = sessions.CodeTooLarge
)

// Bounds of one call.
const (
	mostInput    = 256 << 10 // bytes of JSON that a program sees
	usualMemory  = 16        // MB
	usualTimeout = 10 * time.Second
	grace        = time.Second // behind the timeout; then the process is killed
)

// Run runs a program, again where the process that ran it was lost.
func (r *Runner) Run(ctx context.Context, c Call) tries.Ended {
	if c.Timeout <= 0 {
		c.Timeout = usualTimeout
	}
	if c.MemoryMB <= 0 {
		c.MemoryMB = usualMemory
	}
	rules := tries.Rules{Timeout: r.o.Patience + time.Duration(c.Retry+1)*(c.Timeout+2*grace), Repeatable: c.Repeatable, Retry: c.Retry,
		Backoff: c.Backoff}
	return rules.Call(ctx, func(ctx context.Context) tries.Try { return r.try(ctx, c) })
}

func (r *Runner) try(ctx context.Context, c Call) tries.Try {
	names, err := json.Marshal(c.Names)
	if err != nil || len(names) > mostInput {
		return tries.Try{Code: CodeTooMuch}
	}
	a := r.ask(ctx, c, asked{Source: c.Source, Names: names, Memory: c.MemoryMB << 20, Timeout: c.Timeout, Remembers: c.Memory != nil})
	switch {
	case a.Code == "" && len(a.Result) > sessions.LargestResult:
		return tries.Try{Code: codeTooLarge}
	case a.Code == "":
		result, ok := plainjson.Compact(a.Result)
		if !ok {
			return tries.Try{Code: CodeNotJSON}
		}
		return tries.Try{Result: result}
	}
	lost := a.Code == CodeCrashed
	return tries.Try{Code: a.Code, Problem: a.Problem, Passing: lost || a.Code == CodeBusy, Doubtful: lost}
}
