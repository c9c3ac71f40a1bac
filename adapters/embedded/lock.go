package embedded

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrLocked is wrapped by the error of [Lock] when another process (or another
// part of this one) works in the folder.
var ErrLocked = errors.New("the data folder is in use")

const lockFile = "parley.lock"

// Lock takes the folder for this process, making it (mode 0700) if it does not
// exist. The operating system gives the lock back when the process ends, however
// it ends, so nothing has to be cleared after a kill -9. The error of a folder in
// use names the process that holds it and what to do.
//
// The lock is on an open file and not on the file's existence: the file stays
// behind after release, and that means nothing.
func Lock(dir string) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w; run as the user that owns %s, or choose another --data folder", err, dir)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("%w: %s is held by %s; stop that process (kill %s), or choose another --data folder",
				ErrLocked, dir, holder(f), pidOf(f))
		}
		return nil, fmt.Errorf("data folder: lock %s: %w; its file system must support flock", path, err)
	}
	if err := writePID(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("data folder: write %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

func pidOf(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	pid := strings.TrimSpace(string(text))
	if err != nil || pid == "" {
		return "PID"
	}
	return pid
}

func holder(f *os.File) string {
	switch pid := pidOf(f); pid {
	case "PID":
		return "another process"
	case strconv.Itoa(os.Getpid()):
		return "process " + pid + " (this one)"
	default:
		return "process " + pid
	}
}
