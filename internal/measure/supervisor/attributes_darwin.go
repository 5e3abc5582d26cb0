package supervisor

import "syscall"

// Attributes start a child in its own process group, out of the terminal's reach. macOS has no signal for orphans.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
