package run

import (
	"time"

	"github.com/realiops/realiops/internal/measure/collect"
	"github.com/realiops/realiops/internal/measure/target"
	"github.com/realiops/realiops/internal/runfile"
)

// Options configures a run.
type Options struct {
	Head     runfile.Run // the file's first line, as far as it is known beforehand
	Path     string      // of the file
	Target   target.Options
	Program  *Program
	Interval time.Duration // between two readings of the probes
	Show     Display
	Verbose  bool // say at the end where the time went

	// AWSPeriod is the longest period among AWS's metrics to be judged, in seconds; 0: there are none.
	AWSPeriod float64
	Tempo     collect.Tempo

	// Agree is asked before a server that is not on this machine is put under load. An error from it ends the run.
	Agree func(question string) error
	// Bill returns the likely cost of a plan's writes on a server of AWS's, as a sentence with a space before it;
	// empty if there is nothing to say.
	Bill func(runfile.Cloud, runfile.Plan) string
	// Required returns the names of the metrics, among all that the run will hold, that the user requires; none: any
	// will do. An error ends the run before anything is measured.
	Required func([]runfile.Metric) ([]string, error)
	// SoFar shows the findings from the file so far; nil: nobody looks on.
	SoFar func(path string)
	// Next names, from the file so far, which of the loads would tell most about the required metrics if it were run
	// once more, and says why; an empty name: none would.
	Next func(path string, required []string, loads []runfile.Load) (load, why string)
}

// Display shows people how far a run has come.
type Display interface {
	target.Notices
	// Doing shows the activity while no load runs; empty: a load runs.
	Doing(text string)
	// Lasts sets the announced duration of the loads from here.
	Lasts(time.Duration)
	Record(runfile.Record)
}
