// Package probe reads sources on one clock.
//
// A source that can be read now is a [Sampler]. Each has its own package below this one, and none knows another. The
// [Clock] gives every sampler a goroutine and a deadline, so that a sampler that hangs or fails never delays the
// others, and records each reading with its duration. A value that could not be read becomes a gap with its reason:
// the sampler reports it, or returns an error, which [GapOf] converts. A source that this run cannot read at all is
// [Absent], so that the record says why its metrics are missing. A source that reports its periods only later is a
// [Backfiller]: the clock does not read it; it is asked after the run.
//
// The suite that every sampler must pass is in probetest.
package probe

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// A Sampler reads one source. The clock calls it from one goroutine at a time.
type Sampler interface {
	// Name is short and unique among the samplers of a run: pgstat, block. The name of each metric begins with it.
	Name() string
	// Metrics lists what Sample may return, known before the first reading.
	Metrics() []runfile.Metric
	// Sample reads everything once. Values that it could not read are gaps beside the others, in every sample; an
	// error means that nothing was read. It returns soon after ctx ends, and a later call may succeed.
	Sample(ctx context.Context) (Sample, error)
}

// Sample is one reading of a source. If At is zero, the clock uses the middle of the call.
type Sample struct {
	Values map[string]float64
	Gaps   []runfile.Gap // At and Probe are filled in by the clock
}

// Lagging is a sampler whose counters lag behind the work they count.
type Lagging interface {
	// WaitForCounters waits until the counters include all finished work. It may be called during a reading. It
	// returns after a few seconds at most, with an error if the counters still move.
	WaitForCounters(ctx context.Context) error
}

// A Backfiller is a source that keeps its counts in periods, and reports them some time later.
type Backfiller interface {
	// Name is short and unique among the sources of a run: cloudwatch, insights. The name
	// of each metric begins with it.
	Name() string
	// Metrics lists what Backfill may return, each with its period.
	Metrics() []runfile.Metric
	// Backfill passes to keep the source's data on the periods that overlap [from, to): a runfile.Period for each,
	// and a runfile.Gap with the reason for data that it will never have. A later call for the same time returns the
	// current data. An error of keep ends it. Since requests cost money, it makes none twice in one call.
	Backfill(ctx context.Context, from, to time.Time, keep func(runfile.Record) error) error
}

// Error says why a source cannot be read, in the terms of a gap.
type Error struct {
	Reason runfile.Reason
	Code   string // SQLSTATE, HTTP status, errno
	Err    error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// GapOf returns the gap for an error: as the *Error in it says, or by the error's kind.
func GapOf(err error) runfile.Gap {
	gap := runfile.Gap{Reason: runfile.Failed, Detail: err.Error()}
	if known, ok := errors.AsType[*Error](err); ok {
		gap.Reason, gap.Code = known.Reason, known.Code
		return gap
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		gap.Reason = runfile.Late
	case errors.Is(err, fs.ErrPermission):
		gap.Reason = runfile.Permission
	}
	return gap
}

// Absent is a sampler for a source that this run cannot read. It announces the metrics, and every
// sample is a gap with the reason.
func Absent(name string, metrics []runfile.Metric, why error) Sampler {
	return absent{name, metrics, GapOf(why)}
}

type absent struct {
	name    string
	metrics []runfile.Metric
	gap     runfile.Gap
}

func (a absent) Name() string              { return a.name }
func (a absent) Metrics() []runfile.Metric { return a.metrics }

func (a absent) Sample(ctx context.Context) (Sample, error) {
	return Sample{Gaps: []runfile.Gap{a.gap}}, ctx.Err()
}

// Need describes what a probe requires of the kernel. docs/reference/kernels.md lists all needs
// and the kernels of distributions.
type Need struct {
	What    string // the data read
	Linux   string // first version that counts it; distributions may backport it
	Beside  string // further requirements
	Without string // the consequence of its absence
}

// Features of the kernel, by version.
var (
	Discards = Need{What: "discards of `/proc/diskstats`", Linux: "4.18", Without: "no discards"}
	Flushes  = Need{What: "flushes of `/proc/diskstats`", Linux: "5.5",
		Without: "flushes count as writes, so a size may be for too many requests, and says so"}
	ByFile = Need{What: "requests [by file](../requests.md)", Linux: "5.15",
		Beside: " with `/sys/kernel/btf/vmlinux`; root, or CAP_BPF, CAP_PERFMON, CAP_DAC_READ_SEARCH and " +
			"CAP_SYS_PTRACE; ext4 or XFS",
		Without: "device figures include other programs"}
)
