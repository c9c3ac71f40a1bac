package private

import "syscall"

// endsWithUs makes the kernel send a started process the signal of a fast shutdown
// when the thread that started it ends.
func endsWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGINT}
}
