package workers

import "syscall"

// attributes leave a worker in the group of the terminal's keys, so that it stops and goes on with the first process;
// the ones that end a process it ignores. When that one is gone, even a stopped worker is woken, to see it and leave.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGCONT} }
