package siptest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Weather is what becomes of packets on their way. The zero value is a fair day.
type Weather struct {
	Lost    float64       // the share that does not arrive
	Doubled float64       // the share that arrives twice
	Jitter  time.Duration // each is later by up to so much; so they change places
	Late    float64       // the share that comes a second later than the rest

	// Of sound alone.
	Recoded  bool // μ-law comes as A-law
	Stranger bool // somebody at another address sends noise, before the first packet and all the time
}

// Way is the network between a node and a peer of its: both think that it is the other. It is of a seed: the same packets have the same
// fate.
type Way struct {
	t     testing.TB
	Port  int // of its signals
	conn  *net.UDPConn
	peer  netip.AddrPort
	sound Weather

	mu     sync.Mutex
	node   netip.AddrPort // invalid: it has not said anything yet
	out    *fates         // of signals
	seed   uint64
	relays map[string]*relay   // by Call-ID
	passed map[string][]string // what has arrived, by Call-ID: "> METHOD" of what the node sent, "< CODE METHOD" of the peer
	closed bool
}

// Between makes a way to a peer; nil: it begins, and calls the node's port. Else node is 0.
func Between(t testing.TB, node int, peer *Peer, seed uint64, signals, sound Weather) *Way {
	t.Helper()
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(Host)})
	require.NoError(t, err)
	w := &Way{t: t, conn: conn, Port: conn.LocalAddr().(*net.UDPAddr).Port, sound: sound, seed: seed, out: newFates(seed, signals),
		relays: map[string]*relay{}, passed: map[string][]string{}}
	if peer != nil {
		w.peer = local(peer.Port)
	}
	if node != 0 {
		w.node = local(node)
	}
	t.Cleanup(func() {
		w.close()
		for id, passed := range w.Passed() {
			if t.Failed() {
				t.Log(id, strings.Join(passed, ", "))
			}
		}
	})
	go w.read()
	return w
}

func local(port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.MustParseAddr(Host), uint16(port))
}

// Passed is what has arrived of each call, by its Call-ID: "> BYE" of what the node sent, "< 200 INVITE" of what came back.
func (w *Way) Passed() map[string][]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := map[string][]string{}
	for id, all := range w.passed {
		out[id] = append([]string(nil), all...)
	}
	return out
}

// Awaits waits until something of a call has arrived, as Passed says it.
func (w *Way) Awaits(id, what string) {
	w.t.Helper()
	if !assert.Eventually(w.t, func() bool { return slices.Contains(w.Passed()[id], what) }, patience, 20*time.Millisecond) {
		w.t.Errorf("%s does not arrive: %s", what, strings.Join(w.Passed()[id], ", "))
	}
}

func (w *Way) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	_ = w.conn.Close()
	for _, r := range w.relays {
		r.close()
	}
}

func (w *Way) read() {
	buf := make([]byte, 64<<10)
	for {
		n, from, err := w.conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			if bytes.Contains([]byte(err.Error()), []byte("closed")) {
				return
			}
			continue // of a packet that nobody wanted
		}
		w.signal(bytes.Clone(buf[:n]), netip.AddrPortFrom(from.Addr().Unmap(), from.Port()))
	}
}

var (
	callID  = regexp.MustCompile(`(?im)^(?:Call-ID|i): *(\S+)`)
	method  = regexp.MustCompile(`(?im)^CSeq: *\d+ +(\S+)`)
	length  = regexp.MustCompile(`(?im)^(Content-Length|l):[^\r\n]*`)
	streams = regexp.MustCompile(`(?m)^m=audio (\d+)`)
	hosts   = regexp.MustCompile(`(?m)^c=IN IP4 ([0-9.]+)`)
)

// signal sends a message on, with our addresses in place of its sender's.
func (w *Way) signal(raw []byte, from netip.AddrPort) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := callID.FindSubmatch(raw)
	if w.closed || id == nil {
		return
	}
	if !w.peer.IsValid() && from != w.node {
		w.peer = from
	}
	byNode := from != w.peer
	if byNode {
		w.node = from
	}
	to, own := w.peer, local(w.Port)
	if !byNode {
		to = w.node
	}
	if !to.IsValid() {
		return
	}
	head, body, _ := strings.Cut(string(raw), "\r\n\r\n")
	head = strings.NewReplacer(from.String(), own.String(), own.String(), to.String()).Replace(head)
	if streams.MatchString(body) {
		body = w.relayed(string(id[1]), body, byNode)
		head = length.ReplaceAllString(head, "${1}: "+strconv.Itoa(len(body)))
	}
	what := said(head, byNode)
	for _, later := range w.out.next() {
		time.AfterFunc(later, func() { w.arrive(string(id[1]), what, []byte(head+"\r\n\r\n"+body), to) })
	}
}

// said is what a message is, in short.
func said(head string, byNode bool) string {
	first := strings.Fields(head)
	what := first[0]
	if strings.HasPrefix(what, "SIP/") && len(first) > 1 {
		what = first[1]
		if m := method.FindStringSubmatch(head); m != nil {
			what += " " + m[1]
		}
	}
	if byNode {
		return "> " + what
	}
	return "< " + what
}

func (w *Way) arrive(id, what string, raw []byte, to netip.AddrPort) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.passed[id] = append(w.passed[id], what)
	_, _ = w.conn.WriteToUDPAddrPort(raw, to)
}

// relayed is a description that has the sound go by us.
func (w *Way) relayed(id, body string, byNode bool) string {
	r := w.relays[id]
	if r == nil {
		r = newRelay(w.t, w.seed+uint64(len(w.relays)), w.sound)
		w.relays[id] = r
	}
	port, err := strconv.Atoi(streams.FindStringSubmatch(body)[1])
	if err != nil {
		return body
	}
	host := Host
	if m := hosts.FindStringSubmatch(body); m != nil {
		host = m[1]
	}
	ours := r.describe(byNode, netip.AddrPortFrom(netip.MustParseAddr(host), uint16(port)))
	body = hosts.ReplaceAllString(body, "c=IN IP4 "+Host)
	return streams.ReplaceAllString(body, fmt.Sprintf("m=audio %d", ours))
}

// fates are those of packets of one direction.
type fates struct {
	Weather
	r *rand.Rand
}

func newFates(seed uint64, of Weather) *fates { return &fates{of, rand.New(rand.NewPCG(seed, 1))} }

// next is by how much the next packet is late, once for each time that it arrives.
func (f *fates) next() (later []time.Duration) {
	times := 1
	if f.r.Float64() < f.Doubled {
		times = 2
	}
	if f.r.Float64() < f.Lost {
		times--
	}
	for range times {
		var d time.Duration
		if f.Jitter > 0 {
			d = time.Duration(f.r.Int64N(int64(f.Jitter)))
		}
		if f.r.Float64() < f.Late {
			d += time.Second
		}
		later = append(later, d)
	}
	return later
}
