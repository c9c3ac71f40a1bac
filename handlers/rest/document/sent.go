package document

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const reference = "#/components/schemas/"

// registry writes other schemas than those that requests are judged by.
type registry struct {
	huma.Registry
	schemas map[string]*huma.Schema
}

// Map implements huma.Registry.
func (r registry) Map() map[string]*huma.Schema { return r.schemas }

// MarshalJSON implements json.Marshaler.
func (r registry) MarshalJSON() ([]byte, error) { return json.Marshal(r.schemas) }

// sentOnly finds the schemas that are in answers and webhooks, and in no request.
func (w *writer) sentOnly(d *huma.OpenAPI) {
	taken := map[string]bool{}
	w.sent = map[string]bool{}
	for _, item := range d.Paths {
		for _, o := range methods(item) {
			if *o == nil {
				continue
			}
			if (*o).RequestBody != nil {
				w.named(taken, (*o).RequestBody.Content)
			}
			for _, r := range (*o).Responses {
				w.named(w.sent, r.Content)
			}
		}
	}
	for _, item := range d.Webhooks {
		w.named(w.sent, item.Post.RequestBody.Content)
	}
	for name := range taken {
		delete(w.sent, name)
	}
}

func (w *writer) named(into map[string]bool, content map[string]*huma.MediaType) {
	for _, media := range content {
		w.within(into, media.Schema)
	}
}

func (w *writer) within(into map[string]bool, s *huma.Schema) {
	if s == nil {
		return
	}
	if name, ok := strings.CutPrefix(s.Ref, reference); ok {
		if into[name] {
			return
		}
		into[name] = true
		w.within(into, w.registry.SchemaFromRef(s.Ref))
	}
	for _, member := range s.Properties {
		w.within(into, member)
	}
	w.within(into, s.Items)
	if more, ok := s.AdditionalProperties.(*huma.Schema); ok {
		w.within(into, more)
	}
	for _, list := range [][]*huma.Schema{s.OneOf, s.AnyOf, s.AllOf} {
		for _, one := range list {
			w.within(into, one)
		}
	}
}

// alwaysSent are the members that a type's JSON has whatever is in them, beside those that
// are declared as required: encoding/json leaves out what is tagged so and nothing else.
func alwaysSent(t reflect.Type, s *huma.Schema) []string {
	out := slices.Clone(s.Required)
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct {
		return out
	}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		member := s.Properties[name]
		if member == nil || field.Tag.Get("hidden") == "true" || slices.Contains(out, name) || inPointer(t, field) {
			continue
		}
		if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
			continue
		}
		out = append(out, name)
	}
	return out
}

// inPointer: what is embedded by a pointer is not there when that is nil.
func inPointer(t reflect.Type, field reflect.StructField) bool {
	for depth := 1; depth < len(field.Index); depth++ {
		if t.FieldByIndex(field.Index[:depth]).Type.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}
