package command

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/spf13/cobra"
)

// enough is the memory that a brief command may take before any garbage is collected. Most reports keep much less, and
// collecting as usual takes a fifth of their CPU time.
const enough = 64 << 20

// Brief has commands that only read what was measured take memory rather than collect garbage, as long as there is
// enough.
func Brief(commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		run := c.RunE
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
				letGrow(enough)
			}
			return run(cmd, args)
		}
	}
	return commands
}

// letGrow has garbage collected only when the process has taken so much memory, until more than half of that is in use;
// from then on as usual.
func letGrow(memory int64) {
	usual := debug.SetGCPercent(-1)
	if usual < 0 { // another command of the process has done so
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
