package event_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
)

type painted struct{ Color string }

func (painted) Apply(*door) {}

type moved struct{}

func (moved) Apply(*door) {}

// Given a category, then its kinds are listed by name, and it has as many partitions as it was made with.
func TestACategoryListsItsKinds(t *testing.T) {
	var names []string
	for _, k := range doors.Kinds() {
		names = append(names, k.Type())
	}
	require.Equal(t, []string{"parley.doors.closed.v1", "parley.doors.opened.v2"}, names)
	require.Equal(t, event.Quiet, doors.Partitions)
}

// Given an event on the log that cannot be lifted, then the error says which version.
func TestALiftThatFailsNamesTheVersion(t *testing.T) {
	_, err := doors.Decode("parley.doors.opened.v1", []byte(`[]`))
	require.ErrorContains(t, err, "lifting parley.doors.opened.v1")
}

// Given a registration, then it has a lift for every older version, and one name.
func TestARegistrationHasALiftForEachOlderVersion(t *testing.T) {
	gates := event.NewAggregate[door]("gates", "gate", 1)
	same := func(old json.RawMessage) (json.RawMessage, error) { return old, nil }
	require.PanicsWithValue(t, "event gates.painted: version 3 needs 2 upcasters, has 1",
		func() { event.Register[painted](gates, "painted", 3, same) })
	event.Register[painted](gates, "painted", 3, same, same)
	require.PanicsWithValue(t, "event gates.painted is registered twice", func() { event.Register[moved](gates, "painted", 1) })
	for _, version := range []string{"v1", "v2", "v3"} {
		p, err := gates.Decode("parley.gates.painted."+version, []byte(`{"Color":"red"}`))
		require.NoError(t, err)
		require.Equal(t, painted{Color: "red"}, p)
	}
}
