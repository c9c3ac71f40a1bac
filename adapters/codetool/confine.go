package codetool

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// What a child may have of the system.
const (
	mostData = 640 << 20 // bytes of memory: the largest MEMORY_MB, twice what a result takes, and Go's own
	mostCPU  = 900       // seconds in its life; it is replaced before
	niceness = 10        // what serves people goes first
)

// confine takes from this process what programs must not have, for good. Nothing can be opened
// any more: no file, and no connection.
func confine() error {
	time.AfterFunc(time.Hour, func() {}).Stop() // what Go opens for its timers, it opens now
	time.Local = time.UTC
	runtime.GOMAXPROCS(2)
	debug.SetMemoryLimit(256 << 20)
	_ = syscall.Setpriority(syscall.PRIO_PGRP, 0, niceness)
	for _, l := range []struct {
		name  string
		which int
		most  uint64
	}{{"memory", syscall.RLIMIT_DATA, mostData}, {"CPU", syscall.RLIMIT_CPU, mostCPU}, {"size of files", syscall.RLIMIT_FSIZE, 0},
		{"core", syscall.RLIMIT_CORE, 0}, {"open files", syscall.RLIMIT_NOFILE, 0}} {
		if err := syscall.Setrlimit(l.which, &syscall.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			return fmt.Errorf("limiting the %s of a process for code: %w", l.name, err)
		}
	}
	return nil
}
