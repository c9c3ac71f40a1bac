package deliveries_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/deliveries"
	"github.com/parley-platform/parley/domain/event"
)

// Given notices on their way, when their subject is to be erased, then none of them is
// delivered any more, and no other is taken.
func TestASubjectThatIsErasedIsNotToldOf(t *testing.T) {
	erased := deliveries.Erased{Erasure: event.Erasure{ErasureID: "er-1", At: noon}}
	forget := deliveries.Forget{ErasureID: "er-1", At: noon}
	gone := func(id string, attempts int) deliveries.Undelivered {
		return deliveries.Undelivered{NoticeID: id, Attempts: attempts, At: noon, Reason: deliveries.ReasonErased}
	}
	for name, c := range map[string]struct{ given, then []event.Payload }{
		"none yet": {nil, []event.Payload{erased}},
		"two, one of which was tried": {[]event.Payload{enqueued("n1"), failed("n1", 1, noon), enqueued("n2")},
			[]event.Payload{gone("n1", 1), gone("n2", 0), erased}},
		"all of them delivered": {[]event.Payload{enqueued("n1"), deliveries.Delivered{NoticeID: "n1", Attempt: 1}}, []event.Payload{erased}},
	} {
		s := given(c.given...)
		require.Equal(t, c.then, when(t, s, forget), name)
		s = given(append(c.given, c.then...)...)
		require.Empty(t, when(t, s, forget), name)
		require.Empty(t, when(t, s, enqueue("n3")), name)
		thenWanted(t, s, "", 0)
	}
}
