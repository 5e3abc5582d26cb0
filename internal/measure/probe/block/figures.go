package block

import (
	"github.com/prometheus/procfs/blockdevice"

	"github.com/realiops/realiops/internal/runfile"
)

// source documents every field of a device's stat file.
const source = "https://docs.kernel.org/block/stat.html"

// sector is the kernel's unit of length, whatever the device's own sectors are ("standard UNIX 512-byte sectors").
const sector = 512

// tick is the kernel's unit of time here: milliseconds, in 32 bits, so that the sums wrap around after 49.7 days of
// summed time. The clock of the probes then reports a reset.
const tick = 1e-3

// How many fields a stat file has, by the age of the kernel.
const (
	beforeDiscards = 11
	withDiscards   = 15 // from 4.18 on
	withFlushes    = 17 // from 5.5 on
)

// figure is one field of a device's stat file.
type figure struct {
	field  string
	unit   string
	kind   runfile.MetricType
	fields int // the file must have so many
	value  func(blockdevice.IOStats) float64
	help   string
}

var all = []figure{
	{"reads", "operations", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.ReadIOs) },
		"read requests completed by the device"},
	{"reads_merged", "operations", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.ReadMerges) },
		"reads that were merged into a request already queued, and so are not in reads"},
	{"read_bytes", "bytes", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.ReadSectors) * sector },
		"bytes read from the device"},
	{"read_time", "seconds", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.ReadTicks) * tick },
		"time that read requests took, summed over requests"},
	{"writes", "operations", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.WriteIOs) },
		"write requests completed by the device, empty flushes among them: those with data are writes - flushes"},
	{"writes_merged", "operations", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.WriteMerges) },
		"writes that were merged into a request already queued, and so are not in writes"},
	{"write_bytes", "bytes", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.WriteSectors) * sector },
		"bytes written to the device"},
	{"write_time", "seconds", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.WriteTicks) * tick },
		"time that write requests took, summed over requests"},
	{"flushes", "operations", runfile.Counter, withFlushes,
		func(s blockdevice.IOStats) float64 { return float64(s.FlushRequestsCompleted) },
		"flushes of the device's cache; none reach a device that has no volatile cache (write through)"},
	{"flush_time", "seconds", runfile.Counter, withFlushes,
		func(s blockdevice.IOStats) float64 { return float64(s.TimeSpentFlushing) * tick },
		"time that flushes took, summed over flushes"},
	{"discards", "operations", runfile.Counter, withDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.DiscardIOs) },
		"requests that tell the device which data is needed no more, and so carry none; not in writes"},
	{"discards_merged", "operations", runfile.Counter, withDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.DiscardMerges) },
		"discards that were merged into a request already queued, and so are not in discards"},
	{"discard_bytes", "bytes", runfile.Counter, withDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.DiscardSectors) * sector },
		"length of what was discarded; none of it is written"},
	{"discard_time", "seconds", runfile.Counter, withDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.DiscardTicks) * tick },
		"time that discards took, summed over requests"},
	{"io_time", "seconds", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.IOsTotalTicks) * tick },
		"time during which at least one request was in flight: its rate is the utilisation"},
	{"weighted_time", "seconds", runfile.Counter, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.WeightedIOTicks) * tick },
		"time in flight, summed over requests: its rate is the mean queue"},
	{"in_flight", "operations", runfile.Gauge, beforeDiscards,
		func(s blockdevice.IOStats) float64 { return float64(s.IOsInProgress) },
		"requests given to the device and not completed yet"},
}

// figuresOf lists what is counted of one group of devices.
func figuresOf(view string) []runfile.Metric {
	var metrics []runfile.Metric
	for _, f := range all {
		metrics = append(metrics, f.metric(view))
	}
	return metrics
}

// everybodys is what to beware of in every figure of a device.
const everybodys = "counts whoever uses the device; over several devices it is their sum, so that a mirror counts a write twice"

// whose says in a metric's help what its devices are under.
var whose = map[string]string{
	"." + data:        " (devices under the data directory)",
	"." + wal:         " (devices under pg_wal)",
	"." + tablespaces: " (devices under the tablespaces)",
	"." + temp:        " (devices under temp_tablespaces)",
}

func (f figure) metric(view string) runfile.Metric {
	return runfile.Metric{
		Name: f.name(view), Unit: f.unit, Type: f.kind, Source: source, Help: f.help + whose[view], Caveat: everybodys,
	}
}

func (f figure) name(view string) string { return Name + view + "/" + f.field }
