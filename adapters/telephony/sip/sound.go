package sip

import (
	"context"

	"github.com/parley-platform/parley/adapters/voice"
	"github.com/parley-platform/parley/domain/calls"
)

// SayAs is Say with an id, by which the fact knows it that it was played.
func (l *Leg) SayAs(ctx context.Context, id, text, language string) error {
	line := l.Line()
	if line == nil {
		return voice.ErrClosed
	}
	return line.SayAs(ctx, id, text, language)
}

// Hush cuts off what is said.
func (l *Leg) Hush() {
	if line := l.Line(); line != nil {
		line.Hush()
	}
}

// Tap has all frames told, heard and said, of a leg that is answered.
func (l *Leg) Tap(tap func(heard, said []int16)) {
	if line := l.Line(); line != nil {
		line.Tap(tap)
	}
}

// Quality is how well the other side was heard so far.
func (l *Leg) Quality() calls.Quality {
	if line := l.Line(); line != nil {
		return line.Quality()
	}
	return calls.Quality{}
}

// Play is SayAs of what is sound already.
func (l *Leg) Play(ctx context.Context, id string, samples []int16) error {
	line := l.Line()
	if line == nil {
		return voice.ErrClosed
	}
	return line.Play(ctx, id, samples)
}
