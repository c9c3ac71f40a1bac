package watermillkafka_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/cenkalti/backoff/v4"
	"github.com/segmentio/kafka-go"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/parley-platform/parley/adapters/embedded/embeddedtest"
	"github.com/parley-platform/parley/adapters/kafka/kafkatest"
	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

// patience bounds every wait for a condition; it is never waited for in full
// unless something is broken.
const patience = 30 * time.Second

// broker is what tests publish to and read from: an in-process broker, or Apache
// Kafka under `make test-kafka`.
type broker struct {
	client  *kafka.Client
	address string
	again   func() error // stops it and starts it again, with its data
}

func newBroker(t testing.TB) *broker {
	t.Helper()
	if embeddedtest.OnApache() {
		return reached(embeddedtest.Broker(t)[0], nil)
	}
	return newFake(t).broker
}

// newRestartable is a broker that may be stopped.
func newRestartable(t testing.TB) *broker {
	t.Helper()
	if embeddedtest.OnApache() {
		c := kafkatest.Start(t, kafkatest.Options{Owned: true})
		return reached(c.Addresses()[0], func() error { return c.Restart(context.Background(), 0) })
	}
	return newFake(t).broker
}

func reached(address string, again func() error) *broker {
	return &broker{address: address, again: again, client: &kafka.Client{Addr: kafka.TCP(address), Timeout: 10 * time.Second,
		Transport: &kafka.Transport{MetadataTTL: 200 * time.Millisecond, DialTimeout: 3 * time.Second}}}
}

// fake is an in-process broker on a fixed port whose requests a test may watch and
// whose partitions it may move: its data is on disk.
type fake struct {
	*broker
	mu      sync.Mutex
	dir     string
	port    int
	cluster *kfake.Cluster
}

func newFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{dir: t.TempDir()}
	require.NoError(t, f.start())
	t.Cleanup(func() { f.current().Close() })
	f.broker = reached(fmt.Sprintf("127.0.0.1:%d", f.port), f.restart)
	return f
}

func (f *fake) start() error {
	opts := []kfake.Opt{kfake.NumBrokers(1), kfake.DataDir(f.dir)}
	if f.port != 0 {
		opts = append(opts, kfake.Ports(f.port))
	}
	c, err := kfake.NewCluster(opts...)
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(c.ListenAddrs()[0])
	if err != nil {
		return err
	}
	f.port, err = strconv.Atoi(port)
	f.cluster = c
	return err
}

func (f *fake) restart() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cluster.Close()
	return backoff.Retry(f.start, backoff.WithMaxRetries(backoff.NewConstantBackOff(50*time.Millisecond), 100))
}

func (f *fake) current() *kfake.Cluster {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cluster
}

func (b *broker) createTopic(topic string, partitions int) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	err := backoff.Retry(func() error { // Apache Kafka that has just started may know of no broker yet
		res, err := b.client.CreateTopics(ctx, &kafka.CreateTopicsRequest{
			Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: partitions, ReplicationFactor: 1}}})
		if err == nil && !errors.Is(res.Errors[topic], kafka.TopicAlreadyExists) {
			err = res.Errors[topic]
		}
		return err
	}, backoff.WithContext(backoff.NewConstantBackOff(100*time.Millisecond), ctx))
	if err != nil {
		return err
	}
	return b.led(ctx, topic, partitions)
}

// led waits until every partition has a leader that knows of it, which on Apache
// Kafka takes a moment after a topic was created.
func (b *broker) led(ctx context.Context, topic string, partitions int) error {
	return backoff.Retry(func() error {
		ends := &kafka.ListOffsetsRequest{Topics: map[string][]kafka.OffsetRequest{}}
		for p := range partitions {
			ends.Topics[topic] = append(ends.Topics[topic], kafka.LastOffsetOf(p))
		}
		res, err := b.client.ListOffsets(ctx, ends)
		if err != nil {
			return err
		}
		for _, p := range res.Topics[topic] {
			if p.Error != nil {
				return p.Error
			}
		}
		return nil
	}, backoff.WithContext(backoff.NewConstantBackOff(20*time.Millisecond), ctx))
}

func (b *broker) topic(t testing.TB, partitions int) string {
	t.Helper()
	name := "parley.t" + strconv.FormatInt(time.Now().UnixNano(), 36)
	require.NoError(t, b.createTopic(name, partitions))
	return name
}

// config is a member that notices everything quickly.
func (b *broker) config(group string) watermillkafka.Config {
	return watermillkafka.Config{Brokers: []string{b.address}, Group: group, Client: b.client,
		Backoff:   func() backoff.BackOff { return backoff.NewConstantBackOff(time.Millisecond) },
		Heartbeat: 100 * time.Millisecond, CommitEvery: 100 * time.Millisecond, WatchEvery: 200 * time.Millisecond,
		RejoinAfter: 200 * time.Millisecond, DrainTimeout: 2 * time.Second,
		Logger: slog.New(slog.DiscardHandler)}
}

// member is a subscriber whose deliveries a test answers by hand.
type member struct {
	*watermillkafka.Subscriber
	messages <-chan *message.Message
}

func join(t testing.TB, cfg watermillkafka.Config, topic string) member {
	t.Helper()
	sub, err := watermillkafka.NewSubscriber(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = sub.Close() })
	messages, err := sub.Subscribe(context.Background(), topic)
	require.NoError(t, err)
	return member{sub, messages}
}

// next waits for one delivery.
func (m member) next(t testing.TB) *message.Message {
	t.Helper()
	select {
	case msg, open := <-m.messages:
		require.True(t, open, "the subscription ended")
		return msg
	case <-time.After(patience):
		require.Fail(t, "no message came")
		return nil
	}
}

func (b *broker) publisher(t testing.TB) *watermillkafka.Publisher {
	t.Helper()
	pub, err := watermillkafka.NewPublisher(nil, b.client)
	require.NoError(t, err)
	return pub
}

// publish writes one message per "key=value" in one call.
func (b *broker) publish(t testing.TB, topic string, pairs ...[2]string) {
	t.Helper()
	var all []*message.Message
	for _, p := range pairs {
		all = append(all, keyed(p[0], p[1]))
	}
	require.NoError(t, b.publisher(t).Publish(topic, all...))
}

func keyed(key, value string) *message.Message {
	m := message.NewMessage("", message.Payload(value))
	m.Metadata.Set(watermillkafka.MetadataKey, key)
	return m
}

func (b *broker) committed(t testing.TB, group, topic string) map[int]int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	got, err := watermillkafka.Committed(ctx, b.client, group, topic)
	require.NoError(t, err)
	return got[topic]
}

func (b *broker) awaitCommitted(t testing.TB, group, topic string, want map[int]int64) {
	t.Helper()
	var got map[int]int64
	defer func() { t.Logf("committed: %v", got) }()
	require.Eventually(t, func() bool {
		got = b.committed(t, group, topic)
		for p, offset := range want {
			if got[p] != offset {
				return false
			}
		}
		return len(got) >= len(want)
	}, patience, 20*time.Millisecond, "want %v", want)
}

// The suite restarts its broker by running a command. Ours is this very test
// binary, which asks the process that owns the broker over HTTP.
const restartArg = "restart-broker"

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == restartArg {
		res, err := http.Get(os.Args[2])
		if err != nil || res.StatusCode != http.StatusOK {
			fmt.Fprintln(os.Stderr, "restarting the broker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func (b *broker) restartCommand(t testing.TB) []string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if err := b.again(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	t.Cleanup(srv.Close)
	return []string{os.Args[0], restartArg, srv.URL}
}
