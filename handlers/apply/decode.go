package apply

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/handlers/apply/manifest"
	compiler "github.com/santhosh-tekuri/jsonschema/v6"
	wrong "github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// read checks one manifest against the schema of its kind and takes its metadata.
func read(index int, m *manifest.Manifest, by Caller) *draft {
	d := &draft{Manifest: m, index: index, kind: kindNamed(m.Kind), readable: true}
	if len(m.Metadata) > 0 && json.Unmarshal(m.Metadata, &d.meta) != nil {
		d.readable = false
	}
	if d.kind == nil {
		d.unknownKind()
	} else {
		d.checkSchema()
	}
	d.settle(by)
	return d
}

func (d *draft) unknownKind() {
	if d.Kind == "" {
		d.fault("kind", "is required: one of %s", strings.Join(Kinds(), ", "))
		return
	}
	d.fault("kind", "is unknown: %s", manifest.Hint(d.Kind, Kinds()))
}

// settle says which tenant and which name are meant where the manifest need not.
func (d *draft) settle(by Caller) {
	switch {
	case d.kind == tenantKind:
		if d.meta.Tenant != "" && d.meta.Tenant != d.meta.ID {
			d.fault("metadata.tenant", "must be left out, or the same as metadata.id")
		}
		d.meta.Tenant = d.meta.ID
	case d.meta.Tenant == "":
		d.meta.Tenant = by.TenantID
	}
	if d.kind != nil && d.kind.named && d.meta.ID != "" && d.meta.ID != d.meta.Name {
		d.fault("metadata.id", "must be left out, or the same as metadata.name: a %s is known by its name", d.kind.name)
	}
}

func (d *draft) checkSchema() {
	whole := map[string]any{"kind": d.Kind}
	for name, raw := range map[string]json.RawMessage{"metadata": d.Metadata, "spec": d.Spec} {
		if len(raw) == 0 {
			continue
		}
		value, err := compiler.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			d.readable = false
			d.fault(name, "is not valid JSON")
			continue
		}
		whole[name] = value
	}
	err := d.kind.compiled().Validate(whole)
	var v *compiler.ValidationError
	if errors.As(err, &v) {
		d.note(v)
	}
}

// note takes the leaves of a validation error, in words that never hold a value: it
// may be a secret. They come in the order of a map, and are told by place, so that one manifest has one answer.
func (d *draft) note(v *compiler.ValidationError) {
	if len(v.Causes) > 0 {
		slices.SortStableFunc(v.Causes, func(a, b *compiler.ValidationError) int {
			return slices.CompareFunc(a.InstanceLocation, b.InstanceLocation, byPlace)
		})
		for _, cause := range v.Causes {
			d.note(cause)
		}
		return
	}
	place := pathOf(v.InstanceLocation)
	switch k := v.ErrorKind.(type) {
	case *wrong.Required:
		for _, name := range k.Missing {
			d.fault(manifest.Joined(place, name), "is required")
		}
	case *wrong.AdditionalProperties:
		known := d.knownAt(v.InstanceLocation)
		slices.Sort(k.Properties)
		for _, name := range k.Properties {
			d.fault(manifest.Joined(place, name), "is not known: %s", manifest.Hint(name, known))
		}
	default:
		d.fault(place, "%s", problemOf(v.ErrorKind))
	}
	if _, isType := v.ErrorKind.(*wrong.Type); isType {
		d.readable = false
	}
}

// byPlace orders what a list or a map has: places in a list as numbers.
func byPlace(a, b string) int {
	if n, err := strconv.Atoi(a); err == nil {
		if m, err := strconv.Atoi(b); err == nil {
			return cmp.Compare(n, m)
		}
	}
	return strings.Compare(a, b)
}

func (d *draft) knownAt(path []string) []string {
	s := at(d.kind.document(), path)
	if s == nil || s.Properties == nil {
		return nil
	}
	var names []string
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		names = append(names, p.Key)
	}
	return names
}

// articles of the JSON types.
var articles = map[string]string{
	"string": "a string", "object": "a map", "array": "a list", "boolean": "true or false",
	"integer": "a whole number", "number": "a number", "null": "null",
}

func problemOf(k compiler.ErrorKind) string {
	switch k := k.(type) {
	case *wrong.Type:
		want := articles[k.Want[0]]
		switch {
		case k.Got == "null":
			return "is empty: it must be " + want + ", or be left out"
		case k.Want[0] == "string" && k.Got != "object" && k.Got != "array":
			return "must be a string: put it in quotes"
		}
		return "must be " + want
	case *wrong.Enum:
		return "must be one of " + listed(k.Want)
	case *wrong.Const:
		return "must be " + listed([]any{k.Want})
	case *wrong.MinLength:
		if k.Want == 1 {
			return "must not be empty"
		}
		return fmt.Sprintf("must be at least %d characters, has %d", k.Want, k.Got)
	case *wrong.MaxLength:
		return fmt.Sprintf("must be at most %d characters, has %d", k.Want, k.Got)
	case *wrong.MinItems:
		return fmt.Sprintf("must be at least %d, are %d", k.Want, k.Got)
	case *wrong.MaxItems:
		return fmt.Sprintf("must be at most %d, are %d", k.Want, k.Got)
	case *wrong.Minimum:
		return "must be at least " + k.Want.RatString()
	case *wrong.Maximum:
		return "must be at most " + k.Want.RatString()
	case *wrong.Pattern:
		return patternProblem(k.Want)
	}
	return "is not as the schema wants it"
}

// patternProblem says in words what the patterns of the schemas mean.
func patternProblem(pattern string) string {
	switch pattern {
	case `\S`:
		return "is required"
	case "^[A-Za-z0-9_-]+$":
		return "must be 1 to 128 letters, digits, _ or -"
	}
	return "must match " + pattern
}

func listed(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = fmt.Sprint(v)
	}
	return strings.Join(texts, ", ")
}

// pathOf writes a place as field names are written: spec.aliases[1].
func pathOf(tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		if isIndex(t) {
			b.WriteString("[" + t + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(t)
	}
	return b.String()
}

func isIndex(token string) bool {
	return token != "" && strings.Trim(token, "0123456789") == ""
}
