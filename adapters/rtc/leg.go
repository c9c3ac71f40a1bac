package rtc

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/fault"
)

// Leg is the call of one page. Until the page is connected nothing is said on it.
type Leg struct {
	server *Server
	line   *voice.Line
	pacer  *voice.Pacer
	told   *voice.Telling
	page   *webrtc.PeerConnection
	says   *webrtc.TrackLocalStaticRTP

	connects  sync.Once
	connected chan struct{} // closed when sound goes both ways
	paced     func()        // takes it from the pacer

	packet rtp.Packet // the next, of the pacer
}

func newLeg(s *Server, line *voice.Line, pacer *voice.Pacer) *Leg {
	l := &Leg{server: s, line: line, pacer: pacer, connected: make(chan struct{}), told: voice.NewTelling()}
	l.packet.Header = rtp.Header{Version: 2, PayloadType: payloadType, SequenceNumber: uint16(rand.Uint32()), Timestamp: rand.Uint32(),
		Marker: true}
	return l
}

// open answers the offer. What fails here leaves a leg that is to be ended.
func (l *Leg) open(ctx context.Context, offer string) (answer string, err error) {
	if l.page, err = l.server.api.NewPeerConnection(webrtc.Configuration{}); err != nil {
		return "", fault.New(fault.Unavailable, "no connection can be made for a page").Because(err)
	}
	if l.says, err = webrtc.NewTrackLocalStaticRTP(pcmu, "audio", "parley"); err == nil {
		_, err = l.page.AddTrack(l.says)
	}
	if err != nil {
		return "", fault.New(fault.Unavailable, "no connection can be made for a page").Because(err)
	}
	l.page.OnTrack(func(t *webrtc.TrackRemote, _ *webrtc.RTPReceiver) { l.hear(t) })
	l.page.OnConnectionStateChange(l.changed)
	if err := l.page.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeOffer, SDP: offer}); err != nil {
		return "", fault.Field(field, "is no offer that can be answered").Because(err)
	}
	made, err := l.page.CreateAnswer(nil)
	if err != nil {
		return "", fault.Field(field, "is no offer that can be answered").Because(err)
	}
	known := webrtc.GatheringCompletePromise(l.page)
	if err := l.page.SetLocalDescription(made); err != nil {
		return "", fault.Field(field, "is no offer that can be answered").Because(err)
	}
	select {
	case <-known:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	go l.tell()
	return l.page.LocalDescription().SDP, nil
}

// tell tells what happens on the call, to its end. A page that is not connected in time is lost.
func (l *Leg) tell() {
	late := time.AfterFunc(l.server.cfg.Within, func() {
		select {
		case <-l.connected:
		default:
			l.lost("the page was not connected in time")
		}
	})
	defer late.Stop()
	l.told.Tell(l.line.Facts())
}

// changed follows the connection. A page that closes it has hung up; one of which nothing comes any
// more, not even a sign that it is there, is lost. Whoever is muted may send no sound, and is there.
func (l *Leg) changed(to webrtc.PeerConnectionState) {
	switch to {
	case webrtc.PeerConnectionStateConnected:
		l.connects.Do(l.connect)
	case webrtc.PeerConnectionStateClosed:
		l.Gone()
	case webrtc.PeerConnectionStateFailed:
		l.lost("nothing came of the page any more, or its connection broke")
	}
}

func (l *Leg) connect() {
	l.line.Answered(time.Now())
	l.paced = l.pacer.Add(l.tick)
	close(l.connected)
}

// hear takes what the page says, and the keys that are pressed there, until there is nothing more. A packet of a type
// that was not agreed on is passed over.
func (l *Leg) hear(t *webrtc.TrackRemote) {
	var pressed voice.KeyReader
	for {
		p, _, err := t.ReadRTP()
		switch {
		case errors.Is(err, webrtc.ErrCodecNotFound):
		case err != nil:
			return
		case p.PayloadType == payloadType:
			l.line.Receive(voice.Packet{Seq: p.SequenceNumber, Timestamp: p.Timestamp, Marker: p.Marker, Payload: p.Payload})
		case strings.EqualFold(t.Codec().MimeType, keys.MimeType):
			if digit, ok := pressed.Take(p.Timestamp, p.Payload); ok {
				l.line.Digit(digit, time.Now())
			}
			l.line.Beside(p.SequenceNumber)
		}
	}
}

// tick sends the next frame. It is the pacer's.
func (l *Leg) tick(at time.Time) {
	frame := l.line.Tick(at)
	l.packet.Payload = frame
	_ = l.says.WriteRTP(&l.packet) // what cannot be sent is lost, as it may be on the way
	l.packet.SequenceNumber++
	l.packet.Timestamp += uint32(len(frame))
	l.packet.Marker = false
}

// Facts are what the person does, in its order.
func (l *Leg) Facts() <-chan calls.Fact { return l.told.Facts() }

// Say says a text, once the page is connected, behind what was said before.
func (l *Leg) Say(ctx context.Context, text, language string) error {
	return l.SayAs(ctx, "", text, language)
}

// SayAs is Say with an id, by which the fact knows it that it was played.
func (l *Leg) SayAs(ctx context.Context, id, text, language string) error {
	return l.whenConnected(ctx, func() error { return l.line.SayAs(ctx, id, text, language) })
}

// Play is SayAs of what is sound already.
func (l *Leg) Play(ctx context.Context, id string, samples []int16) error {
	return l.whenConnected(ctx, func() error { return l.line.Play(ctx, id, samples) })
}

func (l *Leg) whenConnected(ctx context.Context, say func() error) error {
	select {
	case <-l.connected:
		return say()
	case <-l.told.Over():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Join lets the page and the other side of another leg hear each other, until one of them is gone.
func (l *Leg) Join(other any) error { return l.line.JoinLeg(other) }

// Hush cuts off what is said.
func (l *Leg) Hush() { l.line.Hush() }

// Tap has all frames told, heard and said.
func (l *Leg) Tap(tap func(heard, said []int16)) { l.line.Tap(tap) }

// Quality is how well the page was heard so far.
func (l *Leg) Quality() calls.Quality { return l.line.Quality() }

// HangUp ends the call; the page is told by the connection.
func (l *Leg) HangUp(context.Context) error {
	l.end(nil)
	return nil
}

// Gone says that the page has hung up.
func (l *Leg) Gone() { l.end(&calls.Fact{Kind: calls.FactHungUp, At: time.Now()}) }

func (l *Leg) lost(why string) { l.end(&calls.Fact{Kind: calls.FactLost, At: time.Now(), Error: why}) }

// end ends the leg once. The connection is closed beside: whoever tells may be the connection itself.
func (l *Leg) end(last *calls.Fact) {
	if l.told.End(last) {
		l.server.left(l)
		go l.close()
	}
}

func (l *Leg) close() {
	l.connects.Do(func() {}) // nobody connects any more
	if l.paced != nil {
		l.paced()
	}
	l.line.Close()
	if l.page != nil {
		_ = l.page.Close()
	}
}
