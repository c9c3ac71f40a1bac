package house

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A node is put together from slices. What a package declares and no slice lists is built
// and never runs, and nothing else would say so.

func TestEveryOperationIsInASlice(t *testing.T) {
	listed := inSlices(t)
	declared := 0
	for _, s := range code(t) {
		group, is := strings.CutPrefix(s.folder, "handlers/rest/")
		if !is || forTests(s.folder) {
			continue
		}
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Declare") {
				declared++
				assert.True(t, listed[s.folder+"."+f.Name.Name], "no slice has the operations of %s.%s (%s): add operations(api.%s, ...) to "+
					"Operations in cmd/parley/slices/%s.go", group, f.Name.Name, s.file, f.Name.Name, group)
			}
		}
	}
	require.NotZero(t, declared)
}

func TestEveryReadModelIsInASlice(t *testing.T) {
	listed := inSlices(t)
	models := variables(t, "projections/", func(name string, value ast.Expr) bool {
		return strings.HasSuffix(name, "Model") && ast.IsExported(name) && isNew(value)
	})
	require.NotEmpty(t, models)
	for _, name := range sorted(models) {
		assert.True(t, listed[name], "no slice has the read model %s (%s): add it to the models in the file of its group in cmd/parley/slices",
			name, models[name])
	}
}

// A timer is fired by the effect that it belongs to, or by a line of Timers.
func TestEveryTimerIsInASlice(t *testing.T) {
	listed := inSlices(t)
	for _, s := range code(t) {
		if within(s.folder, []string{"handlers/reactors"}) {
			for _, name := range fired(s) {
				listed[name] = true
			}
		}
	}
	timers := 0
	for _, s := range code(t) {
		if !within(s.folder, []string{"projections"}) {
			continue
		}
		for _, name := range constants(s, "Timer") {
			timers++
			assert.True(t, listed[s.folder+"."+name], "nothing fires the timer %s.%s (%s): give it to the Attempts of its effect, or add it to "+
				"Timers in the file of its group in cmd/parley/slices", s.folder, name, s.file)
		}
	}
	require.NotZero(t, timers)
}

// The tests above find read models and timers by their names, so these are not left to taste.
func TestReadModelsAndTimersAreCalledSo(t *testing.T) {
	set := 0
	for _, s := range code(t) {
		if !within(s.folder, []string{"projections"}) || s.folder == "projections" || forTests(s.folder) {
			continue
		}
		for name, value := range values(s) {
			if call, is := value.(*ast.CallExpr); is && strings.HasSuffix(nameOf(call.Fun), "Model") {
				assert.True(t, strings.HasSuffix(name, "Model"), "%s: %s is a read model: call it ...Model", s.file, name)
			}
		}
		for _, d := range s.tree.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				call, is := n.(*ast.CallExpr)
				if !is || len(call.Args) < 2 {
					return true
				}
				switch nameOf(call.Fun) {
				case "NewModel":
					assert.True(t, strings.HasSuffix(f.Name.Name, "Model"), "%s: %s makes a read model: call it new...Model", s.file, f.Name.Name)
				case "SetTimer":
					set++
					timer := nameOf(call.Args[1])
					assert.True(t, ast.IsExported(timer) && strings.HasSuffix(timer, "Timer"),
						"%s: %s sets a timer whose name is no constant that is called ...Timer", s.file, f.Name.Name)
				}
				return true
			})
		}
	}
	require.NotZero(t, set)
}

// nameOf is the last word of a name: NewModel of projections.NewModel; empty for what is no name.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// What follows the log says so with Reactor, Reactors or Attempts; a node asks for it.
func TestEveryReactorIsInASlice(t *testing.T) {
	asked := map[string]bool{}
	for _, s := range code(t) {
		if within(s.folder, []string{"cmd/parley"}) {
			for _, name := range askedOf(s) {
				asked[name] = true
			}
		}
	}
	declared := 0
	for _, s := range code(t) {
		if !within(s.folder, []string{"handlers/reactors"}) || forTests(s.folder) {
			continue
		}
		for _, method := range following(s.tree) {
			declared++
			assert.True(t, asked[s.folder+"."+method], "no slice has %s.%s (%s): add it to Reactors, or to Effects if it is Attempts, in the file "+
				"of its group in cmd/parley/slices", s.folder, method, s.file)
		}
	}
	require.NotZero(t, declared)
}

func TestEverySliceIsOfANode(t *testing.T) {
	groups := map[string]bool{}
	for _, s := range folders(t)["cmd/parley/slices"] {
		for _, name := range elementsOf(s, "groups") {
			groups[name] = true
		}
	}
	require.NotEmpty(t, groups)
	for _, s := range folders(t)["cmd/parley/slices"] {
		for name := range values(s) {
			if strings.HasSuffix(name, "Models") {
				assert.True(t, groups[name], "no node has %s (%s): add it to groups in cmd/parley/slices/slice.go", name, s.file)
			}
		}
		for _, d := range s.tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && returns(f, "Slice") {
				assert.True(t, groups[f.Name.Name], "no node has %s (%s): add it to groups in cmd/parley/slices/slice.go", f.Name.Name, s.file)
			}
		}
	}
}

func TestEveryKindOfManifestIsApplied(t *testing.T) {
	known := map[string]bool{}
	for _, s := range folders(t)["handlers/apply"] {
		for _, name := range elementsOf(s, "kinds") {
			known["handlers/apply."+name] = true
		}
	}
	kinds := variables(t, "handlers/apply", func(_ string, value ast.Expr) bool { return calls(value, "define") })
	require.NotEmpty(t, kinds)
	for _, name := range sorted(kinds) {
		assert.True(t, known[name], "no manifest can be of the kind %s (%s): add it to kinds in handlers/apply/kinds.go", name, kinds[name])
	}
}

// inSlices is everything of ours that slices name: FOLDER.NAME.
func inSlices(t *testing.T) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, s := range folders(t)["cmd/parley/slices"] {
		for _, name := range named(s) {
			out[name] = true
		}
	}
	require.NotEmpty(t, out)
	return out
}

// variables are those of the folders that begin so, with their files: FOLDER.NAME.
func variables(t *testing.T, folder string, which func(name string, value ast.Expr) bool) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, s := range code(t) {
		if !strings.HasPrefix(s.folder, folder) || forTests(s.folder) {
			continue
		}
		for name, value := range values(s) {
			if which(name, value) {
				out[s.folder+"."+name] = s.file
			}
		}
	}
	return out
}

// values are the variables and constants of a file, and what each is.
func values(s source) map[string]ast.Expr {
	out := map[string]ast.Expr{}
	for _, d := range s.tree.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			v, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			for i, name := range v.Names {
				if i < len(v.Values) {
					out[name.Name] = v.Values[i]
				}
			}
		}
	}
	return out
}

// constants are the exported texts of a file whose names end so.
func constants(s source, suffix string) (out []string) {
	for name, value := range values(s) {
		if _, text := value.(*ast.BasicLit); text && ast.IsExported(name) && strings.HasSuffix(name, suffix) {
			out = append(out, name)
		}
	}
	return out
}

// fired lists the timers that effects wait for: FOLDER.NAME.
func fired(s source) (out []string) {
	ours := s.ours()
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if member, ok := n.(*ast.KeyValueExpr); ok {
			if key, ok := member.Key.(*ast.Ident); ok && key.Name == "Timer" {
				if timer, ok := member.Value.(*ast.SelectorExpr); ok {
					if p, ok := timer.X.(*ast.Ident); ok && ours[p.Name] != "" {
						out = append(out, ours[p.Name]+"."+timer.Sel.Name)
					}
				}
			}
		}
		return true
	})
	return out
}

// following lists what a file of reactors declares to follow the log: TYPE.METHOD.
func following(tree *ast.File) (out []string) {
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || len(f.Type.Params.List) > 0 {
			continue
		}
		switch f.Name.Name {
		case "Reactor", "Reactors", "Attempts":
			of := f.Recv.List[0].Type
			if pointer, ok := of.(*ast.StarExpr); ok {
				of = pointer.X
			}
			if of, ok := of.(*ast.Ident); ok && ast.IsExported(of.Name) { // the machine itself, Attempts[S], is for others to declare
				out = append(out, of.Name+"."+f.Name.Name)
			}
		}
	}
	return out
}

// askedOf lists which methods a file calls of things of ours that it made itself:
// FOLDER.TYPE.METHOD. A thing is made by its literal or by its New.
func askedOf(s source) (out []string) {
	made, ours := map[string]string{}, s.ours()
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) {
					made[name.Name] = typeOf(n.Rhs[i], ours, made)
				}
			}
		case *ast.CallExpr:
			if called, ok := n.Fun.(*ast.SelectorExpr); ok {
				if of := typeOf(called.X, ours, made); of != "" {
					out = append(out, of+"."+called.Sel.Name)
				}
			}
		}
		return true
	})
	return out
}

func typeOf(e ast.Expr, ours, made map[string]string) string {
	switch e := e.(type) {
	case *ast.Ident:
		return made[e.Name]
	case *ast.UnaryExpr:
		return typeOf(e.X, ours, made)
	case *ast.CompositeLit:
		return ourName(e.Type, ours)
	case *ast.CallExpr:
		folder, made, ok := strings.Cut(ourName(e.Fun, ours), ".New")
		if ok {
			return folder + "." + made
		}
	}
	return ""
}

// ourName is FOLDER.NAME of what is selected from a package of ours.
func ourName(e ast.Expr, ours map[string]string) string {
	if selected, ok := e.(*ast.SelectorExpr); ok {
		if p, ok := selected.X.(*ast.Ident); ok && ours[p.Name] != "" {
			return ours[p.Name] + "." + selected.Sel.Name
		}
	}
	return ""
}

// elementsOf are the names in the list that a variable holds, those in pairs too.
func elementsOf(s source, variable string) (out []string) {
	var look func(ast.Expr)
	look = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.Ident:
			out = append(out, e.Name)
		case *ast.CompositeLit:
			for _, inner := range e.Elts {
				look(inner)
			}
		}
	}
	if list, ok := values(s)[variable].(*ast.CompositeLit); ok {
		look(list)
	}
	return out
}

// isNew reports whether a value is made by a function whose name begins with new.
func isNew(value ast.Expr) bool {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return strings.HasPrefix(f.Name, "new")
	case *ast.SelectorExpr:
		return strings.HasPrefix(f.Sel.Name, "New")
	}
	return false
}

func returns(f *ast.FuncDecl, name string) bool {
	if f.Type.Results == nil || len(f.Type.Results.List) != 1 {
		return false
	}
	of, ok := f.Type.Results.List[0].Type.(*ast.Ident)
	return ok && of.Name == name
}

// calls reports whether a function of that name makes the value.
func calls(value ast.Expr, name string) (is bool) {
	ast.Inspect(value, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.Ident); ok && f.Name == name {
				is = true
			}
		}
		return true
	})
	return is
}
