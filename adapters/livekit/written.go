package livekit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/livekit/signal"
)

// The topics of what people write by LiveKit's clients: a stream, or a text as it is; and a JSON, which newer clients send
// beside the stream, with the same id, for who knows no streams.
const (
	topicChat    = "lk.chat"
	topicOldChat = "lk-chat-topic"
)

// What of texts is kept at most.
const (
	mostStreams = 32        // that are not whole
	mostOfOne   = 4         // of them, of one person
	mostText    = 128 << 10 // bytes of one: more than a call takes as one
	mostParts   = 4_096
	mostTold    = 256 // texts that would be known if they came again
	mostEarly   = 64  // packets of those who are not known yet
)

// wrote takes a packet of data. What is torn is no text, and nor is what the server itself sends, which is also what
// we have it send.
func (s *session) wrote(packet []byte) {
	d, err := signal.ReadData(packet)
	if err != nil || d.SID == "" && d.Identity == "" {
		return
	}
	s.mail.Lock()
	defer s.mail.Unlock()
	s.write(d)
}

// write has a text heard that is whole with a packet, or a key, if it is a person's: what agents write is not, ours or others'.
// It holds mail.
func (s *session) write(d signal.Data) {
	person, known := s.present.writes(d)
	switch {
	case !known && len(s.early) < mostEarly:
		s.early = append(s.early, d)
	case person && d.Key != "":
		if digit := s.leg.written.pressed(d); digit != "" {
			s.leg.line.Digit(digit, time.Now())
		}
	case person:
		if text := s.leg.written.take(d); text != "" {
			s.leg.line.Written(text, time.Now())
		}
	}
}

// writing is what people write in a room, put together. Each text is given once, however often and by however many ways
// it comes, and however often the way to the room breaks.
type writing struct {
	mu      sync.Mutex
	streams []*textStream // the oldest first
	told    [][sha256.Size]byte
}

// textStream is a text of which not all has come.
type textStream struct {
	who, id string
	total   int64 // bytes; -1: nobody knows
	came    int64 // of them
	kept    int
	parts   map[uint64][]byte
	ended   bool
}

// take takes a packet of somebody who may write, and gives a text that is whole with it; empty: none is.
func (w *writing) take(d signal.Data) (text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	who := cmp.Or(d.Identity, d.SID)
	switch {
	case d.User != nil:
		id, said := textOf(*d.User)
		return w.once(who, cmp.Or(id, packetID(d)), said)
	case d.Chat != nil && !d.Chat.Changed && !d.Chat.Generated:
		return w.once(who, d.Chat.ID, d.Chat.Text)
	case d.Header != nil:
		return w.begin(who, *d.Header)
	case d.Chunk != nil:
		return w.add(who, d.Chunk.ID, func(s *textStream) bool { return s.part(d.Chunk.Index, d.Chunk.Content) })
	case d.Trailer != nil:
		return w.add(who, d.Trailer.ID, func(s *textStream) bool {
			s.ended = true
			return d.Trailer.Reason == ""
		})
	}
	return ""
}

// pressed gives the key that somebody has pressed; empty: it was given already.
func (w *writing) pressed(d signal.Data) (digit string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.once(cmp.Or(d.Identity, d.SID), packetID(d), d.Key)
}

// packetID is what a packet is known by that has no name of its own; empty: nothing.
func packetID(d signal.Data) string {
	if d.Sequence == 0 {
		return ""
	}
	return "packet " + strconv.FormatUint(uint64(d.Sequence), 10) + " of " + d.SID
}

// textOf is the text of what a program sends; empty: it is none.
func textOf(u signal.UserData) (id, text string) {
	switch u.Topic {
	case topicChat:
		return u.ID, string(u.Payload)
	case topicOldChat:
		var m struct{ ID, Message string }
		if json.Unmarshal(u.Payload, &m) == nil {
			return cmp.Or(m.ID, u.ID), m.Message
		}
	}
	return "", ""
}

// begin begins a stream, if it is a text that somebody writes. What of a stream came before its beginning is of one that
// was begun before we were there.
func (w *writing) begin(who string, h signal.StreamHeader) (text string) {
	if h.Topic != topicChat || !h.Text || h.Generated || h.ID == "" || w.of(who, h.ID) >= 0 || w.was(who, h.ID) {
		return ""
	}
	if h.Inline != nil {
		return w.once(who, h.ID, string(h.Inline))
	}
	first, mine := 0, 0
	for i, s := range slices.Backward(w.streams) {
		if s.who == who {
			first, mine = i, mine+1
		}
	}
	switch {
	case mine >= mostOfOne:
		w.streams = slices.Delete(w.streams, first, first+1)
	case len(w.streams) >= mostStreams:
		w.streams = slices.Delete(w.streams, 0, 1)
	}
	w.streams = append(w.streams, &textStream{who: who, id: h.ID, total: h.Total, parts: map[uint64][]byte{}})
	return ""
}

func (w *writing) of(who, id string) int {
	return slices.IndexFunc(w.streams, func(s *textStream) bool { return s.who == who && s.id == id })
}

// add adds to a stream, which goes where it cannot be a text any more.
func (w *writing) add(who, id string, to func(*textStream) (good bool)) (text string) {
	at := w.of(who, id)
	if at < 0 {
		return ""
	}
	s := w.streams[at]
	good := to(s)
	if good && !s.whole() {
		return ""
	}
	w.streams = slices.Delete(w.streams, at, at+1)
	if !good {
		return ""
	}
	return w.once(who, id, s.text())
}

// part takes a part in. Of one that came before the first counts.
func (s *textStream) part(index uint64, content []byte) (good bool) {
	if index >= mostParts {
		return false
	}
	if _, twice := s.parts[index]; twice {
		return true
	}
	s.came += int64(len(content))
	content = content[:min(len(content), mostText-s.kept)]
	s.kept += len(content)
	s.parts[index] = bytes.Clone(content)
	return true
}

// whole reports whether all of a stream has come: its end, and nothing is missing before it.
func (s *textStream) whole() bool {
	for i := range len(s.parts) {
		if _, there := s.parts[uint64(i)]; !there {
			return false
		}
	}
	return s.ended && s.came >= s.total
}

func (s *textStream) text() string {
	var all strings.Builder
	for i := range len(s.parts) {
		all.Write(s.parts[uint64(i)])
	}
	return all.String()
}

// once gives a text, if it is one and was not given before. One without an id cannot be known.
func (w *writing) once(who, id, said string) (text string) {
	text = strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(said, "\uFFFD"), "\x00", ""))
	if text == "" || w.was(who, id) {
		return ""
	}
	if id != "" {
		w.told = append(w.told, nameOf(who, id))
		w.told = w.told[max(len(w.told)-mostTold, 0):]
	}
	return text
}

// was reports whether a text was given.
func (w *writing) was(who, id string) bool {
	return id != "" && slices.Contains(w.told, nameOf(who, id))
}

func nameOf(who, id string) [sha256.Size]byte { return sha256.Sum256([]byte(who + "\x00" + id)) }
