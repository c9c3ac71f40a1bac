package watermillkafka

import (
	"context"
	"fmt"
	"sort"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/segmentio/kafka-go"
)

// Metadata that is not a header: where a message was read, and the record's key.
// A publisher takes the key from it and writes none of the four as a header.
const (
	MetadataTopic     = "kafka_topic"
	MetadataPartition = "kafka_partition"
	MetadataOffset    = "kafka_offset"
	MetadataKey       = "kafka_key" // absent: the record has no key
)

const (
	headerID      = "ce_id"     // CloudEvents id, Watermill's UUID
	headerAccount = "ce_tenant" // whose record it is
)

// record is one record as it was read, with its own copies of the bytes.
type record struct {
	offset  int64
	key     []byte // nil: no key
	value   []byte
	headers []kafka.Header
	uuid    string // the same for every delivery
	account string
	done    bool
}

func (r *record) size() int {
	n := len(r.key) + len(r.value) + 64
	for _, h := range r.headers {
		n += len(h.Key) + len(h.Value) + 32
	}
	return n
}

// newRecord copies a record out of the library's pages and gives them back.
func newRecord(k *kafka.Record) (*record, error) {
	defer closeBytes(k.Key, k.Value)
	key, err := kafka.ReadAll(k.Key)
	if err != nil {
		return nil, fmt.Errorf("key at offset %d: %w", k.Offset, err)
	}
	value, err := kafka.ReadAll(k.Value)
	if err != nil {
		return nil, fmt.Errorf("value at offset %d: %w", k.Offset, err)
	}
	r := &record{offset: k.Offset, key: key, value: value, headers: k.Headers}
	for _, h := range r.headers {
		switch {
		case h.Key == headerID && len(h.Value) > 0:
			r.uuid = string(h.Value)
		case h.Key == headerAccount:
			r.account = string(h.Value)
		}
	}
	if r.uuid == "" {
		r.uuid = watermill.NewUUID()
	}
	return r, nil
}

func closeBytes(all ...kafka.Bytes) {
	for _, b := range all {
		if b != nil {
			_ = b.Close() // gives pages back, cannot fail
		}
	}
}

// message makes a fresh message for one delivery. Headers become metadata one to
// one; of headers with the same name the last wins.
func (r *record) message(ctx context.Context, topic string, partition int) *message.Message {
	m := message.NewMessageWithContext(ctx, r.uuid, r.value)
	for _, h := range r.headers {
		m.Metadata[h.Key] = string(h.Value)
	}
	m.Metadata[MetadataTopic] = topic
	m.Metadata[MetadataPartition] = strconv.Itoa(partition)
	m.Metadata[MetadataOffset] = strconv.FormatInt(r.offset, 10)
	if r.key != nil {
		m.Metadata[MetadataKey] = string(r.key)
	}
	return m
}

// recordOf is the way back. Headers are sorted by name, so that equal messages
// give equal bytes; a message without ce_id gets its UUID there.
func recordOf(m *message.Message, now time.Time) kafka.Record {
	r := kafka.Record{Time: now, Key: kafka.NewBytes(keyOf(m)), Value: kafka.NewBytes(m.Payload)}
	names := make([]string, 0, len(m.Metadata)+1)
	for name := range m.Metadata {
		switch name {
		case MetadataTopic, MetadataPartition, MetadataOffset, MetadataKey:
		default:
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		r.Headers = append(r.Headers, kafka.Header{Key: name, Value: []byte(m.Metadata[name])})
	}
	if _, ok := m.Metadata[headerID]; !ok && m.UUID != "" {
		r.Headers = append(r.Headers, kafka.Header{Key: headerID, Value: []byte(m.UUID)})
	}
	return r
}

func keyOf(m *message.Message) []byte {
	key, ok := m.Metadata[MetadataKey]
	if !ok {
		return nil
	}
	return []byte(key) // never nil, not even when empty
}

func sizeOf(m *message.Message) int {
	n := len(m.Payload) + 64
	for name, value := range m.Metadata {
		n += len(name) + len(value) + 16
	}
	return n
}
