package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/spf13/cobra"
)

// enough is the heap, in bytes, up to which a short command collects no garbage for each run that it reads at once.
// Most reports need less, and the collector would take a fifth of their CPU time.
const enough = 96 << 20

// Brief delays garbage collection in a command that only reads run files, so many at once, and soon ends.
func Brief(runs int64, c *cobra.Command) *cobra.Command {
	run := c.RunE
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
			letGrow(runs * enough)
		}
		return run(cmd, args)
	}
	return c
}

// letGrow turns the collector off until the process takes this much memory. Once more than half of it is live,
// garbage is collected as before.
func letGrow(memory int64) {
	usual := debug.SetGCPercent(-1)
	if usual < 0 { // it is off already
		return
	}
	most := debug.SetMemoryLimit(memory)
	var collected func(struct{})
	collected = func(struct{}) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Uint64() < uint64(memory)/2 {
			runtime.AddCleanup(new([2]*int), collected, struct{}{})
			return
		}
		debug.SetGCPercent(usual)
		debug.SetMemoryLimit(most)
	}
	runtime.AddCleanup(new([2]*int), collected, struct{}{})
}
