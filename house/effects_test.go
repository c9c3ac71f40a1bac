package house

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Rules of attempts that nothing goes by are an effect that was forgotten, which no
// compiler misses. That a slice lists the effect TestEveryReactorIsInASlice sees.
func TestEveryEffectIsPutToWork(t *testing.T) {
	rules, used := map[string]string{}, map[string]bool{}
	for _, s := range code(t) {
		switch {
		case within(s.folder, []string{"domain"}):
			for _, name := range rulesOfAttempts(s) {
				rules[s.folder+"."+name] = s.file
			}
		case within(s.folder, []string{"handlers"}):
			for _, name := range named(s) {
				used[name] = true
			}
		}
	}
	require.NotEmpty(t, rules)
	for _, name := range sorted(rules) {
		assert.True(t, used[name], "%s (%s) are rules of attempts that no effect goes by: give it an effect in handlers/reactors, or remove them",
			name, rules[name])
	}
}

// rulesOfAttempts lists the variables and functions of a file that are attempt.Rules.
func rulesOfAttempts(s source) (out []string) {
	is := func(of ast.Expr) bool {
		index, ok := of.(*ast.IndexExpr)
		if !ok {
			return false
		}
		selected, ok := index.X.(*ast.SelectorExpr)
		return ok && selected.Sel.Name == "Rules"
	}
	for _, d := range s.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Type.Results != nil && len(d.Type.Results.List) == 1 && is(d.Type.Results.List[0].Type) {
				out = append(out, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || len(v.Values) != 1 {
					continue
				}
				if made, ok := v.Values[0].(*ast.CompositeLit); ok && is(made.Type) {
					out = append(out, v.Names[0].Name)
				}
			}
		}
	}
	return out
}

// named lists what a file takes from packages of ours: FOLDER.NAME.
func named(s source) (out []string) {
	ours := s.ours()
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if selected, ok := n.(*ast.SelectorExpr); ok {
			if p, ok := selected.X.(*ast.Ident); ok && ours[p.Name] != "" {
				out = append(out, ours[p.Name]+"."+selected.Sel.Name)
			}
		}
		return true
	})
	return out
}

// A timer that is never set is an effect that is never tried again; one that is never
// cleared fires for ever.
func TestEveryTimerOfAnEffectIsSetAndCleared(t *testing.T) {
	timers, calls := map[string]string{}, map[string]map[string]bool{"SetTimer": {}, "ClearTimer": {}}
	for _, s := range code(t) {
		if within(s.folder, []string{"handlers"}) {
			for _, name := range fired(s) {
				timers[name] = s.file
			}
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && len(call.Args) > 1 {
				called, _ := call.Fun.(*ast.SelectorExpr)
				timer, isName := call.Args[1].(*ast.Ident)
				if called != nil && isName && calls[called.Sel.Name] != nil {
					calls[called.Sel.Name][s.folder+"."+timer.Name] = true
				}
			}
			return true
		})
	}
	require.NotEmpty(t, timers)
	for _, timer := range sorted(timers) {
		for call, of := range calls {
			assert.True(t, of[timer], "no read model calls %s for %s, which %s waits for: an event that pauses sets it, one that goes on clears it",
				call, timer, timers[timer])
		}
	}
}
