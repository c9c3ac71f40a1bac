package catalog

import (
	"strings"
	"sync"

	"github.com/parley-platform/parley/domain/event"
)

// OfTopic is the category whose events stand on a topic; nil for one of another kind.
func OfTopic(topic string) *event.Category { return lookup().topics[topic] }

// OfStream is the category that a stream is of, by its name; nil if none is.
func OfStream(stream string) *event.Category {
	prefix, _, _ := strings.Cut(stream, "-")
	return lookup().prefixes[prefix]
}

type lookups struct{ topics, prefixes map[string]*event.Category }

var lookup = sync.OnceValue(func() lookups {
	l := lookups{map[string]*event.Category{}, map[string]*event.Category{}}
	for _, c := range Categories() {
		l.topics[c.Topic()], l.prefixes[c.Prefix] = c, c
	}
	return l
})
