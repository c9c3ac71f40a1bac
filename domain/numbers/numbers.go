// Package numbers owns how a telephone number is written on a trunk: its stored form, tel:+<digits>
// with the country code, to the form that the trunk's other side wants, and back. It knows no
// numbering plan beyond the prefixes of a few countries, and judges nothing that it cannot read.
// Valid is the form of a number that is given: + and its digits.
package numbers

import (
	"regexp"
	"strings"
)

var given = regexp.MustCompile(`^\+[1-9][0-9]{1,14}$`)

// Valid reports whether a text is a telephone number in E.164: + and 2 to 15 digits, such as +15551234567.
func Valid(text string) bool { return given.MatchString(text) }

// Format is how a trunk writes numbers.
type Format string

// The formats.
const (
	PlusE164 Format = "+e164"    // +4930123456
	E164     Format = "e164"     // 4930123456
	National Format = "national" // 030123456 in the trunk's country, 004433... elsewhere
)

// Formats lists them.
var Formats = []Format{PlusE164, E164, National}

// Plan is how numbers are written on one trunk. The zero value writes +e164.
type Plan struct {
	Format  Format
	Country string // calling code of the trunk's country, digits; National needs it
}

// prefixes are what stands before a national, and before an international number.
type prefixes struct{ national, international string }

// usual is what most countries have; others tells of those that do not.
var (
	usual  = prefixes{"0", "00"}
	others = map[string]prefixes{
		"1": {"", "011"}, "7": {"8", "810"}, "30": {"", "00"}, "34": {"", "00"}, "36": {"06", "00"}, "39": {"", "00"}, "45": {"", "00"},
		"47": {"", "00"}, "48": {"", "00"}, "61": {"0", "0011"}, "81": {"0", "010"}, "351": {"", "00"}, "352": {"", "00"}, "420": {"", "00"},
		"852": {"", "001"}, "65": {"", "000"},
	}
	digits  = regexp.MustCompile(`^[0-9]{3,15}$`)
	country = regexp.MustCompile(`^[1-9][0-9]{0,2}$`)
)

// ValidCountry reports whether a text can be a calling code.
func ValidCountry(code string) bool { return country.MatchString(code) }

func (p Plan) prefixes() prefixes {
	if of, ok := others[p.Country]; ok {
		return of
	}
	return usual
}

// Wire is a stored number as the trunk writes it. What is no stored number stays as it is.
func (p Plan) Wire(stored string) string {
	number, ok := strings.CutPrefix(stored, "tel:+")
	if !ok {
		return stored
	}
	switch p.Format {
	case E164:
		return number
	case National:
		of := p.prefixes()
		if rest, ours := strings.CutPrefix(number, p.Country); ours && rest != "" {
			return of.national + rest
		}
		return of.international + number
	}
	return "+" + number
}

// Caller is one of our own numbers as the trunk writes it: the account gives it as it likes, and one that is
// no number with its country stays as it is.
func (p Plan) Caller(ours string) string {
	if stored := p.Stored(ours); stored != "" && (strings.HasPrefix(ours, "+") || p.Country != "") {
		return p.Wire(stored)
	}
	return ours
}

var visual = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "", "/", "")

// Stored is the stored form of what stood on the wire; empty for what is no number, as that of a caller
// who does not want to be known.
func (p Plan) Stored(wire string) string {
	wire, _, _ = strings.Cut(wire, ";")
	number := visual.Replace(strings.TrimPrefix(wire, "tel:"))
	number, plus := strings.CutPrefix(number, "+")
	if !plus {
		number = p.withCountry(number)
	}
	if !digits.MatchString(number) {
		return ""
	}
	return "tel:+" + number
}

// withCountry reads a number without a plus.
func (p Plan) withCountry(number string) string {
	if p.Country == "" {
		return strings.TrimPrefix(number, "00")
	}
	of := p.prefixes()
	if rest, ok := strings.CutPrefix(number, of.international); ok {
		return rest
	}
	if rest, ok := strings.CutPrefix(number, of.national); ok && of.national != "" {
		return p.Country + rest
	}
	if p.Format == National && of.national == "" {
		return p.Country + number
	}
	return number
}

// Refused finds the first of a trunk's prefixes, digits with the country code, that a stored number begins
// with; empty: none.
func Refused(stored string, list []string) string {
	number := strings.TrimPrefix(stored, "tel:+")
	for _, prefix := range list {
		if strings.HasPrefix(number, strings.TrimPrefix(prefix, "+")) {
			return prefix
		}
	}
	return ""
}
