package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// fileMode is what a keyset file is created with, and the loosest it may have.
const fileMode fs.FileMode = 0o600

// Open reads the keyset file: a cleartext Tink keyset in JSON that nobody but its
// owner may read. The error of a missing file is fs.ErrNotExist.
func Open(path string) (*Vault, error) {
	h, err := read(path)
	if err != nil {
		return nil, err
	}
	v, err := newVault(path, h)
	if err != nil {
		return nil, fmt.Errorf("keyset file %s: %w", path, err)
	}
	return v, nil
}

// Create makes a new keyset and its file, with its folder if need be. The error of
// an existing file is fs.ErrExist; it is never overwritten.
func Create(path string) (*Vault, error) {
	h, err := generate()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("keyset file %s: %w", path, err)
	}
	// A link appears with all its content or not at all, and never over a file.
	if err := write(path, h, os.Link); err != nil {
		return nil, err
	}
	return newVault(path, h)
}

// OpenOrCreate opens the keyset file, or makes it where there is none. Of several
// processes that do it at once, one makes it and all open the same.
func OpenOrCreate(path string) (*Vault, error) {
	v, err := Open(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	v, err = Create(path)
	if errors.Is(err, fs.ErrExist) {
		return Open(path)
	}
	return v, err
}

func read(path string) (*keyset.Handle, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("keyset file %s: %w", path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("keyset file %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("keyset file %s: is not a regular file", path)
	}
	if loose := info.Mode().Perm(); loose&^fileMode != 0 {
		return nil, fmt.Errorf("keyset file %s: its mode %#o lets others at the master key; run: chmod 600 %s", path, loose, path)
	}
	// The parser's own error is dropped: it may quote the file.
	h, err := insecurecleartextkeyset.Read(keyset.NewJSONReader(f))
	if err != nil {
		return nil, fmt.Errorf("keyset file %s: is not a cleartext Tink keyset in JSON; put the original file back", path)
	}
	return h, nil
}

func replace(path string, h *keyset.Handle) error { return write(path, h, os.Rename) }

// write puts the keyset beside its place, on disk, and then in place.
func write(path string, h *keyset.Handle, place func(from, to string) error) error {
	var content bytes.Buffer
	if err := insecurecleartextkeyset.Write(h, keyset.NewJSONWriter(&content)); err != nil {
		return fmt.Errorf("keyset file %s: the keyset cannot be written as JSON", path)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".keyset-*") // with mode 0600
	if err != nil {
		return fmt.Errorf("keyset file %s: %w", path, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(content.Bytes())
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = place(tmp.Name(), path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return fmt.Errorf("keyset file %s: %w", path, err)
	}
	return nil
}

// syncFolder makes the new name itself survive a crash.
func syncFolder(folder string) error {
	d, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
