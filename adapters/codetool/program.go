package codetool

import (
	_ "embed"
	"encoding/json"
	"time"

	"modernc.org/quickjs"

	"github.com/parley-platform/parley/adapters/tries"
	"github.com/parley-platform/parley/domain/sessions"
)

// harness is what the engine begins with: a function that runs a program when it is given one,
// and tells what came of it when it is not.
//
//go:embed harness.js
var harness string

// What the engine throws when it has to stop a program, as texts.
const (
	interrupted = "InternalError: interrupted"
	noMemory    = "InternalError: out of memory"
	noMemoryAt  = "null" // when there is not even memory for that
)

// run runs one program in an engine of its own. Whatever stopped it but its own error or end is
// a reason not to trust this process with another one. use has something done to its memory; false:
// it was late.
func run(a asked, use func(use json.RawMessage, late <-chan time.Time) (used json.RawMessage, ok bool)) answered {
	end := time.Now().Add(a.Timeout)
	vm, err := quickjs.NewVM()
	if err != nil {
		return answered{Code: CodeCrashed, Last: true}
	}
	defer vm.Close()
	vm.SetCanBlock(false)
	f, err := vm.EvalValue(harness, quickjs.EvalGlobal)
	if err != nil {
		return answered{Code: CodeCrashed, Last: true}
	}
	defer f.Free()
	late := time.NewTimer(a.Timeout)
	defer late.Stop()
	next, err := json.Marshal(map[string]any{"source": a.Source, "names": a.Names, "remembers": a.Remembers})
	if err != nil {
		return answered{Code: CodeCrashed, Last: true}
	}
	for {
		vm.SetMemoryLimit(uintptr(a.Memory))
		_ = vm.SetEvalTimeout(max(time.Until(end), time.Millisecond))
		if _, err = f.Call(quickjs.UndefinedValue, string(next)); err == nil {
			_ = vm.SetEvalTimeout(max(time.Until(end), time.Millisecond))
			_, err = vm.ExecutePendingJobs()
		}
		if time.Now().After(end) {
			return answered{Code: codeTimeout, Last: true}
		}
		if err != nil {
			return threw(err.Error())
		}
		vm.SetMemoryLimit(uintptr(a.Memory) + mostFrame) // to tell it, there is memory
		told, err := f.Call(quickjs.UndefinedValue)
		if err != nil {
			return threw(err.Error())
		}
		out := outcome(told)
		if len(out.Use) == 0 {
			return out
		}
		used, ok := tooLarge, true
		if len(out.Use) <= mostUse {
			used, ok = use(out.Use, late.C)
		}
		if !ok {
			return answered{Code: codeTimeout, Last: true}
		}
		if next, err = json.Marshal(map[string]any{"used": used}); err != nil {
			return answered{Code: CodeCrashed, Last: true}
		}
	}
}

// outcome is what the harness tells: [true, <JSON>], [false, <what was thrown>], or
// [null, <what the program wants of its memory>].
func outcome(told any) answered {
	o, ok := told.(*quickjs.Object)
	if !ok {
		return answered{Code: CodeThrew, Problem: "the program ended without its value: it waits for what never comes, " +
			"or had no memory to go on"}
	}
	var parts []json.RawMessage
	var fine *bool
	var text *string
	if err := o.Into(&parts); err != nil || len(parts) != 2 || json.Unmarshal(parts[0], &fine) != nil ||
		json.Unmarshal(parts[1], &text) != nil {
		return answered{Code: CodeNotJSON}
	}
	switch {
	case fine == nil && text != nil && json.Valid([]byte(*text)):
		return answered{Use: json.RawMessage(*text)}
	case fine == nil:
		return answered{Code: CodeNotJSON}
	case !*fine && text == nil:
		return threw(noMemoryAt)
	case !*fine:
		return threw(*text)
	case text == nil: // of undefined, and of functions
		return answered{Result: json.RawMessage("null")}
	case len(*text) > sessions.LargestResult:
		return answered{Code: codeTooLarge}
	case !json.Valid([]byte(*text)):
		return answered{Code: CodeNotJSON}
	}
	return answered{Result: json.RawMessage(*text)}
}

// threw is a program that was ended by an error, of its own or of the engine.
func threw(what string) answered {
	switch what {
	case interrupted:
		return answered{Code: codeTimeout, Last: true}
	case noMemory, noMemoryAt:
		return answered{Code: CodeMemory, Last: true}
	}
	return answered{Code: CodeThrew, Problem: tries.Problem(what)}
}
