package voice

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

const realTimePriority = 5

// realTime asks for real-time priority for this thread.
func realTime() error {
	return unix.SchedSetAttr(0, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_RR, Priority: realTimePriority}, 0)
}

// ownThread binds the goroutine to its thread, and asks for real-time priority: without it the thread is
// one like others. The thread ends with release.
func ownThread() (release func()) {
	runtime.LockOSThread()
	_ = realTime()
	return func() {} // a goroutine that ends locked takes the thread with it, and its priority
}

// RealTime says why threads of this process get no real-time priority; nil: they do. That takes a capability (CAP_SYS_NICE), or a
// limit of the process (RLIMIT_RTPRIO) that allows it.
func RealTime() error {
	told := make(chan error)
	go func() {
		runtime.LockOSThread() // and ends with it
		told <- realTime()
	}()
	if err := <-told; err != nil {
		return fmt.Errorf("real-time priority %d: %w", realTimePriority, err)
	}
	return nil
}

// sleepOnThread is finer than the timers of the runtime, and holds the thread meanwhile.
func sleepOnThread(d time.Duration) {
	left := unix.NsecToTimespec(d.Nanoseconds())
	for unix.ClockNanosleep(unix.CLOCK_MONOTONIC, 0, &left, &left) == unix.EINTR {
	}
}
