package sockets

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/parley-platform/parley/domain/fault"
)

// Code says why a socket is closed (RFC 6455, 7.4.1).
type Code = websocket.StatusCode

// The codes with which sockets are closed.
const (
	Done        = websocket.StatusNormalClosure
	NodeStops   = websocket.StatusGoingAway // the client comes again, to another node
	Unsupported = websocket.StatusUnsupportedData
	Refused     = websocket.StatusPolicyViolation // the credential does not hold any more, or what was said is not allowed
	TooBig      = websocket.StatusMessageTooBig
	Broken      = websocket.StatusInternalError
	TooSlow     = websocket.StatusTryAgainLater // what is sent is not read; the client comes again
)

// ErrClosed is what is told to who reads from, or sends on, a socket that is closed.
var ErrClosed = errors.New("the socket is closed")

// Frame is one message of the other side.
type Frame struct {
	Binary bool
	Data   []byte
}

// Socket is one that is open. One reads at a time; anybody may send and close.
type Socket struct {
	conn *websocket.Conn
	most int                         // bytes that may wait to be written
	end  context.CancelFunc          // of what is done for it
	seen func(direction string)      // a frame went by
	fail func(panicked any)          // what was done for it has panicked
	all  sync.WaitGroup              // of what is done beside
	gone func(code Code, why string) // it is about to close

	mu      sync.Mutex
	queue   []Frame
	queued  int           // bytes of it
	writing bool          // somebody writes
	since   time.Time     // when the frame that is being written began to be; zero: none is
	emptied chan struct{} // closed when nothing waits any more; nil: nobody asked
	closing *websocket.CloseError
	closed  chan struct{} // the connection is no more

	pinged   time.Time // when it was asked last whether it is there
	awaiting bool      // and has not said so
	doubted  bool      // whether it may be has to be asked before its time
}

// Read waits for the next message of the other side. Whoever serves the socket calls it again and
// again: signs of life, and that the other side closes, come the same way.
func (s *Socket) Read() (Frame, error) {
	kind, data, err := s.conn.Read(context.Background())
	if err != nil {
		s.failed(err)
		return Frame{}, ErrClosed
	}
	s.mu.Lock()
	over := s.closing != nil
	s.mu.Unlock()
	if over {
		return Frame{}, ErrClosed
	}
	s.seen("in")
	return Frame{Binary: kind == websocket.MessageBinary, Data: data}, nil
}

// ReadText is Read of a socket on which messages are text: one that is not closes it.
func (s *Socket) ReadText() ([]byte, error) {
	f, err := s.Read()
	if err == nil && f.Binary {
		s.Close(Unsupported, "messages are text")
		err = ErrClosed
	}
	return f.Data, err
}

// failed notes why nothing can be read any more, where nobody has closed the socket before.
func (s *Socket) failed(err error) {
	code, why := websocket.StatusAbnormalClosure, "the connection broke"
	var said websocket.CloseError
	switch {
	case errors.As(err, &said):
		code, why = said.Code, "the other side closed it"
	case errors.Is(err, websocket.ErrMessageTooBig):
		code, why = TooBig, "a message is too big"
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		why = "the connection ended"
	}
	s.Close(code, why)
}

// Send sends a text. It never waits: what the other side does not take is kept, up to a bound,
// and one that takes too little is closed with TooSlow. Data must not be changed afterwards.
func (s *Socket) Send(data []byte) error { return s.send(Frame{Data: data}) }

// SendBinary is Send of what is no text.
func (s *Socket) SendBinary(data []byte) error { return s.send(Frame{Binary: true, Data: data}) }

// SendJSON is Send of a value as JSON.
func (s *Socket) SendJSON(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	return s.Send(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

func (s *Socket) send(f Frame) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing != nil:
		return ErrClosed
	case s.queued > 0 && s.queued+len(f.Data) > s.most:
		s.queue, s.queued = nil, 0
		s.close(TooSlow, "what is sent is not read")
		return ErrClosed
	}
	s.queue, s.queued = append(s.queue, f), s.queued+len(f.Data)
	s.write()
	return nil
}

// write begins to write, if nobody does. It holds mu.
func (s *Socket) write() {
	if !s.writing {
		s.writing = true
		go s.writeAll()
	}
}

// writeAll writes what waits, and at last that the socket is closed.
func (s *Socket) writeAll() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.queue, s.writing, s.since = nil, false, time.Time{}
			s.wake()
			closing := s.closing
			s.mu.Unlock()
			if closing != nil {
				s.finish(*closing)
			}
			return
		}
		next := s.queue[0]
		s.queue, s.queued, s.since = s.queue[1:], s.queued-len(next.Data), time.Now()
		s.mu.Unlock()
		kind := websocket.MessageText
		if next.Binary {
			kind = websocket.MessageBinary
		}
		if err := s.conn.Write(context.Background(), kind, next.Data); err != nil {
			s.failed(err)
			s.mu.Lock()
			s.queue, s.queued = nil, 0
			s.mu.Unlock()
			continue
		}
		s.seen("out")
	}
}

// finish ends the connection, in good form where there is somebody to say so to.
func (s *Socket) finish(with websocket.CloseError) {
	if with.Code == websocket.StatusAbnormalClosure || with.Code == websocket.StatusNoStatusRcvd {
		_ = s.conn.CloseNow()
	} else {
		_ = s.conn.Close(with.Code, with.Reason)
	}
	close(s.closed)
}

// wake tells whoever waits in Drained. It holds mu.
func (s *Socket) wake() {
	if s.emptied != nil {
		close(s.emptied)
		s.emptied = nil
	}
}

// Drained waits until the other side has taken what was sent: for who has more to tell than may wait.
func (s *Socket) Drained(ctx context.Context) error {
	s.mu.Lock()
	if s.closing != nil || !s.writing {
		defer s.mu.Unlock()
		if s.closing != nil {
			return ErrClosed
		}
		return nil
	}
	if s.emptied == nil {
		s.emptied = make(chan struct{})
	}
	emptied := s.emptied
	s.mu.Unlock()
	select {
	case <-emptied:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close closes the socket when what was sent is written. The first one says why; it does not wait.
func (s *Socket) Close(code Code, why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.close(code, why)
}

// Gone closes the socket if a fault of what was asked on it says that its credential does not hold any more.
func (s *Socket) Gone(fromRequest error) bool {
	gone := fault.Is(fromRequest, fault.Unauthorized) || fault.Is(fromRequest, fault.Forbidden)
	if gone {
		s.Close(Refused, "the credential does not hold any more")
	}
	return gone
}

func (s *Socket) close(code Code, why string) {
	if s.closing != nil {
		return
	}
	s.closing = &websocket.CloseError{Code: code, Reason: why}
	s.gone(code, why)
	s.end()
	s.write()
}

// cut ends the connection without a word: nobody is there, or takes anything.
func (s *Socket) cut(code Code, why string) {
	s.mu.Lock()
	s.queue, s.queued = nil, 0
	s.close(code, why)
	s.mu.Unlock()
	_ = s.conn.CloseNow()
}

// Beside does something beside whoever serves the socket, which ends with the context of that. What
// panics ends the socket, and no more.
func (s *Socket) Beside(do func()) {
	s.all.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.fail(p)
			}
		}()
		do()
	})
}

// Protocol is the one that was agreed on; empty: none.
func (s *Socket) Protocol() string { return s.conn.Subprotocol() }
