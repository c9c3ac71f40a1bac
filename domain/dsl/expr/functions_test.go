package expr_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// What is computed by functions of ours: at most the last four characters of what is masked are seen, amounts have two
// places, days and times are written by a form.
func TestFunctionsOfOurs(t *testing.T) {
	for source, want := range map[string]string{
		"mask('')": "", "mask('12345678')": "********", "mask('123456789')": "*****6789", "mask('äöüäöüäöü')": "*****üäöü",
		"money(0.005, 'EUR')": "0.01 EUR", "money(-12.345, 'USD')": "-12.35 USD", "money(1000000, '€')": "1000000.00 €",
		"lower('ÄB')": "äb", "upper('äb')": "ÄB", "trim(' \\t\\na b ')": "a b",
		"fmtDate('2026-01-02', 'YYYY/MM/DD')": "2026/01/02", "fmtDate('2026-01-02', 'D.M.')": "2.1.",
		"fmtDate('2026-11-24T23:04:05-02:00', 'DD.MM.YYYY HH:mm:ss')": "25.11.2026 01:04:05",
		"fmtDate(date('2026-01-02'), 'MM-DD')":                        "01-02",
	} {
		x, mistakes := environment().Compile(source)
		require.Empty(t, mistakes, source)
		got, err := x.Eval(nil)
		require.NoError(t, err, source)
		require.Equal(t, want, got, source)
	}
	for source, problem := range map[string]string{
		"date('24.11.2026')":           `"24.11.2026" is no date such as 2026-11-24`,
		"fmtDate('soon', 'DD')":        `"soon" is no date such as 2026-11-24`,
		"fmtDate('2026-01-02', 'Mon')": "the form of a date has YYYY, MM, DD, HH, mm, ss and signs, not 'o'",
		"money(0.0 / 0.0, 'EUR')":      "money of what is no number",
		"money(-1.0 / 0.0, 'EUR')":     "money of what is no number",
	} {
		x, mistakes := environment().Compile(source)
		require.Empty(t, mistakes, source)
		_, err := x.Eval(nil)
		require.Equal(t, &expr.Error{Code: expr.CodeCondition, Expression: source, Problem: problem}, err)
	}
}
