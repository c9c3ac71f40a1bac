package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parley-platform/parley/domain/channels"
)

// Read is what stands in the envelope about an account, one by one; without one it is all. What cannot
// be read is left out, and told by an error beside the rest. An envelope of another kind has nothing.
// Entries may be of hundreds of accounts, so those without the name of this one are not looked into;
// what is about another may stay among the rest.
func Read[E any](body []byte, object, account string) ([]E, error) {
	var e struct {
		Object string            `json:"object"`
		Entry  []json.RawMessage `json:"entry"`
	}
	switch {
	case json.Unmarshal(body, &e) != nil:
		return nil, errors.New("reading a request of Meta: the body is no envelope")
	case e.Object != object:
		return nil, fmt.Errorf("reading a request of Meta: the envelope is not of %s", object)
	}
	return Each[E](slices.DeleteFunc(e.Entry, func(raw json.RawMessage) bool { return !bytes.Contains(raw, []byte(account)) }))
}

// Each reads things that say nothing of each other.
func Each[E any](all []json.RawMessage) (out []E, err error) {
	for _, raw := range all {
		var one E
		if json.Unmarshal(raw, &one) != nil {
			err = errors.New("reading a request of Meta: a part of it is not what Meta sends")
			continue
		}
		out = append(out, one)
	}
	return out, err
}

// Names lists the accounts of entries, once each.
func Names[E any](all []E, of func(E) []string) (names []string) {
	seen := map[string]bool{"": true}
	for _, e := range all {
		for _, name := range of(e) {
			if !seen[name] {
				seen[name], names = true, append(names, name)
			}
		}
	}
	return names
}

// InOrder has what people said in the order in which they said it: Meta sends it in any.
func InOrder(all []channels.Entry) []channels.Entry {
	slices.SortStableFunc(all, func(a, b channels.Entry) int { return a.At.Compare(b.At) })
	return all
}

// Time is a moment, in seconds or milliseconds, that Meta writes as a number or as a text.
type Time int64

// UnmarshalJSON takes both. What is neither is no moment.
func (t *Time) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(data), `"`), 10, 64)
	if err != nil {
		n = 0
	}
	*t = Time(n)
	return nil
}

// The bounds of moments: more is no second of this millennium, and less no millisecond of it.
const milliseconds = 100_000_000_000

// UTC is the moment; zero where there is none.
func (t Time) UTC() time.Time {
	switch {
	case t <= 0:
		return time.Time{}
	case t < milliseconds:
		return time.Unix(int64(t), 0).UTC()
	}
	return time.UnixMilli(int64(t)).UTC()
}
