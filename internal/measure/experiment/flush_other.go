//go:build !linux

package experiment

import "github.com/realiops/realiops/internal/measure/layout"

// FlushDirectories gives nil: only Linux can flush one file system, and only there do we read the device.
func FlushDirectories([]layout.Root) func() error { return nil }
