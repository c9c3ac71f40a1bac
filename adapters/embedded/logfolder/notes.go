package logfolder

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// rowSize is that of one note: a sector of a disk, which is written whole or not at all.
const rowSize = 512

// note is what was said last of one partition.
type note struct {
	last  int64  // offset of the first record of the batch that was acknowledged last; -1: none
	begun uint32 // checksum of the partition's first batch; 0: not known yet
}

// noted is what the file said when it was read.
type noted struct {
	there bool
	boot  string // in which life of the machine it was written
	notes map[place]note
}

// Notes is the file that says which batch of each partition was acknowledged last. A
// row is written after the batch was made durable and before its acknowledgement leaves
// this process, so the notes are never ahead of the log; nobody waits for the disk, so
// they cost a write to memory. What a killed process wrote is there; a machine that
// loses power loses at most what was noted since the last [Notes.Sync].
//
// Each partition has a row of its own, so the file does not grow.
type Notes struct {
	dir   string
	mu    sync.Mutex
	f     *os.File
	rows  map[place]int64 // where in the file
	notes map[place]note
	dirty bool
}

// bootPlace is that of the row which says in which life of the machine the notes are
// written: within one life, what was written to a file is there, synced or not.
var bootPlace = place{"(boot)", 0}

// row is a line of text with its checksum, filled up with blanks.
func row(p place, what string) []byte {
	text := fmt.Sprintf("%s %d %s", p.topic, p.number, what)
	line := fmt.Appendf(nil, "%s %08x", text, crc32.Checksum([]byte(text), castagnoli))
	if fill := rowSize - len(line) - 1; fill > 0 {
		line = append(line, bytes.Repeat([]byte{' '}, fill)...)
	}
	return append(line, '\n')
}

// parseRow reads one; ok is false for one that was torn or spoiled, which then says nothing.
func parseRow(line []byte) (p place, what []string, ok bool) {
	text := strings.TrimSpace(string(line))
	at := strings.LastIndexByte(text, ' ')
	if at < 0 || text[at+1:] != fmt.Sprintf("%08x", crc32.Checksum([]byte(text[:at]), castagnoli)) {
		return p, nil, false
	}
	fields := strings.Fields(text[:at])
	if len(fields) < 3 {
		return p, nil, false
	}
	number, err := strconv.Atoi(fields[1])
	return place{fields[0], number}, fields[2:], err == nil
}

func (n note) String() string { return fmt.Sprintf("%d %08x", n.last, n.begun) }

// readNotes reads what an earlier life noted.
func readNotes(dir string) (noted, error) {
	out := noted{notes: map[place]note{}}
	data, err := os.ReadFile(filepath.Join(dir, NotesFile))
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.there = true
	for ; len(data) > 0; data = data[min(rowSize, len(data)):] {
		p, what, ok := parseRow(data[:min(rowSize, len(data))])
		switch {
		case !ok:
		case p == bootPlace:
			out.boot = what[0]
		case len(what) == 2:
			last, err1 := strconv.ParseInt(what[0], 10, 64)
			begun, err2 := strconv.ParseUint(what[1], 16, 32)
			if err1 == nil && err2 == nil {
				out.notes[p] = note{last, uint32(begun)}
			}
		}
	}
	return out, nil
}

// boot names this life of the machine; empty where that cannot be told.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// OpenNotes begins the notes of a folder anew with what a scan found, and keeps them
// until Close. The file is replaced whole: a crash leaves the old or the new one.
func OpenNotes(dir string, found *Report) (*Notes, error) {
	n := &Notes{dir: dir, rows: map[place]int64{}, notes: map[place]note{}}
	life := boot()
	if life == "" {
		life = "unknown"
	}
	content := row(bootPlace, life)
	for _, p := range found.Partitions {
		if p.Batches == 0 {
			continue
		}
		at := place{p.Topic, p.Number}
		n.notes[at] = note{p.last.first, p.begun}
		n.rows[at] = int64(len(content))
		content = append(content, row(at, n.notes[at].String())...)
	}
	path := filepath.Join(dir, NotesFile)
	if err := replace(path, content); err != nil {
		return nil, fmt.Errorf("noting the ends of the log: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("noting the ends of the log: %w", err)
	}
	n.f = f
	return n, nil
}

// replace writes a file whole and durably, or not at all.
func replace(path string, content []byte) error {
	temporary := path + ".new"
	f, err := os.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder durable.
func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Acknowledge notes that the batch which begins at an offset is durable and about to
// be acknowledged.
func (n *Notes) Acknowledge(topic string, partition int, first int64) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	at := place{topic, partition}
	now, known := n.notes[at]
	if known && first <= now.last {
		return nil // of two connections the later came first, or a client repeated itself
	}
	if now.last = first; now.begun == 0 {
		now.begun = beginning(n.dir, at)
	}
	return n.write(at, now)
}

func (n *Notes) write(at place, now note) error {
	if n.f == nil {
		return nil
	}
	pos, known := n.rows[at]
	if !known {
		pos = int64(len(n.rows)+1) * rowSize
	}
	if _, err := n.f.WriteAt(row(at, now.String()), pos); err != nil {
		return fmt.Errorf("noting the end of %s: %w", at, err)
	}
	n.rows[at], n.notes[at], n.dirty = pos, now, true
	return nil
}

// Sync makes what was noted durable.
func (n *Notes) Sync() error {
	n.mu.Lock()
	f, dirty := n.f, n.dirty
	n.dirty = false
	n.mu.Unlock()
	if f == nil || !dirty {
		return nil
	}
	return f.Sync()
}

// Close makes the notes durable and ends them.
func (n *Notes) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.f == nil {
		return nil
	}
	err := errors.Join(n.f.Sync(), n.f.Close())
	n.f = nil
	return err
}

// beginning is the checksum of a partition's first batch, by which partitions that were
// swapped are told apart; 0 if it cannot be read.
func beginning(dir string, p place) uint32 {
	files, err := segments(dir, p)
	if err != nil || len(files) == 0 {
		return 0
	}
	r, err := openSegment(files[0].path)
	if err != nil {
		return 0
	}
	defer r.Close()
	head, err := r.bytes(0, headerSize)
	if err != nil || len(head) < headerSize {
		return 0
	}
	b, _, _ := parseHeader(head)
	return b.sum
}
