package rest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// Answers that come before the body was read to its end. A server that closes a
// connection on which something is still being sent resets it, and many clients lose
// the answer with it. So the answer goes out at once, then the rest is read and thrown
// away, for as long as a client in earnest needs, and then the connection ends.
const (
	restBytes   = 64 << 20         // that are still read
	restPause   = 2 * time.Second  // without a byte: the client waits, or is gone
	restTime    = 30 * time.Second // in all
	restOfMinor = 256 << 10        // what net/http reads by itself, and keeps the connection
)

// sending is a body with what is known of how far it was read.
type sending struct {
	io.ReadCloser
	announced int64 // -1: nobody knows
	read      int64
	ended     bool
}

func (s *sending) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.read += int64(n)
	s.ended = s.ended || err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// answerEarly makes the answer that is about to be written go out although a body is
// still coming, and tells whether that is so.
func (x *exchange) answerEarly() bool {
	s := x.sent
	if s == nil || s.ended || s.announced >= 0 && s.announced-s.read <= restOfMinor {
		return false
	}
	if http.NewResponseController(x.answer).EnableFullDuplex() != nil {
		return false // HTTP/2 needs none of this
	}
	x.answer.Header().Set("Connection", "close")
	return true
}

// takeTheRest sends the answer and reads what the client still has to say.
func (x *exchange) takeTheRest() {
	control := http.NewResponseController(x.answer)
	if control.Flush() != nil {
		return
	}
	piece := pieces.Get().(*[smallBody]byte)
	defer pieces.Put(piece)
	end := time.Now().Add(restTime)
	for taken := 0; taken < restBytes && !x.sent.ended && time.Now().Before(end); {
		if control.SetReadDeadline(time.Now().Add(restPause)) != nil {
			return
		}
		n, err := x.sent.Read(piece[:])
		if taken += n; err != nil {
			return
		}
	}
}
