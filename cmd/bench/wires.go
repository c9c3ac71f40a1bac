package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/rtp"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/adapters/voice/corpus"
	"github.com/parley-platform/parley/domain/calls"
)

// mouth is one end of a call.
type mouth interface {
	tick(at time.Time) []byte // of the law, to be sent
	receive(p voice.Packet)
	close()
}

// silent is an end that makes nothing of what it hears.
type silent struct{ frame [voice.FrameSamples]byte }

func (s *silent) tick(time.Time) []byte { return s.frame[:] }
func (*silent) receive(voice.Packet)    {}
func (*silent) close()                  {}

// talk is a line on which somebody speaks all the time, whose echo is judged as a callee is.
type talk struct {
	line     *voice.Line
	detector *calls.Detector
	answered time.Time
	stop     context.CancelFunc
}

func newTalk(spoken []int16) *talk {
	ctx, stop := context.WithCancel(context.Background())
	t := &talk{line: voice.NewLine(voice.Options{}), detector: calls.NewDetector(corpus.Plan()), stop: stop}
	go func() {
		for t.line.Play(ctx, "", spoken) == nil {
		}
	}()
	return t
}

func (t *talk) tick(at time.Time) []byte {
	if t.answered.IsZero() {
		t.answered = at
		t.line.Answered(at)
	}
	frame := t.line.Tick(at)
	for len(t.line.Facts()) > 0 {
		t.detector.Hear(<-t.line.Facts(), at.Sub(t.answered))
	}
	t.detector.Advance(at.Sub(t.answered))
	return frame
}

func (t *talk) receive(p voice.Packet) { t.line.Receive(p) }

func (t *talk) close() {
	t.stop()
	t.line.Close()
}

// wire is an end of a call on its socket.
type wire struct {
	conn         *net.UDPConn
	to           netip.AddrPort
	of           mouth
	n            int
	packet       [12 + voice.FrameSamples]byte
	sent, gotten atomic.Int64
}

func listen() (*net.UDPConn, netip.AddrPort, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("opening a socket: %w", err)
	}
	return conn, conn.LocalAddr().(*net.UDPAddr).AddrPort(), nil
}

// openWire is an end whose packets an echo sends back; close ends both.
func openWire(of mouth) (w *wire, close func(), err error) {
	echo, at, err := listen()
	if err != nil {
		return nil, nil, err
	}
	conn, _, err := listen()
	if err != nil {
		return nil, nil, errors.Join(err, echo.Close())
	}
	w = &wire{conn: conn, to: at, of: of}
	go repeat(echo)
	go w.read()
	return w, func() { _, _ = echo.Close(), conn.Close(); of.close() }, nil
}

// openPair are two ends that hear each other.
func openPair(one, other mouth) (a, b *wire, close func(), err error) {
	first, at1, err := listen()
	if err != nil {
		return nil, nil, nil, err
	}
	second, at2, err := listen()
	if err != nil {
		return nil, nil, nil, errors.Join(err, first.Close())
	}
	a, b = &wire{conn: first, to: at2, of: one}, &wire{conn: second, to: at1, of: other}
	go a.read()
	go b.read()
	return a, b, func() { _, _ = first.Close(), second.Close(); one.close(); other.close() }, nil
}

// repeat is the echo.
func repeat(conn *net.UDPConn) {
	var buf [1_500]byte
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf[:])
		if err != nil {
			return
		}
		_, _ = conn.WriteToUDPAddrPort(buf[:n], from)
	}
}

func (w *wire) read() {
	var buf [1_500]byte
	for {
		n, err := w.conn.Read(buf[:])
		if err != nil {
			return
		}
		var p rtp.Packet
		if p.Unmarshal(buf[:n]) == nil {
			w.gotten.Add(1)
			w.of.receive(voice.Packet{Seq: p.SequenceNumber, Timestamp: p.Timestamp, Marker: p.Marker, Payload: p.Payload})
		}
	}
}

func (w *wire) tick(at time.Time) {
	h := rtp.Header{Version: 2, SequenceNumber: uint16(w.n), Timestamp: uint32(w.n * voice.FrameSamples), SSRC: 1}
	w.n++
	n, err := h.MarshalTo(w.packet[:])
	if err != nil {
		return
	}
	copy(w.packet[n:], w.of.tick(at))
	if _, err := w.conn.WriteToUDPAddrPort(w.packet[:], w.to); err == nil {
		w.sent.Add(1)
	}
}

// lateness collects how late the rounds of a pacer begin.
type lateness struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *lateness) note(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, d)
}

func (l *lateness) taken() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}
