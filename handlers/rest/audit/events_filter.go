package audit

import (
	"slices"
	"strconv"
	"strings"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/projections/audit"
)

// EventFilter is what the list and the stream of events have in common.
type EventFilter struct {
	Stream      string `query:"stream" maxLength:"1024" doc:"Only events of this stream." example:"call-018f3c9a-52f6-7a1e-8d0b-9f3e2b7c41d8"`
	Type        string `query:"type" maxLength:"256" doc:"Only events of this type, with its version or in any." example:"parley.calls.answered"`
	Category    string `query:"category" maxLength:"128" doc:"Only events of this category of streams." example:"calls"`
	Since       string `query:"since" maxLength:"64" doc:"Only events from this time on, RFC 3339. The time of an event is the clock of the node that decided it." example:"2026-11-21T00:00:00Z"`
	Correlation string `query:"correlation" maxLength:"1024" doc:"Only events that this request led to: the X-Request-Id of its answer." example:"tr-018f3c9a-52f6-7a1e-8d0b-9f3e2b7c41d8"`
}

// key is all that a cursor belongs to: the same cursor with another filter is refused.
func (f EventFilter) key(tenant string) []string {
	return []string{tenant, f.Stream, f.Type, f.Category, f.Since, f.Correlation}
}

// query is the question to the index. A name that no event can have is refused, because
// with a typing error it would look as if nothing had happened.
func (f EventFilter) query(tenant, until string) (audit.Query, error) {
	q := audit.Query{Tenant: tenant, Stream: f.Stream, Type: f.Type, Correlation: f.Correlation}
	var faults fault.Fields
	add := func(err error) {
		if f, ok := err.(*fault.Error); ok {
			faults = append(faults, f.Details...)
		}
	}
	var err error
	q.Topic, err = EventTopic(f.Category, f.Type)
	add(err)
	q.Since, err = timeOf("since", f.Since)
	add(err)
	q.Until, err = timeOf("until", until)
	add(err)
	if !q.Until.IsZero() && !q.Until.After(q.Since) {
		faults.Add("until", "must be after since")
	}
	return q, faults.Err()
}

// EventTopic is the topic that can hold events of the category and the type, either of
// which may be empty; it is empty when any can. A name that is not known is a
// fault.Validation of category or type.
func EventTopic(category, name string) (string, error) {
	topic, err := topicOf(category)
	if err != nil {
		return "", err
	}
	ofType, err := topicOfType(name)
	switch {
	case ofType == "":
		return topic, err
	case topic != "" && topic != ofType:
		return "", fault.Field("type", "is not of the category %s", category)
	}
	return ofType, nil
}

func topicOf(category string) (string, error) {
	if category == "" {
		return "", nil
	}
	var known []string
	for _, c := range catalog.Categories() {
		if c.Name == category {
			return c.Topic(), nil
		}
		known = append(known, c.Name)
	}
	return "", fault.Field("category", "is not known; known are: %s", strings.Join(known, ", "))
}

// topicOfType finds the topic of a type that is given with its version or without.
func topicOfType(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var near []string
	for _, c := range catalog.Categories() {
		for _, k := range c.Kinds() {
			if isKind(k, name) {
				return c.Topic(), nil
			}
			if strings.HasPrefix(name, "parley."+c.Name+".") {
				near = append(near, k.Type())
			}
		}
	}
	if near == nil {
		return "", fault.Field("type", "is not known: a type is parley.<category>.<event>, or with its version .v<N> behind it")
	}
	return "", fault.Field("type", "is not known; of this category there are: %s", strings.Join(near, ", "))
}

// isKind reports whether the name is the event, or the event in one of its versions.
func isKind(k *event.Kind, name string) bool {
	versions := []string{strings.TrimSuffix(k.Type(), kindVersion(k.Version))}
	for v := range k.Version {
		versions = append(versions, versions[0]+kindVersion(v+1))
	}
	return slices.Contains(versions, name)
}

func kindVersion(n int) string { return ".v" + strconv.Itoa(n) }
