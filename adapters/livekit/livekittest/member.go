package livekittest

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/pion/webrtc/v4"
)

// member is somebody in a room.
type member struct {
	server              *Server
	room                *room
	socket              *websocket.Conn
	sid, identity, name string
	agent, auto         bool
	pub, sub            *webrtc.PeerConnection // as the client calls them
	reliable            *webrtc.DataChannel
	once                sync.Once

	mu     sync.Mutex
	reads  bool // reliable is open
	kept   []pb // data that comes before
	left   bool
	tracks []*track
	wanted map[string]*track // that it may hear, by sid
	hears  map[string]bool
	asked  map[string]bool // tracks that it wants, whether they are there or not
	offers int             // that were made
	waits  bool            // for an answer
	again  bool            // something else is to be offered then
	early  [2][]webrtc.ICECandidateInit
}

// track is what somebody publishes.
type track struct {
	of   *member
	sid  string
	cid  string
	mime string

	mu sync.Mutex
	to map[*member]hearing
}

// hearing is how somebody hears a track.
type hearing struct {
	local *webrtc.TrackLocalStaticRTP
	by    *webrtc.RTPSender
}

func (m *member) open() (err error) {
	if m.pub, err = m.server.api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		return err
	}
	if m.sub, err = m.server.api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		return err
	}
	m.wanted, m.hears, m.asked = map[string]*track{}, map[string]bool{}, map[string]bool{}
	if m.reliable, err = m.sub.CreateDataChannel("_reliable", nil); err != nil {
		return err
	}
	m.reliable.OnOpen(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.reads = true
		for _, packet := range m.kept {
			_ = m.reliable.Send(packet)
		}
	})
	none := uint16(0)
	if _, err = m.sub.CreateDataChannel("_lossy", &webrtc.DataChannelInit{MaxRetransmits: &none}); err != nil {
		return err
	}
	m.pub.OnDataChannel(func(d *webrtc.DataChannel) {
		d.OnMessage(func(p webrtc.DataChannelMessage) { m.writes(p.Data) })
	})
	m.pub.OnTrack(m.says)
	m.pub.OnICECandidate(func(c *webrtc.ICECandidate) { m.trickles(c, 0) })
	m.sub.OnICECandidate(func(c *webrtc.ICECandidate) { m.trickles(c, 1) })
	return nil
}

func (m *member) trickles(c *webrtc.ICECandidate, target int) {
	if c == nil {
		return
	}
	if init, err := json.Marshal(c.ToJSON()); err == nil {
		m.send(trickleMessage(string(init), target))
	}
}

func (m *member) send(message pb) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // a machine may stand still
	defer cancel()
	_ = m.socket.Write(ctx, websocket.MessageBinary, message)
}

// info is what others are told of somebody.
func (m *member) info() pb {
	m.mu.Lock()
	defer m.mu.Unlock()
	state, kind := 2, 0
	if m.left {
		state = 3
	}
	if m.agent {
		kind = 4
	}
	out := pb{}.str(1, m.sid).str(2, m.identity).num(3, state)
	for _, t := range m.tracks {
		if t.mime != "" {
			out = out.sub(4, t.info())
		}
	}
	return out.num(6, int(time.Now().Unix())).str(9, m.name).sub(11, pb{}.num(1, 1).num(2, 1).num(3, 1)).num(14, kind)
}

func (t *track) info() pb {
	return pb{}.str(1, t.sid).num(2, 0).str(3, "microphone").num(9, 2).str(11, t.mime)
}

// greet is the first that somebody hears; the connection by which others are heard is offered at once.
func (m *member) greet(others []*member) {
	room := pb{}.str(1, "RM_"+m.room.name).str(2, m.room.name).num(3, 300)
	join := pb{}.sub(1, room).sub(2, m.info())
	for _, o := range others {
		join = join.sub(3, o.info())
	}
	join = join.str(4, "1.9.0").num(6, 1).num(10, 15).num(11, 5).sub(12, pb{}.str(2, "1.9.0").num(3, 16))
	for range max(m.server.Greets, 1) {
		m.send(joinMessage(join))
	}
	m.offer()
}

// offer offers what somebody is to hear, or notes that it is to be, where an answer is waited for.
func (m *member) offer() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.waits {
		m.again = true
		return
	}
	offer, err := m.sub.CreateOffer(nil)
	if err != nil || m.sub.SetLocalDescription(offer) != nil {
		return
	}
	m.waits, m.offers = true, m.offers+1
	m.send(offerMessage(offer.SDP, m.offers))
}

// published are the tracks of somebody whose sound has come: before, nobody knows in what it is.
func (m *member) published() (all []*track) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range m.tracks {
		if t.mime != "" {
			all = append(all, t)
		}
	}
	return all
}

// offered says that somebody may hear a track, and lets them where they hear all.
func (m *member) offered(t *track) {
	m.mu.Lock()
	m.wanted[t.sid] = t
	wants := m.auto || m.asked[t.sid]
	m.mu.Unlock()
	if wants {
		m.hear(t.sid)
	}
}

// hear lets somebody hear a track.
func (m *member) hear(sid string) {
	m.mu.Lock()
	t := m.wanted[sid]
	if t == nil || m.hears[sid] {
		m.mu.Unlock()
		return
	}
	m.hears[sid] = true
	codec := opusCodec
	if t.mime == webrtc.MimeTypePCMU {
		codec = pcmuCodec
	}
	local, err := webrtc.NewTrackLocalStaticRTP(codec, t.sid, t.of.sid+"|"+t.sid)
	var by *webrtc.RTPTransceiver
	if err == nil {
		by, err = m.sub.AddTransceiverFromTrack(local, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendonly})
	}
	m.mu.Unlock()
	if err != nil {
		return
	}
	t.mu.Lock()
	t.to[m] = hearing{local, by.Sender()}
	t.mu.Unlock()
	m.offer()
}

// says takes the sound of somebody to all who hear it.
func (m *member) says(remote *webrtc.TrackRemote, by *webrtc.RTPReceiver) {
	m.mu.Lock()
	var t *track
	for _, of := range m.tracks {
		if of.mime == "" {
			t = of
			break
		}
	}
	if t != nil {
		t.mime = by.GetParameters().Codecs[0].MimeType // whatever is sent: of what was offered LiveKit's server takes the first
	}
	m.mu.Unlock()
	if t == nil {
		return
	}
	m.server.others(m, m.info())
	for _, o := range m.server.members(m.room.name) {
		if o != m {
			o.offered(t)
		}
	}
	for {
		p, _, err := remote.ReadRTP()
		if err != nil {
			return
		}
		t.mu.Lock()
		for _, to := range t.to {
			copied := *p
			_ = to.local.WriteRTP(&copied)
		}
		t.mu.Unlock()
	}
}

// writes takes the data of somebody to all others.
func (m *member) writes(packet []byte) {
	for _, o := range m.server.members(m.room.name) {
		if o != m {
			o.read(pb(packet).from(m))
		}
	}
}

// read sends somebody a packet of data, when they read any.
func (m *member) read(packet pb) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.reads {
		m.kept = append(m.kept, packet)
		return
	}
	_ = m.reliable.Send(packet)
}

// data sends somebody a packet of data that nobody in the room has sent.
func (m *member) data(payload []byte, topic string) {
	m.read(userPacket(topic, payload))
}

// serve does what somebody asks for until they are gone.
func (m *member) serve(ctx context.Context) {
	for {
		_, data, err := m.socket.Read(ctx)
		if err != nil {
			return
		}
		all, ok := fields(data)
		if !ok {
			return
		}
		for _, f := range all {
			switch f.num {
			case 1:
				m.answer(texts(f.data)[2], numberOf(f.data, 3))
			case 2:
				m.answered(texts(f.data)[2])
			case 3:
				m.candidate(texts(f.data)[1], numberOf(f.data, 2))
			case 4:
				m.publish(texts(f.data)[1])
			case 6:
				m.subscribe(f.data)
			case 8:
				return
			case 14:
				m.send(pb{}.num(18, int(time.Now().UnixMilli())))
			case 16:
				m.send(pongMessage(uint64(numberOf(f.data, 1))))
			}
		}
	}
}

func (m *member) publish(cid string) {
	if m.server.Mute {
		m.send(refusedMessage(2, "not allowed"))
		return
	}
	t := &track{of: m, sid: "TR_" + uuid.NewString()[:12], cid: cid, to: map[*member]hearing{}}
	m.mu.Lock()
	m.tracks = append(m.tracks, t)
	m.mu.Unlock()
	m.send(publishedMessage(cid, t.info()))
}

func (m *member) subscribe(asked []byte) {
	all, _ := fields(asked)
	for _, f := range all {
		if f.num == 1 {
			m.mu.Lock()
			m.asked[string(f.data)] = true
			m.mu.Unlock()
			m.hear(string(f.data))
		}
	}
}

// answer takes the offer of what somebody publishes.
func (m *member) answer(sdp string, id int) {
	if m.server.Deaf || m.pub.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: sdp}) != nil {
		return
	}
	m.flush(m.pub, 0)
	made, err := m.pub.CreateAnswer(nil)
	if err == nil && m.pub.SetLocalDescription(made) == nil {
		m.send(answerMessage(made.SDP, id))
	}
}

// answered takes the answer of who hears.
func (m *member) answered(sdp string) {
	if m.sub.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: sdp}) != nil {
		return
	}
	m.flush(m.sub, 1)
	m.mu.Lock()
	again := m.again
	m.waits, m.again = false, false
	m.mu.Unlock()
	if again {
		m.offer()
	}
}

func (m *member) candidate(init string, target int) {
	var c webrtc.ICECandidateInit
	if json.Unmarshal([]byte(init), &c) != nil || target > 1 {
		return
	}
	of := []*webrtc.PeerConnection{m.pub, m.sub}[target]
	if of.RemoteDescription() == nil {
		m.early[target] = append(m.early[target], c)
		return
	}
	_ = of.AddICECandidate(c)
}

func (m *member) flush(of *webrtc.PeerConnection, target int) {
	for _, c := range m.early[target] {
		_ = of.AddICECandidate(c)
	}
	m.early[target] = nil
}

func (m *member) close() {
	m.once.Do(func() {
		m.mu.Lock()
		m.left = true
		m.mu.Unlock()
		for _, o := range m.server.members(m.room.name) {
			for _, t := range o.published() {
				t.mu.Lock()
				delete(t.to, m)
				t.mu.Unlock()
			}
		}
		for _, t := range m.published() {
			t.mu.Lock()
			for who, how := range t.to {
				_ = who.sub.RemoveTrack(how.by)
				go who.offer()
			}
			t.mu.Unlock()
		}
		_ = m.pub.Close()
		_ = m.sub.Close()
		_ = m.socket.CloseNow()
	})
}
