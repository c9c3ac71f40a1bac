package apply

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/invopop/jsonschema"
	compiler "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/parley-platform/parley/domain/access"
)

// schemaID is what a kind's schema is called, wherever it is kept.
const schemaID = "https://github.com/parley-platform/parley/docs/schemas/manifests/%s.json"

// Schemas are the JSON Schemas of whole manifests by kind, indented and with a line
// end: what editors complete and check with, and what a manifest is checked with
// when it is applied.
func Schemas() map[string][]byte {
	out := map[string][]byte{}
	for _, k := range kinds {
		data, err := json.MarshalIndent(k.document(), "", "  ")
		if err != nil {
			panic(fmt.Sprintf("apply: the schema of %s: %v", k.name, err)) // found by the first test
		}
		data = bytes.ReplaceAll(data, []byte(`\u003e`), []byte(">")) // names of scopes have it; people read this
		out[k.name] = append(data, '\n')
	}
	return out
}

// document is the schema of a manifest of the kind.
func (k *kind) document() *jsonschema.Schema {
	r := jsonschema.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true, RequiredFromJSONSchemaTags: true}
	spec := r.ReflectFromType(reflect.TypeOf(k.spec))
	spec.Version = ""
	s := &jsonschema.Schema{
		Version: jsonschema.Version, ID: jsonschema.ID(fmt.Sprintf(schemaID, k.name)),
		Title: k.name, Description: k.about, Type: "object",
		Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema,
		Required: []string{"kind", "metadata"},
	}
	s.Properties.Set("kind", &jsonschema.Schema{Type: "string", Const: k.name})
	s.Properties.Set("metadata", k.metadata())
	s.Properties.Set("spec", spec)
	if len(spec.Required) > 0 {
		s.Required = append(s.Required, "spec")
	}
	return s
}

func (k *kind) metadata() *jsonschema.Schema {
	longestID, longestName := uint64(access.MaxIDLength), uint64(access.MaxNameLength)
	id := &jsonschema.Schema{Type: "string", Pattern: "^[A-Za-z0-9_-]+$", MaxLength: &longestID, Description: "Letters, digits, _ and -."}
	name := &jsonschema.Schema{Type: "string", Pattern: `\S`, MaxLength: &longestName, Description: "What people call it."}
	required := []string{"id", "name"}
	if k.named {
		required = []string{"name"}
		id = &jsonschema.Schema{Type: "string", Description: "Optional, and the same as name."}
		name.Description = "What it is known by, unique in the tenant."
	}
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Required: required,
		AdditionalProperties: jsonschema.FalseSchema,
		Description:          "Which one it is."}
	s.Properties.Set("id", id)
	s.Properties.Set("name", name)
	s.Properties.Set("tenant", &jsonschema.Schema{Type: "string", Description: "The account it belongs to; without one that of the token."})
	return s
}

// compiled is the schema in the form that checks.
func (k *kind) compiled() *compiler.Schema {
	k.compile.Do(func() {
		id := fmt.Sprintf(schemaID, k.name)
		doc, err := compiler.UnmarshalJSON(bytes.NewReader(Schemas()[k.name]))
		if err != nil {
			panic(fmt.Sprintf("apply: the schema of %s: %v", k.name, err))
		}
		c := compiler.NewCompiler()
		if err := c.AddResource(id, doc); err != nil {
			panic(fmt.Sprintf("apply: the schema of %s: %v", k.name, err))
		}
		k.schema = c.MustCompile(id)
	})
	return k.schema
}

// at is the part of a schema that speaks of a place in a manifest, nil if none does.
func at(s *jsonschema.Schema, path []string) *jsonschema.Schema {
	for _, token := range path {
		switch {
		case s == nil:
			return nil
		case s.Items != nil:
			s = s.Items
		case s.Properties != nil:
			s = s.Properties.Value(token)
		default:
			return nil
		}
	}
	return s
}

// member is a property that the struct is known to have.
func member(s *jsonschema.Schema, name string) *jsonschema.Schema { return s.Properties.Value(name) }

func enum[T ~string](s *jsonschema.Schema, values []T) {
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
}
