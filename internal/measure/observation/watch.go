package observation

import (
	"fmt"
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// watch passes records on, and detects a restart of the server in the readings. The clock calls
// it from one goroutine at a time.
type watch struct {
	started string
	probes  []string
	record  func(runfile.Record) error
	tell    func(string)

	interval time.Duration // of the readings
	ran      time.Time     // time of the last record; zero: none yet

	last    float64 // the server's start time; 0: unknown
	changed chan struct{}
	over    bool // changed is closed
}

func (w *watch) take(r runfile.Record) error {
	if err := w.stood(time.Now()); err != nil {
		return err
	}
	if reading, is := r.(runfile.Reading); is && w.again(reading) {
		const why = "the server was restarted or replaced"
		if err := Anew(w.record, reading.At, w.probes, why); err != nil {
			return err
		}
		close(w.changed)
		w.over = true
	}
	return w.record(r)
}

// stoodStill is how far beyond the interval a pause without any record means that this process stood still: a source
// that does not answer leaves a gap.
const stoodStill = 10 * time.Second

// stood records a time in which this process did not run. It uses the wall clock, since the monotonic clock
// stands still while a machine sleeps.
func (w *watch) stood(now time.Time) error {
	before := w.ran
	w.ran = now
	gone := now.Round(0).Sub(before.Round(0))
	if before.IsZero() || gone < w.interval+stoodStill {
		return nil
	}
	why := fmt.Sprintf("realiops stood still for %.0f s (it was stopped, the machine slept, or its clock was set)",
		gone.Seconds())
	w.tell("Nothing was read: " + why)
	for _, p := range w.probes {
		gap := runfile.Gap{At: before.Add(w.interval), Probe: p, Reason: runfile.Late, Detail: why}
		if err := w.record(gap); err != nil {
			return err
		}
	}
	return nil
}

// again reports whether a reading is from another start than the last one.
func (w *watch) again(r runfile.Reading) bool {
	started, read := r.Values[w.started]
	if !read || w.over {
		return false
	}
	before := w.last
	w.last = started
	return before != 0 && started != before
}

// Anew records that some probes' counters are not comparable with earlier ones.
func Anew(record func(runfile.Record) error, at time.Time, probes []string, why string) error {
	for _, p := range probes {
		if err := record(runfile.Gap{At: at, Probe: p, Reason: runfile.Reset, Detail: why}); err != nil {
			return err
		}
	}
	return nil
}
