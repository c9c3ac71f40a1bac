package eventstore

import (
	"encoding/json"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// Rule is the number of the accept rule that this binary applies. A log written
// under another rule is refused.
const Rule = 1

// GenesisType is the ce_type of the first record of every partition.
const GenesisType = "parley.genesis.v1"

// Genesis is the first record of every partition: what the log is, and how many
// partitions the topic had when it began. Writers partition by it, never by live
// metadata. Of several the first wins, so nodes may race to write it.
type Genesis struct {
	LogID      string `json:"logId"`      // one UUID for all partitions of a log
	Topic      string `json:"topic"`      //
	Partition  int    `json:"partition"`  //
	Partitions int    `json:"partitions"` // partition count of the topic
	Rule       int    `json:"rule"`       // accept rule, see Rule
}

// Message is the record to produce.
func (g Genesis) Message() (headers []kafka.Header, value []byte, err error) {
	value, err = json.Marshal(g)
	if err != nil {
		return nil, nil, fmt.Errorf("encoding genesis: %w", err)
	}
	return NoteHeaders(GenesisType, fmt.Sprintf("%s/%s/%d", g.LogID, g.Topic, g.Partition)), value, nil
}

// NoteSource is the ce_source of the records that say something of the log itself. They
// are whole CloudEvents, so that a reader's SDK does not stumble over them, and no events.
const NoteSource = "/parley/log"

// NoteHeaders are the headers of such a record.
func NoteHeaders(kind, id string) []kafka.Header {
	return []kafka.Header{{Key: "ce_specversion", Value: []byte("1.0")}, {Key: "ce_id", Value: []byte(id)},
		{Key: "ce_source", Value: []byte(NoteSource)}, {Key: "ce_type", Value: []byte(kind)}, {Key: "content-type", Value: []byte(contentType)}}
}

// IsGenesis reports whether headers mark a genesis record.
func IsGenesis(headers []kafka.Header) bool {
	for _, h := range headers {
		if h.Key == "ce_type" {
			return string(h.Value) == GenesisType
		}
	}
	return false
}

// ParseGenesis reads the value of a genesis record and checks that it belongs
// where it was found.
func ParseGenesis(value []byte, topic string, partition int) (Genesis, error) {
	var g Genesis
	if err := json.Unmarshal(value, &g); err != nil {
		return g, fmt.Errorf("genesis of %s/%d: %w", topic, partition, err)
	}
	switch {
	case g.Topic != topic || g.Partition != partition:
		return g, fmt.Errorf("genesis of %s/%d names %s/%d: the topic was copied or renamed", topic, partition, g.Topic, g.Partition)
	case g.Rule != Rule:
		return g, fmt.Errorf("%s/%d was written under accept rule %d, this binary applies rule %d: use the matching version", topic, partition,
			g.Rule, Rule)
	case g.LogID == "" || g.Partitions < 1 || g.Partitions > MaxPartitions || partition >= g.Partitions:
		return g, fmt.Errorf("genesis of %s/%d is incomplete: %s", topic, partition, value)
	}
	return g, nil
}

// Beginning is what one partition of a topic begins with.
type Beginning struct {
	Genesis bool // it has one
	More    bool // it holds anything behind its first record
}

// GenesisLost tells whether a partition without a genesis had one. They are written in
// order, all of a topic before anything else is written to it: where a later partition
// has its own, or any of the topic holds more, the topic had begun. A new genesis would
// hide that what followed the old one is gone.
func GenesisLost(topic []Beginning, partition int) bool {
	if topic[partition].Genesis {
		return false
	}
	begun := false // a topic without any genesis is not of the log
	later := false
	for i, b := range topic {
		begun = begun || b.Genesis
		later = later || b.Genesis && i > partition || b.More
	}
	return begun && later
}

// LostType is the ce_type of a record that stands where one was lost: a salvaged log has
// it at each offset that is missing, so that all others keep theirs. It takes no part.
const LostType = "parley.lost.v1"

// LostHeaders are those of the record at an offset that was lost.
func LostHeaders(topic string, partition int, offset int64) []kafka.Header {
	return NoteHeaders(LostType, fmt.Sprintf("%s/%d@%d", topic, partition, offset))
}

// IsLost reports whether headers mark the place of a record that was lost.
func IsLost(headers []kafka.Header) bool {
	for _, h := range headers {
		if h.Key == "ce_type" {
			return string(h.Value) == LostType
		}
	}
	return false
}
