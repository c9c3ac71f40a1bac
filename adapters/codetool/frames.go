package codetool

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"time"
)

// asked is what a child is to run.
type asked struct {
	Source    string          `json:"source"`
	Names     json.RawMessage `json:"names"`
	Memory    int             `json:"memory"` // bytes
	Timeout   time.Duration   `json:"timeout"`
	Remembers bool            `json:"remembers,omitempty"` // it sees memory

	Used json.RawMessage `json:"used,omitempty"` // in place of the others: what came of a use of the memory
}

// answered is what came of it.
type answered struct {
	Code    string          `json:"code,omitempty"` // empty: it succeeded
	Problem string          `json:"problem,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Last    bool            `json:"last,omitempty"` // the child ends now

	Use json.RawMessage `json:"use,omitempty"` // in place of the others: what the program wants of its memory
}

// mostFrame is what either side takes: sources and results are smaller, in JSON too.
const mostFrame = 4 << 20

var errFrame = errors.New("a frame that nobody sends")

// send writes a value behind its length.
func send(w io.Writer, v any) error {
	frame := bytes.NewBuffer(make([]byte, 4))
	e := json.NewEncoder(frame)
	e.SetEscapeHTML(false) // a result stays as long as it is
	if err := e.Encode(v); err != nil {
		return err
	}
	binary.BigEndian.PutUint32(frame.Bytes(), uint32(frame.Len()-4))
	_, err := w.Write(frame.Bytes())
	return err
}

// receive reads one value.
func receive(r io.Reader, v any) error {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(size[:])
	if n > mostFrame {
		return errFrame
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}
