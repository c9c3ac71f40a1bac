package voice

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/parley-platform/parley/domain/calls"
)

// Recogniser reads words from sound, while it is heard.
type Recogniser interface {
	Recognise(ctx context.Context, language string) (Recognition, error)
}

// Recognition is the recognition of one call. Its facts are words with their text, and silence where
// an utterance has ended; they end when it can go on no longer. A fact without a time is one of now.
// Close lets it tell what it still has to, and then the facts end.
type Recognition interface {
	Write(samples []int16) error
	Facts() <-chan calls.Fact
	Close() error
}

const (
	framesToRead = 100                     // may wait for a recogniser: two seconds
	patience     = 1500 * time.Millisecond // with one that has not told of a silence that was heard
	lastWords    = 2 * time.Second         // are waited for, when a line is closed while somebody speaks
)

// reading is a recognition that runs. A nil one is none.
type reading struct {
	frames  chan [FrameSamples]int16
	last    chan struct{} // closed: no more frames come
	over    atomic.Bool
	silence time.Time // that was heard, and that the recogniser has yet to tell of
	settled bool      // the end of what was heard last was told
}

// read begins a recognition. What it needs to begin is waited for by nobody.
func (l *Line) read() *reading {
	r := &reading{frames: make(chan [FrameSamples]int16, framesToRead), last: make(chan struct{}), settled: true}
	go func() {
		defer l.readOut()
		err := l.recognise(r)
		r.over.Store(true)
		if err != nil && l.life.Err() == nil {
			l.fallBack(err)
		}
	}()
	return r
}

// fallBack notes what the recogniser could not do any more. The cause behind that may hold addresses.
func (l *Line) fallBack(err error) {
	l.mu.Lock()
	l.fallback, _, _ = strings.Cut(err.Error(), ": ")
	l.mu.Unlock()
	if l.opts.Trouble != nil {
		l.opts.Trouble(err)
	}
}

func (l *Line) recognise(r *reading) error {
	ctx, cancel := context.WithCancel(l.life)
	defer cancel()
	to, err := l.opts.Recogniser.Recognise(ctx, l.opts.Language)
	if err != nil {
		return fmt.Errorf("beginning to recognise words: %w", err)
	}
	failed := make(chan error, 1)
	go func() {
		defer func() { _ = to.Close() }()
		if err := r.write(ctx, to); err != nil {
			failed <- fmt.Errorf("giving sound to a recogniser: %w", err)
		}
	}()
	facts := to.Facts()
	for {
		select {
		case f, open := <-facts:
			if !open && l.closed.Load() {
				return nil
			}
			if !open {
				return fmt.Errorf("the recogniser stopped")
			}
			l.readFact(r, f)
		case err := <-failed:
			return err
		case <-ctx.Done():
			return nil
		}
	}
}

// write gives a recogniser what is heard, to the end.
func (r *reading) write(ctx context.Context, to Recognition) error {
	for {
		select {
		case frame := <-r.frames:
			if err := to.Write(frame[:]); err != nil {
				return err
			}
		case <-r.last:
			if len(r.frames) == 0 {
				return nil
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// readOut ends the facts of a line that was closed, and waited for the last words.
func (l *Line) readOut() {
	if l.closed.Load() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.finish()
	}
}

func (l *Line) readFact(r *reading, f calls.Fact) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch f.Kind {
	case calls.FactSilence:
		r.silence, r.settled = time.Time{}, true
	case calls.FactWords:
		r.settled = false
	}
	l.tell(f)
}

// hear passes a frame on; a recogniser that does not keep pace misses it. A silence that the
// recogniser keeps to itself is told in its place.
func (r *reading) hear(l *Line, frame []int16) {
	if r == nil {
		return
	}
	if !r.silence.IsZero() && (r.over.Load() || l.now.Sub(r.silence) >= patience) {
		r.silence, r.settled = time.Time{}, true
		l.tell(calls.Fact{Kind: calls.FactSilence})
	}
	if r.over.Load() {
		return
	}
	select {
	case r.frames <- [FrameSamples]int16(frame):
	default:
	}
}

// owes reports whether it has yet to tell of what was heard.
func (r *reading) owes() bool { return r != nil && !r.over.Load() && !r.settled }

// begin notes that somebody speaks: the recogniser has yet to tell of the end of it.
func (r *reading) begin() {
	if r != nil {
		r.settled = false
	}
}

// holds reports whether the end of an utterance is the recogniser's to tell: its text may come behind
// the silence.
func (r *reading) holds(now time.Time) bool {
	if r == nil || r.over.Load() {
		return false
	}
	if !r.settled {
		r.silence = now
	}
	return true
}
