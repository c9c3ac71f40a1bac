package expr_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// Given an expression that cannot be, then what is wrong with it is told in words of who wrote it, and where it stands,
// in characters from its start.
func TestWhatIsWrongWithAnExpression(t *testing.T) {
	const point = "numbers of session, caller and the like have a point: write "
	e := environment()
	e.Declare("place", e.Record("a place", map[string]*expr.Type{"street": expr.String, "town": e.Record("a town", map[string]*expr.Type{
		"zip": expr.String})}))
	e.Declare("sole", e.Record("what has one member", map[string]*expr.Type{"only": expr.String}))
	for source, want := range map[string]expr.Mistake{
		"":  {Offset: 0, Code: "empty_expression", Hint: "is empty: a condition that says nothing would always hold"},
		" ": {Offset: 0, Code: "empty_expression", Hint: "is empty: a condition that says nothing would always hold"},
		"'" + strings.Repeat("ä", expr.MaxLength-1) + "'": {Code: "too_long", Hint: "may have at most 2000 characters"},

		// names
		"nope": {Code: "unknown_name",
			Hint: "there is no `nope` here; there are gather, now, place, session, sole, text, value. A text is written in quotes"},
		"texd == 'a'": {Code: "unknown_name", Hint: "there is no `texd` here: did you mean text?"},
		"text == 'ä' ||\n text ==\n 'ö' + tezt": {Offset: 31, Code: "unknown_name", Hint: "there is no `tezt` here: did you mean text?"},
		"gather.prise": {Offset: 6, Code: "unknown_member", Hint: "there is no `prise` in gather: did you mean price?"},
		"gather.city": {Offset: 6, Code: "unknown_member",
			Hint: "there is no `city` in gather, which has day, n, price, tags"},
		"'ä' == text && has(gather.prise)": {Offset: 25, Code: "unknown_member", Hint: "there is no `prise` in gather: did you mean price?"},
		"place.town.zap":                   {Offset: 10, Code: "unknown_member", Hint: "there is no `zap` declared in town"},
		"sole.street":                      {Offset: 4, Code: "unknown_member", Hint: "there is no `street` in sole, which has only"},
		"[place][0].strete":                {Offset: 10, Code: "unknown_member", Hint: "there is no `strete` declared"},

		"text + 1": {Offset: 5, Code: "expression", Hint: "found no matching overload for '_+_' applied to '(string, int)'"},

		// habits
		"text = 'a'":            {Offset: 5, Code: "expression", Hint: "write == to compare"},
		"text IS NOT SET":       {Offset: 5, Code: "expression", Hint: "write has(x) or !has(x)"},
		"true AND text == 'or'": {Offset: 5, Code: "expression", Hint: "write && for AND"},
		"true or false":         {Offset: 5, Code: "expression", Hint: "write || for OR"},
		"true && not false":     {Offset: 12, Code: "expression", Hint: "write ! for NOT"},
		"text === 'a'":          {Offset: 7, Code: "expression", Hint: "write == or !="},
		"text <> 'a'":           {Offset: 6, Code: "expression", Hint: "write != for unequal"},
		"${secret:KEY}":         {Offset: 0, Code: "expression", Hint: "secrets are only in HEADERS, QUERY and BODY of tools"},
		"{{ text }}":            {Offset: 8, Code: "expression", Hint: "this is an expression as it is: write it without {{ }}"},

		// numbers without a point, where all others have one
		"session.n + 1 > 2.0":                        {Offset: 12, Code: "number", Hint: point + "1.0"},
		"7 - session.n > 2.0":                        {Offset: 0, Code: "number", Hint: point + "7.0"},
		"session.n * 3 > 2.0":                        {Offset: 12, Code: "number", Hint: point + "3.0"},
		"'ä' == text || session.a.b / 4 > 2.0":       {Offset: 29, Code: "number", Hint: point + "4.0"},
		"session.a + 1 > 2.0 && session.b + 2 > 3.0": {Offset: 12, Code: "number", Hint: point + "1.0"},
	} {
		x, mistakes := e.Compile(source)
		require.Nil(t, x, source)
		require.NotEmpty(t, mistakes, source)
		require.Equal(t, want, mistakes[0], source)
		c, again := e.CompileCondition(source)
		require.Nil(t, c, source)
		require.Equal(t, mistakes, again, source)
	}
}

// What comes from outside is thought to have 50 items, or 1,000 characters: by them the worst cost is told.
func TestWhatAnExpressionMayCost(t *testing.T) {
	for source, worst := range map[string]string{
		"session.l.all(a, session.l.all(b, session.l.all(c, a + b + c > 0.0)))": "4015303",
		"session.l.all(a, text.contains(a + a))":                                "50803",
	} {
		x, mistakes := environment().Compile(source)
		require.Nil(t, x, source)
		require.Equal(t, []expr.Mistake{{Code: "too_costly", Hint: "may cost " + worst +
			", and at most 10000 is allowed: say it with fewer loops, or shorter patterns"}}, mistakes, source)
	}
}

// An expression has at most 2,000 characters, with its quotes.
func TestHowLongAnExpressionIs(t *testing.T) {
	x, mistakes := environment().Compile("'" + strings.Repeat("a", expr.MaxLength-2) + "'")
	require.Empty(t, mistakes)
	got, err := x.Eval(nil)
	require.NoError(t, err)
	require.Len(t, got, expr.MaxLength-2)
}

// At most five mistakes of one expression are told; of those that come from a habit one.
func TestAtMostFiveMistakesAreTold(t *testing.T) {
	for source, told := range map[string]int{
		"a1x == b2x":                     2,
		"[a1x, b2x, c3x, d4x, e5x]":      5,
		"[a1x, b2x, c3x, d4x, e5x, f6x]": 5,
		"[a1x, b2x] AND true":            1,
	} {
		_, mistakes := environment().Compile(source)
		require.Len(t, mistakes, told, source)
	}
}

// Whole numbers beside what is declared whole, with a point beside what is open, and beside what is computed, are no
// mistake.
func TestNumbersThatGoTogether(t *testing.T) {
	scope := expr.Scope{"session": map[string]any{"n": 2}, "gather": map[string]any{"n": 2.0, "price": 1.5}}
	for source, want := range map[string]any{
		"session.n + 1.0": 3.0, "2.0 * session.n": 4.0, "gather.n + 1": int64(3), "dyn(2) + 1": int64(3), "1 - dyn(2)": int64(-1),
		"session.n > 1": true, "[session.n, 1].size()": int64(2), "3 % gather.n": int64(1),
	} {
		x, mistakes := environment().Compile(source)
		require.Empty(t, mistakes, source)
		got, err := x.Eval(scope)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
}

// A name that is one edit away for each three characters is near, and at least one is: of several the nearest is meant, the
// first among equals.
func TestWhichNameWasMeant(t *testing.T) {
	long := strings.Repeat("a", 63)
	for name, c := range map[string]struct {
		known []string
		want  string
	}{
		"GOL":       {[]string{"GOAL"}, "GOAL"}, // one is missing
		"OAL":       {[]string{"GOAL"}, "GOAL"}, // at the start
		"GOA":       {[]string{"GOAL"}, "GOAL"}, // at the end
		"XGOAL":     {[]string{"GOAL"}, "GOAL"}, // one too many
		"GOXAL":     {[]string{"GOAL"}, "GOAL"},
		"GOALX":     {[]string{"GOAL"}, "GOAL"},
		"GOAX":      {[]string{"GOAL"}, "GOAL"}, // another
		"goal":      {[]string{"GOAL"}, "GOAL"},
		"GAOL":      {[]string{"GOAL"}, ""}, // two of four
		"X":         {[]string{"Y"}, "Y"},
		"AB":        {[]string{"XY"}, ""},
		"HENDOF":    {[]string{"HANDOFF"}, "HANDOFF"}, // two of six
		"HENDO":     {[]string{"HANDOFF"}, ""},
		"PERSONS":   {[]string{"PERSON", "PERSONA"}, "PERSON"},
		"PERSONA":   {[]string{"PERSON", "PERSONA"}, "PERSONA"},
		long + "b":  {[]string{long + "c"}, long + "c"},
		long + "bb": {[]string{long + "b"}, ""}, // too long to be looked at
		long + "d":  {[]string{long + "dd"}, ""},
		"anything":  {nil, ""},
	} {
		require.Equal(t, c.want, expr.Nearest(name, c.known), name)
	}
}
