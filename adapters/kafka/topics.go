package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/domain/event"
	"github.com/parley-platform/parley/eventstore"
)

// Open makes the log ready for the given categories: creates what is missing,
// writes or reads each partition's genesis, and checks the settings. In an empty log
// the first category's first partition gives it its id. Where anything remembers that
// there was a genesis, none is made. After an error that is Late, it goes on where it was
// when it is called again.
func (l *Log) Open(ctx context.Context, categories []*event.Category) error {
	brokers, counts, err := l.describe(ctx)
	if err != nil {
		return err
	}
	return inTime(l.openOn(ctx, brokers, counts, categories))
}

// openOn is Open on brokers that were reached.
func (l *Log) openOn(ctx context.Context, brokers int, counts map[string]int, categories []*event.Category) error {
	wanted := map[string]int{}
	for _, c := range categories {
		wanted[c.Topic()] = c.Partitions
	}
	past := &past{log: l}
	if err := l.adoptAll(ctx, categories, counts); err != nil {
		return err
	}
	if err := past.missing(ctx, categories, counts); err != nil {
		return err
	}
	if err := l.create(ctx, brokers, counts, wanted); err != nil {
		return err
	}
	_, counts, err := l.describe(ctx)
	if err != nil {
		return err
	}
	for _, c := range categories {
		n := counts[c.Topic()]
		if n == 0 {
			return fmt.Errorf("topic %s was created but does not show up in the brokers' metadata: try again", c.Topic())
		}
		for i := range n {
			if l.adopted(c.Topic(), i) {
				continue
			}
			if err := patiently(ctx, func() error { return l.begin(ctx, past, c.Topic(), i, n) }); err != nil {
				return err
			}
		}
	}
	return l.Check(ctx)
}

// settle is how long a topic that was just created may take to get its leaders.
const settle = 20 * time.Second

// patiently repeats what fails because brokers do not agree yet on who leads a
// partition, as they do not right after a topic was created or a broker came back.
func patiently(ctx context.Context, do func() error) error {
	deadline := time.Now().Add(settle)
	for {
		err := do()
		var code kafkago.Error
		if err == nil || !errors.As(err, &code) || !code.Temporary() || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// describe returns the number of brokers and the partition count of each topic.
func (l *Log) describe(ctx context.Context) (brokers int, counts map[string]int, err error) {
	m, err := l.metadata(ctx)
	if err != nil {
		return 0, nil, l.reaching(err)
	}
	counts = map[string]int{}
	for _, t := range m.Topics {
		if t.Error == nil {
			counts[t.Name] = len(t.Partitions)
		}
	}
	return len(m.Brokers), counts, nil
}

func (l *Log) metadata(ctx context.Context) (m *kafkago.MetadataResponse, err error) {
	patience := busy
	if l.cfg.TLS != nil && l.LogID() == "" {
		patience = 0 // a port that knows no TLS is silent, too, and that is to be said at once
	}
	err = answered(ctx, patience, func() error {
		m, err = l.client.Metadata(ctx, &kafkago.MetadataRequest{Addr: l.addr})
		return err
	})
	return m, err
}

// answered asks again when nobody answered in time: the client gives a broker no longer than
// metadataTTL, or its own patience, and a busy one may need more.
func answered(ctx context.Context, within time.Duration, ask func() error) error {
	for began := time.Now(); ; time.Sleep(metadataTTL) {
		err := ask()
		var network net.Error
		if !errors.As(err, &network) || !network.Timeout() || ctx.Err() != nil || time.Since(began) > within {
			return err
		}
	}
}

// busy is how long a broker that does not answer is taken for a busy one.
const busy = 15 * time.Second

// Plain creates topics that are not part of the log, such as the poison topic: with
// the same settings, without a genesis, read by no projector.
func (l *Log) Plain(ctx context.Context, partitions int, topics ...string) error {
	brokers, counts, err := l.describe(ctx)
	if err != nil {
		return err
	}
	wanted := map[string]int{}
	for _, t := range topics {
		wanted[t] = partitions
	}
	return l.create(ctx, brokers, counts, wanted)
}

// create makes the wanted topics, by name and partition count, that are missing.
func (l *Log) create(ctx context.Context, brokers int, have, wanted map[string]int) error {
	replicas := l.replicas(brokers)
	return l.createWith(ctx, settings(replicas), replicas, have, wanted)
}

func (l *Log) createWith(ctx context.Context, settings map[string]string, replicas int, have, wanted map[string]int) error {
	req := &kafkago.CreateTopicsRequest{Addr: l.addr}
	for _, topic := range slices.Sorted(maps.Keys(wanted)) {
		if have[topic] > 0 {
			continue
		}
		t := kafkago.TopicConfig{Topic: topic, NumPartitions: wanted[topic], ReplicationFactor: replicas}
		for name, value := range settings {
			t.ConfigEntries = append(t.ConfigEntries, kafkago.ConfigEntry{ConfigName: name, ConfigValue: value})
		}
		req.Topics = append(req.Topics, t)
	}
	if len(req.Topics) == 0 {
		return nil
	}
	res, err := l.client.CreateTopics(ctx, req)
	if err != nil {
		return fmt.Errorf("creating topics: %w", err)
	}
	for topic, err := range res.Errors {
		if err != nil && !errors.Is(err, kafkago.TopicAlreadyExists) {
			return fmt.Errorf("creating topic %s with %d replicas: %w", topic, replicas, err)
		}
	}
	return l.appear(ctx, req.Topics)
}

// replicas is how many the topics have, on so many brokers.
func (l *Log) replicas(brokers int) int {
	if l.cfg.Replicas > 0 {
		return l.cfg.Replicas
	}
	return min(3, max(1, brokers))
}

// appear waits until created topics are in the metadata with a leader.
func (l *Log) appear(ctx context.Context, topics []kafkago.TopicConfig) error {
	for {
		_, counts, err := l.describe(ctx)
		missing := 0
		for _, t := range topics {
			if counts[t.Topic] == 0 {
				missing++
			}
		}
		if err == nil && missing == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d created topics to appear: %w", missing, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Settings are those of a topic of the log with so many replicas.
func Settings(replicas int) map[string]string { return settings(replicas) }

// settings are what a topic of the log needs so that nothing on it is ever lost.
func settings(replicas int) map[string]string {
	s := map[string]string{
		"retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete",
		"max.message.bytes": "8388608", "unclean.leader.election.enable": "false", "min.insync.replicas": "1",
		"message.timestamp.after.max.ms": "9223372036854775807", // a clock that is off must not stop the writing
	}
	if replicas > 1 {
		s["min.insync.replicas"] = "2"
	}
	return s
}

// begin writes the genesis of a partition unless it has or had one, and reads back the
// one that counts: the record at offset 0.
func (l *Log) begin(ctx context.Context, past *past, topic string, number, partitions int) error {
	g, found, err := past.genesis(ctx, topic, number, partitions)
	if err != nil {
		return err
	}
	if !found {
		id := l.LogID()
		if id == "" {
			id = uuid.NewString()
		}
		headers, value, err := eventstore.Genesis{LogID: id, Topic: topic, Partition: number, Partitions: partitions,
			Rule: eventstore.Rule}.Message()
		if err != nil {
			return err
		}
		if _, err := l.produce(ctx, topic, number, []kafkago.Record{{Value: kafkago.NewBytes(value), Headers: headers,
			Time: time.Now()}}); err != nil {
			return fmt.Errorf("writing the genesis of %s/%d: %w", topic, number, err)
		}
		if g, found, err = l.readGenesis(ctx, topic, number); err != nil || !found {
			return fmt.Errorf("reading back the genesis of %s/%d: %w", topic, number, err)
		}
	}
	return l.adopt(g, partitions)
}

// adopt remembers a genesis after comparing it with the log's id and the live
// partition count.
func (l *Log) adopt(g eventstore.Genesis, live int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.logID == "" {
		l.logID = g.LogID
	}
	if g.LogID != l.logID {
		return fmt.Errorf("%s/%d belongs to log %s, the others to %s: topics of two logs are mixed on these brokers. Bring the topics of one "+
			"of them back (a backup, or the brokers they came from), or delete all topics of both to begin an empty log; then %s", g.Topic,
			g.Partition, g.LogID, l.logID, eventstore.BuildAnew)
	}
	if live != g.Partitions {
		return repartitioned(g.Topic, g.Partitions, live)
	}
	l.genesis[partition{g.Topic, g.Partition}] = g
	return nil
}

func repartitioned(topic string, was, is int) error {
	return fmt.Errorf("topic %s began with %d partitions and has %d now: streams would be looked for in the wrong place, so nothing is "+
		"written to it. Delete it and make it again with %d partitions, from a backup or from a copy of its partitions 0 to %d, every record "+
		"in its order (Parley wrote to no others); then %s",
		topic, was, is, was, was-1, eventstore.BuildAnew)
}

// readGenesis reads the record at offset 0. A partition whose first record is
// something else, or whose start was cut off, is refused.
func (l *Log) readGenesis(ctx context.Context, topic string, number int) (g eventstore.Genesis, found bool, err error) {
	res, err := l.client.Fetch(ctx, &kafkago.FetchRequest{Addr: l.addr, Topic: topic, Partition: number, Offset: 0, MinBytes: 1,
		MaxBytes: 64 << 10, MaxWait: time.Millisecond})
	if err != nil {
		return g, false, fmt.Errorf("reading the genesis of %s/%d: %w", topic, number, err)
	}
	if errors.Is(res.Error, kafkago.OffsetOutOfRange) {
		return g, false, fmt.Errorf("reading the genesis of %s/%d: %w: the log begins at %d, its start was cut off. Delete the topic and make "+
			"it again from a backup, every record in its order from offset 0, with retention.ms=-1 and retention.bytes=-1; then %s", topic, number,
			eventstore.ErrOutOfRange, res.LogStartOffset, eventstore.BuildAnew)
	}
	if res.Error != nil {
		return g, false, fmt.Errorf("reading the genesis of %s/%d: %w", topic, number, res.Error)
	}
	if res.HighWatermark == 0 {
		end, err := l.settledEnd(ctx, topic, number)
		if err == nil && end > 0 { // a new leader that does not know yet how far its followers are
			err = fmt.Errorf("reading the genesis of %s/%d: %w", topic, number, kafkago.OffsetNotAvailable)
		}
		return g, false, err
	}
	r, err := res.Records.ReadRecord()
	if err != nil {
		return g, false, fmt.Errorf("reading the genesis of %s/%d: %w", topic, number, err)
	}
	_, value, err := bodies(r)
	if err != nil {
		return g, false, fmt.Errorf("reading the genesis of %s/%d: %w", topic, number, err)
	}
	if r.Offset != 0 || !eventstore.IsGenesis(r.Headers) {
		return g, false, fmt.Errorf("the first record of %s/%d is not a genesis: the topic was not made by Parley. If nobody needs it, delete "+
			"it and start again; else use other brokers (--kafka-brokers)", topic, number)
	}
	g, err = eventstore.ParseGenesis(value, topic, number)
	return g, err == nil, err
}

// Verify reads the genesis of a partition again and compares it with the one
// known, as the projector does after every trouble. An error that wraps
// eventstore.ErrOutOfRange says that it is not that log any more, and what to do.
func (l *Log) Verify(ctx context.Context, topic string, number int) error {
	l.mu.RLock()
	want := l.genesis[partition{topic, number}]
	l.mu.RUnlock()
	got, found, err := l.readGenesis(ctx, topic, number)
	switch {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("%s/%d is empty: %w: its genesis is gone, so this is not the log that was written before. Bring the topic back from "+
			"a replica or a backup, every record in its order from offset 0; then %s", topic, number, eventstore.ErrOutOfRange, eventstore.BuildAnew)
	case got != want:
		return fmt.Errorf("%w: the genesis of %s/%d changed from log %s to %s: the topic was replaced. Point Parley at the old brokers "+
			"(--kafka-brokers), or, to go on with the log as it is, %s", eventstore.ErrOutOfRange, topic, number, want.LogID, got.LogID,
			eventstore.BuildAnew)
	}
	_, counts, err := l.describe(ctx)
	if err != nil {
		return err
	}
	if live := counts[topic]; live != want.Partitions {
		return fmt.Errorf("%w: %w", eventstore.ErrOutOfRange, repartitioned(topic, want.Partitions, live))
	}
	return nil
}
