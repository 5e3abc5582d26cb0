package supervisor

import "syscall"

// Attributes start a child in its own process group, out of the terminal's reach, and make the kernel signal it when
// we are gone. The signal comes when the starting thread ends, so the caller must keep that thread.
func Attributes(orphaned syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: orphaned}
}
