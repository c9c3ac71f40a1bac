package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-platform/parley/domain/completions"
)

// PriceList is a public list of prices, in the form that LiteLLM hands around: an object with a
// row for each model, which says what a token costs in US dollars.
type PriceList struct{ rows map[string]json.RawMessage }

// ReadPriceList reads one. What is wrong in a row is said when that row is wanted: a list has
// thousands, of which a server knows a few.
func ReadPriceList(content []byte) (PriceList, error) {
	var rows map[string]json.RawMessage
	if err := json.Unmarshal(content, &rows); err != nil {
		return PriceList{}, fmt.Errorf("it is no list of prices, which is a JSON object with a row for each model: %w", err)
	}
	if len(rows) == 0 {
		return PriceList{}, errors.New("it has no row")
	}
	return PriceList{rows}, nil
}

// Listed is what a row says of a model.
type Listed struct {
	Row     string // its name
	In, Out int64  // of a token, in pico-dollars
	LeftOut []string
}

// What a row says that is taken over. Other prices of it cannot be said in the file of models.
const (
	listedIn  = "input_cost_per_token"
	listedOut = "output_cost_per_token"
)

// Of is the row of that name; false: there is none. An error names what is wrong in it.
func (l PriceList) Of(name string) (Listed, bool, error) {
	raw, is := l.rows[name]
	if !is {
		return Listed{}, false, nil
	}
	members := map[string]any{}
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber()
	if err := numbers.Decode(&members); err != nil {
		return Listed{}, true, fmt.Errorf("row %q is no JSON object", name)
	}
	out := Listed{Row: name}
	for _, p := range []struct {
		member string
		to     *int64
	}{{listedIn, &out.In}, {listedOut, &out.Out}} {
		value, ok := members[p.member].(json.Number)
		if !ok {
			return Listed{}, true, fmt.Errorf("row %q: %s must be a number", name, p.member)
		}
		pico, err := picoDollars(value.String())
		if err != nil {
			return Listed{}, true, fmt.Errorf("row %q: %s %s %w", name, p.member, value, err)
		}
		*p.to = pico
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if value, is := members[member].(json.Number); is && strings.Contains(member, "cost") && member != listedIn &&
			member != listedOut && value != "0" && value != "0.0" {
			out.LeftOut = append(out.LeftOut, member)
		}
	}
	return out, true, nil
}

// listedNumber is a number as JSON has it, of a size that cannot be a trap.
var listedNumber = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?$`)

// picoDollars are those of a number of dollars, which must be whole.
func picoDollars(dollars string) (int64, error) {
	value, ok := new(big.Rat).SetString(dollars)
	if !ok || !listedNumber.MatchString(dollars) {
		return 0, errors.New("must be a number of dollars, not below 0")
	}
	value.Mul(value, big.NewRat(1_000_000_000_000, 1))
	if !value.IsInt() {
		return 0, errors.New("has more digits than a price may: the smallest is 0.000000000001, a pico-dollar")
	}
	if !value.Num().IsInt64() {
		return 0, errTooDear
	}
	pico := value.Num().Int64()
	if _, ok := completions.PerToken(perMillion(pico)); !ok {
		return 0, errTooDear
	}
	return pico, nil
}

var errTooDear = errors.New("is more than a dollar for a token")

// perMillion are US dollars for a million tokens, as the file of models says them.
func perMillion(pico int64) string {
	text := fmt.Sprintf("%d.%06d", pico/1_000_000, pico%1_000_000)
	whole, digits, _ := strings.Cut(text, ".")
	if digits = strings.TrimRight(digits, "0"); digits == "" {
		return whole
	}
	return whole + "." + digits
}

// mostPriceList is how large a list may be: the known ones have a megabyte or two.
const mostPriceList = 32 << 20

// ReadAllOfPriceList reads a list to its end, if that is not too far away.
func ReadAllOfPriceList(from io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(from, mostPriceList+1))
	if err == nil && len(content) > mostPriceList {
		err = fmt.Errorf("it has more than %d MiB", mostPriceList>>20)
	}
	return content, err
}
