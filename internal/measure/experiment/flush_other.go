//go:build !linux

package experiment

import "github.com/realiops/realiops/internal/measure/layout"

// FlushDirectories returns nil: only Linux can flush one file system, and only there do we read devices.
func FlushDirectories([]layout.Root) func() error { return nil }
