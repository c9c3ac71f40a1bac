package email

import (
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// Where all places are taken, and another peer waits, whoever has said nothing for longest, and for so long, makes room: else a
// few that hang, or only keep their places, would be the end of all mail.
const (
	mayBeSilent = 5 * time.Second
	looksAgain  = 100 * time.Millisecond
)

// hall lets so many peers in at a time.
type hall struct {
	net.Listener
	most  int
	ended chan struct{}
	now   func() time.Time

	mu     sync.Mutex
	guests map[*guest]bool
	closed sync.Once
}

// guest is a peer that is in.
type guest struct {
	net.Conn
	hall *hall
	said time.Time // when it said something last; its hall's mu is held for it, and for busy
	busy bool      // it is us who has the word: its mail is being taken
}

// Accept lets the next one in, when there is room.
func (h *hall) Accept() (net.Conn, error) {
	c, err := h.Listener.Accept()
	if err != nil {
		return nil, err
	}
	for {
		g, inTheWay := h.enter(c)
		if g != nil {
			return g, nil
		}
		if inTheWay != nil {
			_ = inTheWay.Close()
			continue
		}
		select {
		case <-time.After(looksAgain):
		case <-h.ended:
			_ = c.Close()
			return nil, net.ErrClosed
		}
	}
}

// enter lets one in, or says who is in the way; nobody is while all talk.
func (h *hall) enter(c net.Conn) (in, inTheWay *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.guests) < h.most {
		if h.guests == nil {
			h.guests = map[*guest]bool{}
		}
		in = &guest{Conn: c, hall: h, said: h.now()}
		h.guests[in] = true
		return in, nil
	}
	for g := range h.guests {
		if !g.busy && h.now().Sub(g.said) >= mayBeSilent && (inTheWay == nil || g.said.Before(inTheWay.said)) {
			inTheWay = g
		}
	}
	return nil, inTheWay
}

// Close lets nobody in any more.
func (h *hall) Close() error {
	h.closed.Do(func() { close(h.ended) })
	return h.Listener.Close()
}

// Read notes that it said something.
func (g *guest) Read(b []byte) (int, error) {
	n, err := g.Conn.Read(b)
	g.is(false)
	return n, err
}

func (g *guest) is(busy bool) {
	g.hall.mu.Lock()
	defer g.hall.mu.Unlock()
	g.said, g.busy = g.hall.now(), busy
}

// Close lets the next one in.
func (g *guest) Close() error {
	g.hall.mu.Lock()
	delete(g.hall.guests, g)
	g.hall.mu.Unlock()
	return g.Conn.Close()
}

// working notes that a peer waits for us, until done.
func working(c net.Conn) (done func()) {
	if private, is := c.(*tls.Conn); is {
		c = private.NetConn()
	}
	g, is := c.(*guest)
	if !is {
		return func() {}
	}
	g.is(true)
	return func() { g.is(false) }
}
