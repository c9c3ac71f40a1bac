package logfolder

import (
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
)

// A batch on disk is as it is on the wire (Kafka's RecordBatch, magic 2): the offset of
// its first record, its length, the leader epoch, the magic and the checksum, which
// does not cover these five; then the rest.
const (
	headerSize = 61
	lengthEnd  = 12 // the length counts what follows it
	sumEnd     = 21 // the checksum covers what follows it
	// biggestBatch is more than the broker takes (message.max.bytes): what is bigger
	// is no half of one batch.
	biggestBatch = 16 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batch is what is known of one without its records.
type batch struct {
	at    int64 // in its file
	size  int64
	first int64  // offset of its first record, as it says
	count int64  // of offsets
	epoch int32  // always 0: an embedded broker never changes its leader
	sum   uint32 // its checksum, which is right
}

// reader reads batches of one segment, a window of it in memory at a time.
type reader struct {
	f      *os.File
	size   int64
	window []byte
	at     int64 // of the window
	have   int
}

const windowSize = 1 << 20

func openSegment(path string) (*reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	// Most segments of a young log are far smaller than a window, and there are hundreds of them.
	return &reader{f: f, size: info.Size(), window: make([]byte, min(windowSize, info.Size()))}, nil
}

func (r *reader) Close() error { return r.f.Close() }

// bytes are up to n of the file from at on, n at most the window.
func (r *reader) bytes(at int64, n int) ([]byte, error) {
	n = int(min(int64(n), r.size-at))
	if n <= 0 {
		return nil, nil
	}
	if at < r.at || at+int64(n) > r.at+int64(r.have) {
		have, err := r.f.ReadAt(r.window, at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		r.at, r.have = at, have
		if have < n { // it shrank meanwhile
			return r.window[:have], nil
		}
	}
	from := int(at - r.at)
	return r.window[from : from+n], nil
}

// batch reads the one at a place. ok is false if there is none that is whole.
func (r *reader) batch(at int64) (b batch, ok bool, err error) {
	head, err := r.bytes(at, headerSize)
	if err != nil || len(head) < headerSize {
		return b, false, err
	}
	b, sum, ok := parseHeader(head)
	if b.at = at; !ok || at+b.size > r.size {
		return b, false, nil
	}
	got := uint32(0)
	for pos, end := at+sumEnd, at+b.size; pos < end; {
		chunk, err := r.bytes(pos, int(min(windowSize, end-pos)))
		if err != nil || len(chunk) == 0 {
			return b, false, err
		}
		got = crc32.Update(got, castagnoli, chunk)
		pos += int64(len(chunk))
	}
	return b, got == sum, nil
}

// parseHeader reads the fields of a header and tells whether they can be.
func parseHeader(h []byte) (b batch, sum uint32, ok bool) {
	length := int64(int32(binary.BigEndian.Uint32(h[8:])))
	b.first = int64(binary.BigEndian.Uint64(h))
	b.size = lengthEnd + length
	b.epoch = int32(binary.BigEndian.Uint32(h[12:]))
	b.sum = binary.BigEndian.Uint32(h[17:])
	b.count = int64(int32(binary.BigEndian.Uint32(h[23:]))) + 1
	return b, b.sum, h[16] == 2 && b.size >= headerSize && b.count > 0 && int32(binary.BigEndian.Uint32(h[57:])) >= 0
}

// next finds the first whole batch after a place that is not one, with an offset from
// least on; ok is false if there is none.
func (r *reader) next(at, least int64) (b batch, ok bool, err error) {
	for at++; at+headerSize <= r.size; {
		chunk, err := r.bytes(at, windowSize)
		if err != nil {
			return b, false, err
		}
		step := len(chunk) - headerSize + 1
		if step <= 0 {
			return b, false, nil
		}
		for i := range step {
			h := chunk[i:]
			if h[16] != 2 || h[0]|h[1] != 0 || h[8] != 0 { // most places end here
				continue
			}
			found, _, ok := parseHeader(h)
			if !ok || found.first < least {
				continue
			}
			b, ok, err := r.batch(at + int64(i))
			if ok || err != nil {
				return b, ok, err
			}
			chunk, err = r.bytes(at, windowSize) // the window has moved
			if err != nil || len(chunk) < step+headerSize-1 {
				return b, false, err
			}
		}
		at += int64(step)
	}
	return b, false, nil
}
