package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// FullVersion returns what to say in a report of a bug.
func FullVersion() string {
	return fmt.Sprintf("realiops %s, %s, %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// released is the version of a release; the linker sets it.
var released string

// Version returns that of the release, or else the module's as the build knows it.
func Version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
