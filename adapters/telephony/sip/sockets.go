package sip

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

const (
	mostSources  = 50_000
	mostDatagram = 65_507 // of UDP over IPv4
	longDatagram = 1300   // from which on a request goes by TCP (RFC 3261, 18.1.1)
	mostVisitors = 500    // connections of strangers at a time
	mostVisits   = 10     // of them, from one address
	visitFor     = 32 * time.Second
	writeWithin  = 10 * time.Second
	socketPause  = 100 * time.Millisecond // behind an error of a socket that goes on
)

// serve lets the library serve a socket, until that is closed.
func (a *Agent) serve(over string, do func() error) {
	go func() {
		if err := do(); err != nil && !errors.Is(err, net.ErrClosed) {
			a.cfg.Log.Error("SIP is not listened to any more", "over", over, "error", err)
		}
	}()
}

// goesOn reports whether a socket goes on behind an error. The library would end at the first.
func (a *Agent) goesOn(err error) bool {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return false
	}
	a.cfg.Log.Warn("a socket of SIP has an error, and goes on", "error", err)
	time.Sleep(socketPause)
	return true
}

// datagrams is the socket of SIP over UDP, as the library has it. That keeps each source until it has done with the socket: it
// begins anew with it when there were many.
type datagrams struct {
	net.PacketConn
	agent *Agent
	most  int // sources; made-up ones cost nothing

	seen map[string]bool
	anew bool
}

func (a *Agent) datagrams(socket net.PacketConn, most int) *datagrams {
	return &datagrams{PacketConn: socket, agent: a, most: most, seen: map[string]bool{}}
}

var errManySources = errors.New("the sources of datagrams are forgotten")

func (d *datagrams) ReadFrom(b []byte) (n int, from net.Addr, err error) {
	for {
		if n, from, err = d.PacketConn.ReadFrom(b); !d.agent.goesOn(err) {
			break
		}
	}
	if err != nil {
		return n, from, err
	}
	if source := from.String(); !d.seen[source] {
		if len(d.seen) >= d.most { // this datagram is lost: its sender says it again
			clear(d.seen)
			d.anew = true
			return 0, nil, errManySources
		}
		d.seen[source] = true
	}
	return n, from, nil
}

// served lets the library serve the socket, again and again.
func (d *datagrams) served(serve func(net.PacketConn) error) error {
	for {
		if err := serve(d); err != nil || !d.anew {
			return err
		}
		d.anew = false
	}
}

// WriteTo sends, but for what strangers are not told.
func (d *datagrams) WriteTo(b []byte, to net.Addr) (int, error) {
	if d.agent.keptFrom(b, to) {
		return len(b), nil
	}
	return d.PacketConn.WriteTo(b, to)
}

// door is where peers connect. Strangers may come, as somebody whom a trunk called may be one, but few at a time, and not for long.
type door struct {
	net.Listener
	agent *Agent
}

func (d door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		switch {
		case d.agent.goesOn(err):
			continue
		case err != nil:
			return nil, err
		}
		v := &visitor{Conn: conn, agent: d.agent, leave: func() {}}
		if addr := addressOf(conn.RemoteAddr()); !d.agent.knowsAt(addr) {
			if !d.agent.visits.enter(addr) {
				_ = conn.Close()
				continue
			}
			v.leave = func() { d.agent.visits.leave(addr) }
			_ = conn.SetReadDeadline(time.Now().Add(visitFor)) // a connection that has none is closed already
		}
		return v, nil
	}
}

// visits count the connections of strangers.
type visits struct {
	mu  sync.Mutex
	all int
	of  map[netip.Addr]int
}

func (v *visits) enter(addr netip.Addr) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all >= mostVisitors || v.of[addr] >= mostVisits {
		return false
	}
	if v.of == nil {
		v.of = map[netip.Addr]int{}
	}
	v.all++
	v.of[addr]++
	return true
}

func (v *visits) leave(addr netip.Addr) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all--
	if v.of[addr]--; v.of[addr] <= 0 {
		delete(v.of, addr)
	}
}

// visitor is a connection of somebody who connected to us.
type visitor struct {
	net.Conn
	agent *Agent
	leave func()
	once  sync.Once
}

// Write sends, but for what strangers are not told: they are shown out. Who does not read is not waited for.
func (v *visitor) Write(b []byte) (int, error) {
	if v.agent.keptFrom(b, v.RemoteAddr()) {
		return 0, errors.Join(errShownOut, v.Close())
	}
	if err := v.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return 0, err
	}
	return v.Conn.Write(b)
}

func (v *visitor) Close() error {
	v.once.Do(v.leave)
	return v.Conn.Close()
}

var errShownOut = errors.New("a stranger sent what is no request")

var tornRequest = []byte("SIP/2.0 400 ")

// keptFrom reports whether an answer is not for the one to whom it would go: the library says by itself that a request is torn,
// and only those are told that of whom a trunk knows.
func (a *Agent) keptFrom(b []byte, to net.Addr) bool {
	return bytes.HasPrefix(b, tornRequest) && !a.knowsAt(addressOf(to))
}

func addressOf(of net.Addr) netip.Addr {
	at, _ := netip.ParseAddrPort(of.String())
	return at.Addr().Unmap()
}
