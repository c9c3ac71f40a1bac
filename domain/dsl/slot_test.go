package dsl_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/dsl"
)

func slot(t *testing.T, members string) *dsl.Slot {
	t.Helper()
	return compiled(t, "A", withHead("GATHER: {s: {"+members+"}}")).Slot("s")
}

func TestSlotsReadWhatIsSaid(t *testing.T) {
	const enum = "TYPE: enum, OPTIONS: [gas, {ID: water, LABEL: {en: Cold water, de: Kaltwasser}}]"
	for _, c := range []struct {
		slot, said string
		want       any // nil: refused with the code
		code       string
	}{
		{"TYPE: string", " Ada ", "Ada", ""},
		{"TYPE: string", "a\nb", nil, "form"},
		{"TYPE: string", strings.Repeat("ä", 1000), strings.Repeat("ä", 1000), ""},
		{"TYPE: string", strings.Repeat("a", 1001), nil, "too_long"},
		{"TYPE: text", strings.Repeat("ä", 20_000), strings.Repeat("ä", 20_000), ""},
		{"TYPE: text", "a\nb", "a\nb", ""},
		{"TYPE: text", " ", nil, "empty"},
		{"TYPE: text", strings.Repeat("a", 20_001), nil, "too_long"},
		{"TYPE: integer", "12", int64(12), ""},
		{"TYPE: integer", "12.5", nil, "form"},
		{"TYPE: integer", "9007199254740992", int64(1 << 53), ""},
		{"TYPE: integer", "-9007199254740992", int64(-1 << 53), ""},
		{"TYPE: integer", "9007199254740993", nil, "form"},
		{"TYPE: integer", "-9007199254740993", nil, "form"},
		{"TYPE: integer", "about 12, I think", nil, "form"},
		{"TYPE: integer, EXTRACT: pattern", "about 12, I think", int64(12), ""},
		{"TYPE: integer, EXTRACT: pattern", "none", nil, "form"},
		{"TYPE: integer, VALIDATE: value > 0 && value < 29", "28", int64(28), ""},
		{"TYPE: integer, VALIDATE: value > 0 && value < 29", "29", nil, "validate"},
		{"TYPE: number", "12,5", 12.5, ""},
		{"TYPE: number", "007", 7.0, ""},
		{"TYPE: number", "+7.25", 7.25, ""},
		{"TYPE: number", "-0.5", -0.5, ""},
		{"TYPE: number", ".5", nil, "form"},
		{"TYPE: number", "1,000.5", nil, "form"},
		{"TYPE: number", "1e3", 1000.0, ""},
		{"TYPE: number, EXTRACT: pattern", "up to -12,5 degrees", -12.5, ""},
		{"TYPE: number", "1e999", nil, "form"},
		{"TYPE: number", "0x10", nil, "form"},
		{"TYPE: number", "NaN", nil, "form"},
		{"TYPE: boolean", "Ja!", true, ""},
		{"TYPE: boolean", "no", false, ""},
		{"TYPE: boolean", "Yes, please!", true, ""},
		{"TYPE: boolean", "Sí.", true, ""},
		{"TYPE: boolean", "Oui, s’il vous plaît", true, ""},
		{"TYPE: boolean", "no, thank you", false, ""},
		{"TYPE: boolean", "ja, danke!", true, ""},
		{"TYPE: boolean", "maybe", nil, "form"},
		{"TYPE: boolean", "yes and no", nil, "form"},
		{"TYPE: boolean", "yes or no", nil, "form"},
		{"TYPE: boolean", "yes, but tomorrow", nil, "form"},
		{"TYPE: boolean", "yes no", nil, "form"},
		{"TYPE: boolean", "please", nil, "form"},
		{"TYPE: boolean", "!", nil, "form"},
		{"TYPE: date", "24.11.2026", "2026-11-24", ""},
		{"TYPE: date", "2026-2-3", "2026-02-03", ""},
		{"TYPE: date", "2026-02-30", nil, "form"},
		{"TYPE: date", "0999-12-31", nil, "form"},
		{"TYPE: date", "1000-01-01", "1000-01-01", ""},
		{"TYPE: date, EXTRACT: pattern", "the 3.2.2026, or later", "2026-02-03", ""},
		{"TYPE: date, VALIDATE: value > now", "2026-11-25", "2026-11-25", ""},
		{"TYPE: date, VALIDATE: value > now", "2026-11-23", nil, "validate"},
		{"TYPE: date, EXTRACT: pattern", "on 2026-11-25 please", "2026-11-25", ""},
		{"TYPE: datetime", "2026-11-24 15:04", "2026-11-24T15:04:00Z", ""},
		{"TYPE: datetime", "2026-11-24T15:04:05+02:00", "2026-11-24T13:04:05Z", ""},
		{"TYPE: datetime", "tomorrow", nil, "form"},
		{"TYPE: datetime", "2026-11-24t15:04z", "2026-11-24T15:04:00Z", ""},
		{"TYPE: datetime", "2026-11-24x15:04", nil, "form"},
		{"TYPE: datetime", "2026-11-24", nil, "form"},
		{"TYPE: datetime, EXTRACT: pattern", "at 2026-11-24 15:04:05 sharp", "2026-11-24T15:04:05Z", ""},
		{"TYPE: email", "Ada@Example.com", "ada@example.com", ""},
		{"TYPE: email", "ada@example", nil, "form"},
		{"TYPE: email", "ada@example.com.", "ada@example.com", ""},
		{"TYPE: email", "ada..b@example.com", nil, "form"},
		{"TYPE: email", "to ada@example.com", nil, "form"},
		{"TYPE: email", strings.Repeat("a", 242) + "@example.com", strings.Repeat("a", 242) + "@example.com", ""},
		{"TYPE: email", strings.Repeat("a", 243) + "@example.com", nil, "form"},
		{"TYPE: email, EXTRACT: pattern", "it is ada@example.com.", "ada@example.com", ""},
		{"TYPE: phone", "+49 (30) 123-456", "+4930123456", ""},
		{"TYPE: phone", "0049 30 123456", "+4930123456", ""},
		{"TYPE: phone", "030 123456", nil, "form"},
		{"TYPE: phone", "+49 12/34.56", "+49123456", ""},
		{"TYPE: phone", "+49123", nil, "form"},
		{"TYPE: phone", "+4912345678901234", nil, "form"},
		{"TYPE: phone, EXTRACT: pattern", "call +49 30 123456 now", "+4930123456", ""},
		{enum, "Kaltwasser", "water", ""},
		{enum, "GAS", "gas", ""},
		{enum, "air", nil, "option"},
		{enum + ", EXTRACT: pattern", "I pay for gas.", "gas", ""},
		{enum + ", EXTRACT: pattern", "gas and water", nil, "option"},
		{enum + ", EXTRACT: pattern", "cold-water? Kaltwasser!", "water", ""},
		{enum + ", EXTRACT: pattern", "gasoline", nil, "option"},
		{"TYPE: enum, OPTIONS: ['-', a], EXTRACT: pattern", "?!", nil, "option"},
		{`TYPE: pattern, PATTERN: "^[0-9]{8}$"`, "12345678", "12345678", ""},
		{`TYPE: pattern, PATTERN: "[0-9]{8}"`, "x12345678", nil, "form"},
		{`TYPE: pattern, PATTERN: "^[0-9]{8}$", EXTRACT: pattern`, "it is 12345678", "12345678", ""},
		{"TYPE: list", "a, b; a", []any{"a", "b"}, ""},
		{"TYPE: list", ", ,", nil, "form"},
		{"TYPE: list", "a\n b ", []any{"a", "b"}, ""},
		{"TYPE: list", strings.TrimSuffix(many("%d,", 100), ","), hundred(), ""},
		{"TYPE: list", many("%d,", 101), nil, "form"},
		{`TYPE: list, PATTERN: "^[A-Z]+$", EXTRACT: pattern`, "AB or CD, AB", []any{"AB", "CD"}, ""},
		{`TYPE: list, PATTERN: "[0-9]+", EXTRACT: pattern`, many("%d ", 101), nil, "form"},
		{`TYPE: pattern, PATTERN: 'a\$', EXTRACT: pattern`, "it is a$", "a$", ""},
		{"TYPE: list, OPTIONS: [a, b]", "A, c", nil, "option"},
	} {
		now := dsl.Scope{"now": time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)}
		got, problem := slot(t, c.slot).Read(c.said, "de", now)
		if c.want == nil {
			require.NotNil(t, problem, "%s: %q", c.slot, c.said)
			require.Equal(t, c.code, problem.Code, "%s: %q", c.slot, c.said)
			require.NotEmpty(t, problem.Error())
			continue
		}
		require.Nil(t, problem, "%s: %q", c.slot, c.said)
		require.Equal(t, c.want, got, "%s: %q", c.slot, c.said)
	}
}

// hundred is the texts "0" to "99".
func hundred() (all []any) {
	for i := range 100 {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

// What a user said may show by its form that it is a value of a slot, whatever EXTRACT says: any text is a string.
func TestSlotsFindWhatIsTheirs(t *testing.T) {
	for members, formed := range map[string]bool{"TYPE: string": false, "TYPE: text": false, "TYPE: text, PATTERN: a": true,
		"TYPE: list": false, "TYPE: list, OPTIONS: [a]": true, "TYPE: integer": true, "TYPE: boolean": true} {
		require.Equal(t, formed, slot(t, members).Formed(), members)
	}
	of := slot(t, "TYPE: integer")
	found, problem := of.Find("about 12, I think", "", nil)
	require.Nil(t, problem)
	require.Equal(t, int64(12), found)
	found, problem = slot(t, "TYPE: list, OPTIONS: [a, b]").Find("A, b", "", nil)
	require.Nil(t, problem)
	require.Equal(t, []any{"a", "b"}, found)
	_, problem = of.Read("about 12, I think", "", nil)
	require.Equal(t, &dsl.SlotProblem{Code: dsl.ProblemForm, Hint: "must be a whole number, in digits"}, problem)
}

func TestSlotsJudgeValues(t *testing.T) {
	for _, c := range []struct {
		slot  string
		value any
		want  any
	}{
		{"TYPE: integer", 3.0, int64(3)}, {"TYPE: integer", 3.5, nil}, {"TYPE: integer", "3", int64(3)}, {"TYPE: integer", true, nil},
		{"TYPE: number", int64(3), 3.0}, {"TYPE: boolean", true, true}, {"TYPE: boolean", 1, nil},
		{"TYPE: list", []any{"a"}, []any{"a"}}, {"TYPE: list", []any{1}, nil}, {"TYPE: list", []any{}, nil},
		{"TYPE: list, OPTIONS: [a]", []any{"b"}, nil}, {"TYPE: string", map[string]any{}, nil},
		{"TYPE: integer", 7, int64(7)}, {"TYPE: integer", float64(1<<53 - 1), int64(1<<53 - 1)}, {"TYPE: integer", float64(1 << 53), nil},
		{"TYPE: number", math.Inf(1), nil}, {"TYPE: number", math.NaN(), nil}, {"TYPE: boolean", "ja", true}, {"TYPE: string", true, nil},
		{"TYPE: list", hundred(), hundred()}, {"TYPE: list", append(hundred(), "a"), nil}, {"TYPE: string", []any{"a"}, nil},
		{"TYPE: integer, EXTRACT: pattern", "about 12", nil}, {"TYPE: number, VALIDATE: value < 2", 2.0, nil},
	} {
		got, problem := slot(t, c.slot).Take(c.value, nil)
		require.Equal(t, c.want, got, "%s: %v", c.slot, c.value)
		require.Equal(t, c.want == nil, problem != nil)
	}
}

func TestSchemasCheckValues(t *testing.T) {
	pay := compiled(t, "Trip_Planner", example(t, "trip_planner")).Tool("pay")
	require.NoError(t, pay.Result.Check(map[string]any{"state": "paid"}))
	require.ErrorContains(t, pay.Result.Check(map[string]any{"state": "late"}), "state")
	require.Error(t, pay.Params.Check(map[string]any{"eur": int64(0)}))
	require.NoError(t, (*dsl.Schema)(nil).Check(1))
}
