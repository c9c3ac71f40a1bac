package datafolder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ErrLocked is wrapped by the error of [Lock] when another process (or another
// part of this one) works in the folder.
var ErrLocked = errors.New("the data folder is in use")

// LockFile is the name of the file in a data folder that its process holds locked.
const LockFile = "parley.lock"

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
	path := filepath.Join(dir, LockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data folder: %w; run as the user that owns %s, or choose another --data folder", err, dir)
	}
	if err := flock(f); err != nil {
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

// outlive is how long a process that was killed may take to be gone.
const outlive = 10 * time.Second

// flock takes the lock. A process that was killed holds it for as long as the kernel
// takes its memory apart; it is waited for. Who lives is asked twice, since a kill is
// not to be seen for the moment in which it is taken notice of.
func flock(f *os.File) error {
	alive := 0
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || !errors.Is(err, syscall.EWOULDBLOCK) || time.Since(began) > outlive {
			return err
		}
		if !dying(pidOf(f)) {
			alive++
		}
		if alive == 2 {
			return err
		}
	}
}

// dying tells whether a process was killed or is gone already. Where there is no
// /proc nobody is taken for dying.
func dying(pid string) bool {
	if _, err := os.Stat("/proc/self/stat"); err != nil || pid == "PID" {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH)
	}
	const exiting = 0x4 // PF_EXITING of the kernel
	_, after, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(after); len(fields) > 6 { // from the third field on, the state
		flags, err := strconv.ParseUint(fields[6], 10, 64)
		if strings.Contains("ZX", fields[0]) || err == nil && flags&exiting != 0 {
			return true
		}
	}
	return killPending(pid)
}

// killPending tells whether a SIGKILL is on its way to a process.
func killPending(pid string) bool {
	const kill = 1 << (syscall.SIGKILL - 1)
	status, err := os.ReadFile(filepath.Join("/proc", pid, "status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if name != "SigPnd" && name != "ShdPnd" {
			continue
		}
		if pending, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64); err == nil && pending&kill != 0 {
			return true
		}
	}
	return false
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
