package block

import (
	"path"
	"strings"

	"github.com/prometheus/procfs/blockdevice"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
)

// sector is the kernel's unit of length, whatever the device's sectors are ("standard UNIX 512-byte sectors").
const sector = 512

// tick is the kernel's unit of time here: milliseconds, in 32 bits, so the sums wrap around after 49.7 days. The
// clock of the probes then reports a reset.
const tick = 1e-3

// The number of fields in a stat file, by the kernel's version.
const (
	beforeDiscards = 11
	withDiscards   = 15 // from 4.18 on
	withFlushes    = 17 // from 5.5 on
)

// figure is one field of a device's stat file.
type figure struct {
	field  string // its name in internal/metric
	fields int    // the least fields of a file that has it
	value  func(blockdevice.IOStats) float64
}

var all = []figure{
	{"reads", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadIOs) }},
	{"reads_merged", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadMerges) }},
	{"read_bytes", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadSectors) * sector }},
	{"read_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.ReadTicks) * tick }},
	{"writes", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteIOs) }},
	{"writes_merged", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteMerges) }},
	{"write_bytes", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteSectors) * sector }},
	{"write_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WriteTicks) * tick }},
	{"flushes", withFlushes, func(s blockdevice.IOStats) float64 { return float64(s.FlushRequestsCompleted) }},
	{"flush_time", withFlushes, func(s blockdevice.IOStats) float64 { return float64(s.TimeSpentFlushing) * tick }},
	{"discards", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardIOs) }},
	{"discards_merged", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardMerges) }},
	{"discard_bytes", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardSectors) * sector }},
	{"discard_time", withDiscards, func(s blockdevice.IOStats) float64 { return float64(s.DiscardTicks) * tick }},
	{"io_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.IOsTotalTicks) * tick }},
	{"weighted_time", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.WeightedIOTicks) * tick }},
	{"in_flight", beforeDiscards, func(s blockdevice.IOStats) float64 { return float64(s.IOsInProgress) }},
}

// figuresOf lists the metrics of one group of devices.
func figuresOf(view string) []runfile.Metric {
	oid, apart := metric.TablespaceIn(strings.TrimPrefix(view, "."))
	if !apart {
		return metric.All().View(Name + view).Announced()
	}
	figures := figuresOf("." + tablespaces)
	for i := range figures {
		f := &figures[i]
		f.Name = metric.InRole(metric.TablespaceRole(oid), Name+"/"+path.Base(f.Name))
		f.Help = strings.Replace(f.Help, "the tablespaces", "tablespace "+oid, 1)
	}
	return figures
}

func (f figure) name(view string) string { return Name + view + "/" + f.field }
