// Package host says what machine realiops runs on, for the record of a run, and how much of it realiops uses.
package host

import (
	"runtime"

	"github.com/realiops/realiops/internal/runfile"
)

// Facts describes this machine; what the system does not tell stays empty.
func Facts() runfile.Host {
	return runfile.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), MemoryBytes: memory(),
		Kernel: kernel()}
}
