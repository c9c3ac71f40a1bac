package cluster

import "syscall"

// endsWithUs makes the kernel kill a child when the thread that started it ends; its
// own session keeps a terminal's interrupt from it, so that we end it in order.
func endsWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
}
