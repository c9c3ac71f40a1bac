package signal

import (
	"fmt"

	"github.com/parley-platform/parley/domain/calls"
)

// Data is a packet of data that came into a room, as far as it may be of a text, or a key. One that is of neither has nothing set
// but who sent it.
type Data struct {
	Identity, SID string // of who sent it, as the server says; both empty: nobody in the room has
	Sequence      uint32 // of who sent it; 0: it has none
	User          *UserData
	Chat          *Chat
	Header        *StreamHeader
	Chunk         *StreamChunk
	Trailer       *StreamTrailer
	Key           string // of a telephone, that was pressed; empty: none was
}

// UserData is what a program of somebody's sends, in a form of its own.
type UserData struct {
	Topic   string
	ID      string // empty: it has none
	Payload []byte
}

// Chat is a text in one packet.
type Chat struct {
	ID, Text  string
	Changed   bool // it was there before, and is changed or taken back
	Generated bool // nobody wrote it: it is what somebody said, as a machine has heard it
}

// StreamHeader begins a stream, of which the text is in chunks.
type StreamHeader struct {
	ID, Topic string
	Total     int64 // bytes; -1: it does not say
	Text      bool  // a new one, that can be read; else it is a file, a change of a text, or encrypted or pressed for others
	Generated bool  // nobody wrote it
	Inline    []byte
}

// StreamChunk is a part of a stream.
type StreamChunk struct {
	ID      string
	Index   uint64
	Content []byte
}

// StreamTrailer ends a stream.
type StreamTrailer struct {
	ID     string
	Reason string // for which it was broken off; empty: it is whole
}

// ReadData reads a packet of data.
func ReadData(data []byte) (d Data, err error) {
	err = each(data, func(m member) (err error) {
		switch m.number {
		case 2:
			d.User, err = d.user(m.bytes)
		case 4:
			d.Identity = m.text()
		case 6:
			d.Key, err = key(m.bytes)
		case 9:
			d.Chat, err = chat(m.bytes)
		case 13:
			d.Header, err = header(m.bytes)
		case 14:
			d.Chunk, err = chunk(m.bytes)
		case 15:
			d.Trailer, err = trailer(m.bytes)
		case 16:
			d.Sequence = uint32(m.value)
		case 17:
			d.SID = m.text()
		}
		return err
	})
	if err != nil {
		return Data{}, fmt.Errorf("reading data of LiveKit: %w", err)
	}
	return d, nil
}

// user is read with who sent it, as older servers say it; what stands in the packet itself comes behind it.
func (d *Data) user(b []byte) (*UserData, error) {
	var u UserData
	return &u, each(b, func(m member) error {
		switch m.number {
		case 1:
			d.SID = m.text()
		case 2:
			u.Payload = m.bytes
		case 4:
			u.Topic = m.text()
		case 5:
			d.Identity = m.text()
		case 8:
			u.ID = m.text()
		}
		return nil
	})
}

// key is told by its name and its number in RFC 4733; by some by one of them.
func key(b []byte) (name string, err error) {
	code := uint64(0)
	err = each(b, func(m member) error {
		switch m.number {
		case 3:
			code = m.value
		case 4:
			name = m.text()
		}
		return nil
	})
	if name == "" && code < uint64(len(calls.Keys)) {
		name = calls.Keys[code : code+1]
	}
	return name, err
}

func chat(b []byte) (*Chat, error) {
	var c Chat
	return &c, each(b, func(m member) error {
		switch m.number {
		case 1:
			c.ID = m.text()
		case 3, 5:
			c.Changed = c.Changed || m.is()
		case 4:
			c.Text = m.text()
		case 6:
			c.Generated = m.is()
		}
		return nil
	})
}

func header(b []byte) (*StreamHeader, error) {
	h := StreamHeader{Total: -1}
	sealed, text := false, false
	err := each(b, func(m member) (err error) {
		switch m.number {
		case 1:
			h.ID = m.text()
		case 3:
			h.Topic = m.text()
		case 5:
			h.Total = int64(m.value)
		case 7, 12: // encrypted, or compressed for who has said that it can read that
			sealed = sealed || m.is()
		case 9:
			text = true
			err = each(m.bytes, func(m member) error {
				switch m.number {
				case 1:
					text = !m.is() // it is made, and not changed, taken back, or a reaction
				case 5:
					h.Generated = m.is()
				}
				return nil
			})
		case 11:
			h.Inline = m.bytes
		}
		return err
	})
	h.Text = text && !sealed
	return &h, err
}

func chunk(b []byte) (*StreamChunk, error) {
	var c StreamChunk
	return &c, each(b, func(m member) error {
		switch m.number {
		case 1:
			c.ID = m.text()
		case 2:
			c.Index = m.value
		case 3:
			c.Content = m.bytes
		}
		return nil
	})
}

func trailer(b []byte) (*StreamTrailer, error) {
	var t StreamTrailer
	return &t, each(b, func(m member) error {
		switch m.number {
		case 1:
			t.ID = m.text()
		case 2:
			t.Reason = m.text()
		}
		return nil
	})
}
