//go:build !apache

package node_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	nodeslices "github.com/parley-platform/parley/cmd/parley/slices"
	"github.com/parley-platform/parley/domain/access"
	"github.com/parley-platform/parley/handlers/rest"
)

// wrongKinds is one value of each kind that JSON has, and some that are nested.
var wrongKinds = []string{`null`, `7`, `"x"`, `[]`, `{}`, `[[]]`, `[{}]`, `{"a":[]}`, `true`, `1e400`}

// Whatever kind of value stands in the place of any member, item or map value of any
// operation's body, the answer is no 500. A new operation is in this test by being
// declared; its places are those of its schema.
func TestNoWrongKindOfValueBreaksAnOperation(t *testing.T) {
	t.Parallel()
	c := shared(t)
	acme := c.tenant(t, "")
	token, secret := acme.token(t), acme.key(t, mainScope)
	api := nodeslices.Declare(rest.New(rest.Config{}), nodeslices.Declared())
	document := bodiesOf(t, api)
	asked := 0
	for _, op := range api.Operations() {
		schema := document.body(op)
		if schema == nil {
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			credential := []string{"auth", token, "accountId", acme.id, "iid", mainApp}
			if !op.Requirement.Takes(access.TokenCredential) {
				credential = []string{"x-api-key", secret, "accountId", acme.id, "iid", mainApp}
			}
			path, bodies, end := acme.fill(op.Path), document.bodies(schema, 0), time.Now().Add(patience)
			together(4, func(i int) { // on one node, which writes one after the other what is of one stream
				for n := i; n < len(bodies); n += 4 {
					body := strings.NewReplacer(`"<bot>"`, strconv.Quote(mainApp)).Replace(bodies[n])
					got, err := c.a.try(op.Method, path, body, credential...)
					for err == nil && got.Status == 503 && time.Now().Before(end) {
						got, err = c.a.try(op.Method, path, body, credential...) // it asks for that where it has much to do
					}
					if assert.NoError(t, err, body) {
						assert.Less(t, got.Status, 500, "%s\n%s", body, got.Text)
					}
				}
			})
			asked += len(bodies)
		})
	}
	require.Greater(t, asked, 500, "there are places to try")
}

// schemas is what is read of /openapi.json.
type schemas struct {
	Paths map[string]map[string]struct {
		RequestBody struct {
			Content map[string]struct{ Schema *jsonSchema }
		}
	}
	Components struct{ Schemas map[string]*jsonSchema }
}

type jsonSchema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Properties           map[string]*jsonSchema
	Items                *jsonSchema
	AdditionalProperties json.RawMessage
	Enum                 []json.RawMessage
	Examples             []json.RawMessage
	Minimum              *float64
	Format               string
}

func bodiesOf(t *testing.T, api *rest.API) schemas {
	t.Helper()
	data, err := api.OpenAPI()
	require.NoError(t, err)
	var out schemas
	require.NoError(t, json.Unmarshal(data, &out))
	return out
}

func (d schemas) body(op rest.Operation) *jsonSchema {
	return d.Paths[op.Path][strings.ToLower(op.Method)].RequestBody.Content["application/json"].Schema
}

func (d schemas) resolved(s *jsonSchema) *jsonSchema {
	for s != nil && s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
	}
	return s
}

// ofMaps is the schema of a map's values; nil for what is no map.
func (s *jsonSchema) ofMaps() *jsonSchema {
	var values jsonSchema
	if len(s.Properties) > 0 || len(s.AdditionalProperties) == 0 || json.Unmarshal(s.AdditionalProperties, &values) != nil {
		return nil
	}
	return &values
}

// bodies are a good value, and copies with each wrong kind at each of its places.
func (d schemas) bodies(s *jsonSchema, depth int) []string {
	s = d.resolved(s)
	if s == nil || depth > 8 {
		return []string{`{}`}
	}
	out := []string{d.good(s, depth)}
	inside := func(around func(string) string, s *jsonSchema) {
		for _, v := range append(slices.Clone(wrongKinds), d.bodies(s, depth+1)...) {
			out = append(out, around(v))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		inside(func(v string) string { return d.object(s, depth, name, v) }, s.Properties[name])
	}
	if s.Items != nil {
		inside(func(v string) string { return "[" + v + "]" }, s.Items)
		inside(func(v string) string { return "[" + d.good(d.resolved(s.Items), depth+1) + "," + v + "," + v + "]" }, s.Items)
	}
	if values := s.ofMaps(); values != nil {
		inside(func(v string) string { return `{"key":` + v + `}` }, values)
	}
	return out
}

// object is a good one with one member as given.
func (d schemas) object(s *jsonSchema, depth int, name, value string) string {
	var members []string
	for _, other := range slices.Sorted(maps.Keys(s.Properties)) {
		v := value
		if other != name {
			v = d.good(d.resolved(s.Properties[other]), depth+1)
		}
		members = append(members, fmt.Sprintf("%q:%s", other, v))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// good is a value that fits the schema, as far as a schema tells.
func (d schemas) good(s *jsonSchema, depth int) string {
	kind := ""
	if s != nil {
		kind, _ = s.Type.(string)
	}
	switch {
	case s == nil || depth > 8:
		return `{}`
	case len(s.Examples) > 0:
		return string(s.Examples[0])
	case len(s.Enum) > 0:
		return string(s.Enum[0])
	case len(s.Properties) > 0:
		return d.object(s, depth, "", "")
	case kind == "array" && s.Items != nil:
		return "[" + d.good(d.resolved(s.Items), depth+1) + "]"
	case kind == "integer" || kind == "number":
		if s.Minimum != nil {
			return strconv.FormatFloat(*s.Minimum, 'f', -1, 64)
		}
		return "1"
	case kind == "boolean":
		return "true"
	case kind == "string" && s.Format == "date-time":
		return `"2026-11-22T09:00:00Z"`
	case kind == "string":
		return `"<bot>"`
	}
	return `{}`
}
