package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// openAPIs compares two OpenAPI documents.
type openAPIs struct {
	old, fresh object
	found      []string
	seen       map[string]bool // pairs of schemas that were compared in a direction
}

// openAPIChanges lists what callers of the old API would miss in the new one: an
// operation or a response member that is gone, a request member or parameter that
// is required now, a value that is refused now, another type.
func openAPIChanges(old, fresh []byte) ([]string, error) {
	c := &openAPIs{seen: map[string]bool{}}
	if err := json.Unmarshal(old, &c.old); err != nil {
		return nil, fmt.Errorf("the OpenAPI document on disk: %w", err)
	}
	if err := json.Unmarshal(fresh, &c.fresh); err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	for _, path := range keys(c.old["paths"]) {
		for _, method := range keys(child(c.old, "paths", path)) {
			before := child(c.old, "paths", path, method)
			if before["operationId"] == nil {
				continue
			}
			at := strings.ToUpper(method) + " " + path
			after := child(c.fresh, "paths", path, method)
			if after == nil {
				c.report(at, "the operation was removed")
				continue
			}
			c.operation(at, before, after)
		}
	}
	return c.found, nil
}

func (c *openAPIs) report(at, format string, args ...any) {
	c.found = append(c.found, at+": "+fmt.Sprintf(format, args...))
}

func (c *openAPIs) operation(at string, old, fresh object) {
	c.parameters(at, old, fresh)
	before, after := child(old, "requestBody"), child(fresh, "requestBody")
	if before["required"] != true && after["required"] == true {
		c.report(at, "a request body is required now")
	}
	for _, media := range keys(before["content"]) {
		c.request(at+" request", child(before, "content", media, "schema"), child(after, "content", media, "schema"))
	}
	for _, status := range keys(old["responses"]) {
		if !strings.HasPrefix(status, "2") {
			continue
		}
		was, is := child(old, "responses", status), child(fresh, "responses", status)
		if is == nil {
			c.report(at, "the response %s was removed", status)
			continue
		}
		for _, media := range keys(was["content"]) {
			c.response(at+" response "+status, child(was, "content", media, "schema"), child(is, "content", media, "schema"))
		}
	}
}

func (c *openAPIs) parameters(at string, old, fresh object) {
	known := map[string]object{}
	list, _ := old["parameters"].([]any)
	for _, p := range list {
		if p, ok := p.(object); ok {
			known[fmt.Sprint(p["in"], " ", p["name"])] = p
		}
	}
	list, _ = fresh["parameters"].([]any)
	for _, p := range list {
		p, ok := p.(object)
		if !ok {
			continue
		}
		name := fmt.Sprint(p["in"], " ", p["name"])
		before := known[name]
		if p["required"] == true && before["required"] != true {
			c.report(at, "the %s parameter %s is required now", p["in"], p["name"])
		}
		if before != nil {
			c.request(fmt.Sprintf("%s %s parameter %s", at, p["in"], p["name"]), child(before, "schema"), child(p, "schema"))
		}
	}
}

// request compares what callers send.
func (c *openAPIs) request(at string, old, fresh object) {
	old, fresh, same := c.pair("request", old, fresh)
	if same || c.retyped(at, old, fresh) {
		return
	}
	if values, ok := fresh["enum"].([]any); ok {
		before, had := old["enum"].([]any)
		if !had {
			c.report(at, "only %v is taken now", values)
		}
		for _, v := range before {
			if !slices.Contains(values, v) {
				c.report(at, "the value %v is not taken any more", v)
			}
		}
	}
	must, mustNow := required(old), required(fresh)
	for _, name := range slices.Sorted(maps.Keys(mustNow)) {
		if !must[name] {
			c.report(at, "the member %s is required now", name)
		}
	}
	for _, name := range keys(old["properties"]) {
		if after := child(fresh, "properties", name); after != nil {
			c.request(at+"."+name, child(old, "properties", name), after)
		}
	}
	if child(old, "items") != nil {
		c.request(at+"[]", child(old, "items"), child(fresh, "items"))
	}
}

// response compares what callers get.
func (c *openAPIs) response(at string, old, fresh object) {
	old, fresh, same := c.pair("response", old, fresh)
	if same || c.retyped(at, old, fresh) {
		return
	}
	for _, name := range keys(old["properties"]) {
		after := child(fresh, "properties", name)
		if after == nil {
			c.report(at, "the member %s was removed or renamed", name)
			continue
		}
		c.response(at+"."+name, child(old, "properties", name), after)
	}
	if child(old, "items") != nil {
		c.response(at+"[]", child(old, "items"), child(fresh, "items"))
	}
}

func (c *openAPIs) retyped(at string, old, fresh object) bool {
	if a, b := fmt.Sprint(old["type"]), fmt.Sprint(fresh["type"]); a != b && old["type"] != nil {
		c.report(at, "was %s and is %s now", a, orNone(fresh["type"]))
		return true
	}
	return false
}

// pair follows references; a pair of named schemas is compared once per direction.
func (c *openAPIs) pair(direction string, old, fresh object) (a, b object, same bool) {
	from, to := fmt.Sprint(old["$ref"]), fmt.Sprint(fresh["$ref"])
	if old["$ref"] != nil {
		key := direction + from + to
		if c.seen[key] {
			return nil, nil, true
		}
		c.seen[key] = true
	}
	return resolve(c.old, old), resolve(c.fresh, fresh), false
}

func resolve(doc, schema object) object {
	ref, ok := schema["$ref"].(string)
	if !ok {
		return schema
	}
	return child(doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
}

// child walks down objects; nil when there is no such place.
func child(v any, path ...string) object {
	o, _ := v.(object)
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}

func keys(v any) []string {
	o, _ := v.(object)
	return slices.Sorted(maps.Keys(o))
}
