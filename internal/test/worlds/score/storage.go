package score

import (
	"slices"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/test/worlds"
)

// isDisk reports whether a meter counts only the work of disks beneath a layer.
func isDisk(c Case) bool {
	return len(c.Meter.Rule.Terms) == 1 &&
		slices.Contains([]metric.Quantity{worlds.DiskRequests, worlds.DiskBytes, worlds.DiskFlushes}, c.term().Quantity)
}

// StorageTable returns the targets for worlds whose storage is no plain disk.
func StorageTable(cases []Case) []Figure {
	physical := where(cases, func(c Case) bool {
		return len(c.Meter.Rule.Terms) > 0 && !c.Meter.Rule.Sides(0)[counts.Logical] &&
			!c.Meter.Rule.Sides(0)[counts.Requested]
	})
	figures := []Figure{
		atMost(0.002, "other storage: any error, in side or quantity", cases, wrong),
		atMost(0.0008, "other storage: wrong side", cases, Case.WrongSide),
		seen("storage I/O: reported as logical, requested or mixed", physical, Case.WrongSide),
		seen("work of the disks below: side stated", where(cases, isDisk), Case.sideTold),
	}
	for _, layer := range worlds.Layers() {
		of := where(cases, func(c Case) bool { return c.World.Layer == layer })
		figures = append(figures, seen(string(layer)+": any error", of, wrong),
			seen("the same: work of the disks below: side stated", where(of, isDisk), Case.sideTold))
	}
	for _, trouble := range []worlds.Trouble{worlds.Sampled, worlds.Rounded, worlds.Switched, worlds.Curved} {
		figures = append(figures, seen(string(trouble)+", on other storage: any error", where(cases, func(c Case) bool {
			return c.Meter.Trouble == trouble
		}), wrong))
	}
	return append(figures, seen("other programs or a backup on the device: any error", where(cases, func(c Case) bool {
		return c.World.Visited
	}), wrong))
}
