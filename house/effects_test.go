package house

import (
	"go/ast"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What happens outside in attempts needs three things that no compiler misses: rules that
// somebody goes by, an effect that goes by them, and a node that puts the effect to work.
func TestEveryEffectIsPutToWork(t *testing.T) {
	rules, effects, used, made := map[string]string{}, map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, s := range code(t) {
		switch {
		case within(s.folder, []string{"domain"}):
			for _, name := range rulesOfAttempts(s) {
				rules[s.folder+"."+name] = s.file
			}
		case within(s.folder, []string{"handlers"}):
			for _, of := range attempting(s.tree) {
				effects[s.folder+"."+of] = s.file
			}
			for _, name := range named(s) {
				used[name] = true
			}
		case within(s.folder, []string{"cmd/parley"}):
			for _, name := range literals(s) {
				made[name] = true
			}
		}
	}
	require.NotEmpty(t, rules)
	require.NotEmpty(t, effects)
	for _, name := range sorted(rules) {
		assert.True(t, used[name], "%s (%s) are rules of attempts that no effect goes by: give it an effect in handlers/reactors, or remove them",
			name, rules[name])
	}
	for _, name := range sorted(effects) {
		assert.True(t, made[name], "%s (%s) is an effect that no node makes: add it to effects in cmd/parley/node/effects.go",
			name, effects[name])
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

// attempting lists the types with a method Attempts.
func attempting(tree *ast.File) (out []string) {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "Attempts" {
			if of, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				out = append(out, of.Name)
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
		ours := s.ours()
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				key, _ := n.Key.(*ast.Ident)
				if timer, ok := n.Value.(*ast.SelectorExpr); ok && key != nil && key.Name == "Timer" && within(s.folder, []string{"handlers"}) {
					if p, ok := timer.X.(*ast.Ident); ok && ours[p.Name] != "" {
						timers[ours[p.Name]+"."+timer.Sel.Name] = s.file
					}
				}
			case *ast.CallExpr:
				called, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || calls[called.Sel.Name] == nil || len(n.Args) < 2 {
					return true
				}
				if timer, ok := n.Args[1].(*ast.Ident); ok {
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
