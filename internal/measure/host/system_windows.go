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

// memory returns 0: the library cannot ask for it here.
func memory() int64 { return 0 }

// ProcessorTime returns how much time of the processors this process has used; 0 where the system does not tell.
func ProcessorTime() time.Duration {
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &ended, &kernel, &user); err != nil {
		return 0
	}
	return elapsed(kernel) + elapsed(user)
}

// elapsed returns a length of time, which Windows counts in steps of 100 ns.
func elapsed(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
