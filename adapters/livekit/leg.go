package livekit

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// Leg is an agent that is in a room. When the way to the room breaks it comes back, and the call goes on.
type Leg struct {
	rooms *Rooms
	at    Access
	line  *voice.Line
	pacer *voice.Pacer
	told  *voice.Telling

	written writing // in whichever session

	says   atomic.Pointer[webrtc.TrackLocalStaticRTP] // of the session that there is
	packet rtp.Packet                                 // the next, of the pacer
	paced  func()                                     // takes it from the pacer
}

func newLeg(r *Rooms, at Access, line *voice.Line, pacer *voice.Pacer) *Leg {
	l := &Leg{rooms: r, at: at, line: line, pacer: pacer, told: voice.NewTelling()}
	l.packet.Header = rtp.Header{Version: 2, PayloadType: pcmuType, SequenceNumber: uint16(rand.Uint32()), Timestamp: rand.Uint32(),
		Marker: true}
	return l
}

// yields waits for an agent of others that may come first.
func (l *Leg) yields(ctx context.Context, s *session) error {
	until := time.NewTimer(l.at.Yields)
	defer until.Stop()
	for {
		if _, agents := s.present.count(); agents > 0 {
			return ErrOther
		}
		if l.at.Yields == 0 {
			return nil
		}
		select {
		case <-s.news:
		case <-until.C:
			return nil
		case end := <-s.over:
			return errors.New("joining a room: " + end.why)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (l *Leg) begin(s *session) {
	l.says.Store(s.says)
	l.line.Answered(time.Now())
	l.paced = l.pacer.Add(l.tick)
	go l.told.Tell(l.line.Facts())
	go l.stay(s)
}

// tick sends the next frame. It is the pacer's.
func (l *Leg) tick(at time.Time) {
	frame := l.line.Tick(at)
	l.packet.Payload = frame
	_ = l.says.Load().WriteRTP(&l.packet) // what cannot be sent is lost, as it may be on the way
	l.packet.SequenceNumber++
	l.packet.Timestamp += uint32(len(frame))
	l.packet.Marker = false
}

// stay is in the room until the call is over, by one session behind the other.
func (l *Leg) stay(s *session) {
	for s != nil {
		end, over := l.attend(s)
		if over {
			s.leave()
			return
		}
		s.close()
		switch {
		case end.gone:
			l.end(&calls.Fact{Kind: calls.FactHungUp, At: time.Now()})
			return
		case !end.again:
			l.lost(end.why)
			return
		}
		s = l.comeBack(end.why)
	}
}

// attend waits for the end of a session, or of the call: somebody has to be there.
func (l *Leg) attend(s *session) (end ending, over bool) {
	nobody := time.NewTimer(l.rooms.cfg.Alone)
	defer nobody.Stop()
	waits := true
	for {
		if people, _ := s.present.count(); (people == 0) != waits {
			if waits = !waits; waits {
				nobody.Reset(l.rooms.cfg.Alone)
			} else {
				nobody.Stop()
			}
		}
		select {
		case <-s.news:
		case <-nobody.C:
			l.end(&calls.Fact{Kind: calls.FactHungUp, At: time.Now()})
			return end, true
		case end = <-s.over:
			return end, false
		case <-l.told.Over():
			return end, true
		}
	}
}

const (
	pauseFirst = 200 * time.Millisecond
	pauseMost  = 5 * time.Second
)

// comeBack joins again, for a while; nil: the call is over.
func (l *Leg) comeBack(why string) *session {
	ctx, cancel := context.WithTimeout(context.Background(), l.rooms.cfg.Again)
	defer cancel()
	go func() {
		select {
		case <-l.told.Over():
			cancel()
		case <-ctx.Done():
		}
	}()
	for pause := pauseFirst; ; pause = min(2*pause, pauseMost) {
		s, err := l.rooms.connect(ctx, l)
		if err == nil {
			l.says.Store(s.says)
			return s
		}
		if errors.Is(err, ErrRefused) || errors.Is(err, ErrNoRoom) {
			l.lost(why + ", and then: " + err.Error())
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			l.lost(why + ", and could not be made again")
			return nil
		}
	}
}

// Facts are what the people in the room do, in its order.
func (l *Leg) Facts() <-chan calls.Fact { return l.told.Facts() }

// Say is SayAs with no id.
func (l *Leg) Say(ctx context.Context, text, language string) error {
	return l.SayAs(ctx, "", text, language)
}

// SayAs says a text behind what was said before; the id is by which the fact of its end is known.
func (l *Leg) SayAs(ctx context.Context, id, text, language string) error {
	return l.line.SayAs(ctx, id, text, language)
}

// Play is SayAs of what is sound already.
func (l *Leg) Play(ctx context.Context, id string, samples []int16) error {
	return l.line.Play(ctx, id, samples)
}

// Join lets the people in the room and the other side of another leg hear each other, until one of them is gone.
func (l *Leg) Join(other any) error { return l.line.JoinLeg(other) }

// Hush cuts off what is said.
func (l *Leg) Hush() { l.line.Hush() }

// Tap has all frames told, heard and said.
func (l *Leg) Tap(tap func(heard, said []int16)) { l.line.Tap(tap) }

// Quality is how well the room was heard so far.
func (l *Leg) Quality() calls.Quality { return l.line.Quality() }

// HangUp leaves the room.
func (l *Leg) HangUp(context.Context) error {
	l.end(nil)
	return nil
}

func (l *Leg) lost(why string) { l.end(&calls.Fact{Kind: calls.FactLost, At: time.Now(), Error: why}) }

// end ends the leg once.
func (l *Leg) end(last *calls.Fact) {
	if l.told.End(last) {
		l.paced()
		l.line.Close()
	}
}
