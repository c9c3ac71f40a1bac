package sip

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"

	"github.com/parley-platform/parley/adapters/voice"
)

// portRange gives sockets for sound, on even ports: the odd ones beside them are RTCP's.
type portRange struct {
	host        string
	first, last int

	mu   sync.Mutex
	used map[int]bool
}

func newPortRange(host string, first, last int) *portRange {
	return &portRange{host: host, first: (first + 1) &^ 1, last: last, used: map[int]bool{}}
}

var errNoPort = errors.New("every port for sound is taken")

// take opens a socket on a port that is free, beginning anywhere: the last call's stray packets are not the
// next one's.
func (r *portRange) take() (*net.UDPConn, int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	pairs := (r.last - r.first + 2) / 2
	if pairs < 1 {
		return nil, 0, errNoPort
	}
	begin := rand.N(pairs)
	for i := range pairs {
		port := r.first + 2*((begin+i)%pairs)
		if r.used[port] {
			continue
		}
		c, err := net.ListenPacket("udp", net.JoinHostPort(r.host, strconv.Itoa(port)))
		if err != nil { // another program's
			continue
		}
		r.used[port] = true
		return c.(*net.UDPConn), port, nil
	}
	return nil, 0, errNoPort
}

func (r *portRange) give(port int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.used, port)
}

// ours reports whether another call of this node has its sound on the port.
func (r *portRange) ours(port int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used[port]
}

const (
	quietFor   = time.Second // a source that was silent for so long may be another, at its address
	datagram   = 1500
	frameTicks = voice.FrameSamples
)

// media is the socket of a call's sound: it makes packets of what is to be sent, and takes those that are for the call.
type media struct {
	conn    *net.UDPConn
	port    int
	line    *voice.Line
	tones   bool // digits are tones, both ways, where the peer names no telephone events
	give    func(int)
	allow   func(netip.Addr) bool
	leave   func()
	survive func(then func()) // of the agent
	over    sync.WaitGroup
	once    sync.Once
	keys    voice.KeyReader

	mu      sync.Mutex
	wire    voice.Law // what is sent; peers may send any that was offered
	nat     bool
	told    netip.AddrPort // as the peer's description says; invalid: nothing is sent
	sends   bool           // the peer wants to hear us
	source  netip.AddrPort // where its sound comes from; invalid: none came
	ssrc    uint32
	lastIn  time.Time
	theirs  uint8
	opening *srtp.Context // nil: in the clear
	sealing *srtp.Context
	ours    []byte // the key that seals

	// Of the goroutine that ticks.
	seq     uint16
	stamp   uint32
	own     uint32
	fresh   bool     // the next packet begins a talk spurt
	pressed []*press // of the lock
	packet  []byte
	sealed  []byte
}

// openMedia takes a port for a call whose line is made when its law is known.
func (a *Agent) openMedia(nat bool) (*media, error) {
	conn, port, err := a.ports.take()
	if err != nil {
		return nil, err
	}
	return &media{conn: conn, port: port, give: a.ports.give, allow: a.cfg.Allow, survive: a.survive, nat: nat, own: rand.Uint32(),
		seq: uint16(rand.Uint32()), stamp: rand.Uint32(),
		fresh: true, packet: make([]byte, 12+frameTicks)}, nil
}

// start lets the sound flow, once its law is known.
func (m *media) start(line *voice.Line, law voice.Law, pacer *voice.Pacer) {
	m.line = line
	m.mu.Lock()
	m.wire = law
	m.mu.Unlock()
	m.over.Go(func() {
		defer m.survive(nil)
		m.read()
	})
	m.leave = pacer.Add(m.tick)
}

// behind says whether the peer's sound may come from where its description does not say.
func (m *media) behind(nat bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.nat = nat
}

func (m *media) started() bool { return m.line != nil }

// toward says where the sound goes from now on, as the peer describes it. Who sent before may be another by then.
func (m *media) toward(d description, law voice.Law) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wire, m.theirs = law, d.events
	m.line.KeysInBand(m.tones && d.events == 0)
	m.sends = d.direction == both || d.direction == hearing
	if m.told != d.at {
		m.told, m.source = d.at, netip.AddrPort{}
	}
	m.lastIn = time.Time{} // another SSRC may come from there now
}

// secure lets the sound be sealed by our key and opened by theirs. A key of ours that seals already goes on where
// it is: from its beginning it would seal other packets by what it has sealed some with.
func (m *media) secure(ours, theirs []byte) error {
	opening, err := seal(theirs)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.sealing == nil || !slices.Equal(m.ours, ours) {
		if m.sealing, err = seal(ours); err != nil {
			return err
		}
		m.ours = ours
	}
	m.opening = opening
	return nil
}

// open lets the sound go in the clear.
func (m *media) open() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sealing, m.opening = nil, nil
}

// read takes packets until the socket is closed.
func (m *media) read() {
	buf := make([]byte, datagram)
	for {
		n, from, err := m.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // that of a packet of ours that nobody wanted
		}
		m.take(buf[:n], netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), time.Now())
	}
}

// take sorts out what is not of this call, and hands on the rest.
func (m *media) take(raw []byte, from netip.AddrPort, at time.Time) {
	p, ok := m.admit(raw, from, at)
	if !ok {
		return
	}
	switch {
	case p.PayloadType == 0 || p.PayloadType == 8:
		m.line.Receive(voice.Packet{Seq: p.SequenceNumber, Timestamp: p.Timestamp, Marker: p.Marker, Payload: p.Payload,
			Law: voice.Law(p.PayloadType / 8)})
	case p.PayloadType == m.eventsType():
		if digit, ok := m.keys.Take(p.Timestamp, p.Payload); ok {
			m.line.Digit(digit, at)
		}
		fallthrough
	default: // comfort noise, or what nobody agreed on
		m.line.Beside(p.SequenceNumber)
	}
}

func (m *media) eventsType() uint8 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.theirs == 0 {
		return ourEvents
	}
	return m.theirs
}

// expects reports whether a first packet may come from there. The caller holds the lock.
func (m *media) expects(from netip.AddrPort) bool {
	if m.nat {
		return m.allow(from.Addr())
	}
	return m.told.IsValid() && from.Addr() == m.told.Addr()
}

// takesEvents reports whether the peer hears telephone events.
func (m *media) takesEvents() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.theirs != 0
}

// admit opens a packet if it is the peer's: the first source whose address is the one that the peer described, or any when the
// peer is behind a NAT, and then that source alone.
func (m *media) admit(raw []byte, from netip.AddrPort, at time.Time) (p rtp.Packet, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.source == from
	if !known && (m.source.IsValid() || !m.expects(from)) {
		return p, false
	}
	if m.opening != nil {
		opened, err := m.opening.DecryptRTP(nil, raw, nil)
		if err != nil {
			return p, false
		}
		raw = opened
	}
	if err := p.Unmarshal(raw); err != nil || p.Version != 2 || len(p.Payload) == 0 {
		return p, false
	}
	if known && p.SSRC != m.ssrc && !m.lastIn.IsZero() && at.Sub(m.lastIn) < quietFor {
		return p, false
	}
	m.source, m.ssrc, m.lastIn = from, p.SSRC, at
	return p, true
}

// tick sends 20 ms.
func (m *media) tick(at time.Time) {
	m.mu.Lock()
	to, wire, sealing := m.told, m.wire, m.sealing
	if m.source.IsValid() {
		to = m.source
	}
	if !m.sends {
		to = netip.AddrPort{}
	}
	kind, key := m.theirs, m.nextPress()
	m.mu.Unlock()
	frame := m.line.TickIn(at, wire)
	stamp := m.stamp
	m.stamp += frameTicks
	if !to.IsValid() {
		return
	}
	switch {
	case key != nil:
		m.send(to, sealing, kind, key.stamp(stamp), key.marked(), key.payload())
		for range key.repeats() {
			m.send(to, sealing, kind, key.stamp(stamp), false, key.payload())
		}
	default:
		m.send(to, sealing, uint8(wire)*8, stamp, m.fresh, frame)
	}
	m.fresh = false
}

func (m *media) send(to netip.AddrPort, sealing *srtp.Context, kind uint8, stamp uint32, marker bool, payload []byte) {
	b := append(m.packet[:0], 0x80, kind)
	if marker {
		b[1] |= 0x80
	}
	b = binary.BigEndian.AppendUint16(b, m.seq)
	b = binary.BigEndian.AppendUint32(b, stamp)
	b = binary.BigEndian.AppendUint32(b, m.own)
	b = append(b, payload...)
	m.seq++
	if sealing != nil {
		sealed, err := sealing.EncryptRTP(m.sealed[:0], b, nil)
		if err != nil {
			return
		}
		m.sealed, b = sealed, sealed
	}
	_, _ = m.conn.WriteToUDPAddrPort(b, to) // what is lost is lost
}

// close ends the sound, and gives the port back.
func (m *media) close() {
	m.once.Do(func() {
		if m.leave != nil {
			m.leave()
		}
		_ = m.conn.Close()
		m.over.Wait()
		if m.line != nil {
			m.line.Close()
		}
		m.give(m.port)
	})
}

// heardSince reports whether anything came from the peer behind a moment.
func (m *media) heardSince(at time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastIn.After(at)
}
