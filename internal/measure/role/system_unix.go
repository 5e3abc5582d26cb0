//go:build unix

package role

import "syscall"

// apart puts a process into a session of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
