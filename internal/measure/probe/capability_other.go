//go:build !linux

package probe

// effective returns all bits: other systems have no capabilities.
func effective() uint64 { return ^uint64(0) }
