// Package rtc is people who talk from a page: WebRTC, by one UDP port for all of them, in telephone
// quality (PCMU), so that their sound is that of every other call.
//
// It owns offers and answers, the connections behind them, and the packets of their sound. What the
// sound means is the line's (package voice). It knows no session and no token, writes no events, and
// asks no other machine: a page finds the node by the addresses in its answer.
package rtc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/ice/v4"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/fault"
)

// Config is where pages send their sound, and what is made of it.
type Config struct {
	Listen string        // HOST:PORT of UDP
	Public []string      // addresses by which pages reach the host, if they are not its own
	Most   int           // at a time; 0: 250
	Within time.Duration // a page has to be connected; 0: 20 s
	Quiet  time.Duration // for so long nothing came of a page: it is gone; 0: 10 s
}

const (
	most   = 250
	within = 20 * time.Second
	quiet  = 10 * time.Second
	lost   = 5 * time.Second // no sign of life for so long, and it is looked closer
)

// Server takes the calls of pages.
type Server struct {
	cfg  Config
	conn *net.UDPConn
	api  *webrtc.API

	mu      sync.Mutex
	legs    map[*Leg]struct{}
	closing bool
}

// Listen opens the port.
func Listen(cfg Config) (*Server, error) {
	cfg.fill()
	at, err := net.ResolveUDPAddr("udp", cfg.Listen)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP("udp", at)
	if err != nil {
		return nil, err
	}
	api, err := newAPI(cfg, conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Server{cfg: cfg, conn: conn, api: api, legs: map[*Leg]struct{}{}}, nil
}

func (c *Config) fill() {
	if c.Most == 0 {
		c.Most = most
	}
	if c.Within == 0 {
		c.Within = within
	}
	if c.Quiet == 0 {
		c.Quiet = quiet
	}
}

// newAPI is pion with what a call needs, and nothing else: one codec and keys, no feedback about video, no
// names of the local network. The server answers only, and waits to be asked (ICE-lite): pages find it.
func newAPI(cfg Config, conn *net.UDPConn) (*webrtc.API, error) {
	var s webrtc.SettingEngine
	s.LoggerFactory = quietly{}
	s.SetLite(true)
	s.SetICEUDPMux(webrtc.NewICEUDPMux(quietly{}.NewLogger(""), conn))
	s.SetICEMulticastDNSMode(ice.MulticastDNSModeDisabled)
	s.SetICETimeouts(cfg.Quiet/2, cfg.Quiet-cfg.Quiet/2, 0) // the second is counted from the end of the first
	networks := []webrtc.NetworkType{webrtc.NetworkTypeUDP4}
	at := conn.LocalAddr().(*net.UDPAddr).IP
	if at.To4() == nil {
		networks = append(networks, webrtc.NetworkTypeUDP6)
	}
	s.SetNetworkTypes(networks)
	s.SetIncludeLoopbackCandidate(at.IsLoopback())
	for _, address := range cfg.Public {
		if _, err := netip.ParseAddr(address); err != nil {
			return nil, fmt.Errorf("the public addresses: %q is no IP address", address)
		}
	}
	if len(cfg.Public) > 0 {
		if err := s.SetICEAddressRewriteRules(webrtc.ICEAddressRewriteRule{External: cfg.Public,
			AsCandidateType: webrtc.ICECandidateTypeHost}); err != nil {
			return nil, fmt.Errorf("the public addresses: %w", err)
		}
	}
	var m webrtc.MediaEngine
	for _, codec := range []webrtc.RTPCodecParameters{{RTPCodecCapability: pcmu, PayloadType: payloadType},
		{RTPCodecCapability: keys, PayloadType: keysType}} {
		if err := m.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, fmt.Errorf("the codec: %w", err)
		}
	}
	return webrtc.NewAPI(webrtc.WithSettingEngine(s), webrtc.WithMediaEngine(&m)), nil
}

const (
	payloadType = 0   // of PCMU, for ever (RFC 3551)
	keysType    = 126 // of telephone events, as browsers have it; the page's own counts
)

var (
	pcmu = webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: 8_000, Channels: 1}
	keys = webrtc.RTPCodecCapability{MimeType: "audio/telephone-event", ClockRate: 8_000}
)

// Address is where pages send their sound.
func (s *Server) Address() string { return s.conn.LocalAddr().String() }

// Legs is how many pages talk.
func (s *Server) Legs() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.legs)
}

// Answer takes the offer of a page, and gives its leg and the answer, which has all there is to know:
// nothing is told later. The line is the leg's from now on, and has its turns from the pacer. Until the
// page is connected nothing is said on it and nothing heard. A refusal names what of the offer is wrong;
// then there is no leg, and the line is closed.
func (s *Server) Answer(ctx context.Context, line *voice.Line, pacer *voice.Pacer, offer string) (*Leg, string, error) {
	l := newLeg(s, line, pacer)
	err := judge(offer)
	if err == nil {
		err = s.enter(l)
	}
	if err == nil {
		var answer string
		if answer, err = l.open(ctx, offer); err == nil {
			return l, answer, nil
		}
	}
	l.end(nil)
	return nil, "", err
}

func (s *Server) enter(l *Leg) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return fault.New(fault.Unavailable, "this node is shutting down").After(time.Second)
	case len(s.legs) >= s.cfg.Most:
		return fault.New(fault.QueueFull, "%d pages talk on this node already", s.cfg.Most).After(10 * time.Second)
	}
	s.legs[l] = struct{}{}
	return nil
}

func (s *Server) left(l *Leg) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.legs, l)
}

// Close ends what is left, and gives the port back.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closing = true
	var left []*Leg
	for l := range s.legs {
		left = append(left, l)
	}
	s.mu.Unlock()
	for _, l := range left {
		l.lost("the node stops")
	}
	return s.conn.Close()
}
