// Package proxy is the network between the parts of a chaos round: one Link stands
// in front of every way from a node to a broker, from a node to Postgres, and from
// a caller to a node, and can be cut, held, slowed, reset or left half open.
//
// It knows of Kafka's protocol what it needs to hold exactly a produce request or
// its acknowledgement, and to answer with its own addresses where a broker names
// its own. It never decides when a fault happens.
package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Link passes TCP connections on to one target.
type Link struct {
	Name   string
	target string
	kafka  *Kafka // nil: bytes are passed as they are
	listen net.Listener

	mu      sync.Mutex
	cut     bool
	held    bool
	delay   time.Duration
	changed chan struct{} // closed and replaced at every change
	conns   map[*conn]bool
	closed  bool
}

// conn is one connection of a caller and the one that belongs to it at the target.
type conn struct {
	link         *Link
	down, up     net.Conn
	once         sync.Once
	mu           sync.Mutex
	orphan       bool // the target is gone, and the caller has not been told
	kafkaAnswers answers
}

// Open listens on a free loopback port. With kafka, frames are understood.
func Open(name, target string, kafka *Kafka) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for %s: %w", name, err)
	}
	l := &Link{Name: name, target: target, kafka: kafka, listen: listener, changed: make(chan struct{}), conns: map[*conn]bool{}}
	if kafka != nil {
		kafka.add(target, listener.Addr().String())
	}
	go l.accept()
	return l, nil
}

// Address is what callers dial.
func (l *Link) Address() string { return l.listen.Addr().String() }

// Close ends the link and all its connections.
func (l *Link) Close() {
	l.change(func() { l.closed, l.held = true, false })
	_ = l.listen.Close()
	l.Reset()
}

// Cut resets all connections and refuses new ones until Heal.
func (l *Link) Cut() {
	l.change(func() { l.cut = true })
	l.Reset()
}

// Hold stops all bytes where they are; they go on at Heal.
func (l *Link) Hold() { l.change(func() { l.held = true }) }

// Slow lets every piece of data wait before it is passed on.
func (l *Link) Slow(by time.Duration) { l.change(func() { l.delay = by }) }

// Heal ends Cut, Hold and Slow.
func (l *Link) Heal() {
	l.change(func() { l.cut, l.held, l.delay = false, false, 0 })
}

// Reset breaks the connections that there are; new ones are welcome.
func (l *Link) Reset() {
	for _, c := range l.all() {
		c.abort()
	}
}

// HalfOpen ends the connections at the target and tells the caller nothing, as a
// firewall does that forgot them; new ones are welcome.
func (l *Link) HalfOpen() {
	for _, c := range l.all() {
		c.mu.Lock()
		c.orphan = true
		c.mu.Unlock()
		_ = c.up.Close()
	}
}

func (l *Link) change(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *Link) all() []*conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []*conn
	for c := range l.conns {
		out = append(out, c)
	}
	return out
}

func (l *Link) accept() {
	for {
		down, err := l.listen.Accept()
		if err != nil {
			return
		}
		go l.serve(down)
	}
}

func (l *Link) serve(down net.Conn) {
	c := &conn{link: l, down: down, kafkaAnswers: answers{kinds: map[int32]kind{}}}
	if !l.pass(nil) { // a held link does not even say hello to the target
		abort(down)
		return
	}
	up, err := net.DialTimeout("tcp", l.target, 5*time.Second)
	if err != nil {
		abort(down)
		return
	}
	c.up = up
	l.mu.Lock()
	if l.cut || l.closed {
		l.mu.Unlock()
		abort(down)
		_ = up.Close()
		return
	}
	l.conns[c] = true
	l.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { c.forth() })
	both.Go(func() { c.back() })
	both.Wait()
	c.close()
	l.mu.Lock()
	delete(l.conns, c)
	l.mu.Unlock()
}

// pass waits while the link is held, and the delay of a slow one; false when it is
// cut or closed.
func (l *Link) pass(data []byte) bool {
	l.mu.Lock()
	delay := l.delay
	for l.held && !l.cut && !l.closed {
		changed := l.changed
		l.mu.Unlock()
		<-changed
		l.mu.Lock()
	}
	ok := !l.cut && !l.closed
	l.mu.Unlock()
	if ok && delay > 0 && len(data) > 0 {
		time.Sleep(delay)
	}
	return ok
}

// forth passes what the caller sends.
func (c *conn) forth() {
	read, late := c.reader(c.down), false
	for {
		data, err := read()
		if err != nil {
			if late { // the caller hung up on what was held; the target must still get to read it
				time.Sleep(time.Second)
			}
			if errors.Is(err, io.EOF) {
				_ = c.up.(*net.TCPConn).CloseWrite()
			} else {
				c.close()
			}
			return
		}
		if c.link.kafka != nil {
			c.kafkaAnswers.asked(data)
			late = c.link.kafka.holdRequest(c.link, data) || late
		}
		if !c.link.pass(data) {
			c.abort()
			return
		}
		if _, err := c.up.Write(data); err != nil && !c.orphaned() {
			c.close()
			return
		}
	}
}

// back passes what the target answers.
func (c *conn) back() {
	read := c.reader(c.up)
	for {
		data, err := read()
		if c.orphaned() {
			return // the caller is left waiting
		}
		if err != nil {
			c.close()
			return
		}
		if k := c.link.kafka; k != nil {
			kind := c.kafkaAnswers.of(data)
			k.holdAnswer(c.link, kind)
			data = k.rewrite(kind, data)
		}
		if !c.link.pass(data) {
			c.abort()
			return
		}
		if _, err := c.down.Write(data); err != nil {
			c.close()
			return
		}
	}
}

func (c *conn) orphaned() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.orphan
}

// reader gives whole frames of Kafka, else whatever comes.
func (c *conn) reader(from net.Conn) func() ([]byte, error) {
	if c.link.kafka != nil {
		return func() ([]byte, error) { return readFrame(from) }
	}
	buffer := make([]byte, 64<<10)
	return func() ([]byte, error) {
		n, err := from.Read(buffer)
		if n > 0 {
			return buffer[:n], nil
		}
		return nil, err
	}
}

func (c *conn) close() {
	c.once.Do(func() {
		_ = c.down.Close()
		_ = c.up.Close()
	})
}

// abort ends both sides with a reset instead of a good-bye.
func (c *conn) abort() {
	c.once.Do(func() {
		abort(c.down)
		abort(c.up)
	})
}

func abort(x net.Conn) {
	if tcp, ok := x.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = x.Close()
}
