package house

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The state in a result is kept for whoever asked, and copied by the next commit of its
// stream. Who looks at nothing but the error asks for nothing else.
func TestResultsAreLookedAt(t *testing.T) {
	for _, s := range code(t) {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == 2 && isNamed(a.Lhs[0], "_") && executes(a.Rhs[0]) {
				assert.Fail(t, "an unused result", "%s throws the result of eventstore.Execute away: call eventstore.Do", s.file)
			}
			return true
		})
	}
}

func executes(value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	return ok && f.Sel.Name == "Execute" && isNamed(f.X, "eventstore")
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}
