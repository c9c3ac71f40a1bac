// Package rtctest is the page in tests of calls: a client of WebRTC with a microphone of its own, made
// with pion. It never is in the binary.
package rtctest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/logging"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"
)

// PCMU is what calls are in.
var PCMU = webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMU, ClockRate: 8_000, Channels: 1}

// Page is one call of a page.
type Page struct {
	*webrtc.PeerConnection
	Offer string

	way       *way
	says      *microphone
	connected chan struct{}
	closed    chan struct{}
	once      sync.Once
	ended     sync.Once

	mu    sync.Mutex
	heard []rtp.Packet
	next  rtp.Packet
}

// New makes a page with an offer that has all its addresses. with may add more to it, such as video.
func New(with ...func(*webrtc.PeerConnection) error) (*Page, error) {
	by, err := newWay()
	if err != nil {
		return nil, err
	}
	api, err := browser(by)
	if err != nil {
		return nil, err
	}
	pc, err := api.NewPeerConnection(webrtc.Configuration{})
	if err != nil {
		return nil, err
	}
	p := &Page{PeerConnection: pc, way: by, connected: make(chan struct{}), closed: make(chan struct{})}
	p.next.Header = rtp.Header{Version: 2, SequenceNumber: 65_530, Timestamp: 4_294_967_000, Marker: true}
	track, err := webrtc.NewTrackLocalStaticRTP(PCMU, "audio", "page")
	if err != nil {
		return nil, err
	}
	p.says = &microphone{TrackLocalStaticRTP: track}
	if _, err := pc.AddTrack(p.says); err != nil {
		return nil, err
	}
	for _, f := range with {
		if err := f(pc); err != nil {
			return nil, err
		}
	}
	pc.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { p.listen(t) })
	pc.OnConnectionStateChange(func(s webrtc.PeerConnectionState) {
		switch s {
		case webrtc.PeerConnectionStateConnected:
			p.once.Do(func() { close(p.connected) })
		case webrtc.PeerConnectionStateClosed, webrtc.PeerConnectionStateFailed:
			p.ended.Do(func() { close(p.closed) })
		}
	})
	offer, err := pc.CreateOffer(nil)
	if err != nil {
		return nil, err
	}
	known := webrtc.GatheringCompletePromise(pc)
	if err := pc.SetLocalDescription(offer); err != nil {
		return nil, err
	}
	<-known
	p.Offer = pc.LocalDescription().SDP
	return p, nil
}

// browser knows what browsers know of codecs, and sends by the way.
func browser(by *way) (*webrtc.API, error) {
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	s.SetICETimeouts(5*time.Second, 30*time.Second, 200*time.Millisecond) // it says that it is there oftener than browsers
	s.SetICEUDPMux(webrtc.NewICEUDPMux(logging.NewDefaultLeveledLoggerForScope("", logging.LogLevelDisabled, nil), by))
	var m webrtc.MediaEngine
	for _, codec := range []webrtc.RTPCodecParameters{
		{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48_000, Channels: 2}, PayloadType: 111},
		{RTPCodecCapability: PCMU},
		{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypePCMA, ClockRate: 8_000, Channels: 1}, PayloadType: 8},
		{RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: "audio/telephone-event", ClockRate: 8_000}, PayloadType: keysType},
	} {
		if err := m.RegisterCodec(codec, webrtc.RTPCodecTypeAudio); err != nil {
			return nil, err
		}
	}
	vp8 := webrtc.RTPCodecParameters{PayloadType: 96,
		RTPCodecCapability: webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: 90_000}}
	if err := m.RegisterCodec(vp8, webrtc.RTPCodecTypeVideo); err != nil {
		return nil, err
	}
	return webrtc.NewAPI(webrtc.WithSettingEngine(s), webrtc.WithMediaEngine(&m)), nil
}

// Accept takes the answer, and waits until the page is connected.
func (p *Page) Accept(ctx context.Context, answer string) error {
	if err := p.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: answer}); err != nil {
		return err
	}
	select {
	case <-p.connected:
		return nil
	case <-p.closed:
		return fmt.Errorf("the connection was closed")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Vanishes has the page go without a word: nothing comes of it any more, and nothing reaches it.
func (p *Page) Vanishes() { p.way.cut.Store(true) }

// Close ends the call.
func (p *Page) Close() error { return errors.Join(p.PeerConnection.Close(), p.way.Close()) }

// way is how the packets of a page go, until it is cut: then they are lost, both ways.
type way struct {
	net.PacketConn
	cut atomic.Bool
}

func newWay() (*way, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	return &way{PacketConn: conn}, err
}

// ReadFrom implements net.PacketConn.
func (w *way) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := w.PacketConn.ReadFrom(b)
		if err != nil || !w.cut.Load() {
			return n, from, err
		}
	}
}

// WriteTo implements net.PacketConn.
func (w *way) WriteTo(b []byte, to net.Addr) (int, error) {
	if w.cut.Load() {
		return len(b), nil
	}
	return w.PacketConn.WriteTo(b, to)
}

// Closed is closed when the other side has ended the call.
func (p *Page) Closed() <-chan struct{} { return p.closed }

// Say sends frames of PCMU, one every 20 ms.
func (p *Page) Say(ctx context.Context, frames ...[]byte) error {
	every := time.NewTicker(20 * time.Millisecond)
	defer every.Stop()
	for _, frame := range frames {
		p.next.Payload = frame
		if err := p.says.WriteRTP(&p.next); err != nil {
			return err
		}
		p.next.SequenceNumber++
		p.next.Timestamp += uint32(len(frame))
		p.next.Marker = false
		select {
		case <-every.C:
		case <-p.closed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// keysType is the type of packets of keys, as Firefox has it.
const keysType = 101

// microphone is a track that sends packets of other types, too.
type microphone struct {
	*webrtc.TrackLocalStaticRTP
	to webrtc.TrackLocalContext
}

// Bind implements webrtc.TrackLocal.
func (m *microphone) Bind(to webrtc.TrackLocalContext) (webrtc.RTPCodecParameters, error) {
	m.to = to
	return m.TrackLocalStaticRTP.Bind(to)
}

// Press presses a key (its number in RFC 4733) as browsers do: some packets while it is down, and three of its end.
func (p *Page) Press(ctx context.Context, event byte) error {
	for i := range 8 {
		end := byte(0)
		if i >= 5 {
			end = 0x80
		}
		if err := p.Sends(keysType, []byte{event, end | 10, 0, 160}); err != nil {
			return err
		}
	}
	p.next.Timestamp += 1_600
	return p.Say(ctx, quiet)
}

// Sends sends a packet of any type.
func (p *Page) Sends(kind uint8, payload []byte) error {
	h := p.next.Header
	h.PayloadType, h.SSRC = kind, uint32(p.says.to.SSRC())
	p.next.SequenceNumber++
	_, err := p.says.to.WriteStream().WriteRTP(&h, payload)
	return err
}

var quiet = bytes.Repeat([]byte{0xff}, 160)

// Murmur says silence until the call is over, as a page does whose microphone is on.
func (p *Page) Murmur(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-p.closed:
			return
		default:
		}
		if p.Say(ctx, quiet) != nil {
			return
		}
	}
}

func (p *Page) listen(t *webrtc.TrackRemote) {
	for {
		packet, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		p.mu.Lock()
		p.heard = append(p.heard, *packet)
		p.mu.Unlock()
	}
}

// Heard are the packets that came.
func (p *Page) Heard() []rtp.Packet {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]rtp.Packet(nil), p.heard...)
}
