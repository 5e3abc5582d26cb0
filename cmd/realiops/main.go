// Command realiops finds out which of the numbers called IOPS are real storage I/O.
package main

import (
	"os"

	"github.com/realiops/realiops/internal/cli"
)

func main() { os.Exit(cli.Main(cli.SystemEnv(), os.Args[1:])) }
