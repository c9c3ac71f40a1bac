package kafka

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/google/uuid"
	kafkago "github.com/segmentio/kafka-go"

	"github.com/parley-platform/parley/eventstore"
	"github.com/parley-platform/parley/eventstore/keyring"
	"github.com/parley-platform/parley/eventstore/sealed"
)

// KeysTopic is the one compacted topic: the data keys of personal members, wrapped by the
// master key. Its records are no events.
const KeysTopic = "parley.keys"

// keysType is the ce_type of its records.
const keysType = "parley.keys.v1"

// KeysBegin is the key of the topic's genesis: a compacted topic takes no record without one.
const KeysBegin = "log"

// Keys implements keyring.Topic.
type Keys struct{ log *Log }

// Keys is the topic as it is, for tools that only read it.
func (l *Log) Keys() *Keys { return &Keys{l} }

// keyValue is the JSON of a record.
type keyValue struct {
	Wrapped  string    `json:"wrapped,omitempty"` // absent: the key is erased
	MadeAt   time.Time `json:"madeAt,omitzero"`
	ErasedAt time.Time `json:"erasedAt,omitzero"`
}

// OpenKeys makes the topic ready: it creates it if it is missing, and refuses one of another
// log or with settings under which keys could be lost. begun says that this log had one
// before: then a topic without anything is one that was lost. The log is open.
func (l *Log) OpenKeys(ctx context.Context, begun bool) (*Keys, error) {
	brokers, counts, err := l.describe(ctx)
	if err != nil {
		return nil, err
	}
	// What the client knows of the topics may be older than what another node has made.
	for began := time.Now(); begun && counts[KeysTopic] == 0; time.Sleep(metadataTTL) {
		if time.Since(began) > 10*metadataTTL || ctx.Err() != nil {
			return nil, keysGone("is not on the brokers")
		}
		if _, counts, err = l.describe(ctx); err != nil {
			return nil, err
		}
	}
	replicas := l.replicas(brokers)
	if err := l.createWith(ctx, KeysSettings(replicas), replicas, counts, map[string]int{KeysTopic: 1}); err != nil {
		return nil, err
	}
	k := &Keys{l}
	if err := patiently(ctx, func() error { return k.begin(ctx, begun) }); err != nil {
		return nil, err
	}
	wrong, err := l.wrongSettings(ctx, []string{KeysTopic}, KeysSettings(replicas), lossy)
	if err == nil && len(wrong) > 0 {
		err = errors.New(wrong[0])
	}
	return k, err
}

// keysGone says what to do where keys were.
func keysGone(what string) error {
	return fmt.Errorf("topic %s %s, and this log had keys on it: what is personal in its events cannot be read without. Point Parley at the "+
		"right brokers (--kafka-brokers), or bring the topic back from a replica or a backup", KeysTopic, what)
}

// KeysSettings are those of the log's topics but for those that let what was said of a key
// before be dropped, so that an erased key is really gone. The newest segment is never
// compacted, so none becomes old or large.
func KeysSettings(replicas int) map[string]string {
	s := settings(replicas)
	s["cleanup.policy"] = "compact"
	s["min.cleanable.dirty.ratio"] = "0.01"
	s["max.compaction.lag.ms"] = "3600000"
	s["segment.ms"] = "3600000"
	s["segment.bytes"] = strconv.Itoa(keysSegment)
	return s
}

// keysSegment is the least that Apache Kafka 4 takes.
const keysSegment = 1 << 20

func (k *Keys) begin(ctx context.Context, begun bool) error {
	end, err := k.End(ctx)
	if err != nil {
		return err
	}
	if end == 0 && begun {
		return keysGone("is empty")
	}
	if end == 0 {
		if _, err := k.writeGenesis(ctx); err != nil {
			return err
		}
	}
	g, err := k.genesis(ctx)
	if err == nil && g.LogID != k.log.LogID() {
		err = fmt.Errorf("topic %s holds the keys of log %s, and the other topics are of log %s: bring the right one back, or point Parley at "+
			"the brokers that hold it (--kafka-brokers)", KeysTopic, g.LogID, k.log.LogID())
	}
	return err
}

func (k *Keys) writeGenesis(ctx context.Context) (base int64, err error) {
	headers, value, err := eventstore.Genesis{LogID: k.log.LogID(), Topic: KeysTopic, Partitions: 1, Rule: eventstore.Rule}.Message()
	if err != nil {
		return 0, err
	}
	return k.append(ctx, []kafkago.Record{{Key: kafkago.NewBytes([]byte(KeysBegin)), Value: kafkago.NewBytes(value), Headers: headers,
		Time: time.Now()}})
}

// genesis is the first that stands there. Of several, which nodes race to write, compaction
// keeps the last, so it need not be the first record.
func (k *Keys) genesis(ctx context.Context) (g eventstore.Genesis, err error) {
	end, err := k.End(ctx)
	for at := int64(0); err == nil && at < end; {
		var found []keyRecord
		if found, at, err = k.fetch(ctx, at); err != nil {
			break
		}
		for _, r := range found {
			if eventstore.IsGenesis(r.headers) {
				return eventstore.ParseGenesis(r.value, KeysTopic, 0)
			}
		}
	}
	if err == nil {
		err = keysGone("holds no genesis")
	}
	return g, err
}

// Append implements keyring.Topic.
func (k *Keys) Append(ctx context.Context, records []keyring.Record) error {
	batch := make([]kafkago.Record, len(records))
	for i, r := range records {
		value, err := json.Marshal(keyValue{Wrapped: r.Wrapped, MadeAt: r.MadeAt, ErasedAt: r.ErasedAt})
		if err != nil {
			panic(err) // text and times
		}
		batch[i] = kafkago.Record{Key: kafkago.NewBytes([]byte(r.ID.String())), Value: kafkago.NewBytes(value),
			Headers: eventstore.NoteHeaders(keysType, uuid.UUID(r.ID).String()), Time: time.Now()}
	}
	_, err := k.append(ctx, batch)
	return err
}

func (k *Keys) append(ctx context.Context, batch []kafkago.Record) (base int64, err error) {
	if base, err = k.log.produce(ctx, KeysTopic, 0, batch); err != nil {
		return 0, fmt.Errorf("writing to %s: %w", KeysTopic, err)
	}
	return base, nil
}

// Read implements keyring.Topic.
func (k *Keys) Read(ctx context.Context, from int64) (records []keyring.Record, next int64, err error) {
	found, next, err := k.fetch(ctx, from)
	if err != nil {
		return nil, from, err
	}
	for _, r := range found {
		if !r.isKey() {
			continue
		}
		id, err := sealed.ParseID(r.key)
		var v keyValue
		if err == nil {
			err = json.Unmarshal(r.value, &v)
		}
		if err != nil {
			return nil, from, fmt.Errorf("%s holds at %d what Parley did not write: %w", KeysTopic, r.offset, err)
		}
		records = append(records, keyring.Record{ID: id, Wrapped: v.Wrapped, MadeAt: v.MadeAt, ErasedAt: v.ErasedAt})
	}
	return records, next, nil
}

// keyRecord is what stands there.
type keyRecord struct {
	offset  int64
	key     string
	value   []byte
	headers []kafkago.Header
	time    time.Time
}

// isKey is false for the genesis and for what Compact writes to fill a segment.
func (r keyRecord) isKey() bool { return r.key != keysFill && !eventstore.IsGenesis(r.headers) }

// fetch reads on from an offset, from the first that is there if that is behind it, and says
// where to go on.
func (k *Keys) fetch(ctx context.Context, from int64) (found []keyRecord, next int64, err error) {
	res, err := k.log.client.Fetch(ctx, &kafkago.FetchRequest{Addr: k.log.addr, Topic: KeysTopic, Partition: 0, Offset: from, MinBytes: 1,
		MaxBytes: fetchBytes, MaxWait: fetchWait})
	if err == nil {
		err = res.Error
	}
	if errors.Is(err, kafkago.OffsetOutOfRange) {
		return k.skip(ctx, from)
	}
	next = from
	for err == nil {
		var r *kafkago.Record
		if r, err = res.Records.ReadRecord(); errors.Is(err, io.EOF) {
			return found, next, nil
		}
		if err != nil {
			break
		}
		var key, value []byte
		if key, value, err = bodies(r); err == nil && r.Offset >= from {
			found = append(found, keyRecord{r.Offset, string(key), value, r.Headers, r.Time})
			next = r.Offset + 1
		}
	}
	return nil, from, fmt.Errorf("reading %s at %d: %w", KeysTopic, next, err)
}

// skip goes on at the first record, where those before were dropped by Compact.
func (k *Keys) skip(ctx context.Context, from int64) ([]keyRecord, int64, error) {
	first, err := k.first(ctx)
	if err != nil {
		return nil, from, err
	}
	if first <= from {
		return nil, from, fmt.Errorf("reading %s at %d: %w", KeysTopic, from, kafkago.OffsetOutOfRange)
	}
	return nil, first, nil
}

// first is the offset of the first record that is there.
func (k *Keys) first(ctx context.Context) (int64, error) {
	res, err := k.log.client.ListOffsets(ctx, &kafkago.ListOffsetsRequest{Addr: k.log.addr,
		Topics: map[string][]kafkago.OffsetRequest{KeysTopic: {kafkago.FirstOffsetOf(0)}}})
	if err == nil && len(res.Topics[KeysTopic]) != 1 {
		err = kafkago.LeaderNotAvailable
	}
	if err == nil {
		err = res.Topics[KeysTopic][0].Error
	}
	if err != nil {
		return 0, fmt.Errorf("asking where %s begins: %w", KeysTopic, err)
	}
	return res.Topics[KeysTopic][0].FirstOffset, nil
}

// End implements keyring.Topic.
func (k *Keys) End(ctx context.Context) (int64, error) { return k.log.settledEnd(ctx, KeysTopic, 0) }
