package checks

import (
	"fmt"
	"math"
	"path/filepath"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/parley-platform/parley/cmd/chaos/load"
)

// linearTime is how long one search may take.
const linearTime = 20 * time.Second

// Linearizable checks that the history of the hot scope could be that of one copy
// that does one thing at a time: for each key name, who holds it (names are
// independent of each other), and the number that the permissions stand for. An
// operation whose outcome is open may take effect at any time after its start, or
// never. A picture of what cannot be is left in dir.
func Linearizable(ops []load.Op, dir string, out *Findings) {
	for i := range load.Names {
		name := fmt.Sprintf("name %d", i)
		check(name, nameModel, only(ops, func(op load.Op) bool {
			return op.Name == name && (op.Kind == load.CreateKey || op.Kind == load.RevokeKey || op.Kind == load.UseKey)
		}), dir, out)
	}
	check("permissions", numberModel, only(ops, func(op load.Op) bool {
		return op.Kind == load.SetScope || op.Kind == load.ReadScope || op.Kind == load.UseKey && op.Outcome == load.OK
	}), dir, out)
}

// only makes the history of some operations; reads without an answer say nothing.
func only(ops []load.Op, of func(load.Op) bool) (history []porcupine.Operation) {
	for _, op := range ops {
		if !of(op) || op.Outcome == load.Failed || op.Outcome == load.Unknown && !op.Kind.Writes() {
			continue
		}
		end := int64(op.End)
		if op.Outcome == load.Unknown {
			end = math.MaxInt64 / 2
		}
		history = append(history, porcupine.Operation{ClientId: op.Caller, Input: op, Call: int64(op.Start), Output: op.Outcome, Return: end})
	}
	return history
}

func check(what string, m porcupine.Model, history []porcupine.Operation, dir string, out *Findings) {
	result, info := porcupine.CheckOperationsVerbose(m, history, linearTime)
	switch result {
	case porcupine.Unknown:
		out.Undecided = append(out.Undecided, fmt.Sprintf("linearizable: %s with %d operations", what, len(history)))
	case porcupine.Illegal:
		picture := filepath.Join(dir, "linearizable-"+what+".html")
		if err := porcupine.VisualizePath(m, info, picture); err != nil {
			picture = err.Error()
		}
		out.Add("linearizable", "%s: %d operations fit no order; see %s", what, len(history), picture)
	}
}

// nameModel is the id of the key that holds the name; empty for none.
var nameModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, output any) (bool, any) {
		holder, op := state.(string), input.(load.Op)
		switch op.Kind {
		case load.CreateKey:
			switch op.Outcome {
			case load.OK:
				return holder == "", op.KeyID
			case load.Refused:
				return holder != "", holder
			}
			if holder == "" {
				return true, "the key of operation " + fmt.Sprint(op.ID)
			}
		case load.RevokeKey:
			switch op.Outcome {
			case load.OK:
				return holder == op.KeyID, ""
			case load.Refused:
				return holder != op.KeyID, holder
			}
			if holder == op.KeyID {
				return true, ""
			}
		case load.UseKey:
			return (holder == op.KeyID) == (op.Outcome == load.OK), holder
		}
		return true, holder
	},
	DescribeOperation: func(input, output any) string { return describe(input.(load.Op)) },
}

// numberModel is a set of permissions from which changes take away.
var numberModel = porcupine.Model{
	Init: func() any { return load.InitialNumber },
	Step: func(state, input, output any) (bool, any) {
		number, op := state.(int), input.(load.Op)
		if op.Kind == load.SetScope {
			return true, number & op.Number
		}
		return number == op.Number, number
	},
	DescribeOperation: func(input, output any) string { return describe(input.(load.Op)) },
}

func describe(op load.Op) string {
	node := ""
	if n := len(op.Tries); n > 0 {
		node = op.Tries[n-1].Node
	}
	return fmt.Sprintf("#%d %s %s %s %013b -> %s at %s after %d tries",
		op.ID, op.Kind, op.Name, op.KeyID, op.Number, op.Outcome, node, len(op.Tries))
}
