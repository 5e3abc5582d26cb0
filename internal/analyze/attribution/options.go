package attribution

import "github.com/realiops/realiops/internal/analyze/counts"

// Options sets the tolerance and the confidence of verdicts. The zero value means the defaults.
type Options struct {
	Tolerance float64  // the factor by which a ratio may move from load to load; 0: DefaultTolerance
	Level     float64  // of all intervals; 0: DefaultLevel
	Asked     []string // only these metrics; nil: all
}

// Defaults of the options.
const (
	DefaultTolerance = 1.10
	DefaultLevel     = 0.95
)

// forRun fills in defaults, also for invalid values. Observations get a higher confidence level, because nobody
// controlled the load.
func (o Options) forRun(run *counts.Run) Options {
	if run.Observed != nil && o.Level == 0 {
		o.Level = observedLevel
	}
	if !(o.Tolerance > 1) {
		o.Tolerance = DefaultTolerance
	}
	if !(o.Level > 0 && o.Level < 1) {
		o.Level = DefaultLevel
	}
	return o
}
