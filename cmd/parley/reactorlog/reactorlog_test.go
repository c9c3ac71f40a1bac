package reactorlog_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	parleykafka "github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/reactorlog"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/domain/registrations"
	"github.com/parley-platform/parley/eventstore"
	handling "github.com/parley-platform/parley/handlers/reactors"
)

// world is a log without a node, and a tool on it.
type world struct {
	*testing.T
	brokers []string
	log     *parleykafka.Log
}

func newWorld(t *testing.T) *world {
	w := &world{T: t, brokers: embeddedtest.Broker(t)}
	made := parleykafka.New(parleykafka.Config{Brokers: w.brokers, ClientID: "test", Replicas: 1})
	defer made.Close()
	require.NoError(t, made.Open(t.Context(), catalog.Categories()))
	w.log = w.attach()
	return w
}

func (w *world) attach() *parleykafka.Log {
	w.Helper()
	flags := reactorlog.Flags{KafkaFlags: connect.KafkaFlags{KafkaBrokers: w.brokers}}
	log, err := flags.Attach(w.Context())
	require.NoError(w, err)
	w.Cleanup(log.Close)
	return log
}

func (w *world) store(log *parleykafka.Log) *eventstore.Store {
	s := reactorlog.NewStore(log)
	w.Cleanup(s.Close)
	return s
}

// setAside puts a record on the poison topic as a node does.
func (w *world) setAside(reactor string, offset int64) {
	w.Helper()
	require.NoError(w, w.log.Plain(w.Context(), 1, handling.PoisonTopic))
	var headers []kafka.Header
	for name, value := range map[string]string{
		handling.HeaderReactor: reactor, handling.HeaderError: "no such number", handling.HeaderTopic: "parley.calls",
		handling.HeaderPartition: "2", handling.HeaderOffset: strconv.FormatInt(offset, 10), handling.HeaderAttempts: "3",
		"ce_id": "e-1", "ce_type": "parley.calls.requested.v1", "ce_subject": "call-1", "ce_version": "7",
	} {
		headers = append(headers, kafka.Header{Key: name, Value: []byte(value)})
	}
	w.write(kafka.Record{Value: kafka.NewBytes([]byte(`{}`)), Headers: headers})
}

func (w *world) write(r kafka.Record) {
	w.Helper()
	res, err := w.log.Client().Produce(w.Context(), &kafka.ProduceRequest{Topic: handling.PoisonTopic, RequiredAcks: kafka.RequireAll,
		Records: kafka.NewRecordReader(r)})
	require.NoError(w, err)
	require.NoError(w, res.Error)
}

func ask(ctx context.Context, s *eventstore.Store, id, by string) error {
	command := eventstore.Command{Tenant: registrations.Tenant, Actor: "user:" + by}
	decide := registrations.AskReplay{Reactor: "dialer", Event: registrations.SetAside{Stream: "call-1", Version: 7}, By: by,
		At: time.Now()}.Decide
	_, err := eventstore.Execute(ctx, s, registrations.Replays, registrations.Replays.Stream(id), command, decide)
	return err
}

// Nothing was ever set aside: the topic is not even there.
func TestALogWithoutReactorsHasNothingSetAside(t *testing.T) {
	all, err := reactorlog.ReadPoison(t.Context(), newWorld(t).log)
	require.NoError(t, err)
	require.Empty(t, all)
}

// Given what a reactor set aside, and what others wrote to its topic, a tool lists the
// former, and what became of its replay, which another tool asked for.
func TestWhatWasSetAsideIsListedWithItsReplay(t *testing.T) {
	w := newWorld(t)
	w.setAside("dialer", 41)
	w.write(kafka.Record{Value: kafka.NewBytes([]byte("of a stranger"))})
	w.setAside("notifier", 42)

	all, err := reactorlog.ReadPoison(t.Context(), w.log)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []string{"0.0", "0.2"}, []string{all[0].ID, all[1].ID})
	require.Equal(t, "dialer", all[0].Reactor)
	require.Equal(t, "no such number", all[0].Error)
	require.Equal(t, 3, all[0].Attempts)
	require.Equal(t, registrations.SetAside{ID: "e-1", Type: "parley.calls.requested.v1", Stream: "call-1", Version: 7,
		Topic: "parley.calls", Partition: 2, Offset: 41}, all[0].Event)
	require.Zero(t, all[0].Replay)

	require.NoError(t, ask(t.Context(), w.store(w.attach()), "0.0", "ada"))
	all, err = reactorlog.ReadPoison(t.Context(), w.log)
	require.NoError(t, err)
	require.Equal(t, registrations.ReplayRequestedStatus, all[0].Replay.Status)
	require.Equal(t, "ada", all[0].Replay.By)
	require.Zero(t, all[1].Replay)
}

// Two tools ask for the same: the first one's word stands, and both see it.
func TestAReplayIsAskedForOnce(t *testing.T) {
	w := newWorld(t)
	one, two := w.store(w.attach()), w.store(w.attach())
	require.NoError(t, ask(t.Context(), one, "0.0", "ada"))
	require.NoError(t, ask(t.Context(), two, "0.0", "bob"))
	for _, s := range []*eventstore.Store{one, two, w.store(w.log)} {
		got, err := eventstore.Read(t.Context(), s, registrations.Replays, registrations.Replays.Stream("0.0"))
		require.NoError(t, err)
		require.Equal(t, "ada", got.State.By)
		require.Equal(t, 1, got.State.Number)
	}
}

// Other streams are not folded: a tool that asks for one has a mistake in it.
func TestOnlyStreamsOfTheReactorsAreRead(t *testing.T) {
	w := newWorld(t)
	_, err := eventstore.Read(t.Context(), w.store(w.log), registrations.Registrations, "call-1")
	require.ErrorContains(t, err, "call-1 is no stream of the reactors")
}

func TestWithoutBrokersAToolSaysWhatToName(t *testing.T) {
	_, err := (&reactorlog.Flags{Data: t.TempDir()}).Attach(t.Context())
	require.ErrorContains(t, err, "--kafka-brokers or PARLEY_KAFKA_BROKERS")
	require.ErrorContains(t, err, "--data")
}
