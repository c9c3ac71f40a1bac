// Package plainjson knows which JSON everybody reads alike: what others answer is kept and handed
// on, and whoever reads it later must not choose differently what it means.
package plainjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Deepest is how many levels it may have.
const Deepest = 64

// Of is a value as JSON in which nothing is escaped that need not be: < and & are nobody's danger
// in what is kept and sent.
func Of(v any) (json.RawMessage, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// Compact is JSON without the space between its values, if everybody who reads it later
// reads the same: each member once, in UTF-8, with characters and numbers that can be kept.
func Compact(body []byte) (json.RawMessage, bool) {
	if !utf8.Valid(body) || !json.Valid(body) || !plain(body) {
		return nil, false
	}
	var out bytes.Buffer
	if json.Compact(&out, body) != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// plain looks through valid JSON for what not everybody reads alike.
func plain(body []byte) bool {
	if !wholeEscapes(body) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var levels []map[string]bool // the names of each open object so far; nil: a list
	var name bool                // a name comes next, or the end of an object
	for {
		token, err := d.Token()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{':
				levels = append(levels, map[string]bool{})
			case '[':
				levels = append(levels, nil)
			default:
				levels = levels[:len(levels)-1]
			}
			if len(levels) > Deepest {
				return false
			}
		case string:
			if name {
				names := levels[len(levels)-1]
				if names[v] {
					return false
				}
				names[v], name = true, false
				continue // its value comes next
			}
		case json.Number:
			if !Number(v.String()) {
				return false
			}
		}
		name = len(levels) > 0 && levels[len(levels)-1] != nil
	}
}

// mostExponent is the largest power of ten that a number is written with; a double has 308.
const mostExponent = 400

// Number reports whether a number can be stored, and read by everybody: it is one of a double's range. Tables write it out, so
// the nine bytes of 1e-131000 would be 131,000 in each answer.
func Number(n string) bool {
	if _, err := strconv.ParseFloat(n, 64); err != nil {
		return false
	}
	at := strings.IndexAny(n, "eE")
	if at < 0 {
		return true
	}
	power, err := strconv.Atoi(n[at+1:])
	return err == nil && -mostExponent <= power && power <= mostExponent
}

// wholeEscapes refuses \u0000, which no table can keep, and halves of surrogate pairs, which
// are no characters.
func wholeEscapes(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++ // to what is escaped: valid JSON has backslashes in texts only
		if body[i] != 'u' {
			continue
		}
		switch unit := hexUnit(body[i+1:]); {
		case unit == 0 || unit >= 0xDC00 && unit < 0xE000:
			return false
		case unit >= 0xD800 && unit < 0xDC00:
			rest := body[i+5:]
			if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' {
				return false
			}
			if low := hexUnit(rest[2:]); low < 0xDC00 || low >= 0xE000 {
				return false
			}
			i += 6
		}
		i += 4
	}
	return true
}

// hexUnit is the number of four hexadecimal digits.
func hexUnit(digits []byte) (unit int) {
	for _, c := range digits[:4] {
		digit := int(c | 0x20)
		if unit <<= 4; digit >= 'a' {
			unit += digit - 'a' + 10
		} else {
			unit += int(c - '0')
		}
	}
	return unit
}
