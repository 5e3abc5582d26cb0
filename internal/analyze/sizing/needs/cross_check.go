package needs

import (
	"fmt"

	"github.com/realiops/realiops/internal/analyze/counts"
	"github.com/realiops/realiops/internal/analyze/number"
	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/series"
)

// Others is the reason for a need that is not taken from the device: it did more than this server can have asked for.
const Others series.Reason = "others"

// The device counts whoever uses it, so that it can only show too much. From so many times what the server's own
// counters come to, and so much more a second, it shows others; on devices of their own, servers stayed within 1.67
// times the bytes, twice the requests and 1.1 times the flushes that the model gives.
const (
	bytesBeyond    = ModelBytesOff
	requestsBeyond = 3
	unnoticedBytes = 256e3 // a journal, a server log
	unnoticedReads = 1e6   // programs and catalogs that are loaded
	unnoticedTimes = 50    // requests, and flushes
)

// asked holds the rates that this server's own counters show it requested, per second.
type asked struct {
	model Rate
	pages float64
	// What its processes gave to write calls, and bytes of tables, indexes and temporary files that it asked for;
	// negative: not known. Both are more than reaches the device where the kernel's cache stands between.
	written, read float64
}

// askedOf returns that of a load, on average over its repetitions.
func askedOf(run *counts.Run, load counts.Load) asked {
	a := asked{written: MeanOver(load, writtenByProcesses), read: MeanOver(load, readByServer)}
	a.pages = MeanOver(load, func(r counts.Repetition) (float64, error) {
		return run.Quantity(counts.PagesWritten).Count(load, r)
	})
	for _, r := range load.Repetitions {
		rate, _ := modelled(run, load, r)
		for i, f := range a.model.fields() {
			*f += *rate.fields()[i] / float64(len(load.Repetitions))
		}
	}
	return a
}

// MeanOver returns a count's mean rate over the repetitions of a load; negative: one of them does not have it.
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

// readByServer are bytes asked of the operating system.
func readByServer(r counts.Repetition) (float64, error) {
	if volume, err := r.Count(metric.StatIOReadBytes); err == nil {
		return volume + spilled(r)*r.Seconds, nil
	}
	blocks, err := r.Count(metric.BlocksRead)
	return blocks*blockSize + spilled(r)*r.Seconds, err
}

// bytes returns the most that the counters account for: what spilled or was copied is in what the processes wrote
// alone.
func (a asked) bytes() float64 { return max(a.model.WriteBytes, a.written) }

// crossCheck holds the device's figures against what the server's own counters can account for, and tells what is
// beyond that.
func (n *Need) crossCheck(run *counts.Run, load counts.Load) *series.Missing {
	if run.Header.Target.Storage.Own || n.estimateOnly(run, load) != nil {
		return nil // nobody else is there, or nothing to hold it against
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

// estimateOnly says why there is no estimate, if there is none.
func (n Need) estimateOnly(run *counts.Run, load counts.Load) *series.Missing {
	return (&Need{Repetitions: n.Repetitions}).estimate(run, load)
}

// within narrows an estimate to what the server's processes wrote, where that was read, and to what the device did for
// everybody. Reads are no part of the model: they are the device's, up to what the server asked for.
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
