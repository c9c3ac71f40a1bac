package consumer

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/parley-platform/parley/eventstore"
)

// Head is the last accepted commit of a stream.
type Head = eventstore.Head

// Position is how far a consumer came in one partition. It is only good together
// with the heads of the streams at that very place.
type Position struct {
	LogID   string `json:"logId"`   // of the genesis: which log this speaks of
	Next    int64  `json:"next"`    // offset to read on from
	Mark    string `json:"mark"`    // identity of the record before it
	Streams int    `json:"streams"` // how many heads belong to it
	Sum     uint64 `json:"sum"`     // checksum over these heads
}

// State is all that a consumer has to remember of one partition.
type State struct {
	Position
	Heads map[string]Head // by stream, of all streams met so far
}

// Progress is what a batch changes about the State of its partition: Position
// replaces the old one, Heads replace those of the same streams and leave the others.
type Progress struct {
	Position
	Heads map[string]Head
}

// Add brings a saved State up to date. A Sink that keeps heads as rows does the
// same with an upsert.
func (s *State) Add(p Progress) {
	if s.Heads == nil {
		s.Heads = make(map[string]Head, len(p.Heads))
	}
	for stream, head := range p.Heads {
		s.Heads[stream] = head
	}
	s.Position = p.Position
}

// check refuses a state that cannot be continued from: the zero State and one that
// was saved in one piece can.
func (s State) check() error {
	if s.Next == 0 && len(s.Heads) == 0 {
		return nil
	}
	if s.Next < 0 {
		return fmt.Errorf("the saved offset is %d", s.Next)
	}
	var sum uint64
	for stream, head := range s.Heads {
		sum ^= digest(stream, head)
	}
	switch {
	case s.LogID == "" || len(s.Heads) == 0 && s.Streams != 0:
		return fmt.Errorf("to begin at offset %d: %w: at that place it cannot be told which commits count; begin at 0 (clear the saved state), "+
			"or save and return the heads together with the offset", s.Next, ErrNoHeads)
	case len(s.Heads) != s.Streams || sum != s.Sum:
		return fmt.Errorf("to go on at offset %d: %w: %d heads are saved, %d of another content belong to that offset; heads and position were "+
			"not saved in one piece: restore both from one backup, or clear both and the results and begin at 0", s.Next, ErrNoHeads, len(s.Heads),
			s.Streams)
	}
	return nil
}

// staged is the heads of a partition with those of the batch at hand apart, until
// the batch is taken. It implements eventstore.Heads.
type staged struct {
	saved State
	fresh map[string]Head
}

func (h *staged) Get(stream string) Head {
	if head, ok := h.fresh[stream]; ok {
		return head
	}
	return h.saved.Heads[stream]
}

func (h *staged) Set(stream string, head Head) { h.fresh[stream] = head }

// progress is what the batch changes.
func (h *staged) progress(logID string, next int64, mark string) Progress {
	p := Position{LogID: logID, Next: next, Mark: mark, Streams: h.saved.Streams, Sum: h.saved.Sum}
	for stream, head := range h.fresh {
		if old, had := h.saved.Heads[stream]; had {
			p.Sum ^= digest(stream, old)
		} else {
			p.Streams++
		}
		p.Sum ^= digest(stream, head)
	}
	return Progress{Position: p, Heads: h.fresh}
}

// digest is 64 bits of a stream's head; those of all streams are added by XOR, so
// that the sum needs no order and moves with each change.
func digest(stream string, h Head) uint64 {
	f := fnv.New64a()
	for _, s := range []string{stream, h.Commit, h.Tenant} {
		_, _ = f.Write(binary.AppendUvarint(nil, uint64(len(s))))
		_, _ = f.Write([]byte(s))
	}
	_, _ = f.Write(binary.AppendVarint(nil, h.Version))
	return f.Sum64()
}
