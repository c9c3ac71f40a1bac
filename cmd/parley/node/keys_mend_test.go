package node_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/cmd/parley/connect"
	"github.com/parley-platform/parley/cmd/parley/keys"
	"github.com/parley-platform/parley/cmd/parley/node"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/catalog"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// keysWorld is a log on which Annabelle was called and erased, and Bertrand was called before
// and after that.
type keysWorld struct {
	*callWorld
	log          *kafka.Log
	erased       string // calls
	early, later string
	older        []keyring.Record // what stood on parley.keys before the erasure and the last call
}

func newKeysWorld(t *testing.T) *keysWorld {
	w := &keysWorld{callWorld: newCallWorld(t, func(c *node.Config) { c.ErasureCalm = time.Second })}
	w.log = kafka.New(kafka.Config{Brokers: w.cluster.brokers, ClientID: "test", Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(w.log.Close)
	var topics []string
	for _, c := range catalog.Categories() {
		topics = append(topics, c.Topic())
	}
	require.NoError(t, w.log.Attach(t.Context(), topics...))
	call := func(target string) string {
		id := w.dialOut(t, aCall().and(fields{"target": target})).CallID
		w.ended(t, id)
		return id
	}
	w.erased, w.early = call("tel:+15550000001"), call("tel:+15550000002")
	w.older = w.keys(t)
	w.callWorld.erased(t, w.server, w.erase(t, fields{"kind": "telephone", "value": "+15550000001"}).Erasure.ErasureID)
	until(t, "a key that the older copy lacks", func() bool { // keys are made in lots
		for range 8 {
			w.dialOut(t, aCall().and(fields{"target": "tel:+15550000002"}))
		}
		w.later = call("tel:+15550000002")
		return !hasKey(w.older, w.keyOf(t, w.later))
	})
	return w
}

// keys are all records of parley.keys.
func (w *keysWorld) keys(t *testing.T) (all []keyring.Record) {
	end, err := w.log.Keys().End(t.Context())
	require.NoError(t, err)
	for at := int64(0); at < end; {
		var some []keyring.Record
		some, at, err = w.log.Keys().Read(t.Context(), at)
		require.NoError(t, err)
		all = append(all, some...)
	}
	return all
}

// keyOf is the data key of a call.
func (w *keysWorld) keyOf(t *testing.T, call string) sealed.ID {
	records, err := w.Store().Index.Load(t.Context(), calls.Calls.Stream(call))
	require.NoError(t, err)
	id, err := sealed.ParseID(records[0].KeyID)
	require.NoError(t, err)
	return id
}

func hasKey(all []keyring.Record, id sealed.ID) bool {
	for _, r := range all {
		if r.ID == id {
			return true
		}
	}
	return false
}

// putOlder puts the older copy in the place of parley.keys.
func (w *keysWorld) putOlder(t *testing.T) {
	client := &kafkago.Client{Addr: kafkago.TCP(w.cluster.brokers...)}
	deleted, err := client.DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{kafka.KeysTopic}})
	require.NoError(t, err)
	require.NoError(t, deleted.Errors[kafka.KeysTopic])
	time.Sleep(time.Second) // as long as the client remembers topics
	topic, err := w.log.OpenKeys(t.Context(), false)
	require.NoError(t, err)
	require.NoError(t, topic.Append(t.Context(), w.older))
}

func (w *keysWorld) mend(giveUp bool) error {
	return (&keys.MendCmd{GiveUpLost: giveUp, PartsFlags: connect.PartsFlags{DatabaseURL: w.cluster.database,
		KafkaFlags: connect.KafkaFlags{KafkaBrokers: w.cluster.brokers}}}).Run()
}

// stands tells what the topic says of a call's key in the end.
func (w *keysWorld) stands(t *testing.T, id sealed.ID) (last keyring.Record) {
	for _, r := range w.keys(t) {
		if r.ID == id {
			last = r
		}
	}
	return last
}

// Given a topic of keys in whose place an older copy was put, then no node starts; when it is
// mended, then what the database remembers is back, who was erased is erased again, and nodes
// go on as before.
func TestAnOlderCopyOfTheKeysIsMended(t *testing.T) {
	t.Parallel()
	w := newKeysWorld(t)
	gone := w.keyOf(t, w.erased)
	w.stop()
	w.putOlder(t)
	require.False(t, w.stands(t, gone).Erased(), "the key came back")
	_, err := node.Start(t.Context(), w.cfg)
	require.ErrorContains(t, err, "run: parley keys mend")

	require.NoError(t, w.mend(false))
	require.True(t, w.stands(t, gone).Erased())
	w.up(t)
	require.Equal(t, "tel:+15550000002", w.call(t, w.early).Request.Target)
	require.Equal(t, "tel:+15550000002", w.call(t, w.later).Request.Target)
	require.Equal(t, "[erased]", w.call(t, w.erased).Request.Target)
	w.ended(t, w.dialOut(t, aCall()).CallID)
	before := w.keys(t)
	require.NoError(t, w.mend(false), "while a node runs")
	after := slices.DeleteFunc(w.keys(t), func(r keyring.Record) bool { // what the node makes ahead meanwhile
		return !slices.ContainsFunc(before, func(old keyring.Record) bool { return old.ID == r.ID })
	})
	require.Len(t, after, len(before), "nothing is done twice")
}

// Given an older copy and no database that remembers more, then erasures on the log erase
// again, and what is lost is told; only who says so gives it up.
func TestKeysThatAreLostAreGivenUpOnlyWhenThatIsSaid(t *testing.T) {
	t.Parallel()
	w := newKeysWorld(t)
	gone, later := w.keyOf(t, w.erased), w.keyOf(t, w.later)
	w.stop()
	w.putOlder(t)
	embeddedtest.DropDatabase(t, w.cluster.database)

	err := w.mend(false)
	require.ErrorContains(t, err, "keys that events need are nowhere")
	require.True(t, w.stands(t, gone).Erased())
	require.Empty(t, w.stands(t, later), "nobody gave it up")
	require.NoError(t, w.mend(true))
	require.True(t, w.stands(t, later).Erased())
	w.up(t)
	require.Equal(t, "tel:+15550000002", w.call(t, w.early).Request.Target)
	require.Equal(t, "[erased]", w.call(t, w.later).Request.Target)
	require.NotContains(t, strings.ToLower(wholeDatabase(t, w.cluster.database)), "15550000001")
}

// Given the database of another log, then it is not asked for keys.
func TestKeysOfAnotherLogAreNotWrittenBack(t *testing.T) {
	t.Parallel()
	one, two := newCluster(t), newCluster(t)
	one.start(t).stop()
	two.start(t).stop()
	err := (&keys.MendCmd{PartsFlags: connect.PartsFlags{DatabaseURL: two.database,
		KafkaFlags: connect.KafkaFlags{KafkaBrokers: one.brokers}}}).Run()
	require.ErrorContains(t, err, "the database was built from log")
}
