package expr

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/cost"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

func nested(v ref.Val, depth int) (any, error) {
	switch v := v.(type) {
	case traits.Mapper:
		out := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			name, isText := key.(types.String)
			if !isText {
				return nil, fmt.Errorf("a member's name is a %s and must be a string", key.Type().TypeName())
			}
			member, err := plain(v.Get(key), depth+1)
			if err != nil {
				return nil, err
			}
			out[string(name)] = member
		}
		return out, nil
	case traits.Lister:
		out := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			item, err := plain(it.Next(), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, item)
		}
		return out, nil
	}
	return nil, fmt.Errorf("a %s is no value of JSON", v.Type().TypeName())
}

// mixed finds sums of something out of an open map (session, caller), whose numbers are
// doubles, and a whole number: that would fail each time it runs.
func mixed(a *cel.Ast) *Mistake {
	tree := a.NativeRep()
	var found *Mistake
	celast.PostOrderVisit(tree.Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if found != nil || e.Kind() != celast.CallKind || len(e.AsCall().Args()) != 2 {
			return
		}
		switch e.AsCall().FunctionName() {
		case operators.Add, operators.Subtract, operators.Multiply, operators.Divide:
			l, r := e.AsCall().Args()[0], e.AsCall().Args()[1]
			for _, pair := range [][2]celast.Expr{{l, r}, {r, l}} {
				if pair[0].Kind() == celast.LiteralKind && tree.GetType(pair[1].ID()).IsExactType(Dyn) && isOpen(pair[1]) {
					if n, whole := pair[0].AsLiteral().(types.Int); whole {
						found = &Mistake{Offset: offset(tree, pair[0]), Code: "number",
							Hint: fmt.Sprintf("numbers of session, caller and the like have a point: write %d.0", int64(n))}
					}
				}
			}
		}
	}))
	return found
}

// isOpen says whether an expression reads a member, rather than computes something.
func isOpen(e celast.Expr) bool { return e.Kind() == celast.SelectKind }

func offset(tree *celast.AST, e celast.Expr) int {
	if r, ok := tree.SourceInfo().GetOffsetRange(e.ID()); ok {
		return int(r.Start)
	}
	return 0
}

// sizes tells how large what comes from outside is thought to be when the worst cost of an
// expression is estimated. What is larger when it runs, meets the same limit then.
type sizes struct{}

const (
	thoughtText = 1_000
	thoughtList = 50
)

// EstimateSize is the size of what is not written in the expression itself.
func (sizes) EstimateSize(of cost.AstNode) *cost.SizeEstimate {
	if of.Expr() != nil && of.Expr().Kind() == celast.LiteralKind {
		return nil
	}
	if of.Type() != nil && of.Type().Kind() == cel.StringKind {
		return &cost.SizeEstimate{Min: 0, Max: thoughtText}
	}
	return &cost.SizeEstimate{Min: 0, Max: thoughtList}
}

// EstimateCallCost leaves each function at CEL's own figure.
func (sizes) EstimateCallCost(string, string, *cost.AstNode, []cost.AstNode) *cost.CallEstimate {
	return nil
}

func worstCost(env *cel.Env, a *cel.Ast) uint64 {
	estimate, err := env.EstimateCost(a, sizes{})
	if err != nil {
		return MaxCost + 1
	}
	return estimate.Max
}

// firstLine is the message without the drawing below it.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSpace(s)
}
