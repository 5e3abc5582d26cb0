package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show which realiops this is",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(env.Out, fullVersion())
			return err
		},
	}
}

// fullVersion is what to say in a report of a bug.
func fullVersion() string {
	return fmt.Sprintf("realiops %s, %s, %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// released is what a release was built as; the linker sets it.
var released string

// version is that of the release, or else the module's as the build knows it.
func version() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
