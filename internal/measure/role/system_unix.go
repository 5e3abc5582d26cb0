//go:build unix

package role

import "syscall"

// apart starts a process in its own session.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
