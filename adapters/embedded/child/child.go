// Package child starts programs that end when this process ends, however that is: the
// private Postgres of a node, and the servers of tests and benchmarks.
//
// It owns the tie between the two, and nothing of what the programs are or how they are
// stopped in order.
package child

import (
	"os/exec"
	"runtime"
	"syscall"
)

// Tie has the kernel send the program a signal when the thread that starts it ends. It gets
// a session of its own: the interrupt of a terminal is for us, who then stop it in order.
// Where the kernel has no such signal, what outlives us has to be stopped by who comes next.
func Tie(cmd *exec.Cmd, atOurEnd syscall.Signal) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setsid = true
	tie(cmd.SysProcAttr, atOurEnd)
}

// Start starts a program that is tied to us, from a thread that stays with it to its end:
// any other may end long before this process does. The channel is closed when the program
// is gone; it was waited for then.
func Start(cmd *exec.Cmd) (gone <-chan struct{}, err error) {
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(done)
		}
	}()
	return done, <-started
}
