//go:build !linux

package cluster

import "syscall"

// endsWithUs cannot tie a process to ours here; Close ends it.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
