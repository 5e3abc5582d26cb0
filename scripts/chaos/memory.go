//go:build linux

package main

import (
	"os"
	"syscall"
)

// memoryOf is the most that a process held, in MB. Linux counts kilobytes.
func memoryOf(s *os.ProcessState) int64 {
	if usage, ok := s.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss / 1000
	}
	return 0
}
