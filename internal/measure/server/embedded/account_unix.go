//go:build unix

package embedded

import "syscall"

// run sets the account in a program's attributes, unless it is the current user.
func (a account) run(attributes *syscall.SysProcAttr) {
	if a.other() {
		attributes.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
}
