package voice

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Speaker makes sound of a text: 16-bit samples at 8 kHz, one channel.
type Speaker interface {
	Speak(ctx context.Context, text, language string) ([]int16, error)
}

// LongestSaid is what one text may last.
const LongestSaid = 10 * time.Minute

// ErrClosed is what a line says that is over.
var ErrClosed = errors.New("the line is closed")

// saying is one thing that is said: it keeps its place from the moment at which it was asked for.
type saying struct {
	id      string
	samples []int16
	played  int
	ready   bool
	over    chan struct{} // closed when it was said, or cut off
	cancel  context.CancelFunc
}

// Say says a text behind what was said before, and returns when that is over: said, or cut off. Its
// language is that of the line where none is named.
func (l *Line) Say(ctx context.Context, text, language string) error {
	return l.SayAs(ctx, "", text, language)
}

// SayAs is Say with an id by which the fact of its end is known; an empty one is made up.
func (l *Line) SayAs(ctx context.Context, id, text, language string) error {
	if l.opts.Speaker == nil {
		return errors.New("speaker: the line has none, and nothing can be said on it")
	}
	if language == "" {
		language = l.opts.Language
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := l.queueUp(id, cancel)
	if err != nil {
		return err
	}
	samples, err := l.opts.Speaker.Speak(ctx, text, language)
	if err == nil && len(samples) > int(LongestSaid.Seconds()*SampleRate) {
		err = fmt.Errorf("text: lasts %s, and may last %s at most", time.Duration(len(samples))*time.Second/SampleRate, LongestSaid)
	}
	if err != nil {
		select {
		case <-s.over: // cut off while it was made into sound
			return nil
		default:
		}
		l.cutOff(s)
		return fmt.Errorf("speaking a text: %w", err)
	}
	return l.await(ctx, s, samples)
}

// Play says what is sound already; else it is as SayAs.
func (l *Line) Play(ctx context.Context, id string, samples []int16) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := l.queueUp(id, cancel)
	if err != nil {
		return err
	}
	return l.await(ctx, s, samples)
}

// Press says digits as tones, behind what is said: to who takes no telephone events.
func (l *Line) Press(digits string) error {
	samples, err := Tones(digits)
	if err != nil {
		return err
	}
	s, err := l.queueUp("", func() {})
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.samples, s.ready = samples, true
	return nil
}

// Hush cuts off what is said, and what waits to be, at the next frame.
func (l *Line) Hush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hush()
}

func (l *Line) hush() {
	for _, s := range l.queue {
		l.end(s, true)
	}
	clear(l.queue)
	l.queue = l.queue[:0]
}

func (l *Line) queueUp(id string, cancel context.CancelFunc) (*saying, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed.Load() {
		return nil, ErrClosed
	}
	if l.asked++; id == "" {
		id = strconv.Itoa(l.asked)
	}
	s := &saying{id: id, over: make(chan struct{}), cancel: cancel}
	l.queue = append(l.queue, s)
	return s, nil
}

// await has the sound said, and waits until it was.
func (l *Line) await(ctx context.Context, s *saying, samples []int16) error {
	l.mu.Lock()
	s.samples, s.ready = samples, true
	l.mu.Unlock()
	select {
	case <-s.over:
		return nil
	case <-ctx.Done():
		select {
		case <-s.over:
			return nil
		default:
		}
		l.cutOff(s)
		return ctx.Err()
	}
}

// cutOff takes one thing out of what is said, wherever it stands.
func (l *Line) cutOff(s *saying) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, q := range l.queue {
		if q == s {
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			l.end(s, true)
			return
		}
	}
}

func (l *Line) end(s *saying, interrupted bool) {
	l.tell(calls.Fact{Kind: calls.FactPlayed, ID: s.id, Ms: s.played * 1000 / SampleRate, Interrupted: interrupted})
	close(s.over)
	s.cancel()
}

// say fills a frame with what is to be said now; with silence where that is not known yet.
func (l *Line) say(frame []int16) {
	filled := 0
	for filled < len(frame) && len(l.queue) > 0 && l.queue[0].ready {
		s := l.queue[0]
		n := copy(frame[filled:], s.samples[s.played:])
		filled, s.played = filled+n, s.played+n
		if s.played == len(s.samples) {
			copy(l.queue, l.queue[1:])
			l.queue[len(l.queue)-1] = nil
			l.queue = l.queue[:len(l.queue)-1]
			l.end(s, false)
		}
	}
	clear(frame[filled:])
}
