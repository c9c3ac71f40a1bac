package logfolder

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go/protocol"

	"github.com/parley-platform/parley/eventstore"
)

// writer writes the segments of one partition.
type writer struct {
	dir  string
	f    *os.File
	size int64
	next int64 // offset
}

// segmentSize is that at which the broker begins another.
const segmentSize = 100 << 20

// append writes a batch at the next offset. Its checksum does not cover where it stands.
func (w *writer) append(raw []byte, count int64) error {
	binary.BigEndian.PutUint64(raw, uint64(w.next))
	binary.BigEndian.PutUint32(raw[12:], 0) // leader epoch
	if w.f == nil || w.size >= segmentSize {
		if err := w.roll(); err != nil {
			return err
		}
	}
	n, err := w.f.Write(raw)
	w.size += int64(n)
	w.next += count
	return err
}

func (w *writer) roll() error {
	if err := errors.Join(w.finish(), os.MkdirAll(w.dir, 0o755)); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(w.dir, strconv.FormatInt(w.next, 10)+".dat"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	w.f, w.size = f, 0
	return err
}

// finish makes what was written durable.
func (w *writer) finish() error {
	if w.f == nil {
		return nil
	}
	err := errors.Join(w.f.Sync(), w.f.Close(), syncFolder(w.dir))
	w.f = nil
	return err
}

// close ends a writer that did not finish.
func (w *writer) close() {
	if w.f != nil {
		_ = w.f.Close()
	}
}

// recordOf makes a record, which can be written once.
type recordOf func() protocol.Record

func record(key string, headers []protocol.Header, value []byte) recordOf {
	return func() protocol.Record {
		r := protocol.Record{Time: time.Now(), Headers: headers, Value: protocol.NewBytes(value)}
		if key != "" {
			r.Key = protocol.NewBytes([]byte(key))
		}
		return r
	}
}

// lostRecords stand where n records from an offset on were lost.
func lostRecords(at place, from, n int64) []recordOf {
	out := make([]recordOf, n)
	for i := range out {
		out[i] = record("", eventstore.LostHeaders(at.topic, at.number, from+int64(i)), []byte("{}"))
	}
	return out
}

// encode makes a batch of records.
func encode(records ...recordOf) ([]byte, error) {
	all := make([]protocol.Record, len(records))
	for i, make := range records {
		all[i] = make()
		all[i].Offset = int64(i)
	}
	set := protocol.RecordSet{Version: 2, Records: protocol.NewRecordReader(all...)}
	var out bytes.Buffer
	if _, err := set.WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes()[4:], nil // in front is the size, as on the wire
}
