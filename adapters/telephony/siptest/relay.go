package siptest

import (
	"encoding/binary"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/parley-platform/parley/adapters/voice"
)

// relay is the way of the sound of one call: a socket for each side, from which it hears the other.
type relay struct {
	node, peer *net.UDPConn // that the node sends to, and the peer
	stop       chan struct{}

	mu             sync.Mutex
	toNode, toPeer netip.AddrPort
	ofNode, ofPeer *fates // of what each sends
}

const rtpHeader = 12

func newRelay(t testing.TB, seed uint64, of Weather) *relay {
	t.Helper()
	open := func() *net.UDPConn {
		c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(Host)})
		require.NoError(t, err)
		return c
	}
	r := &relay{node: open(), peer: open(), stop: make(chan struct{}), ofNode: newFates(seed, of), ofPeer: newFates(seed+1, of)}
	go r.carry(r.node, r.peer, func() (netip.AddrPort, *fates) { return r.toPeer, r.ofNode })
	go r.carry(r.peer, r.node, func() (netip.AddrPort, *fates) { return r.toNode, r.ofPeer })
	if of.Stranger {
		go r.noise(t, seed)
	}
	return r
}

func (r *relay) close() {
	close(r.stop)
	_ = r.node.Close()
	_ = r.peer.Close()
}

// describe notes where a side hears, and gives the port that the other is told.
func (r *relay) describe(byNode bool, at netip.AddrPort) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if byNode {
		r.toNode = at
		return r.peer.LocalAddr().(*net.UDPAddr).Port
	}
	r.toPeer = at
	return r.node.LocalAddr().(*net.UDPAddr).Port
}

func (r *relay) carry(from, by *net.UDPConn, way func() (netip.AddrPort, *fates)) {
	buf := make([]byte, 1500)
	for {
		n, _, err := from.ReadFromUDPAddrPort(buf)
		select {
		case <-r.stop:
			return
		default:
		}
		if err != nil {
			continue // of a packet that nobody wanted
		}
		r.mu.Lock()
		to, fate := way()
		var later []time.Duration
		if to.IsValid() {
			later = fate.next()
		}
		r.mu.Unlock()
		raw := append([]byte(nil), buf[:n]...)
		if fate.Recoded && n > rtpHeader && raw[1]&0x7f == 0 {
			raw[1] |= 8
			samples := make([]int16, n-rtpHeader)
			voice.MuLaw.Decode(samples, raw[rtpHeader:])
			voice.ALaw.Encode(raw[rtpHeader:], samples)
		}
		for _, d := range later {
			time.AfterFunc(d, func() { _, _ = by.WriteToUDPAddrPort(raw, to) })
		}
	}
}

// noise is somebody who is not on the call, and louder than anybody.
func (r *relay) noise(t testing.TB, seed uint64) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)})
	if err != nil {
		t.Errorf("a stranger finds no address: %v", err)
		return
	}
	defer func() { _ = conn.Close() }()
	random := rand.New(rand.NewPCG(seed, 3))
	p := make([]byte, rtpHeader+voice.FrameSamples)
	p[0] = 0x80
	tick := time.NewTicker(voice.FrameTime)
	defer tick.Stop()
	for n := uint16(0); ; n++ {
		select {
		case <-tick.C:
		case <-r.stop:
			return
		}
		r.mu.Lock()
		to := r.toNode
		r.mu.Unlock()
		binary.BigEndian.PutUint16(p[2:], n)
		binary.BigEndian.PutUint32(p[4:], uint32(n)*voice.FrameSamples)
		for i := range p[rtpHeader:] {
			p[rtpHeader+i] = byte(random.Uint32()) & 0x8f // the loudest eighth of what there is
		}
		if to.IsValid() {
			_, _ = conn.WriteToUDPAddrPort(p, to)
		}
	}
}
