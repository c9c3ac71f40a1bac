package house

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// senders are where commands come from: operations, manifests, reactors and timers, and
// what a node and its command line do by themselves.
var senders = []string{"handlers", "cmd/parley"}

// Every command of the domain is sent by somebody: an operation, a manifest, a
// reactor or a timer. One that is not is dead, or its way in was forgotten.
func TestEveryCommandHasAWayIn(t *testing.T) {
	commands, sent := map[string]string{}, map[string]bool{}
	for _, s := range code(t) {
		if within(s.folder, []string{"domain"}) {
			for _, name := range deciding(s.tree) {
				commands[s.folder+"."+name] = s.file
			}
		}
		for _, made := range literals(s) { // another command of its context may use it
			if within(s.folder, senders) || strings.HasPrefix(made, s.folder+".") {
				sent[made] = true
			}
		}
	}
	require.NotEmpty(t, commands)
	for _, command := range sorted(commands) {
		assert.True(t, sent[command], "%s (%s) is sent by nobody: give it an operation, a manifest kind, a reactor or a timer, or remove it",
			command, commands[command])
	}
}

// deciding lists the types with a method Decide.
func deciding(tree *ast.File) (out []string) {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || f.Name.Name != "Decide" {
			continue
		}
		of := f.Recv.List[0].Type
		if p, ok := of.(*ast.StarExpr); ok {
			of = p.X
		}
		if name, ok := of.(*ast.Ident); ok {
			out = append(out, name.Name)
		}
	}
	return out
}

// literals lists the types of ours of which the file makes values: FOLDER.NAME.
func literals(s source) (out []string) {
	ours := s.ours()
	ast.Inspect(s.tree, func(n ast.Node) bool {
		made, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of := made.Type
		if many, ok := of.(*ast.ArrayType); ok {
			of = many.Elt
		}
		switch of := of.(type) {
		case *ast.Ident:
			out = append(out, s.folder+"."+of.Name)
		case *ast.SelectorExpr:
			if p, ok := of.X.(*ast.Ident); ok && ours[p.Name] != "" {
				out = append(out, ours[p.Name]+"."+of.Sel.Name)
			}
		}
		return true
	})
	return out
}
