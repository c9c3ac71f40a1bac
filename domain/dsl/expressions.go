package dsl

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// condition is a member that is a condition; nil: it is not there, or wrong.
func (c *compiler) condition(o *object, key string, env *expr.Environment) *Condition {
	if !o.has(key) {
		return nil
	}
	n, field := o.get(key), under(o.field, key)
	if n == nil {
		return nil // get has said that it is empty
	}
	return c.conditionOf(n, field, env)
}

func (c *compiler) conditionOf(n *yaml.Node, field string, env *expr.Environment) *Condition {
	if n.Kind != yaml.ScalarNode {
		c.at(n, field, "type", "must be a condition: a text in CEL, in quotes if it starts with { or [")
		return nil
	}
	compiled, mistakes := env.CompileCondition(n.Value)
	c.mistakes(n, field, 0, mistakes)
	return compiled
}

func (c *compiler) mistakes(n *yaml.Node, field string, offset int, all []expr.Mistake) {
	for _, m := range all {
		c.within(n, offset+m.Offset, field, m.Code, m.Hint)
	}
}

// text is a member that is said: a text, a list of lines, or a map of languages.
func (c *compiler) text(o *object, key string, env *expr.Environment) Text {
	n := o.get(key)
	if n == nil {
		return Text{}
	}
	return c.textOf(n, under(o.field, key), env)
}

func (c *compiler) textOf(n *yaml.Node, field string, env *expr.Environment) Text {
	if n.Kind != yaml.MappingNode {
		if pieces := c.linesOf(n, field, env); pieces != nil {
			return Text{[]version{{"", pieces}}}
		}
		return Text{}
	}
	var t Text
	for _, e := range c.entriesOf(n, field, maxList, false) {
		if !languageForm.MatchString(e.name) {
			c.at(e.key, e.field, "language", "must be a language, such as en or de-AT")
		} else if pieces := c.linesOf(e.value, e.field, env); pieces != nil {
			t.versions = append(t.versions, version{e.name, pieces})
		}
	}
	if len(n.Content) == 0 {
		c.at(n, field, "empty", "is empty: write a text, or one for each language")
	}
	return t
}

var languageForm = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$`)

// linesOf is a text, or a list of texts that become lines.
func (c *compiler) linesOf(n *yaml.Node, field string, env *expr.Environment) []piece {
	if n.Kind != yaml.SequenceNode {
		if _, ok := c.plainText(n, field); !ok {
			return nil
		}
		return c.template(n, field, env, false)
	}
	var pieces []piece
	for i, line := range c.items(n, field, maxList) {
		if _, ok := c.plainText(line.node, line.field); !ok {
			continue
		}
		if i > 0 {
			pieces = append(pieces, piece{fixed: "\n"})
		}
		pieces = append(pieces, c.template(line.node, line.field, env, false)...)
	}
	return pieces
}

// textList is a member that is one text or a list of them, each in one or several languages.
func (c *compiler) textList(o *object, key string, env *expr.Environment) []Text {
	n := o.get(key)
	switch {
	case n == nil:
		return nil
	case n.Kind != yaml.SequenceNode:
		return []Text{c.textOf(n, under(o.field, key), env)}
	}
	var out []Text
	for _, i := range o.list(key, maxList) {
		out = append(out, c.textOf(i.node, i.field, env))
	}
	return out
}

const secretStart = "${secret:"

var secretForm = regexp.MustCompile(`^\$\{secret:([A-Za-z0-9_.-]{1,128})\}`)

// template takes a text apart into what is fixed, what is computed, and secrets.
func (c *compiler) template(n *yaml.Node, field string, env *expr.Environment, secrets bool) []piece {
	var pieces []piece
	rest, at := n.Value, 0
	fixed := func(s string) {
		if s != "" {
			pieces = append(pieces, piece{fixed: s})
		}
		at += utf8.RuneCountInString(s)
	}
	for {
		next := strings.Index(rest, "{{")
		if s := strings.Index(rest, secretStart); s >= 0 && (next < 0 || s < next) {
			fixed(rest[:s])
			m := secretForm.FindStringSubmatch(rest[s:])
			switch {
			case m == nil:
				c.within(n, at, field, "secret", "a secret is written ${secret:NAME}, with letters, digits, _, . and -")
				return pieces
			case !secrets:
				c.within(n, at, field, "secret_place", "secrets are only in HEADERS, QUERY and BODY of tools")
			}
			pieces = append(pieces, piece{secret: m[1]})
			at, rest = at+utf8.RuneCountInString(m[0]), rest[s+len(m[0]):]
			continue
		}
		if next < 0 {
			fixed(rest)
			return pieces
		}
		fixed(rest[:next])
		inside, length := untilClosed(rest[next+2:])
		if length < 0 {
			c.within(n, at, field, "template", "{{ is not closed by }}: a text with {{ in it is written {{ '{{' }}")
			return pieces
		}
		bare := strings.TrimLeft(inside, " \t\n")
		compiled, mistakes := env.Compile(strings.TrimSpace(inside))
		c.mistakes(n, field, at+2+utf8.RuneCountInString(inside)-utf8.RuneCountInString(bare), mistakes)
		if compiled != nil {
			pieces = append(pieces, piece{expr: compiled})
		}
		at, rest = at+2+utf8.RuneCountInString(rest[next+2:next+2+length]), rest[next+2+length:]
	}
}

// untilClosed finds the }} that ends an expression, which is not in its quotes; the length
// is that with the }}.
func untilClosed(s string) (inside string, length int) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch {
		case quote != 0 && s[i] == '\\':
			i++
		case quote != 0:
			if s[i] == quote {
				quote = 0
			}
		case s[i] == '"' || s[i] == '\'':
			quote = s[i]
		case strings.HasPrefix(s[i:], "}}") && !strings.HasPrefix(s[i:], "}}}"):
			return s[:i], i + 2
		}
	}
	return "", -1
}

// mode is how the texts of a Value are read.
type mode int

const (
	asExpressions mode = iota
	asTemplates
	asRequest // templates that may have secrets
)

// value reads something of JSON with computed parts.
func (c *compiler) value(n *yaml.Node, field string, env *expr.Environment, how mode) Value {
	switch {
	case n.Kind == yaml.SequenceNode:
		out := Value{kind: isList, list: []Value{}}
		for i, item := range n.Content {
			out.list = append(out.list, c.value(item, fmt.Sprintf("%s[%d]", field, i), env, how))
		}
		return out
	case n.Kind == yaml.MappingNode:
		out := Value{kind: isObject, members: []Argument{}}
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			out.members = append(out.members, Argument{name, c.value(n.Content[i+1], under(field, name), env, how)})
		}
		return out
	case !isText(n):
		return Value{constant: c.constant(n, field)}
	case how != asExpressions:
		return c.templateValue(c.template(n, field, env, how == asRequest))
	}
	compiled, mistakes := env.Compile(n.Value)
	c.mistakes(n, field, 0, mistakes)
	if compiled == nil {
		return Value{}
	}
	return Value{kind: isTemplate, pieces: []piece{{expr: compiled}}}
}

func (c *compiler) templateValue(pieces []piece) Value {
	switch {
	case len(pieces) == 0:
		return Value{constant: ""}
	case len(pieces) == 1 && pieces[0].expr == nil && pieces[0].secret == "":
		return Value{constant: pieces[0].fixed}
	}
	return Value{kind: isTemplate, pieces: pieces}
}

// arguments are a member's values by name.
func (c *compiler) arguments(o *object, key string, env *expr.Environment, how mode) []Argument {
	var out []Argument
	for _, e := range o.entries(key, maxList, false) {
		out = append(out, Argument{e.name, c.value(e.value, e.field, env, how)})
	}
	return out
}

// constant reads something of JSON in which nothing is computed.
func (c *compiler) constant(n *yaml.Node, field string) any {
	switch n.Kind {
	case yaml.SequenceNode:
		out := make([]any, 0, len(n.Content))
		for i, item := range n.Content {
			out = append(out, c.constant(item, fmt.Sprintf("%s[%d]", field, i)))
		}
		return out
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			name := n.Content[i].Value
			out[name] = c.constant(n.Content[i+1], under(field, name))
		}
		return out
	}
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true")
	case "!!int", "!!float":
		f, ok := decimal(n)
		if !ok {
			c.at(n, field, "number", "is no number of JSON: write digits only, or put it into quotes")
		} else if wholeForm.MatchString(n.Value) {
			return int64(f)
		}
		return f
	}
	return n.Value
}
