package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// FullVersion returns the version for bug reports.
func FullVersion() string {
	return fmt.Sprintf("realiops %s, %s, %s/%s", Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// released is the version of a release, set by the linker.
var released string

// Version returns the release's version, or else the module's from the build information.
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
