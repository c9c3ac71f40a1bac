package dsl_test

import (
	"errors"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/parley-platform/parley/domain/dsl"
	"github.com/parley-platform/parley/domain/dsl/expr"
)

// requestOf is the request of a tool t, whose members beside KIND are given; @ at the start
// of a text is the host.
func requestOf(t require.TestingT, members string) *dsl.Request {
	members = strings.ReplaceAll(members, "'@", "'https://a.example")
	p, problems := dsl.Compile("A", withHead("TOOLS:\n  t: {KIND: http, "+members+"}\n"))
	require.Empty(t, problems, members)
	return p.Tool("t").Request
}

func args(pairs ...any) dsl.Scope {
	all := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i].(string)] = pairs[i+1]
	}
	return dsl.Scope{"args": all}
}

func vault(name string) (string, error) { return "<" + name + "&>", nil }

func TestWhereARequestGoes(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		scope   dsl.Scope
		want    string
	}{
		"nothing computed":       {"URL: '@'", nil, ""},
		"one segment":            {"URL: '@/c/{{ args.id }}/x'", args("id", "ä b"), "/c/%C3%A4%20b/x"},
		"a number":               {"URL: '@/c/{{ args.id }}'", args("id", int64(7)), "/c/7"},
		"a part of a segment":    {"URL: '@/v1{{ args.id }}'", args("id", ""), "/v1"},
		"a slash stays inside":   {"URL: '@/c/{{ args.id }}'", args("id", "a/b"), "/c/a%2Fb"},
		"a ? stays inside":       {"URL: '@/c/{{ args.id }}'", args("id", "a?b=c#d"), "/c/a%3Fb=c%23d"},
		"a % is one":             {"URL: '@/c/{{ args.id }}'", args("id", "%2e%2e"), "/c/%252e%252e"},
		"a line break":           {"URL: '@/c/{{ args.id }}'", args("id", "a\r\nHost: b"), "/c/a%0D%0AHost:%20b"},
		"dots that are no way":   {"URL: '@/{{ args.id }}'", args("id", "...a"), "/...a"},
		"no other host":          {"URL: '@/{{ args.id }}'", args("id", "@b.example"), "/@b.example"},
		"behind the ? of an URL": {"URL: '@/?q={{ args.q }}&r=1'", args("q", "a&b=c/.."), "/?q=a%26b%3Dc%2F..&r=1"},
		"a query":                {"URL: '@/', QUERY: {q: '{{ args.q }}', n: 3}", args("q", "a&b=c d"), "/?q=a%26b%3Dc+d&n=3"},
		"more query":             {"URL: '@/?a=1', QUERY: {'b c': x}", nil, "/?a=1&b+c=x"},
		"an open query":          {"URL: '@/?', QUERY: {b: x}", nil, "/?b=x"},
		"a secret in the query":  {"URL: '@/', QUERY: {key: '${secret:K}'}", nil, "/?key=%3CK%26%3E"},
		"what looks like one":    {"URL: '@/', QUERY: {q: '{{ args.q }}'}", args("q", "${secret:K}"), "/?q=%24%7Bsecret%3AK%7D"},
		"absent is left out":     {"URL: '@/', QUERY: {q: '{{ args.q }}', n: 3}", args(), "/?n=3"},
		"null is left out":       {"URL: '@/', QUERY: {q: '{{ args.q }}'}", args("q", nil), "/"},
		"computed null":          {"URL: '@/', QUERY: {q: '{{ null }}'}", args(), "/"},
		"nothing at all":         {"URL: '@/', QUERY: {q: '{{ message_metadata.q }}'}", nil, "/"},
		"empty is not absent":    {"URL: '@/', QUERY: {q: '{{ args.q }}'}", args("q", ""), "/?q="},
		"a list, several times":  {"URL: '@/', QUERY: {q: '{{ args.q }}'}", args("q", []any{"a", nil, true}), "/?q=a&q=true"},
		"a map is JSON":          {"URL: '@/', QUERY: {q: {a: '{{ args.q }}'}}", args("q", 1.5), "/?q=%7B%22a%22%3A1.5%7D"},
		"the call's own id":      {"URL: '@/{{ call.id }}'", dsl.Scope{"call": map[string]any{"id": "c-1"}}, "/c-1"},
	} {
		t.Run(name, func(t *testing.T) {
			sent, err := requestOf(t, c.members).Build(c.scope, vault)
			require.NoError(t, err)
			require.Equal(t, "https://a.example"+c.want, sent.URL)
			require.Equal(t, "GET", sent.Method)
			require.Nil(t, sent.Body)
			require.Empty(t, sent.Headers)
		})
	}
}

func TestHeadersAndBodies(t *testing.T) {
	asJSON := map[string]string{"Content-Type": "application/json"}
	asText := map[string]string{"Content-Type": "text/plain; charset=utf-8"}
	for name, c := range map[string]struct {
		members string
		scope   dsl.Scope
		headers map[string]string
		body    string
	}{
		"headers": {"HEADERS: {authorization: 'Bearer ${secret:K}', X-N: '{{ args.n }}', x-none: '{{ null }}'}", args("n", int64(3)),
			map[string]string{"Authorization": "Bearer <K&>", "X-N": "3"}, ""},
		"a map": {"BODY: {b: '{{ args.b }}', a: '<${secret:K}>', l: ['{{ args.n }}', 'n{{ args.n }}']}", args("b", true, "n", 2.5),
			asJSON, `{"a":"<<K&>>","b":true,"l":[2.5,"n2.5"]}`},
		"a list": {"BODY: [1, x]", nil, asJSON, `[1,"x"]`},
		"a text": {"BODY: 'Hi {{ args.a }}'", args("a", "Ä"), asText, "Hi Ä"},
		"a text of one's own type": {"BODY: '<a/>', HEADERS: {content-type: text/xml}", nil,
			map[string]string{"Content-Type": "text/xml"}, "<a/>"},
		"a map of one's own type": {"BODY: {a: 1}, HEADERS: {Content-Type: a/b+json}", nil,
			map[string]string{"Content-Type": "a/b+json"}, `{"a":1}`},
		"a number":                  {"BODY: '{{ args.a }}'", args("a", int64(5)), asJSON, "5"},
		"a map that was computed":   {"BODY: '{{ args.a }}'", args("a", map[string]any{"x": int64(1)}), asJSON, `{"x":1}`},
		"null":                      {"BODY: '{{ null }}'", args(), map[string]string{}, ""},
		"a quote breaks out of not": {"BODY: {a: 'x{{ args.a }}'}", args("a", `","b":"`), asJSON, `{"a":"x\",\"b\":\""}`},
		"a form": {"BODY: {b: '{{ args.b }}', a: [1, 2], n: '{{ null }}'}, HEADERS: {Content-Type: application/x-www-form-urlencoded}",
			args("b", "x&a=3"), map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, "a=1&a=2&b=x%26a%3D3"},
		"an empty text": {"BODY: '{{ args.a }}'", args("a", ""), asText, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sent, err := requestOf(t, "METHOD: POST, URL: '@/', "+c.members).Build(c.scope, vault)
			require.NoError(t, err)
			require.Equal(t, c.headers, sent.Headers)
			require.Equal(t, c.body, string(sent.Body))
		})
	}
}

func TestWhatCannotBeSent(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for name, c := range map[string]struct {
		members    string
		scope      dsl.Scope
		part, says string
	}{
		"a way up":                   {"URL: '@/c/{{ args.v }}/x'", args("v", ".."), "URL", ".."},
		"a way up inside":            {"URL: '@/c/{{ args.v }}'", args("v", "a/../../b"), "URL", ".."},
		"a way up for Windows":       {"URL: '@/c/{{ args.v }}'", args("v", `..\b`), "URL", ".."},
		"a way up in parts":          {"URL: '@/c/.{{ args.v }}'", args("v", "."), "URL", ".."},
		"a dot":                      {"URL: '@/c/{{ args.v }}'", args("v", "."), "URL", "segment"},
		"nothing for a segment":      {"URL: '@/c/{{ args.v }}'", args("v", ""), "URL", "nothing"},
		"nothing before a query":     {"URL: '@/c/{{ args.v }}{{ args.v }}?a=b'", args("v", ""), "URL", "nothing"},
		"a list in the path":         {"URL: '@/c/{{ args.v }}'", args("v", []any{"a"}), "URL", "list"},
		"absent in the path":         {"URL: '@/c/{{ args.v }}'", args(), "URL", "condition_error"},
		"absent in a query's text":   {"URL: '@/', QUERY: {q: 'a{{ args.v }}'}", args(), "QUERY.q", "condition_error"},
		"absent in an expression":    {"URL: '@/', QUERY: {q: '{{ args.v + 1.0 }}'}", args(), "QUERY.q", "condition_error"},
		"absent behind what is none": {"URL: '@/', QUERY: {q: '{{ args.v.x }}'}", args("v", "a"), "QUERY.q", "condition_error"},
		"absent in a header":         {"URL: '@/', HEADERS: {X-A: '{{ args.v }}'}", args(), "HEADERS.X-A", "condition_error"},
		"absent in a body":           {"METHOD: PUT, URL: '@/', BODY: {a: '{{ args.v }}'}", args(), "BODY", "condition_error"},
		"a header more":              {"URL: '@/', HEADERS: {X-A: '{{ args.v }}'}", args("v", "a\r\nX-B: c"), "HEADERS.X-A", "line break"},
		"a line feed":                {"URL: '@/', HEADERS: {X-A: '${secret:K}{{ args.v }}'}", args("v", "\n"), "HEADERS.X-A", "line break"},
		"a control character":        {"URL: '@/', HEADERS: {X-A: '{{ args.v }}'}", args("v", "\x7f"), "HEADERS.X-A", "control"},
		"no UTF-8":                   {"URL: '@/', HEADERS: {X-A: '{{ args.v }}'}", args("v", "\xff"), "HEADERS.X-A", "UTF-8"},
		"a header without end":       {"URL: '@/', HEADERS: {X-A: '{{ args.v }}'}", args("v", long), "HEADERS.X-A", "bytes"},
		"a URL without end":          {"URL: '@/', QUERY: {q: '{{ args.v }}'}", args("v", long), "URL", "bytes"},
		"a body without end": {"METHOD: PUT, URL: '@/', BODY: '{{ args.v }}'", args("v", strings.Repeat(long, 16)),
			"BODY", "bytes"},
		"infinity": {"METHOD: PUT, URL: '@/', BODY: ['{{ 1.0 / 0.0 }}']", args(), "BODY", "condition_error"},
	} {
		t.Run(name, func(t *testing.T) {
			sent, err := requestOf(t, c.members).Build(c.scope, vault)
			var refused *dsl.RequestError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.part, refused.Part)
			require.Contains(t, refused.Error(), c.says)
			require.NotContains(t, refused.Error(), "<K&>", "a secret")
			require.Empty(t, sent)
			var inside *expr.Error
			require.Equal(t, c.says == "condition_error", errors.As(err, &inside), "for the trace")
		})
	}
}

func TestARequestSaysWhichSecretsItNeeds(t *testing.T) {
	r := requestOf(t, "METHOD: POST, URL: '@/', QUERY: {a: ['${secret:Q}']}, "+
		"HEADERS: {X-A: '${secret:H}${secret:Q}'}, BODY: {a: [{b: '${secret:B}'}]}")
	require.Equal(t, []string{"B", "H", "Q"}, r.Secrets())
	require.Empty(t, requestOf(t, "URL: '@/'").Secrets())

	asked := map[string]bool{}
	_, err := r.Build(nil, func(name string) (string, error) { asked[name] = true; return "s", nil })
	require.NoError(t, err)
	require.Equal(t, r.Secrets(), slices.Sorted(maps.Keys(asked)))

	missing := errors.New("there is none")
	for _, lost := range r.Secrets() {
		_, err = r.Build(nil, func(name string) (string, error) {
			if name == lost {
				return "", missing
			}
			return "s", nil
		})
		require.Equal(t, missing, err, "as it came")
	}

	shown, err := r.Build(nil, nil)
	require.NoError(t, err)
	require.Equal(t, dsl.Sent{Method: "POST", URL: "https://a.example/?a=%2A%2A%2A", Body: []byte(`{"a":[{"b":"***"}]}`),
		Headers: map[string]string{"X-A": "******", "Content-Type": "application/json"}}, shown)
}

// Whatever is computed: the request goes where the source says, or nowhere.
func TestAValueNeverDecidesWhereARequestGoes(t *testing.T) {
	r := requestOf(t, "URL: '@/c/{{ args.v }}/x?k={{ args.v }}', QUERY: {q: '{{ args.v }}'}")
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.String(), rapid.StringMatching(`[./\\%2eEfF?#@:&=]{0,8}`)).Draw(t, "v")
		sent, err := r.Build(args("v", v), vault)
		var refused *dsl.RequestError
		if errors.As(err, &refused) {
			return
		}
		require.NoError(t, err)
		require.Equal(t, []string{"", "c", v, "x"}, segments(t, sent.URL))
		require.Equal(t, map[string][]string{"k": {v}, "q": {v}}, queryOf(t, sent.URL))
	})
}

// segments are those of the path, decoded, of a URL whose host is a.example.
func segments(t require.TestingT, raw string) (out []string) {
	u, err := url.Parse(raw)
	require.NoError(t, err)
	require.Equal(t, "a.example", u.Host)
	require.Equal(t, u.EscapedPath(), path.Clean(u.EscapedPath()), "nothing to resolve")
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		decoded, err := url.PathUnescape(segment)
		require.NoError(t, err)
		out = append(out, decoded)
	}
	return out
}

func queryOf(t require.TestingT, raw string) map[string][]string {
	u, err := url.Parse(raw)
	require.NoError(t, err)
	require.Empty(t, u.Fragment)
	all, err := url.ParseQuery(u.RawQuery)
	require.NoError(t, err)
	return all
}
