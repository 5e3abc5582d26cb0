package attribution

import "github.com/realiops/realiops/internal/analyze/counts"

// judge holds what the judgement of all metrics shares.
type judge struct {
	*evidence
	options Options
	view    counts.View
	whole   []column // the quantities' columns over whole repetitions, if the view covers a part of each
}

// trial is the judgement of one metric: its counts, and how each quantity compares.
type trial struct {
	*judge
	metric counts.Metric
	y      column
	blank  []bool // by load: shows nothing of the metric
	rivals []held
}
