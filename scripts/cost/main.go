//go:build unix

// Command cost runs a command some times and prints the elapsed and CPU seconds of the fastest run, and the most
// memory of any in MB. It drops the command's output.
//
//	cost TIMES COMMAND…
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: cost TIMES COMMAND…")
		os.Exit(2)
	}
	times, err := strconv.Atoi(os.Args[1])
	if err == nil {
		err = run(times, os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cost:", err)
		os.Exit(1)
	}
}

func run(times int, command []string) error {
	var fastest, processors time.Duration
	var most int64
	for i := range times {
		cmd := exec.Command(command[0], command[1:]...) //nolint:gosec // chosen by the caller
		cmd.Stderr = os.Stderr
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", command[0], err)
		}
		took := time.Since(begin)
		if i == 0 || took < fastest {
			fastest, processors = took, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
		}
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			most = max(most, int64(usage.Maxrss)) //nolint:unconvert // kilobytes, on Linux, of another width elsewhere
		}
	}
	fmt.Printf("%.2f %.2f %d\n", fastest.Seconds(), processors.Seconds(), most*1024/1e6)
	return nil
}
