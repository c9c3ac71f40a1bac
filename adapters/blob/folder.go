package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// folder is a storage on this machine, or on a file system that several mount.
type folder struct {
	path    string
	written *lately // when it was last seen that something can be written there
}

// lately is a time that several probes know of.
type lately struct {
	mu sync.Mutex
	at time.Time
}

// believed is how long a folder that was written to is believed to be one that can be: probes come each second,
// and a disk is not written to for each of them.
const believed = time.Minute

func openFolder(u *url.URL) (storage, error) {
	if u.Host != "" || !filepath.IsAbs(u.Path) || u.RawQuery != "" {
		return nil, errors.New("a folder is given as file:///absolute/path")
	}
	if err := os.MkdirAll(u.Path, 0o700); err != nil { // recordings are nobody else's
		return nil, fmt.Errorf("opening folder %s: %w", u.Path, err)
	}
	return folder{filepath.Clean(u.Path), &lately{}}, nil
}

// FolderURL is the URL of a folder of this machine.
func FolderURL(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("finding the folder of blobs: %w", err)
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String(), nil
}

func (f folder) at(name string) string { return filepath.Join(f.path, filepath.FromSlash(name)) }

func (folder) close() {}

// put writes beside the place, because a rename does not cross file systems. Several may
// put the same at once: what each of them renames has the same content.
func (f folder) put(ctx context.Context, name, _ string, content []byte) error {
	at := f.at(name)
	if info, err := os.Stat(at); err == nil && info.Mode().IsRegular() && info.Size() == int64(len(content)) {
		return f.settle(at) // whoever wrote it may have died before it was durable
	}
	return f.write(ctx, at, content)
}

func (f folder) note(ctx context.Context, name string, content []byte) error {
	return f.write(ctx, f.at(name), content)
}

func (f folder) write(ctx context.Context, path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), newFile)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync() // before it has its name: what has one is whole
	}
	err = errors.Join(err, file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return err
	}
	return f.settle(path)
}

// settle makes a file and its place in the folders survive a crash of the machine,
// also when another has written it and died.
func (f folder) settle(path string) error {
	for {
		if err := settled(path); err != nil {
			return err
		}
		if path == f.path {
			return nil
		}
		path = filepath.Dir(path)
	}
}

func settled(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (f folder) open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	file, err := os.Open(f.at(name))
	if err != nil {
		return nil, missing(err)
	}
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, file.Close(), ErrNotFound)
	}
	return &openFile{file, ctx}, nil
}

// openFile is read as long as somebody wants it.
type openFile struct {
	*os.File
	ctx context.Context
}

func (f *openFile) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f folder) list(_ context.Context, prefix string) (out []entry, err error) {
	below, begins := path.Split(prefix)
	found, err := os.ReadDir(f.at(below))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for _, file := range found {
		if !strings.HasPrefix(file.Name(), begins) || isNewFile.MatchString(file.Name()) {
			continue
		}
		info, err := file.Info()
		switch {
		case err == nil && info.Mode().IsRegular():
			out = append(out, entry{below + file.Name(), info.ModTime()})
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return nil, err
		}
	}
	return out, nil
}

func (f folder) delete(_ context.Context, name string) error {
	return missing(os.Remove(f.at(name)))
}

func (f folder) ping(context.Context) error {
	info, err := os.Stat(f.path)
	if err == nil && !info.IsDir() {
		err = errors.New("there is no such folder")
	}
	if err != nil {
		return err
	}
	f.written.mu.Lock()
	defer f.written.mu.Unlock()
	if !f.written.at.IsZero() && time.Since(f.written.at) < believed {
		return nil
	}
	if err := f.tryWriting(); err != nil {
		return fmt.Errorf("%w: %w", ErrReadOnly, err)
	}
	f.written.at = time.Now()
	return nil
}

// tryWriting makes a file as put does, and removes it.
func (f folder) tryWriting() error {
	file, err := os.CreateTemp(f.path, newFile)
	if err != nil {
		return err
	}
	_, err = file.WriteString("parley looks whether files can be kept here\n")
	return errors.Join(err, file.Close(), os.Remove(file.Name()))
}

func missing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return ErrNotFound
	}
	return err
}
