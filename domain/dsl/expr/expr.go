package expr

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Scope is what an expression sees, by name. Values are those of JSON (map[string]any,
// []any, string, float64, int64, bool, nil) and time.Time; `now` is a time.Time. What the
// environment declares and the scope does not have is an error when it is read, and absent
// to has().
type Scope map[string]any

// Codes of what goes wrong when an expression runs.
const (
	CodeCondition = "condition_error" // a member that is not there, types that do not fit, ...
	CodeCost      = "condition_cost"  // stopped at MaxCost
)

// Error is an expression that could not be evaluated: for the trace.
type Error struct {
	Code       string
	Expression string
	Problem    string
}

// Error tells what and where.
func (e *Error) Error() string { return fmt.Sprintf("%s: %s in %q", e.Code, e.Problem, e.Expression) }

// Mistake is an expression that does not compile. Offset counts characters from its start.
type Mistake struct {
	Offset int
	Code   string
	Hint   string
}

// Expr is one compiled expression. It is safe for use by many at once.
type Expr struct {
	source  string
	program cel.Program
	kind    *Type
	of      *Environment
}

// Compile checks an expression in the environment.
func (e *Environment) Compile(source string) (*Expr, []Mistake) {
	if m := outside(source); m != nil {
		return nil, []Mistake{*m}
	}
	env, err := e.env()
	if err != nil {
		return nil, []Mistake{{Code: "expression", Hint: err.Error()}}
	}
	ast, issues := env.Compile(source)
	if issues != nil && issues.Err() != nil {
		return nil, e.mistakes(source, issues)
	}
	if m := mixed(ast); m != nil {
		return nil, []Mistake{*m}
	}
	if worst := worstCost(env, ast); worst > MaxCost {
		return nil, []Mistake{{Code: "too_costly",
			Hint: fmt.Sprintf("may cost %d, and at most %d is allowed: say it with fewer loops, or shorter patterns", worst, MaxCost)}}
	}
	program, err := env.Program(ast, cel.CostLimit(MaxCost), cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		return nil, []Mistake{{Code: "expression", Hint: firstLine(err.Error())}}
	}
	return &Expr{source: source, program: program, kind: ast.OutputType(), of: e}, nil
}

func outside(source string) *Mistake {
	switch {
	case strings.TrimSpace(source) == "":
		return &Mistake{Code: "empty_expression", Hint: "is empty: a condition that says nothing would always hold"}
	case utf8.RuneCountInString(source) > MaxLength:
		return &Mistake{Code: "too_long", Hint: fmt.Sprintf("may have at most %d characters", MaxLength)}
	}
	return nil
}

// Type is what it gives.
func (e *Expr) Type() *Type { return e.kind }

// String is its source.
func (e *Expr) String() string { return e.source }

// MarshalText shows it as its source.
func (e *Expr) MarshalText() ([]byte, error) { return []byte(e.source), nil }

// Eval computes it. The value is one of JSON; times become texts.
func (e *Expr) Eval(s Scope) (any, error) {
	v, err := e.run(s)
	if err != nil {
		return nil, err
	}
	out, err := plain(v, 0)
	if err != nil {
		return nil, e.failed(err)
	}
	return out, nil
}

func (e *Expr) run(s Scope) (v ref.Val, err error) {
	defer func() { // a defect of a library is no reason to end a turn, and never a yes
		if p := recover(); p != nil {
			v, err = nil, &Error{CodeCondition, e.source, fmt.Sprint(p)}
		}
	}()
	v, _, failed := e.program.Eval(activation{s, e.of})
	if failed != nil {
		return nil, e.failed(failed)
	}
	if types.IsUnknownOrError(v) {
		return nil, e.failed(fmt.Errorf("%v", v))
	}
	return v, nil
}

var costWords = regexp.MustCompile(`(?i)cost limit|cancel`)

func (e *Expr) failed(err error) error {
	var ours *Error
	if errors.As(err, &ours) {
		return ours
	}
	code := CodeCondition
	if costWords.MatchString(err.Error()) {
		code = CodeCost
	}
	return &Error{code, e.source, firstLine(err.Error())}
}

// Condition is an expression that is true or false.
type Condition struct{ Expr }

// CompileCondition compiles one, which must be a bool.
func (e *Environment) CompileCondition(source string) (*Condition, []Mistake) {
	x, mistakes := e.Compile(source)
	if len(mistakes) > 0 {
		return nil, mistakes
	}
	if !x.kind.IsExactType(Bool) && !x.kind.IsExactType(Dyn) {
		return nil, []Mistake{{Code: "not_bool", Hint: fmt.Sprintf("is a %s and must be a bool: compare it with something", x.kind)}}
	}
	return &Condition{*x}, nil
}

// Holds is whether it is true. An error is never true; a nil condition always is.
func (c *Condition) Holds(s Scope) (bool, error) {
	if c == nil {
		return true, nil
	}
	v, err := c.run(s)
	if err != nil {
		return false, err
	}
	b, isBool := v.(types.Bool)
	if !isBool {
		return false, c.failed(fmt.Errorf("gives a %s and not a bool", v.Type().TypeName()))
	}
	return bool(b), nil
}

const deepest = 32

// plain makes values of JSON out of CEL's.
func plain(v ref.Val, depth int) (any, error) {
	if depth > deepest {
		return nil, errors.New("the value is nested too deep")
	}
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.Bool:
		return bool(v), nil
	case types.Int:
		return int64(v), nil
	case types.Uint:
		if v > math.MaxInt64 {
			return nil, errors.New("the number is too large")
		}
		return int64(v), nil
	case types.Double:
		if math.IsInf(float64(v), 0) || math.IsNaN(float64(v)) { // what cannot be kept would take the value around it along
			return nil, errors.New("the number is none of JSON: a division by zero, or too large")
		}
		return float64(v), nil
	case types.String:
		return string(v), nil
	case types.Timestamp:
		return v.UTC().Format(time.RFC3339Nano), nil
	case types.Duration:
		return v.String(), nil
	}
	return nested(v, depth)
}
