package consumer_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/adapters/vault"
	"github.com/parley-platform/parley/consumer"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// callees is a log of calls with sealed members.
type callees struct {
	brokers []string
	keyset  string
	log     *kafka.Log
	ring    *keyring.Ring
}

func newCallees(t *testing.T) *callees {
	w := &callees{brokers: embeddedtest.Broker(t), keyset: filepath.Join(t.TempDir(), "keyset.json")}
	master, err := vault.Create(w.keyset)
	require.NoError(t, err)
	w.log = kafka.New(kafka.Config{Brokers: w.brokers, ClientID: "test", Log: quiet})
	t.Cleanup(w.log.Close)
	require.NoError(t, w.log.Open(t.Context(), []*event.Category{calls.Calls.Category}))
	keys, err := w.log.OpenKeys(t.Context(), false)
	require.NoError(t, err)
	w.ring = keyring.New(keyring.Config{Topic: keys, Wrapper: master, Now: time.Now, Log: quiet})
	return w
}

// oneKey is the key of one stream.
type oneKey struct{ sealed.Key }

func (k oneKey) OfStream() (sealed.Key, error) { return k.Key, nil }
func (k oneKey) Own() (sealed.Key, error)      { return k.Key, nil }

// call appends a call to somebody, and gives its key.
func (w *callees) call(t *testing.T, target string) sealed.ID {
	key, err := w.ring.Take(t.Context())
	require.NoError(t, err)
	data, err := json.Marshal(calls.Requested{CallID: "c-1", Target: target, Metadata: json.RawMessage(`{"order":17}`)})
	require.NoError(t, err)
	r := &eventstore.Record{ID: uuid.NewString(), Source: "/parley/test", Type: "parley.calls.requested.v1",
		Stream: calls.Calls.Stream(uuid.NewString()), Time: time.Now().UTC(), Tenant: "acme", Actor: "test", Version: 1,
		Commit: uuid.NewString(), CommitSize: 1, KeyID: key.ID.String()}
	r.Data, err = sealed.Seal(data, reflect.TypeFor[calls.Requested](), r.ID, oneKey{key})
	require.NoError(t, err)
	require.NotContains(t, string(r.Data), target)
	count, err := w.log.Partitions(calls.Calls.Topic())
	require.NoError(t, err)
	res, err := w.log.Client().Produce(t.Context(), &kafkago.ProduceRequest{Topic: calls.Calls.Topic(),
		Partition: eventstore.PartitionOf(r.Stream, count), RequiredAcks: kafkago.RequireAll, Records: kafkago.NewRecordReader(messages(r)...)})
	require.NoError(t, err)
	require.NoError(t, res.Error)
	return key.ID
}

// read gives the calls that a consumer sees, as their events decode.
func (w *callees) read(t *testing.T, keyset string, sink *memory) (found []calls.Requested, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	err = consumer.Run(ctx, consumer.Config{Brokers: w.brokers, Topics: []string{calls.Calls.Topic()}, Sink: sink, Keyset: keyset, ToEnd: true,
		Log: quiet})
	for _, e := range sink.events {
		p, err := calls.Calls.Decode(e.Type, e.Data)
		require.NoError(t, err)
		found = append(found, p.(calls.Requested))
	}
	return found, err
}

// Given calls with sealed members, then a consumer with the keyset reads them, one without
// reads all but them, and one that begins after an erasure agrees with one that began before
// on everything else.
func TestAConsumerReadsWhatIsPersonalWithTheKeyset(t *testing.T) {
	w := newCallees(t)
	ann := w.call(t, "tel:+4930111")

	before := newMemory()
	found, err := w.read(t, w.keyset, before)
	require.NoError(t, err)
	require.Equal(t, "tel:+4930111", found[0].Target)
	require.JSONEq(t, `{"order":17}`, string(found[0].Metadata))

	found, err = w.read(t, "", newMemory())
	require.NoError(t, err)
	require.Equal(t, sealed.Closed, found[0].Target)
	require.Equal(t, "c-1", found[0].CallID)
	require.Equal(t, "null", string(found[0].Metadata))

	w.call(t, "tel:+4930222") // of the same lot of keys, taken before the erasure
	require.NoError(t, w.ring.Erase(t.Context(), []sealed.ID{ann}))
	went, err := w.read(t, w.keyset, before)
	require.NoError(t, err)
	after, err := w.read(t, w.keyset, newMemory())
	require.NoError(t, err)
	targets := func(all []calls.Requested) (out []string) {
		for _, c := range all {
			out = append(out, c.Target)
		}
		return out
	}
	require.ElementsMatch(t, []string{"tel:+4930111", "tel:+4930222"}, targets(went), "what it took is its own to forget")
	require.ElementsMatch(t, []string{sealed.Erased, "tel:+4930222"}, targets(after))
	for i := range after {
		after[i].Target, after[i].Metadata, went[i].Target, went[i].Metadata = "", nil, "", nil
	}
	require.ElementsMatch(t, went, after)
}

// Given a keyset that is not the log's, or a key that is lost, then the consumer ends, and says why.
func TestAConsumerThatCannotOpenSaysSo(t *testing.T) {
	w := newCallees(t)
	w.call(t, "tel:+4930111")
	_, err := w.read(t, w.keyset+".away", newMemory())
	require.ErrorContains(t, err, "keyset.json.away")

	other := filepath.Join(t.TempDir(), "other.json")
	_, err = vault.Create(other)
	require.NoError(t, err)
	_, err = w.read(t, other, newMemory())
	require.ErrorIs(t, err, keyring.ErrShut)
}
