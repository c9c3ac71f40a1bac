package document

import (
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// Of is the document of what was declared. What it holds are copies.
func Of(declared *huma.OpenAPI) *huma.OpenAPI {
	out := *declared
	out.Paths, out.Webhooks = map[string]*huma.PathItem{}, map[string]*huma.PathItem{}
	w := writer{registry: declared.Components.Schemas}
	w.sentOnly(declared)
	used := map[string]bool{}
	for path, item := range declared.Paths {
		out.Paths[path] = w.item(item, used, headersOf)
	}
	for name, item := range declared.Webhooks {
		out.Webhooks[name] = w.item(item, used, nil)
	}
	out.Tags = nil
	for _, tag := range declared.Tags {
		if used[tag.Name] {
			out.Tags = append(out.Tags, tag)
		}
	}
	components := *declared.Components
	components.Schemas, components.Headers = w.schemas(), headers
	out.Components = &components
	return &out
}

// writer writes copies.
type writer struct {
	registry huma.Registry
	sent     map[string]bool // names of schemas that only we write
}

func (w writer) item(declared *huma.PathItem, used map[string]bool, headers func(method, status string, o *huma.Operation) []string,
) *huma.PathItem {
	out := *declared
	for method, place := range methods(&out) {
		if *place != nil {
			*place = w.operation(method, *place, headers)
			for _, tag := range (*place).Tags {
				used[tag] = true
			}
		}
	}
	return &out
}

func methods(item *huma.PathItem) map[string]**huma.Operation {
	return map[string]**huma.Operation{"GET": &item.Get, "PUT": &item.Put, "POST": &item.Post, "PATCH": &item.Patch, "DELETE": &item.Delete}
}

func (w writer) operation(method string, declared *huma.Operation, headers func(method, status string, o *huma.Operation) []string,
) *huma.Operation {
	out := *declared
	out.Parameters = nil
	for _, p := range declared.Parameters {
		out.Parameters = append(out.Parameters, w.parameter(p))
	}
	if declared.RequestBody != nil {
		body := *declared.RequestBody
		body.Content = w.content(body.Content)
		out.RequestBody = &body
	}
	out.Responses = map[string]*huma.Response{}
	for status, declared := range declared.Responses {
		response := *declared
		response.Content, response.Headers = w.content(declared.Content), maps.Clone(declared.Headers)
		if headers != nil {
			for _, name := range headers(method, status, &out) {
				if response.Headers == nil {
					response.Headers = map[string]*huma.Param{}
				}
				response.Headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
			}
		}
		out.Responses[status] = &response
	}
	return &out
}

func (w writer) content(declared map[string]*huma.MediaType) map[string]*huma.MediaType {
	var out map[string]*huma.MediaType
	for name, media := range declared {
		if out == nil {
			out = map[string]*huma.MediaType{}
		}
		copied := *media
		copied.Schema = w.schema(copied.Schema)
		out[name] = &copied
	}
	return out
}

// parameter leaves out what only repeats: the description that stands on the parameter
// already, and explode where there is no list.
func (w writer) parameter(declared *huma.Param) *huma.Param {
	out := *declared
	out.Schema = w.schema(out.Schema)
	if out.Schema == nil {
		return &out
	}
	if out.Schema.Description == out.Description {
		out.Schema.Description = ""
	}
	if out.Schema.Type != huma.TypeArray {
		out.Explode = nil
	}
	return &out
}

// schemas are copies of all that have a name.
func (w writer) schemas() huma.Registry {
	out := registry{Registry: w.registry, schemas: map[string]*huma.Schema{}}
	for name, declared := range w.registry.Map() {
		s := w.schema(declared)
		if w.sent[name] {
			s.Required = alwaysSent(w.registry.TypeFromRef(reference+name), s)
		}
		out.schemas[name] = s
	}
	return out
}

// schema is a copy without what OpenAPI does not know, and without the permission to send
// members that are not described: it holds unless it is taken away, and those who make
// clients of it give each object a map of further members.
func (w writer) schema(declared *huma.Schema) *huma.Schema {
	if declared == nil {
		return nil
	}
	out := *declared
	out.PatternDescription = ""
	out.UniqueItems = false // generators make sets of it, whose code for lists of names does not compile
	if out.Nullable && len(out.Enum) > 0 && !slices.Contains(out.Enum, nil) {
		out.Enum = append(slices.Clone(out.Enum), nil) // in JSON Schema a list of values holds beside a type: null has to be in it
	}
	switch more := out.AdditionalProperties.(type) {
	case bool:
		if more {
			out.AdditionalProperties = nil
			if len(out.Properties) == 0 { // a map of anything
				out.AdditionalProperties = &huma.Schema{}
			}
		}
	case *huma.Schema:
		out.AdditionalProperties = w.schema(more)
	}
	if out.Properties != nil {
		out.Properties = map[string]*huma.Schema{}
		for name, s := range declared.Properties {
			out.Properties[name] = w.schema(s)
		}
	}
	out.Items, out.Not = w.schema(out.Items), w.schema(out.Not)
	for _, list := range []*[]*huma.Schema{&out.OneOf, &out.AnyOf, &out.AllOf} {
		*list = slices.Clone(*list)
		for i := range *list {
			(*list)[i] = w.schema((*list)[i])
		}
	}
	return &out
}
