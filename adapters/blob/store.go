// Package blob keeps files that events name: in a folder, or in a bucket that speaks
// the S3 protocol.
//
// A blob is written once and under a name that tells its content apart (the hash of it
// is part of the name), so that writing it again changes nothing. The package never
// decides who may read a blob, nor which of them events name; it notes those of which
// nobody knows that yet.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
)

// ErrNotFound is the error of a blob that is not there.
var ErrNotFound = errors.New("the blob storage has no such blob")

// ErrReadOnly is the error of a storage that answers, and in which nothing can be kept.
var ErrReadOnly = errors.New("the blob storage cannot be written to")

// Store is one blob storage. It is safe for concurrent use.
type Store struct {
	in storage
}

// storage is what a folder and a bucket both do.
type storage interface {
	// put makes the content durable under its name; what is there already stays.
	put(ctx context.Context, name, contentType string, content []byte) error
	// note makes the content durable in place of what has the name, as of now.
	note(ctx context.Context, name string, content []byte) error
	// list gives what is below a prefix, which is a name's beginning in one folder, in no order.
	list(ctx context.Context, prefix string) ([]entry, error)
	open(ctx context.Context, name string) (io.ReadSeekCloser, error)
	delete(ctx context.Context, name string) error
	ping(ctx context.Context) error
	// tidy removes what writers that are gone left unfinished; left may still be written.
	tidy(ctx context.Context) (removed, left int, err error)
	close()
}

// Open opens the storage that a URL names: file:///folder, which is made if need be,
// or s3://bucket?region=...; for storages other than Amazon's with &endpoint=https://...
// and mostly &use_path_style=true. Credentials for S3 come from where its tools take
// them: AWS_ACCESS_KEY_ID and so on, a profile (&profile=NAME), or the machine's role.
func Open(_ context.Context, rawURL string) (*Store, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("--blob-url: it is not a URL; wanted is file:///folder or s3://bucket?region=REGION")
	}
	var in storage
	switch u.Scheme {
	case "file":
		in, err = openFolder(u)
	case "s3":
		in, err = openBucket(u)
	default:
		err = fmt.Errorf("the scheme %q is unknown; wanted is file:///folder or s3://bucket?region=REGION", u.Scheme)
	}
	if err != nil {
		return nil, fmt.Errorf("--blob-url: %w", err)
	}
	return &Store{in}, nil
}

// Close ends the use of the storage.
func (s *Store) Close() error { s.in.close(); return nil }

// Put stores the content below a prefix of letters, digits, _, - and /, and gives its
// name. When it returns the content is durable. The same content below the same prefix
// has the same name, however often it is put. It is Unnamed until somebody
// says otherwise.
func (s *Store) Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error) {
	name = prefix + "/" + Sum(content)
	err = named(name)
	if err == nil {
		err = s.in.note(ctx, noteOf(name), []byte(name))
	}
	if err == nil {
		err = s.in.put(ctx, name, contentType, content)
	}
	if err != nil {
		return "", fmt.Errorf("storing a blob of %d bytes: %w", len(content), err)
	}
	return name, nil
}

// Replace stores the content under a name of the caller's, in place of what has it. It is for what
// can be made anew: between the two there is nothing, and of two writers one is first.
func (s *Store) Replace(ctx context.Context, name, contentType string, content []byte) error {
	if err := named(name); err != nil {
		return fmt.Errorf("storing a blob of %d bytes: %w", len(content), err)
	}
	if err := s.Delete(ctx, name); err != nil {
		return err
	}
	if err := s.in.put(ctx, name, contentType, content); err != nil {
		return fmt.Errorf("storing a blob of %d bytes: %w", len(content), err)
	}
	return nil
}

// named refuses a name that could lead out of the storage.
func named(name string) error {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == '\\' }) {
			return errors.New("its name is not one of a blob")
		}
	}
	return nil
}

// Sum is the hash that is part of a blob's name, hexadecimal SHA-256.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Open reads a blob; ErrNotFound when it is not there. Reading fails when ctx ends.
func (s *Store) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	if named(name) != nil {
		return nil, ErrNotFound
	}
	r, err := s.in.open(ctx, name)
	if err != nil {
		return nil, problem("opening", err)
	}
	return r, nil
}

// Delete removes a blob that no event names; nil when it is not there.
func (s *Store) Delete(ctx context.Context, name string) error {
	if named(name) != nil {
		return nil
	}
	if err := known("deleting", s.in.delete(ctx, name)); err != nil {
		return err
	}
	if len(path.Base(name)) != hex.EncodedLen(sha256.Size) { // it was not put: its name is of who replaces it, and has no note
		return nil
	}
	return s.Named(ctx, name)
}

// Ping asks whether the storage answers, and of a folder whether it can be written to (ErrReadOnly).
func (s *Store) Ping(ctx context.Context) error { return problem("looking for", s.in.ping(ctx)) }

func problem(doing string, err error) error {
	if err == nil || errors.Is(err, ErrNotFound) {
		return err
	}
	return fmt.Errorf("%s a blob: %w", doing, err)
}
