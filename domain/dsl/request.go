package dsl

import (
	"errors"
	"fmt"
	"mime"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-platform/parley/domain/dsl/expr"
	"github.com/parley-platform/parley/domain/plainjson"
)

// Limits of what a tool sends, in bytes. A secret may have 16,384 characters, and a header
// must have room for one.
const (
	mostURL    = 16 << 10
	mostHeader = 64 << 10
	mostSent   = 1 << 20
)

// Sent is a request as it leaves. It holds secrets: it is for the wire only.
type Sent struct {
	Method  string
	URL     string
	Headers map[string]string // by their names as HTTP spells them; Content-Type where there is a body
	Body    []byte            // nil: none
}

// CodeRequest is the code of a call whose request cannot be made.
const CodeRequest = "REQUEST_INVALID"

// RequestError says why a request cannot be made. It never holds a secret; an expression that
// failed may tell what it failed on, as in the trace.
type RequestError struct {
	Part    string // URL, QUERY.<name>, HEADERS.<name> or BODY
	Problem string
	Cause   error // *expr.Error: an expression that could not be computed; or nil
}

// Error tells which part, and why.
func (e *RequestError) Error() string { return e.Part + " " + e.Problem }

// Unwrap is the expression's error.
func (e *RequestError) Unwrap() error { return e.Cause }

// Secrets are the names of those that the request needs, sorted and without repetitions.
func (r *Request) Secrets() []string {
	var all []string
	for _, a := range slices.Concat(r.Query, r.Headers) {
		all = append(all, a.Value.secrets()...)
	}
	if r.Body != nil {
		all = append(all, r.Body.secrets()...)
	}
	return unique(all)
}

// Build computes the request. What cannot be computed or sent is a *RequestError; an error
// of secrets comes back as it is. Without secrets *** stands in their places, for the log.
func (r *Request) Build(s Scope, secrets Secrets) (Sent, error) {
	if secrets == nil {
		secrets = func(string) (string, error) { return hidden, nil }
	}
	out := Sent{Method: r.Method}
	var err error
	if out.URL, err = r.whole(s, secrets); err != nil {
		return Sent{}, err
	}
	if out.Headers, err = r.headers(s, secrets); err != nil {
		return Sent{}, err
	}
	kind, own := out.Headers["Content-Type"]
	body, otherwise, err := r.content(kind, s, secrets)
	if err != nil {
		return Sent{}, err
	}
	if out.Body = body; body != nil && !own {
		out.Headers["Content-Type"] = otherwise
	}
	return out, nil
}

// inPart makes an error of a part out of one of Fill.
func inPart(part string, err error) error {
	var failed *expr.Error
	if errors.As(err, &failed) {
		return &RequestError{part, "cannot be computed: " + failed.Error(), failed}
	}
	return err
}

func (r *Request) whole(s Scope, secrets Secrets) (string, error) {
	const part = "URL"
	whole, err := address(r.URL.versions[0].pieces, func(x *Expr) (any, error) { return x.Eval(s) })
	var failed *expr.Error
	switch {
	case errors.As(err, &failed):
		return "", inPart(part, err)
	case err != nil:
		return "", &RequestError{part, err.Error(), nil}
	}
	query, err := r.query(s, secrets)
	if err != nil {
		return "", err
	}
	if query != "" {
		if !strings.Contains(whole, "?") {
			whole += "?"
		} else if last := whole[len(whole)-1]; last != '?' && last != '&' {
			whole += "&"
		}
		whole += query
	}
	if len(whole) > mostURL {
		return "", &RequestError{part, fmt.Sprintf("has more than %d bytes with its query", mostURL), nil}
	}
	return whole, nil
}

func (r *Request) query(s Scope, secrets Secrets) (string, error) {
	var pairs []string
	for _, a := range r.Query {
		if a.Value.absent(s) {
			continue
		}
		v, err := a.Value.Fill(s, secrets)
		if err != nil {
			return "", inPart("QUERY."+a.Name, err)
		}
		pairs = appendPairs(pairs, a.Name, v)
	}
	return strings.Join(pairs, "&"), nil
}

// appendPairs adds a value as a query or a form has it: null is left out, a list is its
// name several times.
func appendPairs(pairs []string, name string, v any) []string {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	for _, item := range items {
		if item != nil {
			pairs = append(pairs, url.QueryEscape(name)+"="+url.QueryEscape(written(item)))
		}
	}
	return pairs
}

var pathForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)+$`)

// absent says of a value that is one member of the scope, such as {{ args.page }}, that it
// is not there. Any other expression that reads what is not there fails.
func (v Value) absent(s Scope) bool {
	if v.kind != isTemplate || len(v.pieces) != 1 || v.pieces[0].expr == nil || !pathForm.MatchString(v.pieces[0].expr.String()) {
		return false
	}
	var at any = map[string]any(s)
	for name := range strings.SplitSeq(v.pieces[0].expr.String(), ".") {
		members, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at = members[name]; at == nil {
			return true
		}
	}
	return false
}

func (r *Request) headers(s Scope, secrets Secrets) (map[string]string, error) {
	out := make(map[string]string, len(r.Headers)+1)
	for _, a := range r.Headers {
		part := "HEADERS." + a.Name
		v, err := a.Value.Fill(s, secrets)
		if err != nil {
			return nil, inPart(part, err)
		}
		if v == nil {
			continue
		}
		text := written(v)
		if problem := headerProblem(text); problem != "" {
			return nil, &RequestError{part, problem, nil}
		}
		out[textproto.CanonicalMIMEHeaderKey(a.Name)] = text
	}
	return out, nil
}

func headerProblem(value string) string {
	switch {
	case !utf8.ValidString(value):
		return "is not UTF-8"
	case strings.ContainsFunc(value, unicode.IsControl):
		return "has a line break or another control character"
	case len(value) > mostHeader:
		return fmt.Sprintf("has more than %d bytes", mostHeader)
	}
	return ""
}

const (
	typeJSON = "application/json"
	typeText = "text/plain; charset=utf-8"
	typeForm = "application/x-www-form-urlencoded"
)

// content is the body, and what it is where no header says so. A text is sent as it is, and
// a map to somebody who wants a form as one.
func (r *Request) content(kind string, s Scope, secrets Secrets) (body []byte, otherwise string, err error) {
	const part = "BODY"
	if r.Body == nil {
		return nil, "", nil
	}
	v, err := r.Body.Fill(s, secrets)
	if err != nil {
		return nil, "", inPart(part, err)
	}
	media, _, _ := mime.ParseMediaType(kind)
	members, isMap := v.(map[string]any)
	text, isText := v.(string)
	switch {
	case v == nil:
		return nil, "", nil
	case isText:
		body, otherwise = []byte(text), typeText
	case isMap && media == typeForm:
		body = form(members)
	default:
		otherwise = typeJSON
		if body, err = plainjson.Of(v); err != nil {
			return nil, "", &RequestError{part, "cannot be written as JSON", nil}
		}
	}
	if len(body) > mostSent {
		return nil, "", &RequestError{part, fmt.Sprintf("has more than %d bytes", mostSent), nil}
	}
	return body, otherwise, nil
}

func form(members map[string]any) []byte {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	pairs := []string{}
	for _, name := range names {
		pairs = appendPairs(pairs, name, members[name])
	}
	return []byte(strings.Join(pairs, "&"))
}

// reservedHeaders frame a request or speak to the connection, or ask for an answer in a
// form that nobody would decode: they are not a source's to set.
var reservedHeaders = []string{"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Expect", "Host", "Keep-Alive",
	"Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// headerRefusal is what is wrong with a header's name in a source; empty: nothing.
func headerRefusal(name string, before []Argument) string {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case name == "" || strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "":
		return fmt.Sprintf("%q is no name of a header", name)
	case slices.Contains(reservedHeaders, canonical):
		return fmt.Sprintf("%q is not yours to set: it belongs to the connection", name)
	case slices.ContainsFunc(before, func(a Argument) bool { return textproto.CanonicalMIMEHeaderKey(a.Name) == canonical }):
		return fmt.Sprintf("%q is there already: the case of a header's name does not count", name)
	}
	return ""
}
