package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-platform/parley/domain/fault"
)

// drainLimit is how much of a body that is too large is still read, in bytes, so
// that clients get to see the refusal instead of a broken connection.
const drainLimit = 8 << 20

// bodyRule is what an operation expects of its body.
type bodyRule struct {
	json     bool // false: no body, or one that the operation reads itself
	required bool
	schema   *huma.Schema
	registry huma.Registry
}

// ruleOf reads the rule from what huma made of the input type.
func ruleOf(h *huma.Operation, registry huma.Registry) bodyRule {
	if h.RequestBody == nil || h.RequestBody.Content["application/json"] == nil {
		return bodyRule{}
	}
	schema := h.RequestBody.Content["application/json"].Schema
	return bodyRule{json: true, required: h.RequestBody.Required, schema: resolved(schema, registry), registry: registry}
}

// readBody takes the body into memory, up to the operation's limit. The length that
// a client announces is believed only when it is too large.
func readBody(x *exchange, r *http.Request) (*http.Request, error) {
	limit := x.op.MaxBody
	tooLarge := fault.New(fault.TooLarge, "the body is larger than %d bytes", limit)
	if r.ContentLength > limit {
		drain(r)
		return r, tooLarge
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case int64(len(body)) > limit:
		drain(r)
		return r, tooLarge
	case err != nil:
		return r, fault.New(fault.BadRequest, "the body could not be read to its end").Because(err)
	}
	x.body = body
	replaceBody(r, body)
	return r, nil
}

func drain(r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Expect"), "100-continue") {
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
	}
}

func replaceBody(r *http.Request, body []byte) {
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
}

// parseBody refuses what is not the kind of JSON that the operation takes, and
// replaces the rest by exactly the members that the operation knows. Wrong members
// are only noted: they are refused after 401, 403 and 404.
func parseBody(x *exchange, r *http.Request) (*http.Request, error) {
	rule := x.op.body
	if !rule.json {
		return r, nil
	}
	if len(bytes.TrimSpace(x.body)) == 0 {
		replaceBody(r, nil)
		if rule.required {
			x.problems.Add("body", "is required")
		}
		return r, nil
	}
	if !isJSON(r.Header.Get("Content-Type")) {
		return r, fault.New(fault.BadRequest, "the Content-Type must be application/json")
	}
	value, err := decodeJSON(x.body)
	if err != nil {
		return r, err
	}
	if value == nil && !rule.required {
		replaceBody(r, nil)
		return r, nil
	}
	if want := rule.kind(); want != "" && want != kindOf(value) {
		return r, fault.New(fault.BadRequest, "the body must be a JSON %s", want)
	}
	f := fitter{registry: rule.registry, problems: &x.problems}
	fitted, err := encodeJSON(f.fit(rule.schema, "", value))
	if err != nil {
		return r, fault.New(fault.Internal, "the body could not be read").Because(err)
	}
	replaceBody(r, fitted)
	r.Header.Set("Content-Type", "application/json")
	return r, nil
}

// kind is the JSON type that the whole body must have; empty when any will do.
func (b bodyRule) kind() string {
	if b.schema != nil && (b.schema.Type == huma.TypeObject || b.schema.Type == huma.TypeArray) {
		return b.schema.Type
	}
	return ""
}

func kindOf(v any) string {
	switch v.(type) {
	case map[string]any:
		return huma.TypeObject
	case []any:
		return huma.TypeArray
	default:
		return "other"
	}
}

// isJSON takes application/json and what is built on it. No header at all is taken
// for JSON, which all bodies of this API are.
func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" ||
		strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json"))
}

// decodeJSON reads one JSON value and nothing after it. Numbers keep their digits.
func decodeJSON(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, fault.New(fault.BadRequest, "the body is not valid UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, malformed(err, d.InputOffset())
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.BadRequest, "the body has something after its JSON value")
	}
	return v, nil
}

func malformed(err error, offset int64) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		offset = syntax.Offset
	}
	return fault.New(fault.BadRequest, "the body is not valid JSON: a fault near byte %d", offset).Because(err)
}

// encodeJSON writes members in the order of their names, without white space and
// without escaping what needs none: equal values give equal bytes.
func encodeJSON(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
