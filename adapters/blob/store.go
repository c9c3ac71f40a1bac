// Package blob keeps files that events name: in a folder, or in a bucket that speaks
// the S3 protocol.
//
// A blob is written once and under a name that tells its content apart (the hash of it
// is part of the name), so that writing it again changes nothing. The package never
// decides who may read a blob, and never lists them: what no event names is garbage.
package blob

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // s3:// URLs
	"gocloud.dev/gcerrors"
)

// ErrNotFound is the error of a blob that is not there.
var ErrNotFound = errors.New("the blob storage has no such blob")

// Store is one blob storage. It is safe for concurrent use.
type Store struct {
	bucket *blob.Bucket
	folder string // empty: a bucket
}

// checksums is the option that says when those of what is read are checked.
const checksums = "response_checksum_validation"

// Open opens the storage that a URL names: file:///folder, which is made if need be,
// or s3://bucket?region=...; for storages other than Amazon's with &endpoint=https://...
// and mostly &use_path_style=true. Credentials for S3 come from where its tools take
// them: AWS_ACCESS_KEY_ID and so on, a profile, or the machine's role.
func Open(ctx context.Context, rawURL string) (*Store, error) {
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("--blob-url: it is not a URL; wanted is file:///folder or s3://bucket?region=REGION")
	}
	switch u.Scheme {
	case "file":
		return openFolder(u)
	case "s3":
		if u.Host == "" {
			return nil, errors.New("--blob-url: it names no bucket; wanted is s3://bucket?region=REGION")
		}
		if q := u.Query(); !q.Has(checksums) { // storages other than Amazon's send none, and each read would be a warning
			q.Set(checksums, "when_required")
			u.RawQuery = q.Encode()
		}
		bucket, err := blob.OpenBucket(ctx, u.String())
		if err != nil {
			return nil, fmt.Errorf("--blob-url: opening bucket %s: %w", u.Host, err)
		}
		return &Store{bucket: bucket}, nil
	}
	return nil, fmt.Errorf("--blob-url: the scheme %q is unknown; wanted is file:///folder or s3://bucket?region=REGION", u.Scheme)
}

func openFolder(u *url.URL) (*Store, error) {
	if u.Host != "" || !filepath.IsAbs(u.Path) || u.RawQuery != "" {
		return nil, errors.New("--blob-url: a folder is given as file:///absolute/path")
	}
	// Types and names of files are in events; sidecar files would only double them. A
	// file is written beside its place, because a rename does not cross file systems.
	bucket, err := fileblob.OpenBucket(u.Path, &fileblob.Options{CreateDir: true, DirFileMode: 0o700, NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("--blob-url: opening folder %s: %w", u.Path, err)
	}
	return &Store{bucket: bucket, folder: u.Path}, nil
}

// FolderURL is the URL of a folder of this machine.
func FolderURL(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding the folder of blobs: %w", err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), nil
}

// Close ends the use of the storage.
func (s *Store) Close() error { return s.bucket.Close() }

// Put stores the content below a prefix of letters, digits, _, - and /, and gives its
// name. When it returns the content is durable. The same content below the same prefix
// has the same name, however often it is put.
func (s *Store) Put(ctx context.Context, prefix, contentType string, content []byte) (name string, err error) {
	name = prefix + "/" + Sum(content)
	err = s.bucket.Upload(ctx, name, bytes.NewReader(content), &blob.WriterOptions{ContentType: contentType, IfNotExist: true})
	if gcerrors.Code(err) == gcerrors.FailedPrecondition { // it is there: what has this name has this content
		err = nil
	}
	if err == nil {
		err = s.settle(name)
	}
	if err != nil {
		return "", fmt.Errorf("storing a blob of %d bytes: %w", len(content), err)
	}
	return name, nil
}

// Sum is the hash that is part of a blob's name, hexadecimal SHA-256.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// settle makes a file and its place in the folders survive a crash of the machine,
// also when another has written it and died.
func (s *Store) settle(name string) error {
	if s.folder == "" {
		return nil
	}
	path := filepath.Join(s.folder, filepath.FromSlash(name))
	for {
		if err := sync(path); err != nil {
			return err
		}
		if path == filepath.Clean(s.folder) {
			return nil
		}
		path = filepath.Dir(path)
	}
}

func sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open reads a blob; ErrNotFound when it is not there. Reading fails when ctx ends.
func (s *Store) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	r, err := s.bucket.NewReader(ctx, name, nil)
	if err != nil {
		return nil, problem("opening", err)
	}
	return r, nil
}

// Delete removes a blob that no event names; nil when it is not there.
func (s *Store) Delete(ctx context.Context, name string) error {
	err := problem("deleting", s.bucket.Delete(ctx, name))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Ping asks whether the storage answers.
func (s *Store) Ping(ctx context.Context) error {
	ok, err := s.bucket.IsAccessible(ctx)
	if err == nil && !ok {
		err = errors.New("there is no such folder or bucket")
	}
	return problem("looking for", err)
}

func problem(doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case gcerrors.Code(err) == gcerrors.NotFound:
		return ErrNotFound
	}
	return fmt.Errorf("%s a blob: %w", doing, err)
}
