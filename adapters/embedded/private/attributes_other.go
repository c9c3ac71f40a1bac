//go:build unix && !linux

package private

import "syscall"

// endsWithUs can do nothing where the kernel has no parent-death signal: a server
// that outlives a killed process is stopped by the next start.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
