package livekittest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/livekit/signal"
	"github.com/parley-platform/parley/adapters/voice"
)

// Person is somebody with a microphone in a room, who hears everybody.
type Person struct {
	socket   *websocket.Conn
	pub, sub *webrtc.PeerConnection
	says     *webrtc.TrackLocalStaticRTP
	writes   *webrtc.DataChannel
	joined   chan struct{} // closed when they are heard, and what they write is read
	ways     atomic.Int32  // of these two that are open
	hears    atomic.Bool   // somebody's sound has come, be it silence
	once     sync.Once
	next     rtp.Packet

	mu    sync.Mutex
	takes func(frame []int16) // each frame that comes
	heard int                 // packets in which something was said
	texts []string            // data that came
}

// Comes has somebody join a room of the server.
func (s *Server) Comes(ctx context.Context, identity, room string) (*Person, error) {
	token, err := s.Token(identity, room, "")
	if err != nil {
		return nil, err
	}
	return Enter(ctx, s.URL, token)
}

// Enter has somebody join a room by a token, until they are heard there.
func Enter(ctx context.Context, url, token string) (*Person, error) {
	p := &Person{joined: make(chan struct{})}
	p.next.Header = rtp.Header{Version: 2, SequenceNumber: 65_530, Timestamp: 4_294_967_000, Marker: true}
	var err error
	if p.socket, err = opened(ctx, url, token); err != nil {
		return nil, err
	}
	if err = p.connections(); err != nil {
		return nil, err
	}
	open := func() {
		if p.ways.Add(1) == 2 {
			close(p.joined)
		}
	}
	p.writes.OnOpen(open)
	p.pub.OnConnectionStateChange(func(to webrtc.PeerConnectionState) {
		if to == webrtc.PeerConnectionStateConnected {
			p.once.Do(open)
		}
	})
	p.sub.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		p.hears.Store(true)
		p.listen(t)
	})
	p.sub.OnDataChannel(func(d *webrtc.DataChannel) { d.OnMessage(func(m webrtc.DataChannelMessage) { p.told(m.Data) }) })
	broken := make(chan error, 1)
	go func() { broken <- p.serve() }()
	select {
	case <-p.joined:
		return p, nil
	case err := <-broken:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// opened is the socket by which a server talks with who has a token; an error has what it says.
func opened(ctx context.Context, url, token string) (*websocket.Conn, error) {
	url = "ws" + strings.TrimPrefix(strings.TrimPrefix(url, "http"), "ws")
	socket, refused, err := websocket.Dial(ctx, url+"/rtc?auto_subscribe=1&protocol=13&access_token="+token, nil)
	if err != nil {
		if refused != nil {
			why, _ := io.ReadAll(refused.Body)
			err = fmt.Errorf("%w: %s", err, why)
		}
		return nil, err
	}
	return socket, nil
}

// connections are one to speak and write by, and one to hear by.
func (p *Person) connections() (err error) {
	var s webrtc.SettingEngine
	s.SetIncludeLoopbackCandidate(true)
	var m webrtc.MediaEngine
	if err := m.RegisterCodec(webrtc.RTPCodecParameters{RTPCodecCapability: pcmuCodec}, webrtc.RTPCodecTypeAudio); err != nil {
		return err
	}
	api := webrtc.NewAPI(webrtc.WithSettingEngine(s), webrtc.WithMediaEngine(&m))
	for _, of := range []**webrtc.PeerConnection{&p.pub, &p.sub} {
		if *of, err = api.NewPeerConnection(webrtc.Configuration{}); err != nil {
			return err
		}
	}
	if p.says, err = webrtc.NewTrackLocalStaticRTP(pcmuCodec, "mic", "person"); err != nil {
		return err
	}
	if _, err = p.pub.AddTrack(p.says); err != nil {
		return err
	}
	p.writes, err = p.pub.CreateDataChannel("_reliable", nil)
	return err
}

func (p *Person) serve() error {
	for {
		_, data, err := p.socket.Read(context.Background())
		if err != nil {
			return err
		}
		r, err := signal.Read(data)
		switch {
		case err != nil:
		case r.Join != nil:
			err = p.send(signal.Request{AddTrack: &signal.AddTrack{CID: "mic", Name: "mic", Source: signal.Microphone}})
		case r.Published != nil:
			err = p.describes(p.pub, signal.Request{Offer: &signal.Description{Type: "offer"}})
		case r.Answer != nil:
			err = p.pub.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: r.Answer.SDP})
		case r.Offer != nil:
			if err = p.sub.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: r.Offer.SDP}); err == nil {
				err = p.describes(p.sub, signal.Request{Answer: &signal.Description{Type: "answer", ID: r.Offer.ID}})
			}
		case r.Leave != nil:
			return errors.New("told to leave: " + r.Leave.Reason.String())
		}
		if err != nil {
			return err
		}
	}
}

// describes sends the own description of a connection, with all its addresses.
func (p *Person) describes(of *webrtc.PeerConnection, r signal.Request) error {
	made, into := webrtc.SessionDescription{}, r.Offer
	var err error
	if r.Offer != nil {
		made, err = of.CreateOffer(nil)
	} else {
		into = r.Answer
		made, err = of.CreateAnswer(nil)
	}
	if err != nil {
		return err
	}
	known := webrtc.GatheringCompletePromise(of)
	if err := of.SetLocalDescription(made); err != nil {
		return err
	}
	<-known
	into.SDP = of.LocalDescription().SDP
	return p.send(r)
}

func (p *Person) send(r signal.Request) error {
	return p.socket.Write(context.Background(), websocket.MessageBinary, r.Marshal())
}

func (p *Person) listen(t *webrtc.TrackRemote) {
	var samples [voice.FrameSamples]int16
	for {
		packet, _, err := t.ReadRTP()
		if err != nil {
			return
		}
		voice.MuLaw.Decode(samples[:], packet.Payload)
		p.mu.Lock()
		if p.takes != nil {
			p.takes(samples[:])
		}
		if slices.ContainsFunc(samples[:], func(s int16) bool { return s > 1_000 || s < -1_000 }) {
			p.heard++
		}
		p.mu.Unlock()
	}
}

func (p *Person) told(packet []byte) {
	all, _ := fields(packet)
	for _, f := range all {
		if f.num == 2 {
			p.mu.Lock()
			p.texts = append(p.texts, texts(f.data)[4]+": "+texts(f.data)[2])
			p.mu.Unlock()
		}
	}
}

// Hears tells whether somebody's sound comes, be it silence: what was said before was said to nobody.
func (p *Person) Hears() bool { return p.hears.Load() }

// Heard is how many packets came in which something was said.
func (p *Person) Heard() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard
}

// Gives has somebody given every frame that comes, from now on.
func (p *Person) Gives(take func(frame []int16)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takes = take
}

// Texts are the data that came, each behind its topic.
func (p *Person) Texts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.texts)
}

// Say sends a frame. Its time is the caller's, of whom there is one.
func (p *Person) Say(frame []byte) error {
	p.next.Payload = frame
	err := p.says.WriteRTP(&p.next)
	p.next.SequenceNumber++
	p.next.Timestamp += voice.FrameSamples
	p.next.Marker = false
	return err
}

// Says says sound like speech, again and again with a pause between, as who waits for an answer does; until ctx
// ends, or the person has left.
func (p *Person) Says(ctx context.Context) {
	every := time.NewTicker(voice.FrameTime)
	defer every.Stop()
	loud, random := make([]byte, voice.FrameSamples), uint32(1)
	var samples [voice.FrameSamples]int16
	for i := 0; ctx.Err() == nil; i++ {
		for k := range samples {
			random = random*1_664_525 + 1_013_904_223
			samples[k] = 0
			if i%150 < 40 { // 0.8 s of 3
				samples[k] = int16(int32(random)>>16) / 8 * int16(1+i%5) / 3
			}
		}
		voice.MuLaw.Encode(loud, samples[:])
		if p.Say(loud) != nil {
			return
		}
		select {
		case <-every.C:
		case <-ctx.Done():
		}
	}
}

// Writes sends a text as LiveKit's clients do: as a stream, in parts, and again with the same id for who knows no streams.
func (p *Person) Writes(text string) error {
	id := uuid.NewString()
	packets := []pb{headerPacket(id, "lk.chat", len(text))}
	for i := 0; len(text) > i*longestPart; i++ {
		packets = append(packets, chunkPacket(id, i, text[i*longestPart:min((i+1)*longestPart, len(text))]))
	}
	again, err := json.Marshal(map[string]any{"id": id, "timestamp": 1_764_072_000_123, "message": text, "ignoreLegacy": true})
	if err != nil {
		return err
	}
	return p.sends(append(packets, trailerPacket(id), userPacket("lk-chat-topic", again))...)
}

const longestPart = 15_000 // bytes of a text in one packet

// Sends sends data of a program's own.
func (p *Person) Sends(topic string, payload []byte) error {
	return p.sends(userPacket(topic, payload))
}

// Presses presses a key of a telephone.
func (p *Person) Presses(key string) error { return p.sends(keyPacket(key)) }

func (p *Person) sends(packets ...pb) error {
	for _, packet := range packets {
		if err := p.writes.Send(packet); err != nil {
			return err
		}
	}
	return nil
}

// Leave leaves the room.
func (p *Person) Leave() {
	_ = p.send(signal.Request{Leave: &signal.Leave{Reason: signal.ClientInitiated}})
	_ = p.socket.CloseNow()
	_ = p.pub.Close()
	_ = p.sub.Close()
}
