package dsl

import (
	"encoding/json"
	"strings"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// Value is something of JSON, parts of which may be computed. In WITH, INPUT, SET, PASS and
// CONTEXT each text is an expression; in QUERY, HEADERS, BODY, RESULT and a button's VALUE
// it is a template, which alone in its text, as in "{{ args.eur }}", keeps the type.
type Value struct {
	constant any
	pieces   []piece // a template, or one expression
	list     []Value
	members  []Argument
	kind     valueKind
}

type valueKind int

const (
	isConstant valueKind = iota
	isTemplate
	isList
	isObject
)

// Secrets gives a secret by its name, when a tool is called.
type Secrets func(name string) (string, error)

// Eval computes it, with *** where secrets are. The first error ends it: a tool is not
// called with half of its arguments.
func (v Value) Eval(s Scope) (any, error) {
	return v.Fill(s, func(string) (string, error) { return hidden, nil })
}

// Fill computes it with its secrets. Only what the source itself writes as ${secret:NAME}
// is one: the same characters in something that a user said stay as they are.
func (v Value) Fill(s Scope, secrets Secrets) (any, error) {
	switch v.kind {
	case isTemplate:
		return fill(v.pieces, s, secrets)
	case isList:
		out := make([]any, 0, len(v.list))
		for _, item := range v.list {
			x, err := item.Fill(s, secrets)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	case isObject:
		return FillArguments(v.members, s, secrets)
	}
	return v.constant, nil
}

// FillArguments computes several values by their names, with their secrets.
func FillArguments(all []Argument, s Scope, secrets Secrets) (map[string]any, error) {
	out := make(map[string]any, len(all))
	for _, a := range all {
		x, err := a.Value.Fill(s, secrets)
		if err != nil {
			return nil, err
		}
		out[a.Name] = x
	}
	return out, nil
}

// Arguments computes several values by their names, with *** for secrets.
func Arguments(all []Argument, s Scope) (map[string]any, error) {
	return FillArguments(all, s, func(string) (string, error) { return hidden, nil })
}

func fill(pieces []piece, s Scope, secrets Secrets) (any, error) {
	var out strings.Builder
	for _, p := range pieces {
		if out.Len() > mostWritten {
			break
		}
		switch {
		case p.expr != nil:
			v, err := p.expr.Eval(s)
			if err != nil {
				return nil, err
			}
			if len(pieces) == 1 {
				return v, nil
			}
			out.WriteString(written(v))
		case p.secret != "":
			v, err := secrets(p.secret)
			if err != nil {
				return nil, err
			}
			out.WriteString(v)
		default:
			out.WriteString(p.fixed)
		}
	}
	return out.String(), nil
}

// MarshalJSON shows the value as it is written.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.kind {
	case isTemplate:
		return json.Marshal(source(v.pieces))
	case isList:
		return json.Marshal(v.list)
	case isObject:
		return json.Marshal(v.members)
	}
	return json.Marshal(v.constant)
}

// expressions are all that is computed in it.
func (v Value) expressions() []*Expr {
	var all []*Expr
	for _, p := range v.pieces {
		if p.expr != nil {
			all = append(all, p.expr)
		}
	}
	for _, item := range v.list {
		all = append(all, item.expressions()...)
	}
	for _, m := range v.members {
		all = append(all, m.Value.expressions()...)
	}
	return all
}

// fixed is the whole as it is, and whether nothing in it is computed.
func (v Value) fixed() (any, bool) {
	if len(v.expressions()) > 0 {
		return nil, false
	}
	out, err := v.Eval(nil)
	return out, err == nil
}

// CompileValue reads JSON, whose texts are templates over some names, each of which may hold
// anything: what steps of workflows give to their tools.
func CompileValue(text string, names ...string) (Value, Problems) {
	c := &compiler{reader: &reader{}}
	env := expr.NewEnvironment()
	for _, name := range names {
		env.Declare(name, expr.Map(expr.String, expr.Dyn))
	}
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	root := c.document(text)
	if root == nil {
		return Value{}, c.problems.sorted()
	}
	v := c.value(root, "", env, asTemplates)
	if len(c.problems) > 0 {
		return Value{}, c.problems.sorted()
	}
	return v, nil
}
