package eventstore_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/domain/fault"
	"github.com/parley-platform/parley/eventstore"
)

// A stream whose newest event cannot be folded.
type brittle struct{}

type cracked struct {
	N int `json:"n"`
}

func (e cracked) Apply(*brittle) { _ = make([]int, 1)[e.N] }

var brittles = func() *event.Aggregate[brittle] {
	a := event.NewAggregate[brittle]("brittles", "brittle", 1)
	event.Register[cracked](a, "cracked", 1)
	return a
}()

// holding is an index with one stream.
type holding struct {
	*patient
	records []*eventstore.Record
}

func (h *holding) Load(context.Context, string) ([]*eventstore.Record, error) { return h.records, nil }

func (h *holding) After(_ context.Context, _ string, version int64, _ int) ([]*eventstore.Record, error) {
	return h.records[min(int(version), len(h.records)):], nil
}

func held(typ, data string) *eventstore.Record {
	return &eventstore.Record{ID: uuid.NewString(), Type: typ, Stream: "brittle-1", Topic: "parley.brittles", Offset: 7, Tenant: "acme",
		Version: 1, Commit: uuid.NewString(), CommitSize: 1, RequestID: "r", RequestHash: "h", Data: []byte(data)}
}

func withHeld(t *testing.T, p patient, records []*eventstore.Record, do func(*testing.T, *eventstore.Store)) {
	synctest.Test(t, func(t *testing.T) {
		p.node = newTwin(1, nothing, 1).nodes[0]
		h := &holding{&p, records}
		s := eventstore.New(eventstore.Config{Node: "n", Batches: h, Index: h, Follower: h, Topology: h})
		defer s.Close()
		do(t, s)
	})
}

func crack(brittle) ([]event.Payload, error) { return []event.Payload{cracked{}}, nil }

// Given a stream with an event that this node cannot read, then commands and loads are
// refused in words, again and again: the stream is not left locked.
func TestAStreamThatCannotBeReadIsRefusedInWords(t *testing.T) {
	for name, c := range map[string]struct {
		record *eventstore.Record
		code   fault.Code
		says   string
	}{
		"of another form": {held("parley.brittles.cracked.v1", `{"n":"secret"}`), fault.Internal,
			"brittle-1 cannot be read: its event at version 1 is not of the form of parley.brittles.cracked.v1; nothing was done"},
		"whose fold panics": {held("parley.brittles.cracked.v1", `{"n":9}`), fault.Internal, "offset 7"},
		"of a newer version": {held("parley.brittles.cracked.v2", `{}`), fault.NotExecuted,
			"older version of Parley than the one that wrote parley.brittles.cracked.v2"},
		"that is all unknown":   {held("parley.brittles.glued.v1", `{}`), fault.NotExecuted, "nothing was done"},
		"that is well for once": {held("parley.brittles.cracked.v1", `{}`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			withHeld(t, patient{}, []*eventstore.Record{c.record}, func(t *testing.T, s *eventstore.Store) {
				for range 2 {
					_, err := eventstore.Execute(t.Context(), s, brittles, "brittle-1", eventstore.Command{Tenant: "acme"}, crack)
					require.Equal(t, c.code, fault.CodeOf(err), "%v", err)
					_, loaded := eventstore.Read(t.Context(), s, brittles, "brittle-1")
					require.Equal(t, c.code, fault.CodeOf(loaded), "%v", loaded)
					if c.code != "" {
						require.ErrorContains(t, err, c.says)
						require.NotContains(t, err.Error(), "secret")
					}
				}
			})
		})
	}
}

// Given a commit that a read model could not take, then a repeat of its request hears
// what the first try heard, and no second commit is made.
func TestARepeatHearsThatItsChangeCannotBeShown(t *testing.T) {
	failed := fault.New(fault.ProjectionFailed, "the change is recorded")
	asked := eventstore.Command{Tenant: "acme", RequestID: "r", RequestHash: "h"}
	cracked := func() []*eventstore.Record { return []*eventstore.Record{held("parley.brittles.cracked.v1", `{}`)} }
	withHeld(t, patient{wait: failed}, cracked(), func(t *testing.T, s *eventstore.Store) {
		_, err := eventstore.Execute(t.Context(), s, brittles, "brittle-1", asked, func(brittle) ([]event.Payload, error) {
			t.Error("it was decided once")
			return nil, nil
		})
		require.ErrorIs(t, err, failed)
	})
	withHeld(t, patient{}, cracked(), func(t *testing.T, s *eventstore.Store) {
		res, err := eventstore.Execute(t.Context(), s, brittles, "brittle-1", asked, crack)
		require.NoError(t, err)
		require.True(t, res.Replayed)
	})
}
