// Package probe reads sources on one clock.
//
// A source that can be read now is a [Sampler]; each lives in a package of its own below this one, and none knows
// another. The [Clock] gives every sampler a goroutine and a deadline, so that one that hangs or fails never delays
// the rest, and records each reading with the time it took. What could not be read becomes a gap with its reason:
// a sampler says so itself, or returns an error, which [GapOf] puts into the words of a gap. A source that this run
// cannot read at all takes part as [Absent], so that the record tells why its metrics are missing. A source that keeps
// what it counted, and tells it only later, is a [Backfiller]: no clock reads it, it is asked when the run is over.
//
// The suite that every sampler must pass is in probetest.
package probe

import (
	"context"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// A Sampler reads one source. The clock calls it from one goroutine at a time.
type Sampler interface {
	// Name is short and unique among the samplers of a run: pgstat, block. It begins the name of each of its metrics.
	Name() string
	// Metrics lists what Sample may return, known before the first reading.
	Metrics() []runfile.Metric
	// Sample reads everything once. What it could not read it says as gaps beside the values, in every sample anew; an
	// error means that nothing was read. It returns soon after ctx ends, and a later call may succeed again.
	Sample(ctx context.Context) (Sample, error)
}

// Sample is one reading of a source. Where the values carry no time of their own, the clock uses the middle of the
// call.
type Sample struct {
	Values map[string]float64
	Gaps   []runfile.Gap // At and Probe are filled in by the clock
}

// Lagging is a sampler whose counters lag behind the work they count.
type Lagging interface {
	// WaitForCounters waits until the counters have caught up with work that is over. It may be called while a reading
	// is under way, and returns after a few seconds at most, with an error if the counters still move.
	WaitForCounters(ctx context.Context) error
}

// A Backfiller is a source that keeps what it counted, in periods of its own, and tells it some time after.
type Backfiller interface {
	// Name is short and unique among the sources of a run: cloudwatch, insights. It begins the name of each of its
	// metrics.
	Name() string
	// Metrics lists what Backfill may return, each with its period.
	Metrics() []runfile.Metric
	// Backfill hands over what the source has for the periods that overlap [from, to): a runfile.Period for each, and a
	// runfile.Gap for what it will never have, with the reason. It may be called again for the same stretch, and then
	// tells what the source says by now. An error of keep ends it. Asking costs money: it asks nothing twice in one
	// call.
	Backfill(ctx context.Context, from, to time.Time, keep func(runfile.Record) error) error
}
