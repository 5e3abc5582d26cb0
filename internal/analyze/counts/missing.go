package counts

import (
	"errors"

	"github.com/realiops/realiops/internal/runfile"
	"github.com/realiops/realiops/internal/series"
)

// WhyMissing returns why something was not counted, of the error with which that is said.
func WhyMissing(err error) *series.Missing {
	if m, ok := errors.AsType[*series.Missing](err); ok {
		return m
	}
	return &series.Missing{Reason: series.Reason(runfile.Failed), Detail: err.Error()}
}

// NotRecorded is the reason for a count that the run did not even try to read.
const NotRecorded series.Reason = "not-recorded"

// Reasons for a count of a source with periods of its own: none of them lies inside the repetition, those that do are
// not final, or they are of an instance that had no load any more.
const (
	NoPeriod  series.Reason = "no-period"
	Unsettled series.Reason = "unsettled"
	Elsewhere series.Reason = "other-instance"
)

// Impossible is the reason for a count that is missing because no server could have counted so.
const Impossible series.Reason = "impossible"

// NotMoved is the reason for a count of a source that shows the same for longer than a load lasted: it tells of an
// hour, in which other loads were run as well.
const NotMoved series.Reason = "not-moved"

// InSteps is the reason for a count of a counter that moves in steps which are longer than the loads.
const InSteps series.Reason = "in-steps"

// StepsInLoad is the number of steps of a source that a load needs to be judged by it: the steps at its ends also cover
// time before and after it.
const StepsInLoad = 3

// OtherWindow is the reason for a count of a total that is of another stretch than the load.
const OtherWindow series.Reason = "other-window"
