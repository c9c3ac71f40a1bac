// Package sse reads Server-Sent Events that others send.
//
// It owns the format and its bounds. It knows nothing of what the events say.
package sse

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Bounds of what is read of others.
const (
	mostLine   = 1 << 20  // bytes of one line
	mostEvent  = 2 << 20  // bytes of the data of one event
	mostStream = 32 << 20 // bytes of all
	firstLine  = 512      // bytes for which there is room at first: a word of a model, as most lines are
)

// ErrTooLarge says that a stream has more than is read of it.
var ErrTooLarge = errors.New("the stream is too large")

// Read gives each event that has data: its name, empty if it has none, and its data, whose
// bytes are valid during the call only. It ends with the stream, with nil; with the first
// error of each; or with that of the reader. What is cut off in an event is no event.
func Read(r io.Reader, each func(name string, data []byte) error) error {
	limited := &io.LimitedReader{R: r, N: mostStream}
	lines := bufio.NewScanner(limited)
	lines.Buffer(make([]byte, 0, firstLine), mostLine)
	lines.Split(wholeLines)
	var name string
	var data []byte
	has := false
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		if len(line) == 0 {
			if has {
				if err := each(name, data); err != nil {
					return err
				}
			}
			name, data, has = "", data[:0], false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if has {
				data = append(data, '\n')
			}
			if data, has = append(data, value...), true; len(data) > mostEvent {
				return ErrTooLarge
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong) || err == nil && limited.N <= 0:
		return ErrTooLarge
	case err != nil:
		return fmt.Errorf("reading a stream: %w", err)
	}
	return nil
}

// Bounds of what comes behind the last event.
const (
	mostRest   = 4 << 10 // bytes
	restWithin = 20 * time.Millisecond
)

// Finish reads what is left of a body whose last event has come, so that the connection serves the next request too: without
// HTTP/2 each would begin with the handshakes of another. Who sends on, or does not end, has the connection closed.
func Finish(body io.ReadCloser) {
	late := time.AfterFunc(restWithin, func() { _ = body.Close() })
	defer late.Stop()
	_, _ = io.CopyN(io.Discard, body, mostRest)
}

// wholeLines leaves out a last line that does not end: it was cut off.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEOF {
		return len(data), nil, nil
	}
	return 0, nil, nil
}

// ErrSilent says that nothing came for too long.
var ErrSilent = errors.New("nothing came for too long")

// Patience gives up on a peer that says nothing.
type Patience struct {
	timer *time.Timer
	then  time.Duration
}

// Wait is a context that ends with ErrSilent when nothing comes within first, and later when
// there is silence for then. stop must be called.
func Wait(ctx context.Context, first, then time.Duration) (context.Context, *Patience, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	p := &Patience{time.AfterFunc(first, func() { cancel(ErrSilent) }), then}
	return ctx, p, func() { p.timer.Stop(); cancel(context.Canceled) }
}

// Of is the reader, each byte of which is taken for a sign of life.
func (p *Patience) Of(r io.Reader) io.Reader { return signs{p, r} }

type signs struct {
	p *Patience
	r io.Reader
}

// Read implements io.Reader.
func (s signs) Read(b []byte) (int, error) {
	n, err := s.r.Read(b)
	if n > 0 {
		s.p.timer.Reset(s.p.then)
	}
	return n, err
}
