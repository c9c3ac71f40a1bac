package watermillkafka_test

import (
	"os"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/tests"
	"github.com/stretchr/testify/require"

	watermillkafka "github.com/parley-platform/parley/adapters/watermill"
)

// Watermill's own suite, in full and in both shapes of our traffic.
//
// What cannot apply:
//   - ExactlyOnceDelivery: delivery is at least once, by design; with it false
//     the suite only lets duplicates pass, it skips nothing.
//   - TestNewSubscriberReceivesOldMessages: it wants every subscriber to get all
//     messages. That holds for members of different groups and is run so in
//     TestSuiteNewGroupsReceiveOldMessages; members of one group share.
//   - ContextPreserved: contexts do not cross a broker.
//   - TestReconnect runs only with PARLEY_SUITE_RECONNECT=1 and without the race
//     detector. The suite notes what it published in one goroutine and reads the
//     notes in another, unsynchronised, as soon as the last message has arrived:
//     the detector reports it, and without the detector it now and then calls that
//     last message "extra". (A message called "missing" would be ours.) What it
//     checks is checked in full by TestBrokerRestartsAreSurvived.
//   - Order without keys is not promised, so TestPublishSubscribeInOrder and
//     TestNoAck run in the keyed shape and are skipped in the other.

// Key = payload: the suite numbers its messages by payload and expects order
// among equal ones. Most of its tests send one payload only, so this is also the
// worst case, all traffic on one key.
func TestSuiteOneKey(t *testing.T) {
	b := newRestartable(t)
	s := suite{broker: b, key: func(m *message.Message) string { return string(m.Payload) }}
	features := tests.Features{ConsumerGroups: true, Persistent: true, GuaranteedOrder: true}
	if os.Getenv("PARLEY_SUITE_RECONNECT") != "" {
		features.RestartServiceCommand = b.restartCommand(t)
	}
	tests.TestPubSub(t, features, s.shared, s.inGroup)
}

// Key = message: everything runs side by side over all partitions.
func TestSuiteManyKeys(t *testing.T) {
	s := suite{broker: newBroker(t), key: func(m *message.Message) string { return m.UUID }}
	tests.TestPubSub(t, tests.Features{ConsumerGroups: true, Persistent: true}, s.shared, s.inGroup)
}

func TestSuiteNewGroupsReceiveOldMessages(t *testing.T) {
	s := suite{broker: newBroker(t), key: func(m *message.Message) string { return m.UUID }}
	features := tests.Features{ConsumerGroups: true, Persistent: true, NewSubscriberReceivesOldMessages: true}
	tests.TestNewSubscriberReceivesOldMessages(t, tests.TestContext{TestID: tests.NewTestID(), Features: features},
		func(t *testing.T) (message.Publisher, message.Subscriber) { return s.inGroup(t, watermill.NewUUID()) })
}

type suite struct {
	broker *broker
	key    func(*message.Message) string
}

func (s suite) shared(t *testing.T) (message.Publisher, message.Subscriber) {
	return s.inGroup(t, "suite-"+t.Name())
}

func (s suite) inGroup(t *testing.T, group string) (message.Publisher, message.Subscriber) {
	cfg := s.broker.config(group)
	// Fifty of them join one group: what notices everything quickly would keep the machine
	// busy with noticing.
	cfg.Heartbeat, cfg.WatchEvery = 500*time.Millisecond, 2*time.Second
	sub, err := watermillkafka.NewSubscriber(cfg)
	require.NoError(t, err)
	return keyedPublisher{s.broker.publisher(t), s.key}, topicMaker{sub, s.broker}
}

// topicMaker creates topics where the suite lets a subscriber prepare one.
type topicMaker struct {
	*watermillkafka.Subscriber
	broker *broker
}

func (s topicMaker) SubscribeInitialize(topic string) error { return s.broker.createTopic(topic, 6) }

type keyedPublisher struct {
	*watermillkafka.Publisher
	key func(*message.Message) string
}

func (p keyedPublisher) Publish(topic string, messages ...*message.Message) error {
	var all []*message.Message
	for _, m := range messages {
		c := m.Copy()
		c.SetContext(m.Context())
		c.Metadata.Set(watermillkafka.MetadataKey, p.key(m))
		all = append(all, c)
	}
	return p.Publisher.Publish(topic, all...)
}
