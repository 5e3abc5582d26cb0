package needs

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Others is the reason for a need that does not come from the device: it did more than this server can have requested.
const Others series.Reason = "others"

// The device counts all users, so it can only show too much. It shows others above this factor, plus this amount, of
// what the server's own counters explain. Servers on devices of their own stayed within 1.67 times the bytes, twice the
// requests and 1.1 times the flushes of the model.
const (
	bytesBeyond    = ModelBytesOff
	requestsBeyond = 3
	unnoticedBytes = 256e3 // a journal, a server log
	unnoticedReads = 1e6   // loading of programs and catalogs
	unnoticedTimes = 50    // requests, and flushes
)

// asked holds the rates that this server's own counters show it requested, per second.
type asked struct {
	model Rate
	pages float64
	// Bytes of its processes' write calls, and bytes read of tables, indexes and temporary files; negative if unknown.
	// Both exceed what reaches the device if the kernel's cache is in between.
	written, read float64
}

// askedOf returns the mean over a load's repetitions.
func askedOf(run *counts.Run, load counts.Load) asked {
	a := asked{written: MeanOver(load, writtenByProcesses), read: MeanOver(load, readByServer)}
	a.pages = MeanOver(load, func(r counts.Repetition) (float64, error) {
		return run.Quantity(metric.PagesWritten).Count(load, r)
	})
	for _, r := range load.Repetitions {
		rate, _ := modelled(run, load, r)
		for i, f := range a.model.fields() {
			*f += *rate.fields()[i] / float64(len(load.Repetitions))
		}
	}
	return a
}

// MeanOver returns a count's mean rate over the repetitions of a load; negative if one of them lacks it.
func MeanOver(load counts.Load, count func(counts.Repetition) (float64, error)) (mean float64) {
	for _, r := range load.Repetitions {
		amount, err := count(r)
		if err != nil {
			return -1
		}
		mean += max(0, amount) / r.Seconds / float64(len(load.Repetitions))
	}
	return mean
}

func writtenByProcesses(r counts.Repetition) (float64, error) { return r.Count(metric.ProcessesWrote) }

// blockSize is PostgreSQL's default page size in bytes.
const blockSize = 8192

// readByServer returns the bytes requested from the operating system.
func readByServer(r counts.Repetition) (float64, error) {
	if volume, err := r.Count(metric.StatIOReadBytes); err == nil {
		return volume + spilled(r)*r.Seconds, nil
	}
	blocks, err := r.Count(metric.BlocksRead)
	return blocks*blockSize + spilled(r)*r.Seconds, err
}

// bytes returns the most that the counters account for: spilled and copied bytes are only in what the processes wrote.
func (a asked) bytes() float64 { return max(a.model.WriteBytes, a.written) }

// crossCheck compares the device's figures with what the server's own counters can account for, and returns the excess.
func (n *Need) crossCheck(run *counts.Run, load counts.Load) *series.Missing {
	if run.Header.Target.Storage.Own {
		return nil
	}
	if n.Unchecked = n.estimateOnly(run, load); n.Unchecked != nil {
		return nil
	}
	a, done := askedOf(run, load), n.Mean
	perSecond := func(bytes float64) string { return number.Rate(bytes/number.Mega) + " MB/s" }
	var detail string
	switch {
	case done.WriteBytes > bytesBeyond*a.bytes()+unnoticedBytes:
		detail = fmt.Sprintf("the device wrote %s, and this server's WAL, pages and write calls come to %s",
			perSecond(done.WriteBytes), perSecond(a.bytes()))
	case done.Flushes > requestsBeyond*a.model.Flushes+unnoticedTimes:
		detail = fmt.Sprintf("the device did %s flushes/s, and this server's WAL comes to %s",
			number.Rate(done.Flushes), number.Rate(a.model.Flushes))
	case done.Writes > requestsBeyond*a.model.Writes+max(0, a.pages)+unnoticedTimes:
		detail = fmt.Sprintf("the device did %s writes/s, and this server made %s writes of WAL and pages",
			number.Rate(done.Writes), number.Rate(a.model.Writes+max(0, a.pages)))
	case a.read >= 0 && done.ReadBytes > bytesBeyond*a.read+unnoticedReads:
		detail = fmt.Sprintf("the device read %s, and this server asked for %s", perSecond(done.ReadBytes),
			perSecond(a.read))
	default:
		return nil
	}
	return &series.Missing{Reason: Others, Detail: detail}
}

// estimateOnly returns why there is no estimate; nil if there is one.
func (n Need) estimateOnly(run *counts.Run, load counts.Load) *series.Missing {
	return (&Need{Repetitions: n.Repetitions}).estimate(run, load)
}

// within limits an estimate to what the server's processes wrote, if that was read, and to the device's total. The
// model has no reads: they are the device's, up to what the server requested.
func (n *Need) within(device Need, a asked) {
	if a.written >= 0 {
		n.Highest.WriteBytes = min(n.Highest.WriteBytes, max(n.Mean.WriteBytes, a.written))
	}
	for _, pair := range [][2]*Rate{{&n.Mean, &device.Mean}, {&n.Lowest, &device.Lowest},
		{&n.Highest, &device.Highest}} {
		mine, its := pair[0], pair[1]
		mine.Reads, mine.ReadBytes = its.Reads, its.ReadBytes
		if a.read >= 0 {
			mine.Reads, mine.ReadBytes = min(its.Reads, a.read/blockSize), min(its.ReadBytes, a.read)
		}
	}
	most := device.Highest.fields()
	for _, rate := range []*Rate{&n.Mean, &n.Lowest, &n.Highest} {
		for i, f := range rate.fields() {
			*f = min(*f, *most[i])
		}
	}
}

// The device's work for WAL and pages, as non-negative mixtures over eight loads of a run on PostgreSQL 17.11, alone on
// its device (testdata/runs/loads-pg17.jsonl): requests 0.98 per WAL write and 0.013 per page, bytes 1.01 per byte of
// WAL, 8,120 per WAL write and 8,860 per page, flushes 0.99 per WAL write.
const (
	requestsPerWALWrite = 0.98
	requestsPerPage     = 0.013
	flushesPerWALWrite  = 0.99
	BytesPerWALByte     = 1.01
	bytesPerWALWrite    = 8120
	bytesPerPage        = 8860
)

// How far the model may be off on another machine, either way. Bytes follow from pages: they were 0.96 to 1.24 of the
// model's in 73 of 74 repetitions on three servers, and 1.67 in one. The number of requests depends on file system and
// device: up to 2.01 of the model's.
const (
	modelOff      = 2
	ModelBytesOff = 1.5
)

// modelled returns a repetition's rate by the model, for a device that could not be read, or not for this server alone.
// Spilled bytes are written, too, unless deleted before.
func modelled(run *counts.Run, load counts.Load, r counts.Repetition) (Rate, *series.Missing) {
	var counted [3]float64
	for i, name := range []metric.Quantity{metric.WALBytes, metric.WALWrites, metric.PagesWritten} {
		count, err := run.Quantity(name).Count(load, r)
		if err != nil {
			return Rate{}, reason(err)
		}
		counted[i] = max(0, count/r.Seconds)
	}
	walBytes, walWrites, pages := counted[0], counted[1], counted[2]
	return Rate{
		Writes:     requestsPerWALWrite*walWrites + requestsPerPage*pages,
		Flushes:    flushesPerWALWrite * walWrites,
		WriteBytes: BytesPerWALByte*walBytes + bytesPerWALWrite*walWrites + bytesPerPage*pages + spilled(r),
	}, nil
}

// spilled returns the bytes written to temporary files per second, as far as known.
func spilled(r counts.Repetition) float64 {
	for _, name := range []string{metric.ClusterTempBytes, metric.DatabaseTempBytes} {
		if count, err := r.Count(name); err == nil {
			return max(0, count/r.Seconds)
		}
	}
	return 0
}

// WALShare is the WAL's share of the write requests and of the bytes written.
type WALShare struct{ Requests, Bytes float64 }

// WALShare returns the WAL's share of a need, by the cost of WAL writes to a device; nil if unknown.
func (n Need) WALShare() *WALShare {
	if n.WALWrites == nil || n.WALBytes == nil || n.Mean.Writes == 0 || n.Mean.WriteBytes == 0 {
		return nil
	}
	return &WALShare{
		Requests: min(1, requestsPerWALWrite**n.WALWrites/n.Mean.Writes),
		Bytes:    min(1, (BytesPerWALByte**n.WALBytes+bytesPerWALWrite**n.WALWrites)/n.Mean.WriteBytes),
	}
}
