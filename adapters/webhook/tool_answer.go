package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/sessions"
)

const (
	mostToolAnswer = 1 << 20 // bytes of an answer that are read
	deepestResult  = 64      // levels
)

// read takes the body of an answer that says it succeeded.
func (a attempt) read(res *http.Response) attempt {
	if res.ContentLength > mostToolAnswer {
		a.code = ToolTooLarge
		return a
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, mostToolAnswer+1))
	switch {
	case len(body) > mostToolAnswer:
		a.code = ToolTooLarge
	case err != nil:
		var timeout interface{ Timeout() bool }
		if a.code, a.doubtful, a.passing = ToolNoAnswer, true, true; errors.Is(err, context.DeadlineExceeded) ||
			errors.As(err, &timeout) && timeout.Timeout() {
			a.code, a.passing = ToolTimeout, false
		}
	default:
		result, ok := resultOf(body, res.Header.Get("Content-Type"))
		switch {
		case !ok:
			a.code = ToolNotJSON
		case len(result) > sessions.LargestResult:
			a.code = ToolTooLarge
		default:
			a.result = result
		}
	}
	return a
}

// resultOf is a body as compact JSON. What says that it is a text, other than a page, is one
// text; what says nothing must be JSON.
func resultOf(body []byte, kind string) (json.RawMessage, bool) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(body)) == 0 {
		return json.RawMessage("null"), true
	}
	media, _, err := mime.ParseMediaType(kind)
	switch {
	case kind == "", media == "application/json", media == "text/json", strings.HasSuffix(media, "+json"):
		return compacted(body)
	case err != nil || !strings.HasPrefix(media, "text/") || media == "text/html":
		return nil, false
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return nil, false
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(string(body)) != nil {
		return nil, false
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), true
}

// compacted is JSON without the space between its values, if everybody who reads it later
// reads the same: each member once, in UTF-8, with characters and numbers that can be kept.
func compacted(body []byte) (json.RawMessage, bool) {
	if !utf8.Valid(body) || !json.Valid(body) || !plainJSON(body) {
		return nil, false
	}
	var out bytes.Buffer
	if json.Compact(&out, body) != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// plainJSON looks through valid JSON for what not everybody reads alike.
func plainJSON(body []byte) bool {
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
			if len(levels) > deepestResult {
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
			if _, err := v.Float64(); err != nil {
				return false
			}
		}
		name = len(levels) > 0 && levels[len(levels)-1] != nil
	}
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
