package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// What is stored is named by an event a moment later, and a process that is killed in between leaves a file that nothing names. So a
// note of its name is stored before it, and stays until somebody has seen an event that names it: who reads the notes knows of every
// file that may have been left, and of no other.

// notes is below which name they are.
const notes = "unnamed/"

func noteOf(name string) string { return notes + Sum([]byte(name)) }

// entry is what a storage lists.
type entry struct {
	name string
	at   time.Time // when it was written
}

// Unnamed are the files of which nobody has seen yet that an event names them, each with when it was put last, by the storage's clock.
func (s *Store) Unnamed(ctx context.Context) (map[string]time.Time, error) {
	found, err := s.in.list(ctx, notes)
	if err != nil {
		return nil, fmt.Errorf("looking for files that nothing names: %w", err)
	}
	out := map[string]time.Time{}
	for _, e := range found {
		name, err := s.content(ctx, e.name)
		switch {
		case errors.Is(err, ErrNotFound): // another node was faster
		case err != nil:
			return nil, fmt.Errorf("reading the note of a file: %w", err)
		case noteOf(string(name)) == e.name:
			out[string(name)] = e.at
		}
	}
	return out, nil
}

// Named says that an event names a file. It is among the Unnamed no more, until it is put again.
func (s *Store) Named(ctx context.Context, name string) error {
	return known("forgetting the note of", s.in.delete(ctx, noteOf(name)))
}

// DeleteUnnamed removes a file that was Unnamed as of a time, and that no event names. One that is put again meanwhile is there behind it.
func (s *Store) DeleteUnnamed(ctx context.Context, name string, at time.Time) error {
	content, err := s.content(ctx, name)
	if errors.Is(err, ErrNotFound) {
		return s.Named(ctx, name)
	}
	if err == nil {
		err = known("deleting", s.in.delete(ctx, name))
	}
	if err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // what was put meanwhile would be lost
	note, err := s.in.list(ctx, noteOf(name))
	if err != nil || len(note) > 0 && !note[0].at.Equal(at) {
		return errors.Join(err, problem("putting back", s.in.put(ctx, name, "application/octet-stream", content)))
	}
	return s.Named(ctx, name)
}

func (s *Store) content(ctx context.Context, name string) ([]byte, error) {
	r, err := s.in.open(ctx, name)
	if err != nil {
		return nil, problem("opening", err)
	}
	defer func() { _ = r.Close() }()
	return io.ReadAll(r)
}

// known is an error but that something is not there.
func known(doing string, err error) error {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return problem(doing, err)
}
