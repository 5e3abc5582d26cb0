//go:build unix

package embedded

import "syscall"

// run has a program run as the account, where it is not our own.
func (a account) run(attributes *syscall.SysProcAttr) {
	if a.other() {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
}
