package workers

import "syscall"

// attributes keep a worker in the terminal's process group, so that it stops and continues with its parent; it
// ignores the signals that end a process. When the parent dies, even a stopped worker is woken to notice and exit.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGCONT} }
