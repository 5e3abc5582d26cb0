// Command realiops finds out which of the numbers called IOPS are real storage I/O.
package main

import (
	"os"

	"github.com/realiops/realiops/internal/cli"
	"github.com/realiops/realiops/internal/cli/command"
	"github.com/realiops/realiops/internal/measure/load/workers"
	"github.com/realiops/realiops/internal/measure/role"
	"github.com/realiops/realiops/internal/measure/supervisor"
)

func main() {
	if status, played := role.Main(os.Args, supervisor.Role(), workers.Role()); played {
		os.Exit(status)
	}
	os.Exit(cli.Main(command.SystemEnv(), os.Args[1:]))
}
