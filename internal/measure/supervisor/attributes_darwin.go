package supervisor

import "syscall"

// Attributes put a child into a group of its own, out of reach of the terminal's keys. There is no signal for orphans
// here.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
