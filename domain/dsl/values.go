package dsl

import (
	"strings"

	"github.com/parley-platform/parley/domain/dsl/expr"
)

// CompileValue reads JSON, whose texts are templates over some names, each of which may hold
// anything: what steps of workflows give to their tools.
func CompileValue(json string, names ...string) (Value, Problems) {
	c := &compiler{reader: &reader{}, p: &Program{}}
	env := expr.NewEnvironment()
	for _, name := range names {
		env.Declare(name, expr.Map(expr.String, expr.Dyn))
	}
	if strings.TrimSpace(json) == "" {
		json = "{}"
	}
	root := c.document(json)
	if root == nil {
		return Value{}, c.problems.sorted()
	}
	v := c.value(root, "", env, asTemplates)
	if len(c.problems) > 0 {
		return Value{}, c.problems.sorted()
	}
	return v, nil
}
