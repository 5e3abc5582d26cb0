//go:build !linux

package workers

import "syscall"

// attributes keep a worker in the terminal's process group, so that it stops and continues with its parent; it
// ignores the signals that end a process.
func attributes() *syscall.SysProcAttr { return nil }
