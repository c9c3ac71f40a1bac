package completions

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Pricing is what a token costs, in pico-dollars; a zero Version means that nobody knows.
type Pricing struct {
	Version string
	In, Out int64
}

// LongestPriceVersion is how many bytes it may have.
const LongestPriceVersion = 64

// Pico are the pico-dollars of so many dollars, at most nine million.
func Pico(dollars float64) int64 { return int64(math.Round(dollars * 1e12)) }

// Dollars are those of so many pico-dollars, as they are shown.
func Dollars(pico int64) float64 { return float64(pico) / 1e12 }

// USD are so many pico-dollars in words.
func USD(pico int64) string { return strconv.FormatFloat(Dollars(pico), 'f', -1, 64) }

// MostOf is how much of a budget is spent when it is told: four fifths.
func MostOf(budget int64) int64 { return budget - budget/5 }

// Cost is in pico-dollars; nil: unknown, or more than can be counted.
func (p Pricing) Cost(u Usage) *int64 {
	if p.Version == "" {
		return nil
	}
	const most = int64(1) << 61
	if p.In > 0 && u.TokensIn > most/p.In || p.Out > 0 && u.TokensOut > most/p.Out {
		return nil
	}
	cost := u.TokensIn*p.In + u.TokensOut*p.Out
	return &cost
}

var decimal = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6})?$`)

// PerToken reads US dollars for a million tokens, which are pico-dollars for a token with six
// digits behind the point.
func PerToken(dollars string) (pico int64, ok bool) { return times(dollars, 1_000_000) }

// times is a decimal number times an integer that makes it one.
func times(decimals string, by int64) (int64, bool) {
	value, ok := new(big.Rat).SetString(decimals)
	if !ok || !decimal.MatchString(decimals) {
		return 0, false
	}
	value.Mul(value, big.NewRat(by, 1))
	return value.Num().Int64(), value.IsInt()
}

var modelID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$`)

// ValidModelID reports whether a model, or a provider, may be called so: letters, digits and
// ._:/- behind a letter or digit.
func ValidModelID(id string) bool { return modelID.MatchString(id) }

// ValidKey reports whether a provider's key can stand in a header.
func ValidKey(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r > '~' })
}
