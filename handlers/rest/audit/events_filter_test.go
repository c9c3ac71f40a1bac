package audit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/handlers/rest/audit"
)

func TestWhichTopicHoldsEventsOfATypeAndACategory(t *testing.T) {
	for _, c := range []struct{ category, name, topic, field, problem string }{
		{"", "", "", "", ""},
		{"calls", "", "parley.calls", "", ""},
		{"", "parley.calls.answered", "parley.calls", "", ""},
		{"", "parley.calls.answered.v1", "parley.calls", "", ""},
		{"calls", "parley.calls.answered.v1", "parley.calls", "", ""},
		{"sessions", "parley.calls.answered", "", "type", "is not of the category sessions"},
		{"call", "", "", "category", "is not known; known are: "},
		{"Calls", "", "", "category", "is not known; known are: "},
		{"call", "parley.calls.answered", "", "category", "is not known; known are: "},
		{"", "parley.calls.answerd", "", "type", "is not known; of this category there are: "},
		{"", "parley.calls.answered.v0", "", "type", "is not known; of this category there are: "},
		{"", "parley.calls.answered.v99", "", "type", "is not known; of this category there are: "},
		{"", "parley.calls.", "", "type", "is not known; of this category there are: "},
		{"", "answered", "", "type", "is not known: a type is parley.<category>.<event>, or with its version .v<N> behind it"},
		{"calls", "parley.nothing.answered", "", "type", "is not known: a type is parley.<category>.<event>"},
	} {
		topic, err := audit.EventTopic(c.category, c.name)
		if c.field == "" {
			require.NoError(t, err, "%+v", c)
			require.Equal(t, c.topic, topic, "%+v", c)
			continue
		}
		require.True(t, fault.Is(err, fault.Validation), "%+v", c)
		require.ErrorContains(t, err, c.field+" "+c.problem, "%+v", c)
	}
	_, err := audit.EventTopic("", "parley.calls.answerd")
	require.ErrorContains(t, err, "parley.calls.answered.v", "what was meant is among those that are named")
	_, err = audit.EventTopic("call", "")
	for _, c := range catalog.Categories() {
		require.ErrorContains(t, err, c.Name)
	}
}
