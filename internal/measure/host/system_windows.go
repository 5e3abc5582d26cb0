package host

import (
	"fmt"
	"time"

	"golang.org/x/sys/windows"
)

func kernel() string {
	v := windows.RtlGetVersion()
	return fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber)
}

// memory returns 0: the library does not support it on Windows.
func memory() int64 { return 0 }

// ProcessorTime returns the CPU time that this process has used, or 0 if unknown.
func ProcessorTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user); err != nil {
		return 0
	}
	return elapsed(kernel) + elapsed(user)
}

// elapsed converts a duration, which Windows counts in steps of 100 ns.
func elapsed(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
