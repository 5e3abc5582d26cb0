// Command realiops finds out which of the numbers called IOPS are real storage I/O.
package main

import (
	"os"
	"runtime/debug"

	"github.com/realiops/realiops/internal/cli"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

// percent is GOGC: at the usual 100, a report on a long run takes a quarter more memory, and as long.
const percent = 60

func main() {
	if status, played := role.Main(os.Args, supervisor.Role(), workers.Role()); played {
		os.Exit(status)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
	os.Exit(cli.Main(command.SystemEnv(), os.Args[1:]))
}
