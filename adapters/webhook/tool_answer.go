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

	"github.com/parley-platform/parley/domain/plainjson"
	"github.com/parley-platform/parley/domain/sessions"
)

const mostToolAnswer = 1 << 20 // bytes of an answer that are read

// read takes the body of an answer that says it succeeded.
func (a attempt) read(res *http.Response) attempt {
	if res.ContentLength > mostToolAnswer {
		a.code, a.done = ToolTooLarge, true
		return a
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, mostToolAnswer+1))
	switch {
	case len(body) > mostToolAnswer:
		a.code, a.done = ToolTooLarge, true
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
			a.code, a.done = ToolNotJSON, true
		case len(result) > sessions.LargestResult:
			a.code, a.done = ToolTooLarge, true
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
		return plainjson.Compact(body)
	case err != nil || !strings.HasPrefix(media, "text/") || media == "text/html":
		return nil, false
	}
	if !utf8.Valid(body) || bytes.IndexByte(body, 0) >= 0 {
		return nil, false
	}
	text, err := plainjson.Of(string(body))
	return text, err == nil
}
