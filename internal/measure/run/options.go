package run

import (
	"time"

	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

// Options configures a run.
type Options struct {
	Head     runfile.Run // the file's first line; the run completes it
	Path     string      // of the file
	Target   target.Options
	Program  *Program
	Interval time.Duration // between two readings of the probes
	Show     Display
	Verbose  bool // show at the end where the time went

	// AWSPeriod is the longest period of AWS's metrics to be judged, in seconds; 0: there are none.
	AWSPeriod float64
	Tempo     collect.Tempo

	// Agree is asked before a server on another machine is put under load. An error from it ends the run.
	Agree func(question string) error
	// Bill returns the likely cost of a plan's writes on an AWS server, as a sentence with a leading space;
	// empty: there is nothing to say.
	Bill func(runfile.Cloud, runfile.Plan) string
	// Required returns the metrics, of all that the run will record, that the user requires; none: any will do. An
	// error ends the run before anything is measured.
	Required func([]runfile.Metric) ([]string, error)
	// SoFar shows the findings from the file so far; nil: they are not shown.
	SoFar func(path string)
	// Next returns, from the file so far, the load whose repetition would tell most about the required metrics, and
	// the reason; an empty name: none would.
	Next func(path string, required []string, loads []runfile.Load) (load, why string)
}

// Display shows the progress of a run.
type Display interface {
	target.Notices
	// Doing shows the activity while no load runs; empty: a load runs.
	Doing(text string)
	// Lasts sets the expected duration of the loads from now on.
	Lasts(time.Duration)
	Record(runfile.Record)
}
