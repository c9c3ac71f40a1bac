package document

import (
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// ShowParameters makes the document say of parameters what their fields' `shown` tags say.
// Requests are judged as before: by the field's own type, and by the operation that reads
// the text.
//
//	shown:"no"          another way to say what another parameter says: left out
//	shown:"list"        a comma list of any texts
//	shown:"list:a,b"    a comma list of these
//	shown:"date-time"   a text in this format
func ShowParameters(o *huma.Operation, input reflect.Type) {
	for _, field := range reflect.VisibleFields(input) {
		shown, ok := field.Tag.Lookup("shown")
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("query"), ",")
		i := slices.IndexFunc(o.Parameters, func(p *huma.Param) bool { return p.In == "query" && p.Name == name })
		if i < 0 {
			panic("document: operation " + o.OperationID + ": shown is for parameters of the query, not for " + field.Name)
		}
		if shown == "no" {
			o.Parameters = slices.Delete(o.Parameters, i, i+1)
			continue
		}
		o.Parameters[i] = shownAs(*o.Parameters[i], shown)
	}
}

// Lists names the parameters of the query that are comma lists.
func Lists(input reflect.Type) (names []string) {
	for _, field := range reflect.VisibleFields(input) {
		if kind, _, _ := strings.Cut(field.Tag.Get("shown"), ":"); kind == "list" {
			name, _, _ := strings.Cut(field.Tag.Get("query"), ",")
			names = append(names, name)
		}
	}
	return names
}

func shownAs(p huma.Param, shown string) *huma.Param {
	s := *p.Schema
	kind, of, _ := strings.Cut(shown, ":")
	if kind != "list" {
		s.Format = kind
		p.Schema = &s
		return &p
	}
	items, inOneValue := &huma.Schema{Type: huma.TypeString}, false
	for _, value := range strings.Split(of, ",") {
		if value != "" {
			items.Enum = append(items.Enum, value)
		}
	}
	p.Style, p.Explode = "form", &inOneValue // a,b: the text that the operation reads
	p.Schema = &huma.Schema{Type: huma.TypeArray, Items: items, Description: s.Description, Default: listOf(s.Default)}
	if example, ok := p.Example.(string); ok {
		p.Example = strings.Split(example, ",")
	}
	return &p
}

func listOf(value any) any {
	if text, ok := value.(string); ok {
		return strings.Split(text, ",")
	}
	return value
}
