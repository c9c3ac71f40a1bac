package dsl

import (
	"regexp"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

var slotTypes = []string{"string", "text", "integer", "number", "boolean", "date", "datetime", "email", "phone", "enum", "pattern", "list"}

func (c *compiler) gather(o *object) {
	all := o.entries("GATHER", maxList, true)
	for _, e := range all { // names first: conditions of one may set or read another
		c.p.Slots = append(c.p.Slots, &Slot{Name: e.name})
	}
	for _, e := range all {
		c.slot(e, c.p.Slot(e.name))
	}
}

func (c *compiler) slot(e entry, s *Slot) {
	o := c.object(e.value, e.field, "TYPE", "DESCRIPTION", "PROMPT", "REQUIRED", "DEFAULT", "OPTIONS", "PATTERN", "VALIDATE",
		"RETRY_PROMPT",
		"MAX_RETRIES", "ASK_WHEN", "SENSITIVE", "EXTRACT")
	o.missing("TYPE", "is required: "+some(slotTypes)+" or list")
	s.Place = Place{e.key.Line, e.key.Column}
	s.Type = SlotType(o.choice("TYPE", "string", slotTypes...))
	s.Description = c.text(o, "DESCRIPTION", c.general)
	s.Prompt, s.RetryPrompt = c.text(o, "PROMPT", c.general), c.text(o, "RETRY_PROMPT", c.general)
	s.Required, s.Sensitive = o.boolean("REQUIRED", true), o.boolean("SENSITIVE", false)
	s.MaxRetries = o.integer("MAX_RETRIES", 0, 20, 3)
	s.Extract = Extraction(o.choice("EXTRACT", "exact", "exact", "pattern", "model"))
	s.Options = c.options(o)
	s.Pattern = c.pattern(o, "PATTERN")
	value := slotType(s.Type)
	if s.Type == SlotDate || s.Type == SlotDatetime {
		value = expr.Timestamp
	}
	s.Validate = c.condition(o, "VALIDATE", c.general.With(map[string]*expr.Type{"value": value}))
	s.AskWhen = c.condition(o, "ASK_WHEN", c.general)
	switch {
	case s.Type == SlotEnum:
		o.missing("OPTIONS", "is required for an enum")
	case s.Type == SlotPattern:
		o.missing("PATTERN", "is required for a pattern")
	case s.Type != SlotList:
		o.foreign("belongs to enum and list", "OPTIONS")
	}
	finds := s.Type == SlotList && s.Extract == ExtractPattern // the items
	if s.Type != SlotPattern && s.Type != SlotString && s.Type != SlotText && !finds {
		o.foreign("belongs to pattern, string and text, and to a list with EXTRACT pattern", "PATTERN")
	}
	if s.Extract == ExtractPattern && s.Pattern == nil && (s.Type == SlotString || s.Type == SlotText || s.Type == SlotList) {
		o.at(o.get("EXTRACT"), under(o.field, "EXTRACT"), "pattern", "needs a PATTERN for a %s", s.Type)
	}
	c.defaultOf(o, s)
}

func (c *compiler) options(o *object) []Option {
	var out []Option
	for _, i := range o.list("OPTIONS", maxList) {
		option := Option{}
		if i.node.Kind == yaml.MappingNode {
			one := c.object(i.node, i.field, "ID", "LABEL")
			one.missing("ID", "is required")
			option = Option{ID: one.text("ID"), Label: c.text(one, "LABEL", c.general)}
		} else {
			option.ID, _ = c.plainText(i.node, i.field)
		}
		if slices.ContainsFunc(out, func(x Option) bool { return x.ID == option.ID }) && option.ID != "" {
			c.at(i.node, i.field, "duplicate", "is already an option")
		}
		out = append(out, option)
	}
	if n := o.get("OPTIONS"); n != nil && len(n.Content) == 0 {
		c.at(n, under(o.field, "OPTIONS"), "empty", "is empty: give at least one option")
	}
	return out
}

const longestPattern = 500

func (c *compiler) pattern(o *object, key string) *Pattern {
	s := o.text(key)
	if s == "" {
		return nil
	}
	re, err := regexp.Compile(s)
	if err != nil || len(s) > longestPattern {
		hint := "may have at most 500 characters"
		if err != nil {
			hint = err.Error()
		}
		o.at(o.get(key), under(o.field, key), "pattern", "is no regular expression of RE2: %s", hint)
		return nil
	}
	return &Pattern{re}
}

func (c *compiler) defaultOf(o *object, s *Slot) {
	n := o.get("DEFAULT")
	if n == nil || len(c.problems) > 0 {
		return // a slot that is wrong cannot judge
	}
	v, err := s.Take(c.constant(n, under(o.field, "DEFAULT")), nil)
	if err != nil && err.Code != ProblemValidate { // VALIDATE may need what is only known later
		o.at(n, under(o.field, "DEFAULT"), "default", "does not fit: %s", err.Hint)
	}
	s.Default = v
}

func (c *compiler) memory(o *object) {
	for _, e := range o.entries("MEMORY", 64, true) {
		m := c.object(e.value, e.field, "SCOPE", "TTL", "ACCESS", "SCHEMA")
		m.missing("SCOPE", "is required: session, contact or project")
		access := m.choice("ACCESS", "readwrite", "read", "write", "readwrite")
		c.p.Stores = append(c.p.Stores, &Store{Place: Place{e.key.Line, e.key.Column}, Name: e.name,
			Scope: StoreScope(m.choice("SCOPE", "session", "session", "contact", "project")),
			TTL:   m.duration("TTL", time.Second, 3650*24*time.Hour, 0), Schema: c.schema(m, "SCHEMA"),
			Read: access != "write", Write: access != "read"})
	}
}

// schema is a member that is a JSON Schema; nil: it is not there.
func (c *compiler) schema(o *object, key string) *Schema {
	n := o.get(key)
	if n == nil {
		return nil
	}
	field := under(o.field, key)
	if n.Kind != yaml.MappingNode {
		c.at(n, field, "type", "must be a JSON Schema: a map")
		return nil
	}
	s, err := newSchema(c.constant(n, field))
	if err != nil {
		_, problem := innermost(err)
		c.at(n, field, "schema", "is no JSON Schema: %s", problem)
		return nil
	}
	return s
}
