package pacing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/pacing"
)

// What several commands say together is what they say one after the other; a refused
// one does not count, and the state they were given stays as it was.
func TestTogetherIsOneAfterTheOther(t *testing.T) {
	later := noon.Add(time.Minute)
	before := given(t, enter("a", 10)).state
	one := given(t, enter("a", 10))
	var events []event.Payload
	for _, contact := range []int{0, 1, 0} {
		events = append(events, one.when(finish("a", contact, later))...)
	}
	no := errors.New("no")
	refuse := func(pacing.State) ([]event.Payload, error) {
		return []event.Payload{pacing.RunFinished{InstanceID: "a"}}, no
	}
	said, refused := pacing.Together{finish("a", 0, later).Decide, refuse, finish("a", 1, later).Decide, finish("a", 0, later).Decide}.DecideAll(before)
	require.NotEmpty(t, said)
	require.Equal(t, events, said)
	require.Equal(t, []error{nil, no, nil, nil}, refused)
	require.Equal(t, given(t, enter("a", 10)).state, before)
}
