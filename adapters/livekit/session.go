package livekit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/livekit/signal"
)

// session is one time of being in a room: a socket, and a connection each way. When one of them breaks all of
// it is over, and there may be another.
type session struct {
	leg    *Leg
	socket *websocket.Conn
	reach  reach
	life   context.Context
	die    context.CancelFunc
	self   string // what the server calls us

	greeted bool // the server has said that we are in the room

	says     *webrtc.TrackLocalStaticRTP // by pub
	pub, sub *webrtc.PeerConnection
	held     map[signal.Target][]webrtc.ICECandidateInit // candidates that came before their description

	joined  chan struct{} // closed when what we say is heard
	joins   sync.Once
	over    chan ending // has one when the session is over
	news    chan struct{}
	present presence

	mail  sync.Mutex
	early []signal.Data // of those of whom the server has not told yet that they are there: that comes another way
}

// ending is why a session is over.
type ending struct {
	again bool // another may follow
	gone  bool // the room is over, or we were sent away: nobody is there any more
	why   string
}

const (
	trackID     = "parley-agent" // of what we publish; there is one
	mostMessage = 1 << 20
	writeWithin = 5 * time.Second
)

// connect joins the room once, until what we say is heard there.
func (r *Rooms) connect(ctx context.Context, l *Leg) (*session, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Within)
	defer cancel()
	s := &session{leg: l, reach: r.outside, held: map[signal.Target][]webrtc.ICECandidateInit{}, joined: make(chan struct{}),
		over: make(chan ending, 1), news: make(chan struct{}, 1)}
	if l.at.Inside {
		s.reach = r.inside
	}
	s.life, s.die = context.WithCancel(context.Background())
	if err := s.dial(ctx); err != nil {
		s.die()
		return nil, err
	}
	if err := s.open(); err != nil {
		s.close()
		return nil, err
	}
	go s.serve()
	select {
	case <-s.joined:
		return s, nil
	case end := <-s.over:
		s.close()
		return nil, fmt.Errorf("joining a room: %s", end.why)
	case <-ctx.Done():
		s.leave()
		return nil, fmt.Errorf("joining a room: %w", ErrNoSound)
	}
}

// dial opens the socket. The token is sent as a header, since addresses stand in logs.
func (s *session) dial(ctx context.Context) error {
	address, err := socketOf(s.leg.at.URL)
	if err != nil {
		return fmt.Errorf("joining a room: %w", err)
	}
	token, err := s.leg.at.Token()
	if err != nil {
		return fmt.Errorf("joining a room: %w", err)
	}
	conn, res, err := websocket.Dial(ctx, address, &websocket.DialOptions{HTTPClient: s.reach.http,
		HTTPHeader: http.Header{"Authorization": {"Bearer " + token}, "User-Agent": {"parley"}}})
	if err == nil {
		conn.SetReadLimit(mostMessage)
		s.socket = conn
		return nil
	}
	if res == nil || res.StatusCode == http.StatusSwitchingProtocols {
		return errors.New("joining a room: the server cannot be reached, or does not answer") // the error would name its address
	}
	switch status := res.StatusCode; {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Errorf("joining a room: %w (%d)", ErrRefused, status)
	case status == http.StatusTooManyRequests || status >= http.StatusInternalServerError:
		return fmt.Errorf("joining a room: the server answers %d", status)
	default:
		return fmt.Errorf("joining a room: %w (%d)", ErrNoRoom, status)
	}
}

// open makes both connections.
func (s *session) open() (err error) {
	if s.says, err = webrtc.NewTrackLocalStaticRTP(pcmuCodec, trackID, "parley"); err != nil {
		return err
	}
	for _, of := range []**webrtc.PeerConnection{&s.pub, &s.sub} {
		if *of, err = s.reach.api.NewPeerConnection(webrtc.Configuration{}); err != nil {
			return fmt.Errorf("no connection can be made for a room: %w", err)
		}
	}
	// PCMU alone is offered: of several codecs LiveKit's server takes the first one for what is sent, whatever is.
	speaker, err := s.pub.AddTransceiverFromTrack(s.says, webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionSendonly})
	if err == nil {
		err = speaker.SetCodecPreferences([]webrtc.RTPCodecParameters{{RTPCodecCapability: pcmuCodec, PayloadType: pcmuType}})
	}
	if err != nil {
		return fmt.Errorf("no connection can be made for a room: %w", err)
	}
	s.pub.OnConnectionStateChange(func(to webrtc.PeerConnectionState) {
		if to == webrtc.PeerConnectionStateConnected {
			s.joins.Do(func() { close(s.joined) })
		}
		s.changed(to)
	})
	s.sub.OnConnectionStateChange(s.changed)
	s.sub.OnDataChannel(func(d *webrtc.DataChannel) {
		d.OnMessage(func(m webrtc.DataChannelMessage) { s.wrote(m.Data) })
	})
	s.sub.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { s.leg.hear(t) })
	return nil
}

// changed follows the connections: one of which nothing comes any more is broken.
func (s *session) changed(to webrtc.PeerConnectionState) {
	if to == webrtc.PeerConnectionStateFailed {
		s.end(ending{again: true, why: "the connection to the room broke"})
	}
}

// serve hears the server until the session is over.
func (s *session) serve() {
	silent := quiet
	for s.life.Err() == nil {
		ctx, cancel := context.WithTimeout(s.life, silent)
		_, data, err := s.socket.Read(ctx)
		cancel()
		if err != nil {
			s.end(ending{again: true, why: "the socket of the room broke"})
			return
		}
		r, err := signal.Read(data)
		if err == nil {
			err = s.take(r)
		}
		if err != nil {
			s.end(ending{again: true, why: err.Error()})
			return
		}
		if j := r.Join; j != nil && j.PingTimeout > 0 {
			silent = time.Duration(j.PingTimeout) * time.Second
		}
	}
}

// take does what a message of the server asks for.
func (s *session) take(r signal.Response) error {
	switch {
	case r.Join != nil && s.greeted:
		s.people(r.Join.Others) // we are in the room, and neither publish nor say that we are there a second time
	case r.Join != nil:
		s.greeted, s.self = true, r.Join.Self.SID
		s.people(r.Join.Others)
		go s.ping(time.Duration(r.Join.PingInterval) * time.Second)
		return s.send(signal.Request{AddTrack: &signal.AddTrack{CID: trackID, Name: "agent", Source: signal.Microphone, DisableDTX: true,
			DisableRED: true}})
	case r.Published != nil && r.Published.CID == trackID:
		return s.offer()
	case r.Refused != nil:
		return s.refused(*r.Refused)
	case r.Answer != nil:
		if err := s.describe(signal.Publisher, s.pub, webrtc.SDPTypeAnswer, *r.Answer); err != nil {
			return fmt.Errorf("the answer of the room cannot be taken: %w", err)
		}
	case r.Offer != nil:
		return s.answer(*r.Offer)
	case r.Trickle != nil:
		s.candidate(*r.Trickle)
	case r.Update != nil:
		s.people(r.Update)
	case r.Leave != nil:
		s.end(endingOf(*r.Leave))
	}
	return nil
}

// refused is about the one thing that we ask for, and must have: to be heard. Later it is about something that
// nobody waits for.
func (s *session) refused(r signal.Refused) error {
	select {
	case <-s.joined:
		return nil
	default:
		return fmt.Errorf("the server does not let us speak (%d)", r.Code)
	}
}

// offer asks to be heard.
func (s *session) offer() error {
	offer, err := s.pub.CreateOffer(nil)
	if err == nil {
		err = s.local(s.pub, offer)
	}
	if err != nil {
		return fmt.Errorf("no offer can be made for a room: %w", err)
	}
	return s.send(signal.Request{Offer: &signal.Description{Type: "offer", SDP: s.pub.LocalDescription().SDP}})
}

// answer takes the offer of others' sound, which comes again whenever somebody else is heard.
func (s *session) answer(offer signal.Description) error {
	err := s.describe(signal.Subscriber, s.sub, webrtc.SDPTypeOffer, offer)
	if err != nil {
		return fmt.Errorf("the offer of the room cannot be taken: %w", err)
	}
	answer, err := s.sub.CreateAnswer(nil)
	if err == nil {
		err = s.local(s.sub, answer)
	}
	if err != nil {
		return fmt.Errorf("the offer of the room cannot be answered: %w", err)
	}
	return s.send(signal.Request{Answer: &signal.Description{Type: "answer", SDP: s.sub.LocalDescription().SDP, ID: offer.ID}})
}

// local is our own description, with all its addresses: nothing is told later.
func (s *session) local(of *webrtc.PeerConnection, d webrtc.SessionDescription) error {
	known := webrtc.GatheringCompletePromise(of)
	if err := of.SetLocalDescription(d); err != nil {
		return err
	}
	select {
	case <-known:
		return nil
	case <-s.life.Done():
		return s.life.Err()
	}
}

// describe takes a description of the server's, and the candidates that came before it.
func (s *session) describe(target signal.Target, of *webrtc.PeerConnection, as webrtc.SDPType, d signal.Description) error {
	sdp := s.leg.rooms.reachableOnly(d.SDP, s.leg.at.Inside)
	if err := of.SetRemoteDescription(webrtc.SessionDescription{Type: as, SDP: sdp}); err != nil {
		return err
	}
	for _, c := range s.held[target] {
		_ = of.AddICECandidate(c)
	}
	delete(s.held, target)
	return nil
}

const mostHeld = 64 // candidates that nobody can use yet

// candidate takes an address of the server's. One that cannot be used is one of several.
func (s *session) candidate(t signal.Trickle) {
	var c webrtc.ICECandidateInit
	if t.Init == "" || json.Unmarshal([]byte(t.Init), &c) != nil || c.Candidate == "" ||
		!s.leg.rooms.reachable(c.Candidate, s.leg.at.Inside) {
		return
	}
	of := s.pub
	if t.Target == signal.Subscriber {
		of = s.sub
	}
	if of.RemoteDescription() != nil {
		_ = of.AddICECandidate(c)
	} else if len(s.held[t.Target]) < mostHeld {
		s.held[t.Target] = append(s.held[t.Target], c)
	}
}

// endingOf is what becomes of us whom the server sends away.
func endingOf(l signal.Leave) ending {
	end := ending{why: "the room: " + l.Reason.String()}
	switch l.Reason {
	case signal.RoomDeleted, signal.RoomClosed, signal.ParticipantRemoved:
		end.gone = true
	case signal.DuplicateIdentity:
	default:
		end.again = l.CanReconnect || l.Action != signal.Disconnect || l.Reason == signal.ServerShutdown
	}
	return end
}

// ping tells the server that we are there, as often as it wants to hear it.
func (s *session) ping(every time.Duration) {
	if every <= 0 {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case at := <-tick.C:
			if s.send(signal.Request{Ping: &signal.Ping{Timestamp: at.UnixMilli()}}) != nil {
				return
			}
		case <-s.life.Done():
			return
		}
	}
}

func (s *session) send(r signal.Request) error {
	ctx, cancel := context.WithTimeout(s.life, writeWithin)
	defer cancel()
	if err := s.socket.Write(ctx, websocket.MessageBinary, r.Marshal()); err != nil {
		return errors.New("the socket of the room broke")
	}
	return nil
}

// end says why the session is over, once.
func (s *session) end(e ending) {
	select {
	case s.over <- e:
	default:
	}
}

// leave says goodbye, and closes.
func (s *session) leave() {
	_ = s.send(signal.Request{Leave: &signal.Leave{Reason: signal.ClientInitiated}})
	s.close()
}

func (s *session) close() {
	s.die()
	_ = s.socket.CloseNow()
	for _, of := range []*webrtc.PeerConnection{s.pub, s.sub} {
		if of != nil {
			_ = of.Close()
		}
	}
}
