//go:build unix

package engine

import (
	"syscall"
	"time"
)

// processorTime is how much the process has used.
func processorTime() (used time.Duration, known bool) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, false
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), true
}
