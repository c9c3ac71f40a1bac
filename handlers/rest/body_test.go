package rest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest"
	"github.com/parley-platform/parley/handlers/rest/resttest"
)

func TestBodiesThatDoNotParse(t *testing.T) {
	w := resttest.NewWorld(t)
	for name, c := range map[string]struct{ body, contentType string }{
		"cut off":               {`{"target":`, "application/json"},
		"trailing text":         {`{"target":"a"} x`, "application/json"},
		"a second value":        {`{"target":"a"}{"target":"b"}`, "application/json"},
		"single quotes":         {`{'target':'a'}`, "application/json"},
		"a list":                {`[{"target":"a"}]`, "application/json"},
		"a string":              {`"target"`, "application/json"},
		"null":                  {`null`, "application/json"},
		"not UTF-8":             {"{\"target\":\"\xff\"}", "application/json"},
		"a form":                {`target=a`, "application/x-www-form-urlencoded"},
		"JSON called a form":    {`{"target":"a"}`, "application/x-www-form-urlencoded"},
		"a broken content type": {`{"target":"a"}`, ";;;"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.Call(http.MethodPost, "/calls/p-1", c.body, "Content-Type", c.contentType)
			require.Equal(t, 400, got.Status, got.Text)
			require.Equal(t, fault.BadRequest, got.Code(), "before anyone is authenticated")
			require.Empty(t, got.Refusal.Error.Details)
		})
	}
}

// Who packs a body is told so, in place of where the JSON breaks that he never wrote.
func TestAPackedBodyIsRefusedByName(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, coding := range []string{"gzip", "GZIP", "deflate", "gzip, identity"} {
		got := w.Call(http.MethodPost, "/calls/p-1", "\x1f\x8b\x08", "auth", w.Token(), "Content-Encoding", coding)
		require.Equal(t, 400, got.Status, "%q: %s", coding, got.Text)
		require.Equal(t, fault.BadRequest, got.Code(), coding)
		require.Contains(t, got.Refusal.Error.Message, "Content-Encoding", coding)
	}
	for _, coding := range []string{"", "identity", "Identity"} {
		got := w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token(), "Content-Encoding", coding)
		require.Equal(t, 200, got.Status, "%q: %s", coding, got.Text)
	}
}

func TestContentTypesThatAreJSON(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, ct := range []string{"", "application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.acme+json"} {
		got := w.Call(http.MethodPost, "/calls/p-1", `{"target":"a"}`, "auth", w.Token(), "Content-Type", ct)
		require.Equal(t, 200, got.Status, "%q: %s", ct, got.Text)
	}
}

// Faults of fields, each with the name by which the caller knows the field.
func TestFieldsAreNamed(t *testing.T) {
	w := resttest.NewWorld(t)
	deep := `{"target":"a","metadata":` + strings.Repeat(`{"a":`, 20) + `"\u0000"` + strings.Repeat("}", 21)
	for _, c := range []struct{ name, query, body, field, problem string }{
		{"no body", "", "", "body", "is required"},
		{"white space is no body", "", " \n", "body", "is required"},
		{"missing", "", `{}`, "target", "is required"},
		{"null for a required one", "", `{"target":null}`, "target", "must be a string"},
		{"wrong type", "", `{"target":7}`, "target", "must be a string"},
		{"wrong type inside", "", `{"target":"a","timers":{"noSpeechTimeoutMs":"5s"}}`, "timers.noSpeechTimeoutMs", "must be a whole number"},
		{"wrong type of an object", "", `{"target":"a","timers":[]}`, "timers", "must be an object"},
		{"too small inside", "", `{"target":"a","timers":{"noSpeechTimeoutMs":-1}}`, "timers.noSpeechTimeoutMs", "must be at least 1"},
		{"too small", "", `{"target":"a","timeoutInMs":999}`, "timeoutInMs", "must be at least 1000"},
		{"too large", "", `{"target":"a","timeoutInMs":300001}`, "timeoutInMs", "must be at most 300000"},
		{"not whole", "", `{"target":"a","timeoutInMs":1000.5}`, "timeoutInMs", "must be a whole number"},
		{"beyond 64 bits", "", `{"target":"a","timeoutInMs":99999999999999999999}`, "timeoutInMs", "is out of range"},
		{"beyond any float", "", `{"target":"a","score":1e999}`, "score", "is out of range"},
		{"beyond any float, free", "", `{"target":"a","metadata":{"e":"1e309","a":[1.5,true,-1e309]}}`, "metadata.a[2]", "is out of range"},
		{"a fraction that is written at length", "", `{"target":"a","metadata":0e-131000}`, "metadata", "is out of range"},
		{"an exponent of any length", "", `{"target":"a","metadata":[[1E+00000000000000000000000308, 1e-99999999999999999999]]}`,
			"metadata[0][1]", "is out of range"},
		{"more digits than a number has", "", `{"target":"a","metadata":{"n":1` + strings.Repeat("0", 309) + `}}`, "metadata.n",
			"is out of range"},
		{"too deep", "", `{"target":"a","metadata":` + nested(65) + `}`, "metadata", "must not be nested deeper than 64 levels"},
		{"far too deep", "", `{"target":"a","metadata":` + nested(9_000) + `}`, "metadata", "must not be nested deeper than 64 levels"},
		{"too many values", "", `{"target":"a","metadata":[1` + strings.Repeat(",1", 20_000) + `]}`, "body",
			"must not hold more than 20000 values: members and items, those inside of others too"},
		{"unknown enum value", "", `{"target":"a","machineDetection":"Detect"}`, "machineDetection",
			"must be one of disconnect, detect, disabled"},
		{"too long", "", `{"target":"` + strings.Repeat("é", 41) + `"}`, "target", "must have at most 40 characters"},
		{"inside a list", "", `{"target":"a","lists":[{"name":"x"},{}]}`, "lists[1].name", "is required"},
		{"null for a list's item", "", `{"target":"a","lists":[null]}`, "lists[0]", "must be an object"},
		{"too many", "", `{"target":"a","lists":[{"name":"x"},{"name":"x"},{"name":"x"},{"name":"x"}]}`, "lists", "must have at most 3 items"},
		{"a text no column holds", "", `{"target":"a\u0000b"}`, "target", "must not contain the character U+0000"},
		{"the same, deep inside", "", deep, "metadata" + strings.Repeat(".a", 20), "must not contain the character U+0000"},
		{"a member name no column holds", "", `{"target":"a","metadata":{"\u0000":1}}`, "metadata",
			"must not have a member with U+0000 in its name"},
		{"a member twice", "", `{"target":"a","note\"{":[",",{}],"targ\u0065t":"b","target":"a"}`, "target", "must be given once"},
		{"a member twice, inside", "", `{"target":"a","timers":{"noSpeechTimeoutMs":5, "noSpeechTimeoutMs" : 5}}`, "timers.noSpeechTimeoutMs",
			"must be given once"},
		{"an object twice, which is not merged", "", `{"target":"a","timers":{"noSpeechTimeoutMs":7},"timers":{}}`, "timers",
			"must be given once"},
		{"query type", "?limit=many", `{"target":"a"}`, "limit", "must be a whole number"},
		{"query range", "?limit=201", `{"target":"a"}`, "limit", "must be at most 200"},
		{"query boolean", "?dry=maybe", `{"target":"a"}`, "dry", "must be true or false"},
		{"query number, empty", "?limit=", `{"target":"a"}`, "limit", "must be a whole number"},
		{"query boolean, empty", "?dry=", `{"target":"a"}`, "dry", "must be true or false"},
		{"query enum, empty", "?line=", `{"target":"a"}`, "line", "must be one of fixed, mobile"},
		{"query, given twice", "?limit=5&limit=5", `{"target":"a"}`, "limit", "must be given once"},
		{"query, empty and then a value", "?limit=&limit=5", `{"target":"a"}`, "limit", "must be given once"},
		{"query text", "?x=%ff", `{"target":"a"}`, "x", "must be valid UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := w.Call(http.MethodPost, "/calls/p-1"+c.query, c.body, "auth", w.Token())
			require.Equal(t, 400, got.Status, got.Text)
			require.Equal(t, fault.Validation, got.Code())
			require.Equal(t, []fault.Detail{{Field: c.field, Problem: c.problem}}, got.Refusal.Error.Details)
			require.Equal(t, c.field+" "+c.problem, got.Refusal.Error.Message)
		})
	}
	require.Zero(t, w.Calls.N)
}

// What is stored is what was validated, whatever tricks a body plays.
func TestOnlyKnownMembersGetThrough(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, c := range []struct{ name, body, want string }{
		{"unknown members are ignored", `{"target":"a","colour":"red"}`, `{"target":"a","machineDetection":"disabled"}`},
		{"another case is unknown", `{"target":"a","TIMEOUTINMS":1,"Target":"b"}`, `{"target":"a","machineDetection":"disabled"}`},
		{"unknown members are ignored, twice too", `{"target":"a","colour":"red","colour":"red","metadata":{"a":1,"a":2}}`,
			`{"target":"a","machineDetection":"disabled","metadata":{"a":2}}`},
		{"null is absent", `{"target":"a","timers":null,"timeoutInMs":null,"lists":null}`, `{"target":"a","machineDetection":"disabled"}`},
		{"whole numbers in any form", `{"target":"a","timeoutInMs":5.0e3,"timers":{"noSpeechTimeoutMs":7000.0}}`,
			`{"target":"a","machineDetection":"disabled","timeoutInMs":5000,"timers":{"noSpeechTimeoutMs":7000}}`},
		{"free-form members stay", `{"target":"a","metadata":{"A":1,"a":{"<b>":[null,true,"é😀"]}}}`,
			`{"target":"a","machineDetection":"disabled","metadata":{"A":1,"a":{"<b>":[null,true,"é😀"]}}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out struct{ Got any }
			got := w.Call(http.MethodPost, "/calls/p-1", c.body, "auth", w.Token())
			require.Equal(t, 200, got.Status, got.Text)
			got.Decode(t, &out)
			require.JSONEq(t, c.want, mustJSON(t, out.Got))
		})
	}
}

// nested is an array of so many levels.
func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }

func TestSixtyFourLevelsAreTaken(t *testing.T) {
	w := resttest.NewWorld(t)
	require.Equal(t, 200, w.Call("POST", "/calls/p-1", `{"target":"a","metadata":`+nested(64)+`}`, "auth", w.Token()).Status)
	got := w.Call("POST", "/calls/p-1", `{"target":"a","metadata":`+nested(10_001)+`}`, "auth", w.Token())
	require.Equal(t, fault.BadRequest, got.Code(), "no reader of JSON goes that deep")
}

// What the schema leaves free is handed on as it was written: digits, spellings, order,
// and names that come twice. Only white space between values is not kept.
func TestFreeFormMembersKeepTheirBytes(t *testing.T) {
	w := resttest.NewWorld(t)
	for _, metadata := range []string{
		`{"z":1e308,"a":12345678901234567890,"m":1.0,"k":-0,"e":1E+2}`,
		`{"b":1,"a":2,"b":3}`,
		`{"t":"\u00e9\/<&>\ud83d\ude00\ud800"}`,
		`[1.50,[],{"":{}}]`, `"text"`, `-1.5E-0308`, `true`,
	} {
		got := w.Call("POST", "/calls/p-1", `{"target":"a", "metadata": `+metadata+` }`, "auth", w.Token())
		require.Equal(t, 200, got.Status, got.Text)
		require.Contains(t, got.Text, `"metadata":`+metadata+`}`)
	}
}

// pair is an input with a rule over two members: one document spells it in two ways.
type pair struct {
	A string `json:"machineDetection,omitempty"`
	B string `json:"machinedetection,omitempty"`
}

func (p *pair) Resolve(huma.Context) []error {
	if p.A != "" && p.B != "" && p.A != p.B {
		return []error{fault.Field("machineDetection", "differs from machinedetection")}
	}
	return nil
}

func TestInputsCanHaveRulesOfTheirOwn(t *testing.T) {
	w := resttest.NewWorld(t)
	rest.Declare(w.Api, rest.Operation{ID: "pair", Method: "POST", Path: "/pairs", Summary: "Pair", Requirement: access.Public},
		func(_ context.Context, in *struct {
			Size int `query:"size" minimum:"1" default:"1"`
			Body pair
		}) (*resttest.Text, error) {
			return &resttest.Text{Body: in.Body.A + in.Body.B}, nil
		})
	require.Contains(t, w.Call("POST", "/pairs", `{"machinedetection":"b"}`).Text, `"b"`)
	require.Contains(t, w.Call("POST", "/pairs", `{"machinedetection":"b","machineDetection":"b"}`).Text, `"bb"`)
	got := w.Call("POST", "/pairs?size=0", `{"machinedetection":"b","machineDetection":"a"}`)
	require.Equal(t, []fault.Detail{{Field: "machineDetection", Problem: "differs from machinedetection"},
		{Field: "size", Problem: "must be at least 1"}},
		got.Refusal.Error.Details)
}

// chunked hides the length of a body.
type chunked struct{ io.Reader }

func TestBodySizes(t *testing.T) {
	w := resttest.NewWorld(t)
	exact := `{"target":"a","metadata":{"x":"` + strings.Repeat("x", rest.MaxBody)
	exact = exact[:rest.MaxBody-3] + `"}}`
	require.Len(t, exact, 1_048_576)
	for _, c := range []struct {
		name   string
		body   string
		hidden bool
		status int
	}{
		{"exactly 1 MB", exact, false, 200},
		{"exactly 1 MB, chunked", exact, true, 200},
		{"one byte more", exact + " ", false, 413},
		{"one byte more, chunked", exact + " ", true, 413},
		{"much more", strings.Repeat("x", 20<<20), true, 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			var body io.Reader = strings.NewReader(c.body)
			if c.hidden {
				body = chunked{body}
			}
			r := httptest.NewRequest(http.MethodPost, "/calls/p-1", body)
			r.Header.Set("auth", w.Token())
			got := w.Send(r)
			require.Equal(t, c.status, got.Status)
		})
	}
	got := w.Call(http.MethodGet, "/sessions", strings.Repeat("x", rest.MaxBody+1))
	require.Equal(t, fault.TooLarge, got.Code(), "also where no body is wanted")
}

// A client with a real connection sees the 413 instead of a broken pipe.
func TestATooLargeBodyIsAnsweredOverTheWire(t *testing.T) {
	w := resttest.NewWorld(t)
	server := httptest.NewServer(w.Api)
	defer server.Close()
	for _, hidden := range []bool{false, true} {
		var body io.Reader = strings.NewReader(strings.Repeat("x", 4<<20))
		if hidden {
			body = chunked{body}
		}
		resp, err := http.Post(server.URL+"/calls/p-1", "application/json", body)
		require.NoError(t, err)
		_ = resp.Body.Close()
		require.Equal(t, 413, resp.StatusCode)
	}
}

// Operations can take more, raw bytes, or a body that may be missing.
func TestOtherBodies(t *testing.T) {
	w := resttest.NewWorld(t)
	rest.Declare(w.Api, rest.Operation{ID: "import", Method: "POST", Path: "/import", Summary: "Import", Requirement: access.Public,
		MaxBody: 2 << 20},
		func(ctx context.Context, in *struct {
			RawBody []byte `contentType:"text/plain"`
		}) (*resttest.Text, error) {
			return &resttest.Text{Body: string(in.RawBody[:3]) + "=" + string(rest.RawBody(ctx)[:3])}, nil
		})
	rest.Declare(w.Api, rest.Operation{ID: "maybe", Method: "POST", Path: "/maybe", Summary: "Maybe", Requirement: access.Public},
		func(_ context.Context, in *struct{ Body *resttest.CallBody }) (*resttest.Text, error) {
			if in.Body == nil {
				return &resttest.Text{Body: "none"}, nil
			}
			return &resttest.Text{Body: in.Body.Target}, nil
		})
	require.Contains(t, w.Call("POST", "/import", "abc"+strings.Repeat("{", 2<<20-3)).Text, "abc=abc")
	require.Equal(t, 413, w.Call("POST", "/import", strings.Repeat("{", 2<<20+1)).Status)
	for body, want := range map[string]string{"": "none", "null": "none", `{"target":"a"}`: "a"} {
		require.Contains(t, w.Call("POST", "/maybe", body).Text, want, "%q", body)
	}
	require.Equal(t, fault.BadRequest, w.Call("POST", "/maybe", "{").Code())
	require.Equal(t, 201, w.Call("POST", "/apps/p-1/keys", "{not looked at", "x-api-key", resttest.FullKey).Status)
}
