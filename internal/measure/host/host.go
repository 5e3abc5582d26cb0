// Package host says what machine realiops runs on, for the record of a run.
package host

import (
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/realiops/realiops/internal/runfile"
)

// Facts describes this machine; what the system does not tell stays empty.
func Facts() runfile.Host {
	h := runfile.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), MemoryBytes: memory()}
	var name unix.Utsname
	if err := unix.Uname(&name); err == nil {
		h.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	return h
}
