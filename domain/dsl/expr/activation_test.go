package expr_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// What is not in the scope is absent to has(), in maps and in records; read, it is an error.
func TestWhatIsNotThereIsAbsent(t *testing.T) {
	for _, scope := range []expr.Scope{nil, {"gather": nil, "session": nil}, {"gather": map[string]any{"n": nil}}} {
		for source, want := range map[string]any{
			"has(gather.n)": false, "has(session.n)": false, "!has(gather.price) && !has(session.a)": true, "session": map[string]any{},
		} {
			x, mistakes := environment().Compile(source)
			require.Empty(t, mistakes, source)
			got, err := x.Eval(scope)
			require.NoError(t, err, "%s of %v", source, scope)
			require.Equal(t, want, got, source)
		}
		for _, source := range []string{"text", "gather.n", "session.n"} {
			x, _ := environment().Compile(source)
			got, err := x.Eval(scope)
			require.Nil(t, got, source)
			require.ErrorContains(t, err, expr.CodeCondition+": no such", source)
			require.ErrorContains(t, err, `in "`+source+`"`)
		}
	}
}

// Given a value of JSON, then it is of the type that was declared where that loses nothing, and stays what it is
// elsewhere: no number becomes another one.
func TestValuesAreOfTheirDeclaredTypes(t *testing.T) {
	const far = int64(1234567890123456789)   // another number, if it had a point
	const round = int64(1152921504606847000) // no double either, but written as one
	e := expr.NewEnvironment()
	e.Declare("whole", expr.Int)
	e.Declare("list", expr.List(expr.Int))
	e.Declare("at", expr.Timestamp)
	e.Declare("open", expr.Dyn)
	e.Declare("thing", e.Record("a thing", map[string]*expr.Type{"n": expr.Int, "in": e.Record("inside", map[string]*expr.Type{
		"all": expr.List(expr.Int)})}))
	day := time.Date(2026, 11, 24, 16, 4, 5, 0, time.FixedZone("CET", 3600))
	for _, c := range []struct {
		name      string
		given     any
		want      any // what it is read as
		otherwise any // and where nothing is declared
	}{
		{"whole", 2.0, int64(2), 2.0},
		{"whole", 2, int64(2), 2.0},
		{"whole", int64(2), int64(2), 2.0},
		{"whole", json.Number("2"), int64(2), 2.0},
		{"whole", 2.5, 2.5, 2.5},
		{"whole", 1e19, 1e19, 1e19},
		{"whole", -1e19, -1e19, -1e19},
		{"whole", far, far, far},
		{"whole", round, round, 1152921504606846976.0},
		{"whole", "2", "2", "2"},
		{"list", []any{1.0, 2.0}, []any{int64(1), int64(2)}, []any{1.0, 2.0}},
		{"list", []any{1.0, "a"}, []any{int64(1), "a"}, []any{1.0, "a"}},
		{"at", "2026-11-24", "2026-11-24T00:00:00Z", "2026-11-24"},
		{"at", "2026-11-24T16:04:05+01:00", "2026-11-24T15:04:05Z", "2026-11-24T16:04:05+01:00"},
		{"at", day, "2026-11-24T15:04:05Z", "2026-11-24T15:04:05Z"},
		{"at", "tomorrow", "tomorrow", "tomorrow"},
		{"thing", map[string]any{"n": 1.0, "in": map[string]any{"all": []any{1.0}}, "more": 1.0},
			map[string]any{"n": int64(1), "in": map[string]any{"all": []any{int64(1)}}, "more": 1.0},
			map[string]any{"n": 1.0, "in": map[string]any{"all": []any{1.0}}, "more": 1.0}},
	} {
		for name, want := range map[string]any{c.name: c.want, "open": c.otherwise} {
			x, mistakes := e.Compile(name)
			require.Empty(t, mistakes)
			got, err := x.Eval(expr.Scope{name: c.given})
			require.NoError(t, err)
			require.Equal(t, want, got, "%v as %s", c.given, name)
		}
	}
}

// What is nested deeper than 32 is not looked at.
func TestWhatIsNestedTooDeepIsCut(t *testing.T) {
	list, object := any("x"), any("x")
	for range 40 {
		list, object = []any{list}, map[string]any{"a": object}
	}
	scope := expr.Scope{"session": map[string]any{"l": list, "m": object}}
	for depth, there := range map[int]bool{30: true, 31: true, 32: false} {
		for source, deeper := range map[string]string{"session.l": "[0]", "session.m": ".a"} {
			c, mistakes := environment().CompileCondition(source + strings.Repeat(deeper, depth) + " != null")
			require.Empty(t, mistakes)
			held, _ := c.Holds(scope)
			require.Equal(t, there, held, "%s, %d deep", source, depth)
		}
	}
}

// A condition is true or false; an expression is shown as it was written, and says of which type it is.
func TestAConditionIsTrueOrFalse(t *testing.T) {
	for source, want := range map[string]bool{"text == 'a'": true, "text == 'b'": false, "session.yes": true, "session.no": false} {
		c, mistakes := environment().CompileCondition(source)
		require.Empty(t, mistakes, source)
		held, err := c.Holds(expr.Scope{"text": "a", "session": map[string]any{"yes": true, "no": false}})
		require.NoError(t, err, source)
		require.Equal(t, want, held, source)
		shown, err := json.Marshal(map[string]any{"WHEN": c})
		require.NoError(t, err)
		require.JSONEq(t, `{"WHEN": "`+source+`"}`, string(shown))
	}
	held, err := (*expr.Condition)(nil).Holds(nil)
	require.NoError(t, err)
	require.True(t, held, "what was not written holds")
	c, mistakes := environment().CompileCondition("gather.n")
	require.Nil(t, c)
	require.Equal(t, []expr.Mistake{{Code: "not_bool", Hint: "is a int and must be a bool: compare it with something"}}, mistakes)

	c, _ = environment().CompileCondition("session.text")
	_, err = c.Holds(expr.Scope{"session": map[string]any{"text": "a"}})
	require.Equal(t, &expr.Error{Code: expr.CodeCondition, Expression: "session.text", Problem: "gives a string and not a bool"}, err)

	for source, kind := range map[string]*expr.Type{"gather.n": expr.Int, "gather.tags": expr.List(expr.String), "session.a": expr.Dyn} {
		x, _ := environment().Compile(source)
		require.Equal(t, kind.String(), x.Type().String(), source)
	}
}

// A wider environment has its own names, and leaves the one it was made of as it is.
func TestAWiderEnvironment(t *testing.T) {
	e := expr.NewEnvironment()
	e.Declare("a", expr.String)
	wider := e.With(map[string]*expr.Type{"b": expr.Int})
	_, mistakes := wider.Compile("a == 'x' && b == 1 && now == now")
	require.Empty(t, mistakes)
	_, mistakes = e.Compile("b")
	require.Equal(t, "unknown_name", mistakes[0].Code)

	x, mistakes := environment().Compile("slots{n: 1}") // records are given, and not made
	require.Empty(t, mistakes)
	_, err := x.Eval(nil)
	require.ErrorContains(t, err, "a slots cannot be made")
}
