package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// mutant is one small change of the source that a test ought to notice.
type mutant struct {
	id                   int
	file, function, kind string
	line, column         int
	text                 string // what is changed, on one line
	start, end           int    // offsets in the file
}

// edit is text put into a file, in place of length bytes of it.
type edit struct {
	offset, length int
	text           string
	closing        bool
}

// finder walks the syntax of one file and weaves a switch around everything that it can
// change, so that all mutants of a package are compiled once.
type finder struct {
	set       *token.FileSet
	info      *types.Info
	source    []byte
	name      string
	function  string
	imports   map[string]bool
	disabled  map[string]bool          // by key: those that do not compile
	constants map[types.Object]*mutant // of the package: a changed constant is changed wherever it is used
	mutants   *[]*mutant
	edits     []edit
	operands  map[ast.Expr]bool // of && and ||: dropping one says more than turning it round
	messages  map[ast.Expr]bool // arguments of texts
}

func (f *finder) offset(p token.Pos) int { return f.set.Position(p).Offset }

// add makes a mutant, unless it is known not to compile.
func (f *finder) add(n ast.Node, kind string) *mutant {
	at := f.set.Position(n.Pos())
	m := &mutant{id: len(*f.mutants) + 1, file: f.name, function: f.function, kind: kind, line: at.Line, column: at.Column,
		start: at.Offset, end: f.offset(n.End())}
	m.text = strings.Join(strings.Fields(string(f.source[m.start:m.end])), " ")
	if f.disabled[m.key()] {
		return nil
	}
	*f.mutants = append(*f.mutants, m)
	return m
}

func (m *mutant) key() string { return m.kind + strconv.Itoa(m.start) + m.file }

// wrap puts text around a node; # is the number of the mutant.
func (f *finder) wrap(n ast.Node, kind, before, after string) {
	if m := f.add(n, kind); m != nil {
		f.around(n, m, before, after)
	}
}

func (f *finder) around(n ast.Node, m *mutant, before, after string) {
	number := strconv.Itoa(m.id)
	f.edits = append(f.edits, edit{offset: f.offset(n.Pos()), text: strings.ReplaceAll(before, "#", number)},
		edit{offset: f.offset(n.End()), text: strings.ReplaceAll(after, "#", number), closing: true})
}

// operator makes a call of an operation.
func (f *finder) operator(n *ast.BinaryExpr, kind, function string) {
	if m := f.add(n, kind); m != nil {
		f.around(n, m, function+"(#, ", ")")
		f.edits = append(f.edits, edit{offset: f.offset(n.OpPos), length: len(n.Op.String()), text: ","})
	}
}

// woven is the file with all its switches.
func (f *finder) woven() []byte {
	var opening, closing []edit
	for _, e := range f.edits {
		if e.closing {
			closing = append(closing, e)
		} else {
			opening = append(opening, e)
		}
	}
	slices.Reverse(closing) // what began last ends first
	all := append(closing, opening...)
	slices.SortStableFunc(all, func(a, b edit) int { return a.offset - b.offset })
	var out []byte
	at := 0
	for _, e := range all {
		out = append(append(out, f.source[at:e.offset]...), e.text...)
		at = e.offset + e.length
	}
	return append(out, f.source[at:]...)
}

func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.FuncDecl:
		f.function = n.Name.Name
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CaseClause:
		f.statements(n.Body)
	case *ast.IfStmt:
		f.condition(n.Cond)
	case *ast.ForStmt:
		f.condition(n.Cond)
	case *ast.ReturnStmt:
		f.results(n)
	case *ast.AssignStmt:
		f.opposite(n)
	case *ast.CallExpr:
		return f.call(n)
	case *ast.CompositeLit:
		f.fields(n)
	case *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.FuncType:
		return false
	case ast.Expr:
		return f.expression(n)
	}
	return true
}

// statements can each be left out, unless others stand or fall with them.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if call, is := s.X.(*ast.CallExpr); is && !f.isBuiltin(call.Fun, "panic") {
				f.wrap(s, "statement", "if !mutant(#) { ", " }")
			}
		case *ast.IncDecStmt:
			f.wrap(s, "statement", "if !mutant(#) { ", " }")
		case *ast.AssignStmt:
			blank, is := s.Lhs[0].(*ast.Ident)
			if s.Tok != token.DEFINE && (!is || blank.Name != "_") {
				f.wrap(s, "statement", "if !mutant(#) { ", " }")
			}
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				f.wrap(s, "statement", "if !mutant(#) { ", " }")
			}
		}
	}
}

func (f *finder) isBuiltin(e ast.Expr, names ...string) bool {
	id, is := e.(*ast.Ident)
	if !is {
		return false
	}
	_, builtin := f.info.Uses[id].(*types.Builtin)
	return builtin && slices.Contains(names, id.Name)
}

// condition turns round what is no comparison (those are found wherever they stand).
func (f *finder) condition(e ast.Expr) {
	for p, is := e.(*ast.ParenExpr); is; p, is = e.(*ast.ParenExpr) {
		e = p.X
	}
	if b, is := e.(*ast.BinaryExpr); e == nil || (is && b.Op != token.ARROW) || f.operands[e] || !f.isBool(e) {
		return
	}
	f.wrap(e, "condition", "((", ") != mutant(#))")
}

func (f *finder) isBool(e ast.Expr) bool {
	t, is := f.info.TypeOf(e).(*types.Basic)
	return is && t.Info()&types.IsBoolean != 0
}

// results: an error or what is returned beside it is left out.
func (f *finder) results(n *ast.ReturnStmt) {
	for i, r := range n.Results {
		v := f.info.Types[r]
		if v.IsNil() || v.Type == nil {
			continue
		}
		if _, several := v.Type.(*types.Tuple); several {
			continue
		}
		switch v.Type.Underlying().(type) {
		case *types.Slice, *types.Map:
			f.wrap(r, "result", "mutantZero(#, ", ")")
		default:
			if i == len(n.Results)-1 && types.Implements(v.Type, errorType) {
				f.wrap(r, "error", "mutantNoError(#, ", ")")
			} else if v.Value == nil {
				f.condition(r)
			}
		}
	}
}

var errorType = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

// opposite adds what was subtracted and the other way round.
func (f *finder) opposite(n *ast.AssignStmt) {
	if (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && f.isNumber(n.Rhs[0]) && f.info.Types[n.Rhs[0]].Value == nil {
		f.wrap(n.Rhs[0], "arithmetic", "mutantMinus(#, 0, -(", "))")
	}
}

func (f *finder) isNumber(e ast.Expr) bool {
	t, is := f.info.TypeOf(e).Underlying().(*types.Basic)
	return is && t.Info()&types.IsNumeric != 0 && t.Info()&types.IsComplex == 0
}

// call leaves the sizes of make alone, and numbers that only stand in a text.
func (f *finder) call(n *ast.CallExpr) bool {
	if f.isBuiltin(n.Fun, "make", "new") {
		return false
	}
	if s, is := f.info.TypeOf(n.Fun).(*types.Signature); is && s.Variadic() && !n.Ellipsis.IsValid() {
		last := s.Params().Len() - 1
		if e := s.Params().At(last).Type().(*types.Slice).Elem(); types.IsInterface(e) {
			for i := last; i < len(n.Args); i++ {
				f.messages[n.Args[i]] = true
			}
		}
	}
	return true
}

// fields of a literal, by name, are each left empty.
func (f *finder) fields(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		pair, is := e.(*ast.KeyValueExpr)
		if !is {
			continue
		}
		v := f.info.Types[pair.Value]
		_, function := pair.Value.(*ast.FuncLit)
		if inner, is := pair.Value.(*ast.CompositeLit); is && inner.Type == nil {
			continue
		}
		if basic, is := v.Type.(*types.Basic); v.Value != nil || v.IsNil() || function || is && basic.Info()&types.IsUntyped != 0 {
			continue
		}
		f.wrap(pair.Value, "field", "mutantZero(#, ", ")")
	}
}

// What is called in place of an operator, in switch.go.txt.
var (
	boundaries = map[token.Token]string{token.LSS: "mutantLess", token.LEQ: "mutantAtMost",
		token.GTR: "mutantMore", token.GEQ: "mutantAtLeast"}
	arithmetic = map[token.Token]string{token.ADD: "mutantPlus", token.SUB: "mutantMinus", token.MUL: "mutantTimes",
		token.QUO: "mutantOver", token.REM: "mutantRest"}
)

func (f *finder) expression(e ast.Expr) bool {
	if v := f.info.Types[e]; v.Value != nil {
		f.constant(e, v.Type)
		return false
	}
	n, is := e.(*ast.BinaryExpr)
	if !is {
		return true
	}
	switch {
	case n.Op == token.LAND || n.Op == token.LOR:
		f.operand(n.X, n.Op)
		f.operand(n.Y, n.Op)
	case n.Op == token.EQL || n.Op == token.NEQ || boundaries[n.Op] != "":
		if !f.operands[e] {
			f.wrap(n, "condition", "((", ") != mutant(#))")
		}
		if boundaries[n.Op] != "" {
			f.operator(n, "boundary", boundaries[n.Op])
		}
	case arithmetic[n.Op] != "" && f.isNumber(n):
		f.operator(n, "arithmetic", arithmetic[n.Op])
	}
	return true
}

// operand is left out of an "and" or an "or".
func (f *finder) operand(e ast.Expr, op token.Token) {
	f.operands[e] = true
	if b, is := e.(*ast.BinaryExpr); is && b.Op == op || !f.isBool(e) {
		return
	}
	if op == token.LAND {
		f.wrap(e, "operand", "((", ") || mutant(#))")
	} else {
		f.wrap(e, "operand", "((", ") && !mutant(#))")
	}
}

// constant moves a number, or turns a truth value round. Names of a closed list (a
// named type) are no numbers to move.
func (f *finder) constant(e ast.Expr, t types.Type) {
	name := types.TypeString(t, nil)
	basic, is := t.(*types.Basic)
	switch {
	case is && basic.Info()&types.IsBoolean != 0:
		f.wrap(e, "constant", "((", ") != mutant(#))")
		return
	case name == "time.Duration" && !f.messages[e] && f.imports["time"]:
	case !is || f.messages[e] || basic.Info()&(types.IsInteger|types.IsFloat) == 0 || basic.Info()&types.IsUntyped != 0:
		return
	}
	var of types.Object
	if id, is := e.(*ast.Ident); is {
		of = f.info.Uses[id]
	}
	m := f.constants[of]
	if m == nil {
		m = f.add(e, "constant")
	}
	if m == nil {
		return
	}
	if of != nil {
		f.constants[of] = m
	}
	f.around(e, m, "mutantMoved["+name+"](#, ", ")")
}
