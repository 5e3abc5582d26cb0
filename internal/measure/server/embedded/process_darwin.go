package embedded

import (
	"os"
	"syscall"
)

// attributes put a child into a group of its own, out of reach of the terminal's keys, as that account. There is no
// signal for orphans here: realiops ends the server itself when the keeper is gone.
func attributes(a account, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: a.credential()}
}

func ownProgram() (string, error) { return os.Executable() }
