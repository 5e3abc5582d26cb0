package observation

import (
	"time"

	"github.com/realiops/realiops/internal/runfile"
)

// watch hands records on, and looks in the readings for another start of the server. The clock calls it from one
// goroutine at a time.
type watch struct {
	started string
	probes  []string
	record  func(runfile.Record) error

	last    float64 // when the server was started; 0: it was not read yet
	changed chan struct{}
	over    bool // changed is closed
}

func (w *watch) take(r runfile.Record) error {
	if reading, is := r.(runfile.Reading); is && w.again(reading) {
		if err := w.anew(reading.At); err != nil {
			return err
		}
		close(w.changed)
		w.over = true
	}
	return w.record(r)
}

// again tells whether a reading is of another start than the one before.
func (w *watch) again(r runfile.Reading) bool {
	started, read := r.Values[w.started]
	if !read || w.over {
		return false
	}
	before := w.last
	w.last = started
	return before != 0 && started != before
}

// anew says of all probes that their counters are not to be compared with those before.
func (w *watch) anew(at time.Time) error {
	return Anew(w.record, at, w.probes, "the server was started anew, or another one answers in its place")
}

// Anew records that the counters of some probes are not to be compared with what they were before.
func Anew(record func(runfile.Record) error, at time.Time, probes []string, why string) error {
	for _, p := range probes {
		if err := record(runfile.Gap{At: at, Probe: p, Reason: runfile.Reset, Detail: why}); err != nil {
			return err
		}
	}
	return nil
}
