package deliveries_test

import (
	"testing"
	"time"

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

// Given a conversation that goes on behind an erasure, when it is told of what came later, then that is delivered, what
// came before is not, and it can be forgotten again. A call does not go on.
func TestASubjectThatGoesOnIsToldOfAgain(t *testing.T) {
	forget := deliveries.Forget{ErasureID: "er-1", At: noon}
	goesOn := func(id string, at time.Time) deliveries.Enqueue {
		c := enqueue(id)
		c.GoesOn, c.QueuedAt = true, at
		return c
	}
	all := when(t, given(enqueued("n1")), forget)
	s := given(append([]event.Payload{enqueued("n1")}, all...)...)
	require.Empty(t, when(t, s, goesOn("n2", noon)), "it is of before")
	ended := enqueue("n3")
	ended.QueuedAt = noon.Add(time.Second)
	require.Empty(t, when(t, s, ended))
	later := when(t, s, goesOn("n4", noon.Add(time.Second)))
	require.Len(t, later, 1)

	s = given(append(append([]event.Payload{enqueued("n1")}, all...), later...)...)
	thenWanted(t, s, "n4", 1)
	require.Empty(t, when(t, s, goesOn("n5", noon)), "it came late")
	again := when(t, s, deliveries.Forget{ErasureID: "er-2", At: noon.Add(time.Minute)})
	require.Len(t, again, 2, "the notice is given up, and forgotten")
}

func askedBy(who string, e deliveries.Enqueued) deliveries.Enqueued {
	e.AskedBy = who
	return e
}

// Given notices of several who asked for them, when one wants them no more, then theirs are withdrawn, and those of others go on;
// one that is wanted again is enqueued again, and an attempt from before says nothing about it.
func TestWhatNobodyWantsIsWithdrawn(t *testing.T) {
	history := []event.Payload{askedBy("crm", enqueued("n1")), failed("n1", 1, noon.Add(time.Second)), enqueued("n2"),
		askedBy("crm", enqueued("n3"))}
	s := given(history...)
	require.Empty(t, when(t, s, deliveries.Withdraw{AskedBy: "desk", At: noon}))
	require.Empty(t, when(t, s, deliveries.Withdraw{At: noon}), "nobody asked for that of nobody")
	keeps := func(n deliveries.Notice) bool { return n.ID == "n1" }
	require.Equal(t, []event.Payload{deliveries.Withdrawn{NoticeID: "n3", Attempts: 1, At: noon}},
		when(t, s, deliveries.Withdraw{AskedBy: "crm", Keeps: keeps, At: noon}))
	gone := when(t, s, deliveries.Withdraw{AskedBy: "crm", At: noon})
	require.Equal(t, []event.Payload{deliveries.Withdrawn{NoticeID: "n1", Attempts: 2, Head: true, At: noon},
		deliveries.Withdrawn{NoticeID: "n3", Attempts: 1, At: noon}}, gone)
	history = append(history, gone...)
	thenWanted(t, given(history...), "n2", 1)

	history = append(history, deliveries.Delivered{NoticeID: "n2", Attempt: 1})
	again := enqueue("n1")
	again.AskedBy = "crm"
	history = append(history, when(t, given(history...), again)...)
	s = given(history...)
	thenWanted(t, s, "n1", 3)
	require.Empty(t, when(t, s, deliveries.RecordSuccess{NoticeID: "n1", Attempt: 2, Status: 200, At: noon}))
	require.NotEmpty(t, when(t, s, deliveries.RecordSuccess{NoticeID: "n1", Attempt: 3, Status: 200, At: noon}))
}
