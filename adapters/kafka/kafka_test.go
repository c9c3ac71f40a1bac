package kafka_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka"
	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

var (
	boxes = event.NewAggregate[struct{}]("boxes", "box", 3).Category
	lids  = event.NewAggregate[struct{}]("lids", "lid", 1).Category
)

func categories() []*event.Category { return []*event.Category{boxes, lids} }

// broker is a Kafka-protocol server whose answers the test may change.
func broker(t *testing.T) (*kfake.Cluster, []string) {
	t.Helper()
	c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.BrokerConfigs(map[string]string{"message.max.bytes": "8388608"}))
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, c.ListenAddrs()
}

// anyBroker is a broker that answers as it does: Apache Kafka under `make test-kafka`.
func anyBroker(t *testing.T) []string {
	t.Helper()
	if embeddedtest.OnApache() {
		return embeddedtest.Broker(t)
	}
	_, brokers := broker(t)
	return brokers
}

func connect(t *testing.T, brokers []string) *kafka.Log {
	t.Helper()
	l := kafka.New(kafka.Config{Brokers: brokers, ClientID: t.Name(), Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(l.Close)
	return l
}

func opened(t *testing.T, brokers []string) *kafka.Log {
	t.Helper()
	l := connect(t, brokers)
	require.NoError(t, l.Open(t.Context(), categories()))
	return l
}

func records(stream string, n int, data string) (out []*eventstore.Record) {
	commit := uuid.NewString()
	for i := range n {
		out = append(out, &eventstore.Record{ID: uuid.NewString(), Source: "/parley/x", Type: "parley.lids.made.v1", Stream: stream,
			Time: time.Now().UTC(), Tenant: "acme",
			Version: int64(i + 1), Commit: commit, CommitIndex: i, CommitSize: n, Data: []byte(data)})
	}
	return out
}

const lidsTopic = "parley.lids"

func TestNodesThatOpenAtOnceAgreeOnOneLog(t *testing.T) {
	brokers := anyBroker(t)
	logs := make([]*kafka.Log, 10)
	errs := make([]error, len(logs))
	var all sync.WaitGroup
	for i := range logs {
		logs[i] = connect(t, brokers)
		all.Add(1)
		go func() { defer all.Done(); errs[i] = logs[i].Open(t.Context(), categories()) }()
	}
	all.Wait()
	for i, l := range logs {
		require.NoError(t, errs[i])
		require.Equal(t, logs[0].LogID(), l.LogID())
		require.NotEmpty(t, l.LogID())
		n, err := l.Partitions("parley.boxes")
		require.NoError(t, err)
		require.Equal(t, 3, n)
		for p := range n {
			require.NoError(t, l.Verify(t.Context(), "parley.boxes", p))
		}
	}
	got, err := logs[0].Fetch(t.Context(), lidsTopic, 0, 0) // genesis records that came late take no part
	require.NoError(t, err)
	for _, e := range got.Entries {
		require.Nil(t, e.Record)
		require.NoError(t, e.Err)
	}
	again := opened(t, brokers)
	require.Equal(t, logs[0].LogID(), again.LogID())
	require.NoError(t, again.Open(t.Context(), categories()), "twice by one")
	_, err = again.Partitions("parley.nothing")
	require.ErrorContains(t, err, "parley.nothing")
}

// A real broker has no leader for a partition right after its topic was created.
func TestOpenWaitsForTheLeadersOfNewTopics(t *testing.T) {
	c, brokers := broker(t)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Err: kerr.NotLeaderForPartition, Count: 3})
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: 2})
	l := connect(t, brokers)
	require.NoError(t, l.Open(t.Context(), categories()))
	require.NotEmpty(t, l.LogID())
}

func TestATopicThatIsNotOursIsRefused(t *testing.T) {
	c, brokers := broker(t)
	require.NoError(t, c.CreateTopic(lidsTopic, 1, nil))
	client := kafkago.Client{Addr: kafkago.TCP(brokers...)}
	_, err := client.Produce(t.Context(), &kafkago.ProduceRequest{Topic: lidsTopic, RequiredAcks: kafkago.RequireAll,
		Records: kafkago.NewRecordReader(kafkago.Record{Value: kafkago.NewBytes([]byte("hello"))})})
	require.NoError(t, err)
	require.ErrorContains(t, connect(t, brokers).Open(t.Context(), categories()), "not a genesis")
}

func TestTopicsOfTwoLogsAreRefused(t *testing.T) {
	c, brokers := broker(t)
	opened(t, brokers)
	require.NoError(t, c.DeleteTopic("parley.boxes"))
	require.NoError(t, connect(t, brokers).Open(t.Context(), []*event.Category{boxes}))
	require.ErrorContains(t, connect(t, brokers).Open(t.Context(), categories()), "two logs are mixed")
}

func TestWrongSettingsAreNamedWithTheirRemedy(t *testing.T) {
	brokers := anyBroker(t)
	l := opened(t, brokers)
	client := l.Client()
	for name, c := range map[string]struct{ value, want string }{
		"retention.ms":      {"3600000", "-1"},
		"retention.bytes":   {"1000", "-1"},
		"cleanup.policy":    {"compact", "delete"},
		"max.message.bytes": {"1000000", "8388608"},
	} {
		alter := func(value string) {
			res, err := client.IncrementalAlterConfigs(t.Context(), &kafkago.IncrementalAlterConfigsRequest{
				Resources: []kafkago.IncrementalAlterConfigsRequestResource{{
					ResourceType: kafkago.ResourceTypeTopic, ResourceName: lidsTopic, Configs: []kafkago.IncrementalAlterConfigsRequestConfig{
						{Name: name, Value: value, ConfigOperation: kafkago.ConfigOperationSet}}}}})
			require.NoError(t, err)
			require.NoError(t, res.Resources[0].Error)
		}
		// Kafka acknowledges a setting before each of its brokers tells it.
		alter(c.value)
		require.EventuallyWithT(t, func(seen *assert.CollectT) {
			assert.ErrorContains(seen, l.Check(t.Context()), "kafka-configs.sh --bootstrap-server "+strings.Join(brokers, ",")+
				" --alter --entity-type topics --entity-name "+lidsTopic+" --add-config "+name+"="+c.want)
		}, 15*time.Second, 20*time.Millisecond)
		alter(c.want)
		require.EventuallyWithT(t, func(seen *assert.CollectT) { assert.NoError(seen, l.Check(t.Context())) },
			15*time.Second, 20*time.Millisecond)
	}
}

// What a failed produce says about whether it may yet count.
func TestProduceErrorsSayWhetherAnythingWasAppended(t *testing.T) {
	c, brokers := broker(t)
	l := opened(t, brokers)
	for _, x := range []struct {
		err                 *kerr.Error
		notWritten, refused bool
	}{
		{kerr.NotEnoughReplicas, true, false},
		{kerr.MessageTooLarge, true, true},
		{kerr.TopicAuthorizationFailed, true, true},
		{kerr.NotEnoughReplicasAfterAppend, false, false},
		{kerr.RequestTimedOut, false, false},
		{kerr.NotLeaderForPartition, false, false}, // a leader may find out while it waits for its followers
		{kerr.UnknownTopicOrPartition, false, false},
		{kerr.KafkaStorageError, false, false},
		{kerr.UnknownServerError, false, false},
	} {
		fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: x.err, Count: -1})
		_, err := l.Produce(t.Context(), lidsTopic, 0, records("lid-1", 1, "{}"))
		require.Error(t, err, x.err.Message)
		require.Equal(t, x.notWritten, errors.Is(err, eventstore.ErrNotWritten), "%s: %v", x.err.Message, err)
		require.Equal(t, x.refused, errors.Is(err, eventstore.ErrRefused), "%s: %v", x.err.Message, err)
		fault.Remove()
	}
	base, err := l.Produce(t.Context(), lidsTopic, 0, records("lid-1", 2, "{}"))
	require.NoError(t, err)
	ends, err := l.Ends(t.Context())
	require.NoError(t, err)
	require.Equal(t, base+2, ends[lidsTopic][0])

	c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) { return nil, errors.New("cut"), true })
	_, err = l.Produce(t.Context(), lidsTopic, 0, records("lid-1", 1, "{}"))
	require.Error(t, err)
	require.NotErrorIs(t, err, eventstore.ErrNotWritten, "a cut connection leaves it open")
}

func TestABrokerThatIsNotThereWasSentNothing(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	l := connect(t, []string{gone.Addr().String()})
	_, err = l.Produce(t.Context(), lidsTopic, 0, records("lid-1", 1, "{}"))
	require.ErrorIs(t, err, eventstore.ErrNotWritten)
	require.NotErrorIs(t, err, eventstore.ErrRefused)
	require.Error(t, l.Ping(t.Context()))
}

func TestFetchReadsOnAndKnowsTheEnds(t *testing.T) {
	brokers := anyBroker(t)
	l := opened(t, brokers)
	base, err := l.Produce(t.Context(), lidsTopic, 0, records("lid-1", 5, `{"a":1}`))
	require.NoError(t, err)
	got, err := l.Fetch(t.Context(), lidsTopic, 0, base+2) // inside a batch
	require.NoError(t, err)
	require.Len(t, got.Entries, 3)
	require.Equal(t, base+2, got.Entries[0].Offset)
	require.Equal(t, 2, got.Entries[0].Record.CommitIndex)
	require.Equal(t, base+5, got.End)
	require.Zero(t, got.Start)

	mark, err := l.ReadMark(t.Context(), lidsTopic, 0, base+2)
	require.NoError(t, err)
	require.Equal(t, got.Entries[0].Mark, mark)
	other, err := l.ReadMark(t.Context(), lidsTopic, 0, base+3)
	require.NoError(t, err)
	require.NotEqual(t, mark, other)

	empty, err := l.Fetch(t.Context(), lidsTopic, 0, base+5)
	require.NoError(t, err)
	require.Empty(t, empty.Entries)
	for _, outside := range []int64{base + 6, 1000} {
		_, err = l.Fetch(t.Context(), lidsTopic, 0, outside)
		require.ErrorIs(t, err, eventstore.ErrOutOfRange)
	}
	_, err = l.ReadMark(t.Context(), lidsTopic, 0, base+5)
	require.ErrorIs(t, err, eventstore.ErrOutOfRange)
}

func headersOf(r *eventstore.Record) (out []kgo.RecordHeader) {
	for _, h := range r.Headers() {
		out = append(out, kgo.RecordHeader{Key: h.Key, Value: h.Value})
	}
	return out
}

// Other clients compress; their batches read like ours.
func TestForeignCompressedBatchesAreRead(t *testing.T) {
	brokers := anyBroker(t)
	l := opened(t, brokers)
	want := 1
	for name, codec := range map[string]kgo.CompressionCodec{"gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
		"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression()} {
		client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ProducerBatchCompression(codec))
		require.NoError(t, err)
		for _, r := range records("lid-"+name, 1, `{"text":"`+strings.Repeat("long ", 5000)+`"}`) {
			require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: lidsTopic, Key: []byte(r.Stream), Value: r.Data,
				Headers: headersOf(r)}).FirstErr())
		}
		client.Close()
		got, err := l.Fetch(t.Context(), lidsTopic, 0, int64(want))
		require.NoError(t, err, name)
		require.Len(t, got.Entries, 1, name)
		require.NoError(t, got.Entries[0].Err, name)
		require.Equal(t, "lid-"+name, got.Entries[0].Record.Stream)
		want++
	}
}

// A stranger's transaction leaves a marker at its end, which no reader is shown as a
// record: the position has to move past it all the same.
func TestAMarkerOfAStrangersTransactionIsPassed(t *testing.T) {
	brokers := anyBroker(t)
	l := opened(t, brokers)
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.TransactionalID("stranger"))
	require.NoError(t, err)
	defer client.Close()
	for _, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, client.BeginTransaction())
		require.NoError(t, client.ProduceSync(t.Context(), &kgo.Record{Topic: lidsTopic, Value: []byte("x")}).FirstErr())
		require.NoError(t, client.EndTransaction(t.Context(), end))
	}
	require.Eventually(t, func() bool { // genesis, record, marker, record, marker; the last may come after the answer
		ends, err := l.Ends(t.Context())
		return err == nil && ends[lidsTopic][0] == 5
	}, 10*time.Second, 10*time.Millisecond)
	next := int64(0)
	for range 5 {
		got, err := l.Fetch(t.Context(), lidsTopic, 0, next)
		require.NoError(t, err)
		judged := eventstore.Arbitrate(eventstore.HeadMap{}, got.Entries)
		if next = judged.Next; next == 5 {
			break
		}
	}
	require.EqualValues(t, 5, next)
	for offset := range int64(5) {
		mark, err := l.ReadMark(t.Context(), lidsTopic, 0, offset)
		require.NoError(t, err)
		require.NotEmpty(t, mark)
	}
	only, err := l.Fetch(t.Context(), lidsTopic, 0, 4)
	require.NoError(t, err)
	require.Len(t, only.Entries, 1)
	require.Nil(t, only.Entries[0].Record)
}

// A real broker cuts an answer at its size limit, inside a batch.
func TestAnAnswerCutInsideABatchIsReadUpToThere(t *testing.T) {
	c, brokers := broker(t)
	l := opened(t, brokers)
	base, err := l.Produce(t.Context(), lidsTopic, 0, records("lid-1", 2, "{}"))
	require.NoError(t, err)
	_, err = l.Produce(t.Context(), lidsTopic, 0, records("lid-2", 2, "{}"))
	require.NoError(t, err)
	raw := rawBatches(t, brokers)
	for _, cut := range []int{1, 20, 60, 200} {
		c.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
			res := req.ResponseKind().(*kmsg.FetchResponse)
			rp := kmsg.NewFetchResponseTopicPartition()
			rp.HighWatermark, rp.LastStableOffset, rp.LogStartOffset, rp.RecordBatches = base+4, base+4, 0, raw[:len(raw)-cut]
			rt := kmsg.NewFetchResponseTopic()
			rt.Topic, rt.Partitions = lidsTopic, []kmsg.FetchResponseTopicPartition{rp}
			res.Topics = []kmsg.FetchResponseTopic{rt}
			return res, nil, true
		})
		got, err := l.Fetch(t.Context(), lidsTopic, 0, base)
		require.NoError(t, err, cut)
		require.Len(t, got.Entries, 2, cut)
	}
	got, err := l.Fetch(t.Context(), lidsTopic, 0, base)
	require.NoError(t, err)
	require.Len(t, got.Entries, 4)
}

// rawBatches is the whole of the lids as it stands on the broker.
func rawBatches(t *testing.T, brokers []string) []byte {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...))
	require.NoError(t, err)
	defer client.Close()
	req := kmsg.NewFetchRequest()
	req.MinBytes, req.MaxBytes, req.MaxWaitMillis = 1, 1<<20, 100
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.PartitionMaxBytes = 1 << 20
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic, rt.Partitions = lidsTopic, []kmsg.FetchRequestTopicPartition{rp}
	meta := kmsg.NewMetadataRequest()
	mt := kmsg.NewMetadataRequestTopic()
	mt.Topic = kmsg.StringPtr(lidsTopic)
	meta.Topics = []kmsg.MetadataRequestTopic{mt}
	known, err := meta.RequestWith(t.Context(), client)
	require.NoError(t, err)
	rt.TopicID = known.Topics[0].TopicID
	req.Topics = []kmsg.FetchRequestTopic{rt}
	res, err := req.RequestWith(context.WithoutCancel(t.Context()), client)
	require.NoError(t, err)
	return res.Topics[0].Partitions[0].RecordBatches
}

func TestVerifyNoticesAReplacedTopic(t *testing.T) {
	c, brokers := broker(t)
	l := opened(t, brokers)
	require.NoError(t, c.DeleteTopic(lidsTopic))
	require.NoError(t, connect(t, brokers).Open(t.Context(), []*event.Category{lids}))
	require.Eventually(t, func() bool { return errors.Is(l.Verify(t.Context(), lidsTopic, 0), eventstore.ErrOutOfRange) }, 5*time.Second,
		10*time.Millisecond)
	require.ErrorContains(t, l.Verify(t.Context(), lidsTopic, 0), "the topic was replaced")

	_, err := l.Produce(t.Context(), "parley.boxes", 0, records("box-1", 1, "{}"))
	require.NoError(t, err)
	require.NoError(t, c.DeleteRecords("parley.boxes", 0, 1))
	err = l.Verify(t.Context(), "parley.boxes", 0)
	require.ErrorIs(t, err, eventstore.ErrOutOfRange)
	require.ErrorContains(t, err, "make it again from a backup")
}
