package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// object is a JSON object as it was decoded.
type object = map[string]any

// eventChanges compares the schema of an event with the one that was generated
// before. The log holds events of both, and consumers read both: an event of one
// type and version may only gain members that may be absent.
func eventChanges(ceType string, old, fresh []byte) ([]string, error) {
	var before, after object
	if err := json.Unmarshal(old, &before); err != nil {
		return nil, fmt.Errorf("the schema of %s on disk: %w", ceType, err)
	}
	if err := json.Unmarshal(fresh, &after); err != nil {
		return nil, fmt.Errorf("the schema of %s: %w", ceType, err)
	}
	var out []string
	compareSchemas("", before, after, func(what string) {
		out = append(out, fmt.Sprintf("%s: %s: events of this version are on the log; make a v2 with an upcaster (docs/how-to/add-an-event.md)",
			ceType, what))
	})
	return out, nil
}

// eventGone is the complaint about an event that is not registered any more.
func eventGone(ceType string) string {
	return ceType + " is not registered any more: events of it are on the log; register it again, as a version to be lifted if it is not " +
		"written any more (docs/how-to/add-an-event.md)"
}

// compareSchemas reports what of the old schema the new one does not keep.
func compareSchemas(path string, old, fresh object, report func(string)) {
	old, wasNull := unwrap(old)
	fresh, isNull := unwrap(fresh)
	for _, word := range []string{"type", "format", "contentEncoding", "const"} {
		if a, b := fmt.Sprint(old[word]), fmt.Sprint(fresh[word]); a != b {
			report(fmt.Sprintf("%s had the %s %s and has %s now", named(path), word, orNone(old[word]), orNone(fresh[word])))
			return
		}
	}
	if wasNull != isNull {
		report(fmt.Sprintf("%s may be null: %t before, %t now", named(path), wasNull, isNull))
	}
	compareMembers(path, old, fresh, report)
	for _, word := range []string{"items", "additionalProperties"} {
		a, had := old[word].(object)
		b, has := fresh[word].(object)
		if had && has {
			compareSchemas(path+"[]", a, b, report)
		} else if had != has {
			report(fmt.Sprintf("%s said of what it is made (%s): %t before, %t now", named(path), word, had, has))
		}
	}
}

func compareMembers(path string, old, fresh object, report func(string)) {
	before, _ := old["properties"].(object)
	after, _ := fresh["properties"].(object)
	must, mustNow := required(old), required(fresh)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		at := path + "." + name
		now, ok := after[name].(object)
		if !ok {
			if _, anything := after[name].(bool); !anything {
				report(fmt.Sprintf("%s was removed or renamed", named(at)))
			}
			continue
		}
		was, _ := before[name].(object)
		if was == nil { // true: any value
			was = object{}
		}
		compareSchemas(at, was, now, report)
		if must[name] && !mustNow[name] {
			report(fmt.Sprintf("%s was always there and may be absent now", named(at)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(mustNow)) {
		if !must[name] {
			report(fmt.Sprintf("%s is required now and was not before", named(path+"."+name)))
		}
	}
}

// unwrap takes a schema out of "or null" and "or sealed". A member that is sealed from now
// on is what it was to whoever has the keys.
func unwrap(s object) (schema object, null bool) {
	any, ok := s["anyOf"].([]any)
	if !ok || len(any) < 2 {
		return s, false
	}
	for _, other := range any[1:] {
		switch other, _ := other.(object); {
		case other["type"] == "null":
			null = true
		case other["pattern"] != sealedPattern:
			return s, false
		}
	}
	inner, ok := any[0].(object)
	if !ok {
		return s, false
	}
	return inner, null
}

func required(s object) map[string]bool {
	out := map[string]bool{}
	names, _ := s["required"].([]any)
	for _, n := range names {
		out[fmt.Sprint(n)] = true
	}
	return out
}

func named(path string) string {
	if path == "" {
		return "it"
	}
	return "member " + path[1:]
}

func orNone(v any) string {
	if v == nil {
		return "none"
	}
	return fmt.Sprint(v)
}
