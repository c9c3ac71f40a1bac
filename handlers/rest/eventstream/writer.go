// Package eventstream has what answers that are Server-Sent Events have in common: how they are
// written to a reader who may be slow or gone, and how many are open on a node. What an event
// says, and when one comes, is said by whoever writes it.
package eventstream

import (
	"net/http"
	"time"
)

// Format is the media type.
const Format = "text/event-stream"

// Writer writes with a deadline: who takes nothing for so long is cut off.
type Writer struct {
	w        http.ResponseWriter
	control  *http.ResponseController
	patience time.Duration
}

// Open says in the headers what follows. The deadline of reading the request is the caller's to
// lift (rest.LongAnswer).
func Open(w http.ResponseWriter, patience time.Duration) *Writer {
	h := w.Header()
	h.Set("Content-Type", Format)
	h.Set("X-Accel-Buffering", "no")
	h.Set("Connection", "close") // its deadlines are not those of a next request
	return &Writer{w, http.NewResponseController(w), patience}
}

// chunk is written at once, so that a slow reader of a large event is one that
// takes it, if slowly.
const chunk = 64 << 10

// Send writes data and sends them on.
func (o *Writer) Send(data []byte) error {
	for len(data) > 0 {
		n := min(len(data), chunk)
		o.Release()
		if _, err := o.w.Write(data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return o.control.Flush()
}

// Release bounds what is still to be written, also after the end.
func (o *Writer) Release() { _ = o.control.SetWriteDeadline(time.Now().Add(o.patience)) }
