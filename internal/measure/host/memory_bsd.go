//go:build unix && !linux

package host

import (
	"runtime"

	"golang.org/x/sys/unix"
)

func memory() int64 {
	name := "hw.physmem"
	if runtime.GOOS == "darwin" { // its hw.physmem has 32 bits
		name = "hw.memsize"
	}
	bytes, err := unix.SysctlUint64(name)
	if err != nil {
		return 0
	}
	return int64(bytes)
}
