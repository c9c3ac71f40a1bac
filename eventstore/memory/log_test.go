package memory_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/memory"
)

// tally is a stream that counts.
type tally struct{ N int }

type added struct {
	By int `json:"by"`
}

func (e added) Apply(t *tally) { t.N += e.By }

var tallies = event.NewAggregate[tally]("tallies", "tally", event.Quiet)

var _ = event.Register[added](tallies, "added", 1)

func add(by int) func(tally) ([]event.Payload, error) {
	return func(tally) ([]event.Payload, error) { return []event.Payload{added{by}}, nil }
}

var (
	once    = eventstore.Command{Tenant: "acme", Actor: "test", RequestID: "once", RequestHash: "h"}
	plain   = eventstore.Command{Tenant: "acme", Actor: "test"}
	errBoom = errors.New("boom")
)

// opened is a store that is closed at the test's end.
func opened(t *testing.T, log *memory.Log, node string) *eventstore.Store {
	s := log.Open(eventstore.Config{Node: node})
	t.Cleanup(s.Close)
	return s
}

func value(t *testing.T, s *eventstore.Store) int {
	t.Helper()
	got, err := eventstore.Read(t.Context(), s, tallies, "tally-1")
	require.NoError(t, err)
	return got.State.N
}

func TestNodesOnOneLogSeeEachOther(t *testing.T) {
	log := memory.New()
	a, b := opened(t, log, "a"), opened(t, log, "b")
	for range 3 { // each believes in what it saw last, and is told otherwise
		for _, s := range []*eventstore.Store{a, b} {
			_, err := eventstore.Execute(t.Context(), s, tallies, "tally-1", plain, add(1))
			require.NoError(t, err)
		}
	}
	require.Equal(t, 6, value(t, a))
	require.Len(t, log.Accepted(), 6)
	lost := 0
	for p := range 4 {
		lost += max(0, len(log.Entries(tallies.Topic(), p))-1)
	}
	require.Greater(t, lost, 6, "what lost is on the log, and does not count")
	source := log.Accepted()[0]
	require.Equal(t, "/parley/a", source.Source)
	require.Equal(t, []any{"parley.tallies", int64(1)}, []any{source.Topic, source.Offset}, "where it stands")
}

func TestWhatGoesWrongIsToldAsOnAnyLog(t *testing.T) {
	fail := func([]*eventstore.Record) error { return errBoom }
	refuse := func([]*eventstore.Record) error { return fault.New(fault.ProjectionFailed, "no") }
	for name, c := range map[string]struct {
		faults memory.Faults
		code   fault.Code
		left   int // of the command that failed
	}{
		"the gate is shut":         {memory.Faults{Gate: func() error { return fault.New(fault.CatchingUp, "shut") }}, fault.CatchingUp, 0},
		"the index is away":        {memory.Faults{Read: func(string) error { return errBoom }}, fault.NotExecuted, 0},
		"the log is away":          {memory.Faults{Append: fail}, fault.NotExecuted, 0},
		"nobody knows the verdict": {memory.Faults{Verdict: fail}, fault.OutcomeUnknown, 5},
		"no read model takes it":   {memory.Faults{Verdict: refuse}, fault.ProjectionFailed, 5},
	} {
		t.Run(name, func(t *testing.T) {
			log := memory.New()
			s := opened(t, log, "a")
			log.Fail(c.faults)
			_, err := eventstore.Execute(t.Context(), s, tallies, "tally-1", once, add(5))
			require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
			log.Fail(memory.Faults{})
			require.Equal(t, c.left, value(t, s))

			res, err := eventstore.Execute(t.Context(), s, tallies, "tally-1", once, add(5))
			require.NoError(t, err, "the same request again")
			require.Equal(t, c.left > 0, res.Replayed)
			require.Equal(t, 5, res.State.N, "executed once")
		})
	}
}

func TestAnAnswerThatIsLostIsSentForAgain(t *testing.T) {
	log, losses := memory.New(), 2
	s := opened(t, log, "a")
	log.Fail(memory.Faults{Acknowledge: func([]*eventstore.Record) error {
		if losses--; losses >= 0 {
			return errBoom
		}
		return nil
	}})
	res, err := eventstore.Execute(t.Context(), s, tallies, "tally-1", plain, add(1))
	require.NoError(t, err)
	require.Equal(t, 1, res.State.N)
	require.Len(t, log.Accepted(), 1, "of three copies one counts")
}

func TestWhatIsForgottenIsReadAgain(t *testing.T) {
	log, reads := memory.New(), 0
	s := opened(t, log, "a")
	log.Fail(memory.Faults{Read: func(string) error { reads++; return nil }})
	for i, want := range []int{1, 1, 2} {
		if i == 2 {
			log.Forget()
		}
		_, err := eventstore.Execute(t.Context(), s, tallies, "tally-1", plain, add(1))
		require.NoError(t, err)
		require.Equal(t, want, reads)
	}
}
