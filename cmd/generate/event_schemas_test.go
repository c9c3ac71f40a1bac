package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	compiler "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore/sealed"
)

const project = "../.."

// made are the files of the code as it is, made once for all tests.
var made = sync.OnceValues((&Command{Dir: project}).files)

// putMade is Run with the files that were made once.
func putMade(c *Command) error {
	files, err := made()
	if err != nil {
		return err
	}
	return c.put(files)
}

// kindsOf calls f with every registered event.
func kindsOf(t *testing.T, f func(src *eventSources, k *event.Kind)) {
	t.Helper()
	src, err := readSources(project)
	require.NoError(t, err)
	for _, c := range catalog.Categories() {
		for _, k := range c.Kinds() {
			f(src, k)
		}
	}
}

func compiled(t *testing.T, schema []byte) *compiler.Schema {
	t.Helper()
	doc, err := compiler.UnmarshalJSON(bytes.NewReader(schema))
	require.NoError(t, err)
	c := compiler.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("schema.json", doc))
	s, err := c.Compile("schema.json")
	require.NoError(t, err)
	return s
}

// Each event as it stands on the log fits its schema, and does not without one of
// its members, or with one of another type.
func TestGoldenEventsFitTheirSchemas(t *testing.T) {
	kindsOf(t, func(src *eventSources, k *event.Kind) {
		schema, err := eventSchema(src, k)
		require.NoError(t, err)
		s := compiled(t, schema)
		golden, err := src.golden(k)
		require.NoError(t, err)
		doc, err := compiler.UnmarshalJSON(bytes.NewReader(golden))
		require.NoError(t, err)
		require.NoError(t, s.Validate(doc), k.Type())

		var plain object
		require.NoError(t, json.Unmarshal(schema, &plain))
		for name := range required(plain) {
			members := doc.(map[string]any)
			value := members[name]
			delete(members, name)
			require.Error(t, s.Validate(doc), "%s without %s", k.Type(), name)
			members[name] = value
			if child(plain, "properties", name)["type"] != nil {
				members[name] = map[string]any{"another": []any{}}
				if child(plain, "properties", name)["type"] == "object" {
					members[name] = "text"
				}
				require.Error(t, s.Validate(doc), "%s with another %s", k.Type(), name)
			}
			members[name] = value
		}
	})
}

// oneKey seals whatever is to be sealed.
type oneKey struct{ sealed.Key }

func (k oneKey) OfStream() (sealed.Key, error) { return k.Key, nil }
func (k oneKey) Own() (sealed.Key, error)      { return k.Key, nil }

// Outsiders find the personal members sealed: each event fits its schema then, too.
func TestSealedEventsFitTheirSchemas(t *testing.T) {
	key := oneKey{sealed.NewKey(sealed.ID{1}, [sealed.SecretSize]byte{2})}
	found := 0
	kindsOf(t, func(src *eventSources, k *event.Kind) {
		schema, err := eventSchema(src, k)
		require.NoError(t, err)
		golden, err := src.golden(k)
		require.NoError(t, err)
		closed, err := sealed.Seal(golden, k.Go, k.Type(), key)
		require.NoError(t, err)
		if closed == nil {
			return
		}
		found++
		doc, err := compiler.UnmarshalJSON(bytes.NewReader(closed))
		require.NoError(t, err)
		require.NoError(t, compiled(t, schema).Validate(doc), k.Type())
	})
	require.NotZero(t, found)
}

// What JSON Schema has no word for is there too: whose data it is, and the unit.
func TestSchemasMarkPersonalFieldsAndUnits(t *testing.T) {
	files, err := made()
	require.NoError(t, err)
	var s object
	require.NoError(t, json.Unmarshal(files[eventSchemaFolder+"parley.calls.requested.v1.json"], &s))
	require.Equal(t, "callee", child(s, "properties", "target")["x-personal"])
	require.Equal(t, "milliseconds", child(s, "properties", "timeoutInMs")["x-unit"])
	require.Equal(t, "milliseconds", child(s, "properties", "timers", "properties", "toneTimeoutMs")["x-unit"])
	require.Equal(t, "date-time", child(s, "properties", "at")["format"])
	require.Contains(t, string(files["docs/events.md"]), "| `target` | string, **personal** (callee) |")
}

// The AsyncAPI document has each topic and event, every reference leads somewhere,
// and its examples fit the headers' and the payload's schemas.
func TestAsyncAPIIsWhole(t *testing.T) {
	files, err := made()
	require.NoError(t, err)
	var doc object
	require.NoError(t, json.Unmarshal(files["docs/asyncapi.json"], &doc))
	require.Equal(t, "3.0.0", doc["asyncapi"])
	require.NotEmpty(t, child(doc, "servers"))
	references := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case object:
			if to, ok := v["$ref"].(string); ok {
				references++
				require.True(t, strings.HasPrefix(to, "#/"), "it stands by itself: %s", to)
				require.NotNil(t, resolve(doc, v), to)
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	require.NotZero(t, references)
	for _, c := range catalog.Categories() {
		title := strings.ToUpper(c.Name[:1]) + c.Name[1:]
		for channel, topic := range map[string]string{c.Name: "parley." + c.Name, "accepted" + title: "parley." + c.Name + ".accepted"} {
			at := child(doc, "channels", channel)
			require.Equal(t, topic, at["address"])
			require.EqualValues(t, c.Partitions, child(at, "bindings", "kafka")["partitions"])
			require.Equal(t, "#/channels/"+channel, child(doc, "operations", "publish"+strings.ToUpper(channel[:1])+channel[1:], "channel")["$ref"])
			for _, k := range c.Kinds() {
				require.NotNil(t, child(at, "messages", k.Type()), "%s in %s", k.Type(), channel)
				m := child(doc, "components", "messages", k.Type())
				require.Regexp(t, child(m, "bindings", "kafka", "key")["pattern"], c.Stream("1"))
				require.Len(t, m["examples"], 1)
			}
		}
	}
}

// generated writes the project's files, with some of them changed, into a folder
// that has the sources too.
func generated(t *testing.T, file string, change func(text string) string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.Symlink(must(filepath.Abs(filepath.Join(project, "domain"))), filepath.Join(dir, "domain")))
	files, err := made()
	require.NoError(t, err)
	for name, data := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if name == file {
			changed := change(string(data))
			require.NotEqual(t, string(data), changed, "the test changes nothing")
			data = []byte(changed)
		}
		require.NoError(t, os.WriteFile(path, data, 0o644))
	}
	return dir
}

func must(path string, err error) string {
	if err != nil {
		panic(err)
	}
	return path
}

// Given files that promise more than the code keeps, then generate refuses and
// writes nothing; what the code adds is taken.
func TestGenerateRefusesWhatBreaksConsumers(t *testing.T) {
	schema := eventSchemaFolder + "parley.calls.failed.v1.json"
	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	for name, c := range map[string]struct {
		change  func(string) string // makes the old file of the new one
		refusal string              // empty: it is written
	}{
		"removed":        {replace(`"sipCode": {`, `"sipStatus": {"type": "integer"}, "sipCode": {`), "member sipStatus was removed or renamed"},
		"retyped":        {replace(`"type": "integer"`, `"type": "string"`), "member sipCode had the type string and has integer now"},
		"newly required": {replace(`"sipCode",`, ``), "member sipCode is required now"},
		"reformatted":    {replace(`"format": "date-time"`, `"format": "date"`), "member at had the format date"},
		"may be missing": {func(s string) string {
			return strings.Replace(strings.Replace(s, `"sipCode": {`, `"trunk": {"type": "string"}, "sipCode": {`, 1), `"sipCode",`,
				`"sipCode", "trunk",`, 1)
		}, "member trunk was removed"},
		"described": {replace(`"title"`, `"$comment": "x", "title"`), ""},
	} {
		dir := generated(t, schema, c.change)
		before, err := os.ReadFile(filepath.Join(dir, schema))
		require.NoError(t, err)
		err = putMade(&Command{Dir: dir})
		after, err2 := os.ReadFile(filepath.Join(dir, schema))
		require.NoError(t, err2)
		if c.refusal == "" {
			require.NoError(t, err, name)
			require.NotEqual(t, string(before), string(after), name)
			continue
		}
		require.ErrorContains(t, err, c.refusal, name)
		require.ErrorContains(t, err, "make a v2 with an upcaster", name)
		require.Equal(t, string(before), string(after), name)
		require.Error(t, putMade(&Command{Dir: dir, Breaking: "we want it"}), "there is no force for events")
	}

	dir := generated(t, "", nil)
	require.NoError(t, os.WriteFile(filepath.Join(dir, eventSchemaFolder, "parley.calls.forgotten.v1.json"), []byte("{}"), 0o644))
	require.ErrorContains(t, putMade(&Command{Dir: dir}), "parley.calls.forgotten.v1 is not registered any more")
}

func TestAnEventOfOneVersionMayOnlyGainOptionalMembers(t *testing.T) {
	old := `{"properties": {"a": {"type": "string"}, "b": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}` +
		`, "c": true}, "required": ["a"]}`
	for want, change := range map[string][2]string{
		"":                              {`"c": true`, `"c": true, "d": {"type": "object"}`},
		"a was always there and may be": {`["a"]`, `[]`},
		"b is required now":             {`["a"]`, `["a", "b"]`},
		"e is required now":             {`"c": true}, "required": ["a"]`, `"c": true, "e": {}}, "required": ["a", "e"]`},
		"b[] had the type string":       {`"items": {"type": "string"}`, `"items": {"type": "integer"}`},
		"b may be null: true before": {`{"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}`,
			`{"type": "array", "items": {"type": "string"}}`},
		"c was removed": {`, "c": true`, ``},
	} {
		fresh := strings.Replace(old, change[0], change[1], 1)
		require.NotEqual(t, old, fresh, want)
		found, err := eventChanges("parley.x.y.v1", []byte(old), []byte(fresh))
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, found)
			continue
		}
		require.Len(t, found, 1, "%s: %v", want, found)
		require.Contains(t, found[0], "member "+want)
	}
}

func resolve(doc, schema object) object {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	return child(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
}

// child walks down objects; nil when there is no such place.
func child(v any, path ...string) object {
	o, _ := v.(object)
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}
