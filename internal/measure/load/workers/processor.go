package workers

import (
	"syscall"
	"time"
)

// processor is how much time of the processors this process has used; 0 where the system does not tell.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
