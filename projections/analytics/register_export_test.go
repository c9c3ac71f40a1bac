package analytics

import (
	"fmt"
	"regexp"

	"github.com/parley-platform/parley/domain/event"
)

// Unregistered lists the events of the categories that neither On nor Ignore names, and
// what to add. They appear all the same, see mappingOf.
func Unregistered(categories []*event.Category) []string {
	var out []string
	for _, c := range categories {
		for _, k := range c.Kinds() {
			if _, ok := mappings[k.Go]; !ok {
				out = append(out, fmt.Sprintf("%s has no registration: add analytics.On[%s] or analytics.Ignore[%s] to "+
					"projections/analytics/%s.go", k.Type(), k.Go, k.Go, c.Name))
			}
		}
	}
	return out
}

var wellNamed = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Misnamed lists event types that are not snake_case, or that have two categories.
func Misnamed(categories []*event.Category) []string {
	var out []string
	seen := map[string]Category{}
	for _, c := range categories {
		for _, k := range c.Kinds() {
			m := mappingOf(k)
			if m.ignored != "" {
				continue
			}
			if other, ok := seen[m.eventType]; ok && other != m.category {
				out = append(out, fmt.Sprintf("%s is both %s and %s", m.eventType, other, m.category))
			}
			if seen[m.eventType] = m.category; !wellNamed.MatchString(m.eventType) {
				out = append(out, fmt.Sprintf("%s (%s) is not snake_case", m.eventType, k.Type()))
			}
		}
	}
	return out
}
