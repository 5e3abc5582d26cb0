//go:build !linux

package workers

import "syscall"

// attributes leave a worker in the group of the terminal's keys, so that it stops and goes on with the first process;
// the ones that end a process it ignores.
func attributes() *syscall.SysProcAttr { return nil }
