package embedded

import (
	"os"
	"syscall"
)

// attributes put a child into a group of its own, out of reach of the terminal's keys, as that account, and have the
// kernel send it a signal when we are gone.
func attributes(a account, orphaned syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: a.credential(), Pdeathsig: orphaned}
}

// ownProgram is this very program, also when its file has been removed or replaced, as go run does.
func ownProgram() (string, error) {
	const self = "/proc/self/exe"
	if _, err := os.Stat(self); err == nil {
		return self, nil
	}
	return os.Executable()
}
