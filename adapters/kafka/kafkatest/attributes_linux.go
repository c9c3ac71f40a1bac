package kafkatest

import "syscall"

// endsWithUs makes the kernel kill a started process when the thread that started it
// ends. It has a session of its own: a terminal's interrupt is for us, who then stop
// it in order.
func endsWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
}
