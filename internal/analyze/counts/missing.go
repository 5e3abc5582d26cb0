package counts

import (
	"errors"

	"github.com/realiops/realiops/internal/metric"
	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// WhyMissing returns the reason in err, a *series.Missing or any other error.
func WhyMissing(err error) *series.Missing {
	if m, ok := errors.AsType[*series.Missing](err); ok {
		return m
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: err.Error()}
}

// NotRecorded is the reason for a count that the run did not try to read.
const NotRecorded series.Reason = "not-recorded"

// Reasons for a missing count of a source with periods: no period lies inside the repetition, those that do are not
// final, or they belong to an instance that no longer had load.
const (
	NoPeriod  series.Reason = "no-period"
	Unsettled series.Reason = "unsettled"
	Elsewhere series.Reason = "other-instance"
)

// Impossible is the reason for a count that no server could have reached.
const Impossible series.Reason = "impossible"

// NotMoved is the reason for a missing count of a source that stayed the same for longer than the load: it covers an
// hour with other loads in it.
const NotMoved series.Reason = "not-moved"

// InSteps is the reason for a missing count of a counter that moves in steps longer than the loads.
const InSteps series.Reason = "in-steps"

// StepsInLoad is the number of steps that a load must last: the first and the last also cover time outside it.
const StepsInLoad = 3

// Reasons for a missing ratio.
const (
	Nothing   series.Reason = "nothing"   // the divisor is zero
	Uncertain series.Reason = "uncertain" // either may be the background
)

// Lost returns the reason for a ratio in which that count may be the background.
func Lost(name string) *series.Missing {
	return &series.Missing{Reason: Uncertain, Detail: name + ": indistinguishable from the background"}
}

// NoneOf returns the reason for a ratio to a quantity that is zero.
func NoneOf(q metric.Quantity) *series.Missing {
	return &series.Missing{Reason: Nothing, Detail: "there were no " + q.Many()}
}

// OtherWindow is the reason for a missing count of a total over another stretch than the load.
const OtherWindow series.Reason = "other-window"

// notRead returns why a count of a metric is missing.
func notRead(name string) string { return "this run did not read " + metric.Printed(name, 0) }
