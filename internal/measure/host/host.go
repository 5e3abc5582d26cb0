// Package host describes the machine that realiops runs on, for the record of a run, and realiops's own use of it.
package host

import (
	"runtime"

	"github.com/realiops/realiops/internal/runfile"
)

// Facts describes this machine; unknown facts are empty.
func Facts() runfile.Host {
	return runfile.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), MemoryBytes: memory(),
		Kernel: kernel()}
}
