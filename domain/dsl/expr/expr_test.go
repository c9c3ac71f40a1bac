package expr_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

func environment() *expr.Environment {
	e := expr.NewEnvironment()
	e.Declare("gather", e.Record("slots", map[string]*expr.Type{
		"n": expr.Int, "price": expr.Double, "day": expr.String, "tags": expr.List(expr.String),
	}))
	e.Declare("session", expr.Map(expr.String, expr.Dyn))
	return e.With(map[string]*expr.Type{"value": expr.Timestamp, "text": expr.String})
}

var now = time.Date(2026, 11, 24, 15, 4, 5, 0, time.UTC)

// What comes out of JSON has only numbers with a point; what is declared whole is whole again.
func TestExpressionsGiveValuesOfJSON(t *testing.T) {
	scope := expr.Scope{"now": now, "value": "2026-11-25", "text": "x",
		"gather":  map[string]any{"n": 2.0, "price": json.Number("12.5"), "day": "2026-11-24", "tags": []any{"a"}},
		"session": map[string]any{"n": 3, "list": []any{1.0, "b", nil}, "strings": []string{"a"}, "deep": map[string]any{"at": now}}}
	for source, want := range map[string]any{
		"gather.n + 1": int64(3), "gather.price * 2.0": 25.0,
		"session.n + 1.0": 4.0, "session.n == 3": true, "gather.n < gather.price": true,
		"has(gather.n) && !has(session.none)": true, "session.list": []any{1.0, "b", nil}, "session.strings": []any{"a"},
		"{'a': gather.tags}": map[string]any{"a": []any{"a"}}, "null": nil, "now": "2026-11-24T15:04:05Z", "value > now": true,
		"date(gather.day) < now": true, "fmtDate(gather.day, 'DD.MM.YYYY')": "24.11.2026", "fmtDate(now, 'D/M HH:mm:ss')": "24/11 15:04:05",
		"mask('4111111111111111')": "************1111",
		"mask('secret')":           "******", "money(12.5, 'EUR')": "12.50 EUR", "money(3, 'EUR')": "3.00 EUR",
		"upper(trim(' a ')) + lower('B')": "Ab", "session.deep.at < now": false, "duration('90s')": "1m30s", "2u": int64(2),
	} {
		x, mistakes := environment().Compile(source)
		require.Empty(t, mistakes, source)
		got, err := x.Eval(scope)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}

func TestAnErrorIsNeverTrue(t *testing.T) {
	for source, code := range map[string]string{
		"gather.n == 1":                               expr.CodeCondition, // not there
		"session.a.b.c == 1":                          expr.CodeCondition,
		"session.text":                                expr.CodeCondition, // no bool
		"1 / (session.n == 0.0 ? 0 : 0) == 1":         expr.CodeCondition,
		"date('tomorrow') < now":                      expr.CodeCondition,
		"date(text) < now":                            expr.CodeCondition, // text is not in the scope
		"fmtDate(now, 'Monday') == ''":                expr.CodeCondition,
		"money(1.0 / 0.0, 'EUR') == ''":               expr.CodeCondition,
		"session.long.all(a, a >= 0.0 && a < 9999.0)": expr.CodeCost,
	} {
		c, mistakes := environment().CompileCondition(source)
		require.Empty(t, mistakes, source)
		long := make([]any, 3000)
		for i := range long {
			long[i] = float64(i)
		}
		held, err := c.Holds(expr.Scope{"now": now, "session": map[string]any{"n": 0, "text": "true", "long": long}})
		require.False(t, held, source)
		var failed *expr.Error
		require.ErrorAs(t, err, &failed, source)
		require.Equal(t, code, failed.Code, "%s: %v", source, err)
		require.Equal(t, source, failed.Expression)
	}
}

// Values that are nested without end, numbers that JSON has not, and names of members that are no
// texts, are errors too.
func TestStrangeValues(t *testing.T) {
	deep := map[string]any{}
	for range 100 {
		deep = map[string]any{"a": deep}
	}
	x, _ := environment().Compile("session")
	_, err := x.Eval(expr.Scope{"session": deep})
	require.ErrorContains(t, err, "too deep")
	for _, source := range []string{"{1: 2}", "b'abc'", "type(1)", "1.0 / 0.0", "{'a': [0.0 / 0.0]}", "-1e308 * 10.0",
		"18446744073709551615u"} {
		x, mistakes := environment().Compile(source)
		require.Empty(t, mistakes)
		_, err := x.Eval(nil)
		require.ErrorContains(t, err, expr.CodeCondition, source)
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{"HANDOF": "HANDOFF", "handoff": "HANDOFF",
		"GOAL": "GOAL", "XYZ": "", "": "", "TESTSS": "TESTS"} {
		require.Equal(t, want, expr.Nearest(name, []string{"HANDOFF", "GOAL", "TESTS"}), name)
	}
}

func BenchmarkCompile(b *testing.B) {
	e := environment()
	for b.Loop() {
		_, _ = e.Compile(`gather.n > 6 && has(session.a) && session.a == "b" || gather.price < 3.0`)
	}
}
