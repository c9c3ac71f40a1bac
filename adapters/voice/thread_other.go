//go:build !linux

package voice

import (
	"errors"
	"runtime"
	"time"
)

func ownThread() (release func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// RealTime says why threads get no real-time priority.
func RealTime() error { return errors.New("real-time priority is asked for on Linux only") }

func sleepOnThread(d time.Duration) { time.Sleep(d) }
