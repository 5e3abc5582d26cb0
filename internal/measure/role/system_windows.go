package role

import "syscall"

// apart starts a process in its own group, which Ctrl-C does not reach.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
