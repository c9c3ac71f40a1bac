// Package mediastream is the sound of a call that comes and goes on a connection which loses nothing and
// turns nothing around, as sockets of providers are: no packets with numbers, but pieces of sound.
//
// It owns how pieces become frames of a line, and when frames are sent: in real time, so that what is
// cut off is cut off for the other side too. What the other side calls its messages is for others.
package mediastream

import (
	"context"
	"sync"
	"time"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// silence is how a frame looks in which nothing is said, in mu-law.
const silence = 0xff

// Stream is one call's sound, in mu-law at 8 kHz.
type Stream struct {
	line  *voice.Line
	leave func()
	send  func(frame []byte)

	mu     sync.Mutex
	packet voice.Packet // the next that comes
	rest   []byte       // of what came: less than a frame
}

// Open begins the sound of a call that was answered, on a line of mu-law, which is the stream's from now
// on. send has each frame in which something is said, when it is due; it must not wait, and keeps nothing
// of what it is given.
func Open(line *voice.Line, pacer *voice.Pacer, send func(frame []byte)) *Stream {
	s := &Stream{line: line, send: send}
	s.packet.Marker = true
	s.line.Answered(time.Now())
	s.leave = pacer.Add(s.tick)
	return s
}

// Hear takes a piece of sound, of any length.
func (s *Stream) Hear(sound []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rest = append(s.rest, sound...)
	for len(s.rest) >= voice.FrameSamples {
		s.packet.Payload = append([]byte(nil), s.rest[:voice.FrameSamples]...)
		s.line.Receive(s.packet)
		s.packet.Seq++
		s.packet.Timestamp += voice.FrameSamples
		s.packet.Marker = false
		s.rest = append(s.rest[:0], s.rest[voice.FrameSamples:]...)
	}
}

func (s *Stream) tick(at time.Time) {
	frame := s.line.Tick(at)
	for _, b := range frame {
		if b != silence {
			s.send(frame)
			return
		}
	}
}

// Facts are what is heard, in order; they end when the stream is closed.
func (s *Stream) Facts() <-chan calls.Fact { return s.line.Facts() }

// SayAs says a text behind what was said before, and returns when it was said, or cut off; the id is by which the
// fact of its end is known.
func (s *Stream) SayAs(ctx context.Context, id, text, language string) error {
	return s.line.SayAs(ctx, id, text, language)
}

// Play is SayAs of what is sound already.
func (s *Stream) Play(ctx context.Context, id string, samples []int16) error {
	return s.line.Play(ctx, id, samples)
}

// Join lets the other side and that of another leg hear each other, until one of them is gone.
func (s *Stream) Join(other any) error { return s.line.JoinLeg(other) }

// Hush cuts off what is said.
func (s *Stream) Hush() { s.line.Hush() }

// Tap has all frames told, heard and said.
func (s *Stream) Tap(tap func(heard, said []int16)) { s.line.Tap(tap) }

// Quality is how well the other side was heard so far.
func (s *Stream) Quality() calls.Quality { return s.line.Quality() }

// Close ends it.
func (s *Stream) Close() {
	s.leave()
	s.line.Close()
}
