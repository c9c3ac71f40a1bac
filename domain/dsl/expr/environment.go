// Package expr is the expressions of agents: CEL (the Common Expression Language), checked
// when they are compiled, bounded in what they may cost, and never able to reach anything
// but the scope they are given.
//
// It knows nothing of agents: which names exist and of which types they are comes in as an
// Environment. It has no clock: `now` is in the scope.
package expr

import (
	"slices"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Limits of one expression.
const (
	MaxLength = 2_000  // characters
	MaxCost   = 10_000 // CEL's units: a step is about one, a search in a text a tenth per character
)

// Type is what a value is, as CEL names it.
type Type = cel.Type

// The types without members.
var (
	String    = cel.StringType
	Int       = cel.IntType
	Double    = cel.DoubleType
	Bool      = cel.BoolType
	Timestamp = cel.TimestampType
	Dyn       = cel.DynType
	List      = cel.ListType
	Map       = cel.MapType
)

// Environment is the names that expressions of one program may use. It is made once for
// each program and read by many; With makes a wider one. The records that it names are
// collected before the first expression is compiled.
type Environment struct {
	records *records
	names   map[string]*Type
	made    *cel.Env
}

// NewEnvironment is one with `now` in it alone.
func NewEnvironment() *Environment {
	return &Environment{records: &records{fields: map[string]map[string]*Type{}}, names: map[string]*Type{"now": Timestamp}}
}

// Record declares a type with members, and gives it: any other member is refused when an
// expression is compiled. Its name is shown in errors.
func (e *Environment) Record(name string, fields map[string]*Type) *Type {
	e.records.fields[name] = fields
	return cel.ObjectType(name)
}

// Declare adds a name.
func (e *Environment) Declare(name string, t *Type) { e.names[name] = t }

// With is the environment and more names.
func (e *Environment) With(more map[string]*Type) *Environment {
	wider := &Environment{records: e.records, names: make(map[string]*Type, len(e.names)+len(more))}
	for n, t := range e.names {
		wider.names[n] = t
	}
	for n, t := range more {
		wider.names[n] = t
	}
	return wider
}

// base is CEL with our functions, which takes a millisecond and is the same for all.
var base = sync.OnceValues(func() (*cel.Env, error) {
	options := append(functions(),
		cel.CrossTypeNumericComparisons(true),
		cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(50),
		cel.ParserExpressionSizeLimit(MaxLength),
		cel.ClearMacros(),
		cel.Macros(cel.HasMacro, cel.AllMacro, cel.ExistsMacro, cel.ExistsOneMacro, cel.MapMacro, cel.MapFilterMacro, cel.FilterMacro),
	)
	return cel.NewEnv(options...)
})

func (e *Environment) env() (*cel.Env, error) {
	if e.made != nil {
		return e.made, nil
	}
	of, err := base()
	if err != nil {
		return nil, err
	}
	e.records.Provider = of.CELTypeProvider()
	options := []cel.EnvOption{cel.CustomTypeProvider(e.records)}
	for _, name := range sorted(e.names) {
		options = append(options, cel.Variable(name, e.names[name]))
	}
	e.made, err = of.Extend(options...)
	return e.made, err
}

func sorted[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// records are types with known members; values of them are plain maps.
type records struct {
	types.Provider
	fields map[string]map[string]*Type
}

// FindStructType finds a record by its name.
func (r *records) FindStructType(name string) (*types.Type, bool) {
	if _, known := r.fields[name]; known {
		return types.NewTypeTypeWithParam(cel.ObjectType(name)), true
	}
	return r.Provider.FindStructType(name)
}

// FindStructFieldNames are a record's members.
func (r *records) FindStructFieldNames(name string) ([]string, bool) {
	if fields, known := r.fields[name]; known {
		return sorted(fields), true
	}
	return r.Provider.FindStructFieldNames(name)
}

// FindStructFieldType is the type of a record's member.
func (r *records) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields, known := r.fields[name]; known {
		t, has := fields[field]
		return &types.FieldType{Type: t}, has
	}
	return r.Provider.FindStructFieldType(name, field)
}

// NewValue makes no records: expressions read what is given.
func (r *records) NewValue(name string, fields map[string]ref.Val) ref.Val {
	if _, known := r.fields[name]; known {
		return types.NewErr("a %s cannot be made", strings.ToLower(name))
	}
	return r.Provider.NewValue(name, fields)
}

// members are all the names that a selection could have meant, for hints.
func (e *Environment) members(root string) []string {
	t, known := e.names[root]
	if !known {
		return nil
	}
	return sorted(e.records.fields[t.TypeName()])
}
