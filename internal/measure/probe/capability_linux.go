package probe

import "golang.org/x/sys/unix"

// effective returns the capabilities of this process as bits, or all bits if the kernel does not say.
func effective() uint64 {
	var sets [2]unix.CapUserData
	if err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &sets[0]); err != nil {
		return ^uint64(0)
	}
	return uint64(sets[1].Effective)<<32 | uint64(sets[0].Effective)
}
