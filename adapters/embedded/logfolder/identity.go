package logfolder

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"github.com/segmentio/kafka-go/protocol"

	"github.com/parley-platform/parley/eventstore"
)

// piece is a segment, with the offset at which it begins by its own word.
type piece struct {
	segment
	first int64
}

// identify finds out which partition's each segment is. Folders and files may have been
// swapped or copied; but the genesis names its place, and the key of any other record
// of the log leads to its partition.
func (r *salvage) identify() error {
	r.pools = map[place][]piece{}
	for _, p := range r.report.Partitions {
		if p.genesis != nil && p.genesis.LogID != r.report.LogID {
			r.out.Foreign = append(r.out.Foreign, p.place().String())
			continue
		}
		files, err := segments(r.dir, p.place())
		if err != nil {
			return err
		}
		for _, f := range files {
			at, first, err := r.identity(p, f)
			if err != nil {
				return err
			}
			r.pools[at] = append(r.pools[at], piece{f, first})
		}
	}
	for _, pool := range r.pools {
		slices.SortStableFunc(pool, func(a, b piece) int { return cmp.Compare(a.first, b.first) })
	}
	return nil
}

// identity looks at the first batch of a segment that is whole.
func (r *salvage) identity(p *Partition, f segment) (at place, first int64, err error) {
	at, first = r.begunAs(p), f.base
	s, err := openSegment(f.path)
	if err != nil {
		return at, first, err
	}
	defer s.Close()
	b, whole, err := s.batch(0)
	if err != nil || !whole {
		return at, first, err
	}
	if next, ok, err := s.batch(b.size); err != nil || !ok || next.first == b.first+b.count {
		first = b.first
	}
	raw := make([]byte, b.size)
	if _, err := io.ReadFull(io.NewSectionReader(s.f, 0, b.size), raw); err != nil {
		return at, first, err
	}
	record, key, value, err := decodeFirst(raw)
	if err != nil {
		return at, first, nil // nothing that we wrote
	}
	if eventstore.IsGenesis(record.Headers) {
		g, _ := eventstore.ParseGenesis(value, p.Topic, p.Number)
		return place{g.Topic, g.Partition}, 0, nil
	}
	if topic := r.topicOf(record.Headers); topic.Name != "" && len(key) > 0 {
		at = place{topic.Name, eventstore.PartitionOf(string(key), topic.Partitions)}
	}
	return at, first, nil
}

// topicOf is the topic of the log that an event's type names.
func (r *salvage) topicOf(headers []protocol.Header) topic {
	for _, h := range headers {
		if h.Key != "ce_type" {
			continue
		}
		for _, t := range r.all {
			if r.ofLog(t) && strings.HasPrefix(string(h.Value), t.Name+".") {
				return t
			}
		}
	}
	return topic{}
}

// begunAs is the place whose noted beginning a partition has.
func (r *salvage) begunAs(p *Partition) place {
	own, known := r.noted.notes[p.place()]
	if r.ofLog(p.topic) || p.Batches == 0 || !known || own.begun == 0 || own.begun == p.begun {
		return p.place()
	}
	for at, n := range r.noted.notes {
		if at.topic == p.Topic && n.begun == p.begun {
			return at
		}
	}
	return p.place()
}

// whole reads the segments that are a partition's, in the order of their offsets.
func (r *salvage) whole(t topic, at place) (*Partition, error) {
	s := &scan{ctx: r.ctx, dir: r.dir, report: &Report{}}
	p := unread(at, t)
	for i, f := range r.pools[at] {
		if err := s.segment(p, f.segment, i == len(r.pools[at])-1); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// decodeFirst decodes the first record of a batch.
func decodeFirst(raw []byte) (record *protocol.Record, key, value []byte, err error) {
	framed := append(binary.BigEndian.AppendUint32(nil, uint32(len(raw))), raw...)
	var set protocol.RecordSet
	if _, err := set.ReadFrom(bufio.NewReaderSize(bytes.NewReader(framed), len(framed))); err != nil {
		return nil, nil, nil, err
	}
	if set.Records == nil {
		return nil, nil, nil, io.EOF
	}
	if record, err = set.Records.ReadRecord(); err != nil {
		return nil, nil, nil, err
	}
	if key, err = protocol.ReadAll(record.Key); err != nil {
		return nil, nil, nil, err
	}
	value, err = protocol.ReadAll(record.Value)
	return record, key, value, err
}
