package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

const (
	eventSchemaFolder = "docs/schemas/events/"
	// draft07 is the dialect that AsyncAPI takes without saying so; what is generated
	// here means the same in later ones.
	draft07 = "http://json-schema.org/draft-07/schema#"
)

// eventSchemas are the JSON Schemas of all events by their file: of the newest
// version from its Go type, of older ones as they were written when they were new.
func eventSchemas(src *eventSources, categories []*event.Category) (map[string][]byte, error) {
	out := map[string][]byte{}
	for _, c := range categories {
		for _, k := range c.Kinds() {
			schema, err := eventSchema(src, k)
			if err != nil {
				return nil, err
			}
			out[eventSchemaFolder+k.Type()+".json"] = schema
			for version := 1; version < k.Version; version++ {
				old := event.Kind{Category: c, Name: k.Name, Version: version}
				name := eventSchemaFolder + old.Type() + ".json"
				data, err := os.ReadFile(filepath.Join(src.dir, name))
				if errors.Is(err, os.ErrNotExist) {
					return nil, fmt.Errorf("%s is missing: events of that version are on the log; bring the file back from the project's history", name)
				}
				if err != nil {
					return nil, fmt.Errorf("reading the schema of an older version: %w", err)
				}
				out[name] = data
			}
		}
	}
	return out, nil
}

// eventSchema is the schema of one event: its members, open for more.
func eventSchema(src *eventSources, k *event.Kind) ([]byte, error) {
	about, err := src.about(k)
	if err != nil {
		return nil, err
	}
	r := jsonschema.Reflector{DoNotReference: true, ExpandedStruct: true, Anonymous: true, AllowAdditionalProperties: true,
		CommentMap: src.comments}
	s := r.ReflectFromType(k.Go)
	s.Version, s.ID, s.Title, s.Description = draft07, jsonschema.ID(eventstore.DataSchema(k.Type())), modelName(k.Type()), about
	decorate(s, k.Go)
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing the schema of %s: %w", k.Type(), err)
	}
	for escaped, plain := range map[string]string{`\u003c`: "<", `\u003e`: ">", `\u0026`: "&"} {
		data = bytes.ReplaceAll(data, []byte(escaped), []byte(plain)) // people read this
	}
	return append(data, '\n'), nil
}

// modelName is what a program would call the type of an event's value: CallsAmdDetectedV1
// for parley.calls.amd-detected.v1.
func modelName(ceType string) string {
	var out strings.Builder
	for _, word := range strings.FieldsFunc(strings.TrimPrefix(ceType, "parley."), func(r rune) bool { return r == '.' || r == '-' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// decorate adds what JSON Schema has no word for, personal fields and units, and
// says which members may be null.
func decorate(s *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, mayBeAbsent, inline := jsonName(f)
		if inline {
			decorate(s, f.Type)
			continue
		}
		if name == "" {
			continue
		}
		m, ok := s.Properties.Get(name)
		if !ok {
			continue
		}
		membersOf(m, f.Type, s.Title+strings.ToUpper(name[:1])+name[1:])
		if m.Extras == nil {
			m.Extras = map[string]any{}
		}
		subject := f.Tag.Get("personal")
		if subject != "" {
			m.Extras["x-personal"] = subject
		}
		if unit := unitOf(name); unit != "" {
			m.Extras["x-unit"] = unit
		}
		var besides []*jsonschema.Schema
		if !mayBeAbsent && nullable(f.Type) {
			besides = append(besides, &jsonschema.Schema{Type: "null"})
		}
		if subject != "" && !anyText(m) {
			besides = append(besides, sealedMember())
		}
		if len(besides) > 0 {
			whole := &jsonschema.Schema{Description: m.Description, Extras: m.Extras, AnyOf: append([]*jsonschema.Schema{m}, besides...)}
			m.Description, m.Extras = "", nil
			s.Properties.Set(name, whole)
		}
	}
}

// anyText tells that a schema takes any text, and so a sealed one.
func anyText(s *jsonschema.Schema) bool {
	return (s.Type == "string" || s.Type == "") && s.Format == "" && s.Pattern == "" && s.MaxLength == nil && s.Enum == nil && s.Const == nil
}

// sealedPattern is how sealed members are spelled.
const sealedPattern = `^~1j?\.[\w-]{22}\.[\w-]+$`

// sealedMember is the schema of what stands on the log in the place of a personal member.
func sealedMember() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: sealedPattern, Description: "Sealed, as it stands on the log."}
}

// membersOf decorates the structs that a member is made of, and gives them a name.
func membersOf(s *jsonschema.Schema, t reflect.Type, title string) {
	switch {
	case t == reflect.TypeFor[time.Time](), t == reflect.TypeFor[json.RawMessage]():
	case t.Kind() == reflect.Pointer:
		membersOf(s, t.Elem(), title)
	case t.Kind() == reflect.Slice && s.Items != nil:
		membersOf(s.Items, t.Elem(), title)
	case t.Kind() == reflect.Map && s.AdditionalProperties != nil:
		membersOf(s.AdditionalProperties, t.Elem(), title)
	case t.Kind() == reflect.Struct && s.Properties != nil:
		s.Title = title
		decorate(s, t)
	}
}

// nullable are the Go types whose empty value is written as null.
func nullable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return t != reflect.TypeFor[json.RawMessage]()
	}
	return false
}
