package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Look keeps others from starting in a folder while it is read, and refuses one in
// use, as Lock does; but it changes nothing in the folder, and makes none.
func Look(dir string) (release func(), err error) {
	f, err := os.Open(filepath.Join(dir, LockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return func() {}, nil // nobody ever worked here
	}
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer f.Close()
		return nil, fmt.Errorf("%w: %s is held by %s; stop that process (kill %s) first", ErrLocked, dir, holder(f), pidOf(f))
	}
	return func() { _ = f.Close() }, nil
}
