package supervisor

import "syscall"

// Attributes put a child into a group of its own, out of reach of the terminal's keys, and have the kernel send it a
// signal when we are gone: when the thread ends that started it, so that the caller keeps to that thread.
func Attributes(orphaned syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: orphaned}
}
