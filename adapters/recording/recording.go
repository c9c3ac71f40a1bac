// Package recording writes what is said on calls into files of this machine while the calls run, and
// moves them into blob storage when they are over. A file is a WAV of two channels at 8 kHz, the
// callee's first; one whose process was killed is closed by its length.
//
// It owns the folder and the files in it. It decides neither what is recorded nor what is kept, and
// never makes a call wait: a disk that does not keep pace ends the recording.
package recording

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/parley-platform/parley/domain/calls"
	"github.com/parley-platform/parley/domain/wav"
)

// Longest is how long a recording may be: it goes into blob storage in one piece.
const Longest = time.Hour

const (
	channels  = calls.RecordingChannels
	perSample = 2
	header    = wav.HeaderBytes
	piece     = wav.Rate * channels * perSample // a second, which is written at once
	pieces    = 8                               // that wait for the disk
	perMs     = piece / 1_000
	part      = ".part" // a recording that runs, or whose process was killed
	whole     = ".whole"
)

// Blobs is the storage in which recordings are kept.
type Blobs interface {
	Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error)
	Delete(ctx context.Context, name string) error
}

// Folder is where recordings are that run. It is safe for concurrent use.
type Folder struct {
	path  string
	blobs Blobs
	turn  chan struct{} // one is moved at a time: it is in memory then
	left  []string
}

// Open takes a folder, which is made if need be, and notes what another process left in it.
func Open(path string, blobs Blobs) (*Folder, error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("opening the folder of recordings: %w", err)
	}
	f := &Folder{path: path, blobs: blobs, turn: make(chan struct{}, 1)}
	for _, ending := range []string{part, whole} {
		found, err := filepath.Glob(filepath.Join(path, "*"+ending))
		if err != nil {
			return nil, fmt.Errorf("looking for recordings: %w", err)
		}
		f.left = append(f.left, found...)
	}
	return f, nil
}

// Left are the recordings that a process left, by their calls.
func (f *Folder) Left() (out []*Tape) {
	for _, path := range f.left {
		name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), part), whole)
		tenant, call, ok := strings.Cut(name, "~")
		if tenant, err := url.PathUnescape(tenant); ok && err == nil {
			out = append(out, &Tape{folder: f, path: path, tenant: tenant, call: call, cutOff: strings.HasSuffix(path, part)})
		}
	}
	return out
}

// Begin records a call, once: what there is of it already stays as it is. broke is told once if the
// recording ends before the call does.
func (f *Folder) Begin(tenantID, callID string, broke func(error)) (*Tape, error) {
	path := filepath.Join(f.path, url.PathEscape(tenantID)+"~"+callID+part)
	if filepath.Dir(path) != f.path || callID == "" {
		return nil, errors.New("recording a call: its id is not one of a file")
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording a call: %w", plain(err))
	}
	if there, err := file.Stat(); err != nil || there.Size() > 0 {
		_ = file.Close()
		return nil, errors.New("recording a call: a part of it was recorded before")
	}
	if _, err := file.Write(wav.Header(channels, 0)); err != nil {
		_ = file.Close()
		_ = os.Remove(path)
		return nil, fmt.Errorf("recording a call: %w", plain(err))
	}
	t := &Tape{folder: f, path: path, tenant: tenantID, call: callID, file: file, broke: broke, left: int(Longest/time.Second) * piece,
		next: make(chan []byte, pieces), written: make(chan struct{})}
	go t.write()
	return t, nil
}

// plain is an error of the system without the path, which holds ids.
func plain(err error) error {
	var of *os.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// Tape is the recording of one call.
type Tape struct {
	folder       *Folder
	path         string
	tenant, call string
	cutOff       bool
	blob         string // that it is in

	file    *os.File // nil: of a process that is gone
	broke   func(error)
	next    chan []byte
	written chan struct{} // closed when nothing is written any more

	mu    sync.Mutex
	piece []byte
	left  int // bytes
	over  bool
}

// TenantID is whose call it is of.
func (t *Tape) TenantID() string { return t.tenant }

// CallID is the call that it is of.
func (t *Tape) CallID() string { return t.call }

// Write takes a frame of both sides, of the same length. It never waits.
func (t *Tape) Write(heard, said []int16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	if t.piece == nil {
		t.piece = make([]byte, 0, piece+piece/8)
	}
	for i, v := range heard {
		t.piece = binary.LittleEndian.AppendUint16(t.piece, uint16(v))
		t.piece = binary.LittleEndian.AppendUint16(t.piece, uint16(said[i]))
	}
	if len(t.piece) < piece {
		return
	}
	if t.left -= len(t.piece); t.left < 0 {
		t.end(fmt.Errorf("a recording may last %s", Longest))
		return
	}
	select {
	case t.next <- t.piece:
		t.piece = nil
	default:
		t.end(errors.New("the disk does not keep pace"))
	}
}

// end takes nothing more. It holds mu.
func (t *Tape) end(why error) {
	if t.over {
		return
	}
	t.over = true
	if why != nil {
		t.cutOff = true
		go t.broke(why)
	} else if len(t.piece) > 0 {
		select {
		case t.next <- t.piece:
		default:
		}
	}
	t.piece = nil
	close(t.next)
}

func (t *Tape) write() {
	defer close(t.written)
	for content := range t.next {
		if _, err := t.file.Write(content); err != nil {
			t.mu.Lock()
			t.end(plain(err))
			t.mu.Unlock()
			for range t.next { // what was on its way
			}
			return
		}
	}
}

// Keep closes the file and puts it into blob storage; zero: there is nothing in it.
func (t *Tape) Keep(ctx context.Context) (k calls.Taped, err error) {
	if t.file != nil {
		t.mu.Lock()
		t.end(nil)
		t.mu.Unlock()
		select {
		case <-t.written:
		case <-ctx.Done():
			return k, fmt.Errorf("closing a recording: %w", ctx.Err())
		}
		if err := t.file.Close(); err != nil {
			t.cutOff = true
		}
		t.file = nil
		if !t.cutOff {
			if to := strings.TrimSuffix(t.path, part) + whole; os.Rename(t.path, to) == nil {
				t.path = to
			}
		}
	}
	select {
	case t.folder.turn <- struct{}{}:
		defer func() { <-t.folder.turn }()
	case <-ctx.Done():
		return k, fmt.Errorf("storing a recording: %w", ctx.Err())
	}
	content, err := closed(t.path)
	if err != nil || content == nil {
		return k, err
	}
	if t.blob, err = t.folder.blobs.Put(ctx, calls.RecordingFolder(t.tenant, t.call), "audio/wav", content); err != nil {
		return k, err
	}
	return calls.Taped{Blob: t.blob, SHA256: t.blob[strings.LastIndexByte(t.blob, '/')+1:], SizeBytes: int64(len(content)),
		Ms: int64(len(content)-header) / perMs, CutOff: t.cutOff}, nil
}

// Done removes the file, and what is in blob storage if nobody keeps it.
func (t *Tape) Done(ctx context.Context, kept bool) error {
	if !kept && t.blob != "" {
		if err := t.folder.blobs.Delete(ctx, t.blob); err != nil {
			return err
		}
	}
	if err := os.Remove(t.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing a recording that was moved: %w", plain(err))
	}
	return nil
}

// closed is a file with the header that its length asks for: it was not known before. nil: it has no sound.
func closed(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading a recording: %w", plain(err))
	}
	if info.Size() > header+int64(Longest/time.Second)*piece {
		return nil, errors.New("reading a recording: it is longer than any that is written")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a recording: %w", plain(err))
	}
	sound := (len(content) - header) / (channels * perSample) * channels * perSample
	if sound <= 0 {
		return nil, nil
	}
	content = content[:header+sound]
	copy(content, wav.Header(channels, sound))
	return content, nil
}
