package deployed

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parley-platform/parley/domain/dsl"
)

// Step is one step of a workflow, as it is defined.
type Step struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Next      string          `json:"next,omitempty"`
}

// Run is a step in the order in which steps run.
type Run struct {
	ID, Tool string
	given    *dsl.Value // nil: what came before is handed on
}

// Names that arguments of steps see.
const (
	argsName  = "args"  // the arguments of the workflow
	stepsName = "steps" // the results of the steps before, by their ids
)

// Workflow is the order in which the steps of a workflow run: each once. A step that leads back
// would never end.
func Workflow(steps []Step) ([]Run, dsl.Problems) {
	at := map[string]int{}
	for i, s := range steps {
		at[s.ID] = i
	}
	var out []Run
	ran := map[string]bool{}
	for i := 0; i < len(steps); {
		s := steps[i]
		field := fmt.Sprintf("steps[%d]", i)
		ran[s.ID] = true
		run := Run{ID: s.ID, Tool: s.Tool}
		if len(s.Arguments) > 0 {
			v, problems := dsl.CompileValue(string(s.Arguments), argsName, stepsName)
			if problems != nil {
				p := problems[0]
				return nil, dsl.Problems{{Field: strings.TrimSuffix(field+".arguments."+p.Field, "."), Code: p.Code, Hint: p.Hint}}
			}
			run.given = &v
		}
		out = append(out, run)
		next, named := at[s.Next]
		switch {
		case s.Next == "":
			i++
		case named && ran[s.Next]:
			return nil, dsl.Problems{{Field: field + ".next", Code: "loop", Hint: "leads back to " + s.Next + ": the steps would never end"}}
		case named:
			i = next
		default:
			return nil, dsl.Problems{{Field: field + ".next", Code: "unknown_step", Hint: "there is no step " + s.Next}}
		}
	}
	return out, nil
}

// Arguments are what a step gives to its tool: what its definition says, else what the step before
// answered, else the arguments of the workflow. Only an object has arguments in it.
func (r Run) Arguments(args map[string]any, results map[string]any, last any) (map[string]any, error) {
	given := any(args)
	if r.given != nil {
		v, err := r.given.Eval(dsl.Scope{argsName: args, stepsName: results})
		if err != nil {
			return nil, err
		}
		given = v
	} else if len(results) > 0 {
		given = last
	}
	all, ok := given.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%T is no object, which arguments are", given)
	}
	return all, nil
}
