package main

import (
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

// openAPIChanges lists what callers of the old API would miss in the new one, as oasdiff
// finds it: an operation or a response member that is gone, a request member or parameter
// that is required now, a value that is refused now, another type. What oasdiff only warns
// of, such as a parameter that means nothing any more, is among it.
func openAPIChanges(old, fresh []byte) ([]string, error) {
	before, err := openapi3.NewLoader().LoadFromData(old)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document on disk: %w", err)
	}
	after, err := openapi3.NewLoader().LoadFromData(fresh)
	if err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	changes, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), &load.SpecInfo{Spec: before}, &load.SpecInfo{Spec: after})
	if err != nil {
		return nil, fmt.Errorf("comparing the OpenAPI documents: %w", err)
	}
	rules := checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(otherLevels()))
	words := checker.NewDefaultLocalizer()
	var out []string
	for _, c := range checker.CheckBackwardCompatibility(rules, changes, sources) {
		out = append(out, fmt.Sprintf("%s %s: %s (%s)", c.GetOperation(), c.GetPath(), c.GetUncolorizedText(words), c.GetId()))
	}
	return out, nil
}

// otherLevels is where our promise to callers is another one than that of oasdiff
// (docs/decisions/2026-11-22-oasdiff.md): a member of an answer stays even if it may be
// absent, and an answer may take values that it did not take before, as a new status.
func otherLevels() map[string]checker.Level {
	out := map[string]checker.Level{checker.ResponseOptionalPropertyRemovedId: checker.ERR}
	for _, rule := range checker.GetAllRules() {
		values := rule.Kind == checker.KindValues || rule.Kind == checker.KindConstraints
		if rule.Direction == checker.DirectionResponse && values && rule.Effect == checker.EffectWidens {
			out[rule.Id] = checker.INFO
		}
	}
	return out
}
