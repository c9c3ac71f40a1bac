package expr

import (
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// functions are the few that CEL has not: mask, money, fmtDate, date, lower, upper, trim.
func functions() []cel.EnvOption {
	text := func(name string, f func(string) string) cel.EnvOption {
		return cel.Function(name, cel.Overload(name+"_string", []*cel.Type{String}, String,
			cel.UnaryBinding(func(v ref.Val) ref.Val { return types.String(f(string(v.(types.String)))) })))
	}
	return []cel.EnvOption{
		text("mask", mask),
		text("lower", strings.ToLower), text("upper", strings.ToUpper), text("trim", strings.TrimSpace),
		cel.Function("money",
			cel.Overload("money_double_string", []*cel.Type{Double, String}, String, cel.BinaryBinding(moneyOf)),
			cel.Overload("money_int_string", []*cel.Type{Int, String}, String, cel.BinaryBinding(moneyOf))),
		cel.Function("date", cel.Overload("date_string", []*cel.Type{String}, Timestamp, cel.UnaryBinding(dateOf))),
		cel.Function("fmtDate",
			cel.Overload("fmt_date_timestamp", []*cel.Type{Timestamp, String}, String, cel.BinaryBinding(formatDate)),
			cel.Overload("fmt_date_string", []*cel.Type{String, String}, String, cel.BinaryBinding(formatDate))),
	}
}

// mask leaves the last four characters of what is longer than eight, and nothing else.
func mask(s string) string {
	n := utf8.RuneCountInString(s)
	if n <= 8 {
		return strings.Repeat("*", n)
	}
	return strings.Repeat("*", n-4) + string([]rune(s)[n-4:])
}

// moneyOf is an amount with two places and its currency: money(12.5, "EUR") is "12.50 EUR".
func moneyOf(amount, currency ref.Val) ref.Val {
	f := 0.0
	switch a := amount.(type) {
	case types.Double:
		f = float64(a)
	case types.Int:
		f = float64(a)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return types.NewErr("money of what is no number")
	}
	return types.String(strconv.FormatFloat(f, 'f', 2, 64) + " " + string(currency.(types.String)))
}

// dateOf reads 2026-11-24, and a time in RFC 3339.
func dateOf(v ref.Val) ref.Val {
	t, ok := ReadDate(string(v.(types.String)))
	if !ok {
		return types.NewErr("%q is no date such as 2026-11-24", string(v.(types.String)))
	}
	return types.Timestamp{Time: t}
}

// ReadDate reads a day or a time in the form of RFC 3339.
func ReadDate(s string) (time.Time, bool) {
	for _, form := range []string{time.DateOnly, time.RFC3339Nano} {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// dateWords are what a form of fmtDate is made of, the longest first.
var dateWords = strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02", "HH", "15", "mm", "04", "ss", "05", "M", "1", "D", "2")

// formatDate writes a time by a form of YYYY, MM, M, DD, D, HH, mm and ss, in UTC; a form
// may hold digits and signs, and no other letters.
func formatDate(v, form ref.Val) ref.Val {
	t, isTime := v.(types.Timestamp)
	if !isTime {
		read := dateOf(v)
		if t, isTime = read.(types.Timestamp); !isTime {
			return read
		}
	}
	wanted := string(form.(types.String))
	for _, r := range wanted {
		if !strings.ContainsRune("YMDHms .,:/-", r) {
			return types.NewErr("the form of a date has YYYY, MM, DD, HH, mm, ss and signs, not %q", r)
		}
	}
	return types.String(t.UTC().Format(dateWords.Replace(wanted)))
}
